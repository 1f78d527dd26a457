"""The command line: parse, dispatch, print, exit code."""
