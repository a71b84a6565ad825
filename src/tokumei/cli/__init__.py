"""The command line: arguments in, results and one clear sentence per error out."""
