"""LoTES: multi-stage resource-aware scheduling for data centres with heterogeneous servers.

Papers: Tran, Padmanabhan, Zhang, Li, Down, Beck, two versions of "Multi-Stage Resource-Aware Scheduling for Data Centers with
Heterogeneous Servers". So far this package holds the arrivals of the real trace (Fig. 6 of the extended version).
"""
