"""What a reviewer (a model, at the end of a piece of work) writes: read whatever its form is, made safe, put into entries."""
