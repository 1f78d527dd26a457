"""`lib absent`: prove that code does not have a thing, at a commit."""
