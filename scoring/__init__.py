"""Models to surprisals, surprisals to outcomes, outcomes to accuracies."""
