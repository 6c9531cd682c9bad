"""The machines and jobs that LoTES is tried on: Google's tables and a month, Alibaba's hour, random instances; job classes."""
