"""Reports, figures and paper kits of scores and comparisons."""
