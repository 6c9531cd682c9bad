"""Stages 1 and 2 of LoTES: which classes run on which configurations, and which mix each machine holds."""
