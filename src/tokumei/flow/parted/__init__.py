"""A release made out of core: every stage is tasks from files to files, and only figures of people are held."""
