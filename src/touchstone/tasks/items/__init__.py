"""Any table of per-item values, made by any tool: systems compared item by item."""
