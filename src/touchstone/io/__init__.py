"""Files in and out: strict text, line-wise JSON, tables by suffix; outputs are written beside and renamed."""
