window.BENCHMARK_DATA = {
  "lastUpdate": 1764160000000,
  "repoUrl": "https://github.com/example/sort",
  "entries": {
    "Benchmark": [
      {
        "commit": {
          "author": {"name": "A", "username": "a"},
          "committer": {"name": "A", "username": "a"},
          "distinct": true,
          "id": "1111111111111111111111111111111111111111",
          "message": "sort: begin\n\nwith a body",
          "timestamp": "2026-11-01T10:00:00Z",
          "url": "https://github.com/example/sort/commit/1111111111111111111111111111111111111111"
        },
        "date": 1793527200000,
        "tool": "go",
        "benches": [
          {"name": "BenchmarkSort", "value": 5189, "unit": "ns/op", "extra": "200 times\n2 procs"}
        ]
      },
      {
        "commit": {
          "id": "2222222222222222222222222222222222222222",
          "message": "sort: faster",
          "timestamp": "2026-11-02T10:00:00Z",
          "url": "https://github.com/example/sort/commit/2222222222222222222222222222222222222222"
        },
        "date": 1793613600000,
        "tool": "go",
        "benches": [
          {"name": "BenchmarkSort", "value": 3484, "unit": "ns/op", "extra": "200 times\n2 procs"}
        ]
      }
    ],
    "Rates": [
      {
        "commit": {
          "id": "2222222222222222222222222222222222222222",
          "message": "sort: faster",
          "timestamp": "2026-11-02T10:00:00Z"
        },
        "date": 1793613700000,
        "tool": "pytest",
        "benches": [
          {"name": "test_sort", "value": 250.5, "unit": "iter/sec", "range": "stddev: 0.01"}
        ]
      }
    ]
  }
};
