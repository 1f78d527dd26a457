"""Foreign transcripts: one module an agent. Read only; everything in them is untrusted."""
