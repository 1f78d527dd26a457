"""What git and agents call: main(argv) -> int over a feature."""
