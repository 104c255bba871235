"""The command line: one file per command, each loaded only when it is run.

`run.py` turns whatever happens into a sentence and an exit code; `tree.py` lists the commands;
`screen.py` is the only place that writes.
"""
