"""Trains Yomi's policy and value networks with PyTorch: see __main__.py."""
