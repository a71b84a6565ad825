"""From an upload to its verdict: intake, queue, evaluation in a limited process, results, targets."""
