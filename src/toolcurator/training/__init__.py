"""What is learned from labels: the weights of the score."""
