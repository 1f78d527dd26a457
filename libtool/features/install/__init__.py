"""What `lib install` puts into agents' settings, and takes out again: a row an agent in `table`."""
