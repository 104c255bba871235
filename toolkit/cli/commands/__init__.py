"""The commands: a file's name is the command's name, and its `command` is what runs."""
