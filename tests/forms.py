"""One table in every form that users have it in: files of each format, and objects of each library."""

import csv
import gzip
import json
from io import StringIO
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
from pyarrow import parquet

FORMS = ("csv", "tsv", "jsonl", "json", "parquet", "arrow", "csv.gz", "renamed", "pandas", "polars", "columns", "rows")


def delimited(rows, delimiter):
    """Give rows as text with a header; what is no text is written as JSON."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    out = StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(names)
    cells = ([row.get(name) for name in names] for row in rows)
    writer.writerows(
        ["" if cell is None else json.dumps(cell) if isinstance(cell, dict | list) else cell for cell in row]
        for row in cells
    )
    return out.getvalue()


def in_form(form, rows, folder, name):
    """Give a table, a list of mappings, in one of `FORMS`: a path in the folder, or an object."""
    path = Path(folder) / f"{name}.{form}"
    names = list(dict.fromkeys(key for row in rows for key in row))
    columns = {key: [row.get(key) for row in rows] for key in names}
    if form in ("csv", "tsv"):
        path.write_text(delimited(rows, "\t" if form == "tsv" else ","), encoding="utf-8")
    elif form == "csv.gz":
        path.write_bytes(gzip.compress(delimited(rows, ",").encode()))
    elif form == "renamed":
        path = path.with_name(f"other {name}.txt")
        path.write_text(delimited(rows, ",").replace("\n", "\r\n"), encoding="utf-8")
    elif form == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    elif form == "json":
        path.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    elif form == "parquet":
        parquet.write_table(pa.table(columns), path)
    elif form == "arrow":
        with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, pa.table(columns).schema) as writer:
            writer.write_table(pa.table(columns))
    else:
        return {
            "pandas": lambda: pd.DataFrame(columns),
            "polars": lambda: pl.DataFrame(columns),
            "columns": lambda: columns,
            "rows": lambda: rows,
        }[form]()
    return path
