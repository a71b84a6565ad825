"""k-concealment: every published history fits k people without k being published alike."""
