"""Releases out: files that may be handed out, and the secret in a file of its own."""
