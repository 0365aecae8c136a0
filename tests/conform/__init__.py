"""The examiner, examined: right programs pass, and every planted fault is found by the clause that it breaks."""
