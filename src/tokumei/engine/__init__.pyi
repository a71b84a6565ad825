from tokumei.engine.runs import Result as Result
from tokumei.engine.runs import run_blocks as run_blocks
from tokumei.engine.threads import abandoned as abandoned
from tokumei.engine.threads import spread_over as spread_over
