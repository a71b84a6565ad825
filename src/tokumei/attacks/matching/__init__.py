"""The engine of the attacks: consistency, perfect matchings, posteriors, clues."""
