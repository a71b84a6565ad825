"""Groups of people who are published alike: costs, candidates, pairing, partition, alignment, merging."""
