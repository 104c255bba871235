"""On-chain numbers that hold up: EVM reads at one pinned block, with their evidence."""
