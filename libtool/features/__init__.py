"""One verb a module: takes a Config and ports, returns data, never prints."""
