from tokumei.synth.trajectories import generate_trajectories as generate_trajectories
from tokumei.synth.writing import write_synthetic as write_synthetic
