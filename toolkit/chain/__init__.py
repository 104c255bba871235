"""The way to the chain: endpoints, pins, reads, and the facts they become."""
