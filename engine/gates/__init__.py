"""Questions of agents: seen by their edges, frozen, and resolved by one decision."""
