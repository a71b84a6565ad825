"""People and teams: accounts, links, tokens, membership, limits."""
