from tokumei.synth.copulas import draw_copula as draw_copula
from tokumei.synth.copulas import draw_margin as draw_margin
from tokumei.synth.first_events import Hazard as Hazard
from tokumei.synth.first_events import draw_first_events as draw_first_events
from tokumei.synth.ratings import generate_ratings as generate_ratings
from tokumei.synth.region_traces import generate_region_traces as generate_region_traces
from tokumei.synth.trajectories import generate_trajectories as generate_trajectories
from tokumei.synth.writing import write_synthetic as write_synthetic
