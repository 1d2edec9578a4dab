// What the stand-in for CUPTI (fake_cupti.cpp) takes from tests besides what CUPTI itself has. Found by dlsym in the
// library that the recorder opened.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

struct FakeKernel {
  std::uint64_t start = 0, end = 0;
  std::uint32_t correlation = 0, stream = 7, device = 0;
  const char* name = nullptr;
  std::int32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  std::uint16_t registers = 0;
  std::int32_t static_shared = 0, dynamic_shared = 0;
  std::uint32_t shared_of_multiprocessor = 0;
  std::uint64_t graph_node = 0;
  std::uint32_t graph = 0;
  std::uint64_t queued = 0;  // told only where the recorder asks for it
};

struct FakeCupti {
  std::uint64_t (*now)();  // by the stamp that was registered
  void (*call)(std::uint32_t kind, std::uint32_t callback, std::uint64_t start, std::uint64_t end,
               std::uint32_t correlation);
  void (*kernel)(const FakeKernel* kernel);
  void (*copy)(std::uint8_t kind, std::uint64_t bytes, std::uint64_t start, std::uint64_t end,
               std::uint32_t correlation);
  void (*set)(std::uint64_t bytes, std::uint64_t start, std::uint64_t end, std::uint32_t correlation);
  void (*graph)(std::uint32_t graph, std::uint64_t start, std::uint64_t end, std::uint32_t correlation);
  void (*overhead)(std::uint32_t what, std::uint64_t start, std::uint64_t end);
  void (*stream)(std::uint32_t stream, std::int32_t priority);
  void (*memory)(bool is_allocated, std::uint64_t bytes, std::uint64_t time, std::uint32_t correlation,
                 std::uint32_t kind);
  void (*device)(std::uint32_t id, const char* name);
  void (*raw)(const void* record, std::size_t bytes);  // of any kind
  // A node of a graph; with `executable` the graph is made one that can be launched, by that number.
  void (*node)(void* graph, int type);
  void (*executable)(void* graph, std::uint32_t number);
  void (*lose)(std::size_t records);
  void (*hand_over)();  // the buffer, as it is
  bool (*is_enabled)(std::uint32_t kind);
  int (*subscribers)();
};

// Its functions. $FAKE_CUPTI_VERSION, $FAKE_CUPTI_SUBSCRIBE (a status), $FAKE_CUPTI_ENABLE (a status),
// $FAKE_CUPTI_HARDWARE (a status, of hardware's own time stamps) and $FAKE_CUPTI_WITHOUT (a kind that it refuses) say
// what it is like.
const FakeCupti* fake_cupti();
}
