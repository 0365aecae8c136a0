/* The search of src/parlour/games/connect4/kernel.py in C, for 7x6 only: what its speed is compared with.
 *
 * Standard input: one position a line, as columns counted from 1. Standard output: for each its value and the nodes it
 * took, each from empty tables; at the end, after "total", all nodes and the seconds of processor time. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint64_t bits;
enum { W = 7, H = 6, P = H + 1, WAYS = 4, DEEP = 22, PEEK = 16, UNKNOWN = 99, SHALLOW_BITS = 21, DEEP_BITS = 15 };

static bits bottom, board, lower, upper, above2, above4, columns[W];
static bits *shallow, *deep;
static long nodes;

static bits along(bits d, int s) {
    bits pair = d << s & d << 2 * s, found = pair & (d << 3 * s | d >> s);
    pair = d >> s & d >> 2 * s;
    return found | (pair & (d >> 3 * s | d << s));
}

static bits completing(bits d) {
    return ((d << 1 & d << 2 & d << 3) | along(d, P) | along(d, P - 1) | along(d, P + 1)) & board;
}

static bits in_line(bits c, int s) {
    bits pairs = c & c >> s;
    return pairs & pairs >> 2 * s;
}

static int has_four(bits c) { return (in_line(c, 1) | in_line(c, P) | in_line(c, P - 1) | in_line(c, P + 1)) != 0; }

static bits and_above(bits c) {
    c |= c << 1 & board;
    c |= c << 2 & above2;
    return c | (c << 4 & above4);
}

static int ceiling(bits own, bits other, bits playable, bits threats, int empty) {
    bits free = board & ~(own | other), low = free & lower, high = free & upper, even = threats & high & ~playable;
    if (!(empty & 1)) {
        bits closed = and_above(even);
        if (has_four(own | ((playable | low) & ~closed))) return UNKNOWN;
        if (even) return -(__builtin_popcountll(closed | even >> 1) >> 1);
        return has_four(other | (high & ~playable)) ? -1 : 0;
    }
    bits odd = threats & low & ~playable;
    if (!odd) return UNKNOWN;
    for (int at = 0; at < W; at++) {
        bits lock = odd & columns[at];
        if (!lock) continue;
        bits locks = (lock & -lock) | (even & ~columns[at]), closed = and_above(locks);
        if (!has_four(own | ((playable | (low & ~columns[at]) | (high & columns[at])) & ~closed)))
            return -(__builtin_popcountll(closed | locks >> 1) >> 1);
    }
    return UNKNOWN;
}

static bits mixed(bits own, bits taken, int empty) {
    bits key = own + taken;
    if (empty > DEEP) {
        bits twin = 0, rest = key;
        for (int at = 0; at < W; at++, rest >>= P) twin = twin << P | (rest & ((1 << P) - 1));
        if (twin < key) key = twin;
    }
    return (key ^ key >> 32) * 0x9E3779B97F4A7C15u;
}

static bits *place(bits key, int empty) {
    return empty > DEEP ? shallow + (key >> (64 - SHALLOW_BITS)) * WAYS : deep + (key >> (64 - DEEP_BITS)) * WAYS;
}

static bits recalled(bits key, int empty) {
    bits *at = place(key, empty);
    for (int way = 0; way < WAYS; way++)
        if (!((at[way] ^ key << 15) >> 15)) return at[way];
    return 0;
}

static void remember(bits key, int empty, int low, int high, long work) {
    int length = 64 - __builtin_clzll((bits)work + 1);
    bits entry = key << 15 | (bits)(low + 32) << 9 | (bits)(high + 32) << 3 | (length / 2 < 7 ? length / 2 : 7);
    bits *at = place(key, empty), *worst = at;
    for (int way = 0; way < WAYS; way++) {
        if (!((at[way] ^ entry) >> 15)) {
            worst = at + way;
            break;
        }
        if ((at[way] & 7) < (*worst & 7)) worst = at + way;
    }
    *worst = entry;
}

static int search(bits own, bits taken, int empty, int alpha) {
    long began = nodes++;
    bits other = own ^ taken, playable = (taken + bottom) & board, losing = completing(other) & ~taken;
    bits forced = playable & losing, moves = (forced ? forced : playable) & ~(losing >> 1);
    if (!moves || (forced & (forced - 1))) return -(empty / 2);
    if (empty <= 2) return 0;
    int low = -((empty - 2) / 2), high = (empty - 1) / 2, best = -UNKNOWN, count = 0, scores[W];
    if (low > alpha || high <= alpha) return low > alpha ? low : high;
    bits key = mixed(own, taken, empty), entry = recalled(key, empty), sorted[W];
    if (entry) {
        int least = (int)(entry >> 9 & 63) - 32, most = (int)(entry >> 3 & 63) - 32;
        if (least > low) low = least;
        if (most < high) high = most;
        if (low > alpha || high <= alpha) return low > alpha ? low : high;
    }
    for (int at = 0; at < W; at++) {
        bits move = moves & columns[at];
        if (!move) continue;
        bits after = taken | move, next = (after + bottom) & board, threats = completing(own | move) & ~after;
        bits urgent = threats & next;
        int worth = -ceiling(other, own | move, next, threats, empty - 1), slot = count;
        if (urgent && ((urgent & (urgent - 1)) | (threats & urgent << 1))) worth = (empty - 1) / 2;
        if (worth > alpha) {
            best = low = worth > low ? worth : low;
            goto done;
        }
        int score = __builtin_popcountll(threats) * 2 - (urgent != 0);
        for (; slot > 0 && scores[slot - 1] < score; slot--) scores[slot] = scores[slot - 1], sorted[slot] = sorted[slot - 1];
        scores[slot] = score, sorted[slot] = move, count++;
    }
    if (empty > PEEK && count > 1)
        for (int at = 0; at < count; at++) {
            bits twin = recalled(mixed(other, taken | sorted[at], empty - 1), empty - 1);
            if (twin && 32 - (int)(twin >> 3 & 63) > alpha) {
                best = low = 32 - (int)(twin >> 3 & 63);
                goto done;
            }
        }
    for (int at = 0; at < count && best <= alpha; at++) {
        int value = -search(other, taken | sorted[at], empty - 1, -alpha - 1);
        if (value > best) best = value;
    }
    if (best > alpha) low = best > low ? best : low;
    else high = best < high ? best : high;
done:
    remember(key, empty, low, high, nodes - began);
    return best;
}

static int solve(bits own, bits taken, int empty) {
    if (completing(own) & (taken + bottom) & board) return (empty + 1) / 2;
    int low = -(empty / 2), high = (empty - 1) / 2;
    while (low < high) {
        int middle = low + (high - low) / 2, half = middle <= 0 ? low / 2 : high / 2;
        if (middle <= 0 ? half < middle : half > middle) middle = half;
        if (middle >= high) middle = high - 1;
        int bound = search(own, taken, empty, middle);
        if (bound > middle) low = bound;
        else high = bound;
    }
    return low;
}

int main(void) {
    char line[100];
    long total = 0;
    clock_t spent = 0;
    for (int at = 0; at < W; at++) bottom |= (bits)1 << at * P;
    for (int row = 0; row < H; row++) {
        bits cells = bottom << row;
        board |= cells;
        *((H - 1 - row) & 1 ? &lower : &upper) |= cells;
        if (row >= 2) above2 |= cells;
        if (row >= 4) above4 |= cells;
    }
    for (int at = 0; at < W; at++) columns[at] = (bits)((1 << H) - 1) << P * (W / 2 + (at & 1 ? -(at + 1) / 2 : at / 2));
    shallow = calloc((size_t)WAYS << SHALLOW_BITS, sizeof(bits));
    deep = calloc((size_t)WAYS << DEEP_BITS, sizeof(bits));
    while (scanf("%99s", line) == 1) {
        bits own = 0, taken = 0;
        for (char *at = line; *at; at++) {
            bits column = (bits)((1 << H) - 1) << P * (*at - '1'), disc = (taken + bottom) & column;
            own ^= taken;
            taken |= disc;
        }
        memset(shallow, 0, sizeof(bits) * WAYS << SHALLOW_BITS);
        memset(deep, 0, sizeof(bits) * WAYS << DEEP_BITS);
        nodes = 0;
        clock_t began = clock();
        int value = solve(own, taken, W * H - __builtin_popcountll(taken));
        spent += clock() - began;
        total += nodes;
        printf("%d %ld\n", value, nodes);
    }
    printf("total %ld %f\n", total, (double)spent / CLOCKS_PER_SEC);
}
