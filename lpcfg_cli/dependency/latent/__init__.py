"""The latent-variable model of dependency trees (D12 §3): learners, probabilities of trees, file."""
