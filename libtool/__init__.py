"""lib: one session library across a person's machines."""

__version__ = "0.1.0"
