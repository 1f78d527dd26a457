"""One module a command: add_arguments and run."""
