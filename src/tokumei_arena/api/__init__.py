"""The API for programs, and its tokens."""
