"""The tables of the benchmark, one file for each: who is compared with whom, and at what."""
