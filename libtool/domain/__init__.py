"""Pure code: no input or output, no clock, no environment."""
