"""Few human and many machine labels: assess a judge, estimate with it, plan, and ask people next."""
