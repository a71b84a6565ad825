"""Strict k-anonymity for histories."""
from __future__ import annotations
import numpy as np
from tokumei.anonymize.groups import Groups
from tokumei.anonymize.merging import merge_groups, to_release
from tokumei.anonymize.pairing import pair_units
from tokumei.kernels.record_table import RecordTable

def quick(history, rng, limit=3000, threads=2, per_unit=10):
    import time
    t0=time.time()
    table = RecordTable.from_history(history); print('table', time.time()-t0)
    groups = Groups.of(pair_units(table, per_unit=per_unit, limit=limit, threads=threads)); print('pairs', time.time()-t0)
    merged = merge_groups(table, groups, limit=limit, threads=threads); print('merge', time.time()-t0)
    out= to_release(history, table, merged, method="k-anonymity", rng=rng); print('release', time.time()-t0)
    return out
