"""Where the parts are joined: settings, endpoints, store and tools as one thing to ask."""

from toolkit.workspace.demo import DEMO_CHAIN_ID, Demo
from toolkit.workspace.snapshot import Snapshot
from toolkit.workspace.workspace import ChainChoice, Workspace, open_workspace

__all__ = ["DEMO_CHAIN_ID", "ChainChoice", "Demo", "Snapshot", "Workspace", "open_workspace"]
