"""What an attacker gets out of a release: figures, evidence, reasons, a verdict."""
