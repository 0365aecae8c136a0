"""Measurements. Every figure is a ratio within one run, because machines differ and are noisy."""
