"""Attackers who know only a little of somebody, or nothing: what they find, learn and infer from a release."""
