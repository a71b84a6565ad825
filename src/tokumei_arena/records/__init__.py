"""What is kept: files, the log, archives, backups."""
