"""Pictures of states and ideas, which only chapters draw."""
