"""`lib logins scrub`: rewrite the agents' own old transcripts so that their logins are gone, with a backup, only when asked."""
