"""What the git hooks of a library do: check and mend what is staged, put HEAD right, guard a push, reindex in the background."""
