"""Evaluation: leases, the limited process, unpacking."""
