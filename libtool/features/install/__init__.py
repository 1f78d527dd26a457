"""What `lib install` puts into agents' settings, and takes out again: a module an agent, behind the one table in `table`."""
