"""The machines, job classes and jobs that LoTES is tried on."""
