window.BENCHMARK_DATA = {
 "lastUpdate": 1793900000000,
 "repoUrl": "https://github.com/example/sort",
 "entries": {
  "Go": [
   {
    "commit": {
     "id": "1111111111111111111111111111111111111111",
     "message": "sort: step",
     "timestamp": "2026-11-01T10:00:00Z"
    },
    "date": 1793527200000,
    "tool": "go",
    "benches": [
     {
      "name": "BenchmarkCopy",
      "value": 512,
      "unit": "ns/op"
     },
     {
      "name": "BenchmarkCopy - MB/s",
      "value": 2000.5,
      "unit": "MB/s"
     },
     {
      "name": "BenchmarkCopy - allocs/op",
      "value": 2,
      "unit": "allocs/op"
     }
    ]
   }
  ],
  "Java": [
   {
    "commit": {
     "id": "2222222222222222222222222222222222222222",
     "message": "sort: step",
     "timestamp": "2026-11-02T10:00:00Z"
    },
    "date": 1793613600000,
    "tool": "jmh",
    "benches": [
     {
      "name": "Sort.sort",
      "value": 81250.5,
      "unit": "ops/s"
     }
    ]
   }
  ],
  "Bigger": [
   {
    "commit": {
     "id": "3333333333333333333333333333333333333333",
     "message": "sort: step",
     "timestamp": "2026-11-03T10:00:00Z"
    },
    "date": 1793700000000,
    "tool": "customBiggerIsBetter",
    "benches": [
     {
      "name": "idle",
      "value": 12.5,
      "unit": "ms"
     }
    ]
   }
  ],
  "Smaller": [
   {
    "commit": {
     "id": "4444444444444444444444444444444444444444",
     "message": "sort: step",
     "timestamp": "2026-11-04T10:00:00Z"
    },
    "date": 1793786400000,
    "tool": "customSmallerIsBetter",
    "benches": [
     {
      "name": "requests",
      "value": 8,
      "unit": "ops/s"
     }
    ]
   }
  ]
 }
};
