"""Contests as referees make and run them: plan, phases, data, announcements."""
