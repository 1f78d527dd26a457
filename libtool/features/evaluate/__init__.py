"""`lib eval`: how many of a person's own questions each set-up answers, and what that costs."""
