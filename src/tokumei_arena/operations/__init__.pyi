from tokumei_arena.operations.checks import State as State
from tokumei_arena.operations.checks import health as health
from tokumei_arena.operations.checks import readiness as readiness
from tokumei_arena.operations.doctor import examine as examine
from tokumei_arena.operations.metrics import CONTENT_TYPE as CONTENT_TYPE
from tokumei_arena.operations.metrics import metrics_text as metrics_text
from tokumei_arena.operations.requests import OWN as OWN
from tokumei_arena.operations.requests import forget_counts as forget_counts
