"""The latent-variable language model of Saul and Pereira (CC14 §8), and Kneser-Ney models to compare it with."""
