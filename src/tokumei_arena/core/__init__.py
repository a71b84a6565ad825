"""What the arena does, without pages: phases, access, submissions, targets, feedback, standings, log."""
