"""The events of agents: one module an agent behind the table of `libtool.hooks.agents.table`."""
