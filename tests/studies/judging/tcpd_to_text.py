#!/usr/bin/env python3
"""tcpd_to_text.py FOLDER: the one-dimensional series of a built Turing Change Point Dataset and their annotations, as
score_histories --annotated reads them. The data set (https://github.com/alan-turing-institute/TCPD) is not part of this
repository."""

import json
import pathlib
import sys


def main():
    root = pathlib.Path(sys.argv[1])
    annotations = json.loads((root / "annotations.json").read_text())
    for file in sorted(root.glob("datasets/*/*.json")):
        series = json.loads(file.read_text())
        if series["n_dim"] != 1 or series["name"] not in annotations:
            continue
        values = ("nan" if value is None else repr(float(value)) for value in series["series"][0]["raw"])
        print(series["name"], *values)
        for points in annotations[series["name"]].values():
            print("@", *points)


if __name__ == "__main__":
    main()
