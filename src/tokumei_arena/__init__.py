"""The arena: a server on which teams anonymize, attack each other and are judged by the rule sets of Tokumei."""
