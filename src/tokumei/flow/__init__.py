"""From a history to a release and what is said of it: plan, gate, making, comparison, estimate."""
