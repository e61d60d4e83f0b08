"""Speed and quality against peers, measured side by side in one run."""
