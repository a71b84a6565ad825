from tokumei.synth.ratings import generate_ratings as generate_ratings
from tokumei.synth.region_traces import generate_region_traces as generate_region_traces
from tokumei.synth.trajectories import generate_trajectories as generate_trajectories
from tokumei.synth.writing import write_synthetic as write_synthetic
