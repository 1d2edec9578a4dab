// How many threads the libraries under a statement may use: set for the length of a measurement, restored after it,
// also when the statement throws.
//
//     const ScopedThreadCount threads(loaded_thread_counts(), 4);
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace steelyard {

// One library's own count. Neither function may throw.
struct ThreadCount {
  std::string name;  // "OpenBLAS"
  std::function<int()> get;
  std::function<void(int)> set;
};

// OpenMP's and OpenBLAS's, where this process has them loaded: found by name at run time, so that nothing links to
// them. Not found: what is linked statically and exports no symbols; hand over a ThreadCount of your own.
std::vector<ThreadCount> loaded_thread_counts();

class ScopedThreadCount {
 public:
  // threads: at least 1.
  ScopedThreadCount(std::vector<ThreadCount> counts, int threads);
  ~ScopedThreadCount();
  ScopedThreadCount(const ScopedThreadCount&) = delete;
  ScopedThreadCount& operator=(const ScopedThreadCount&) = delete;

 private:
  std::vector<ThreadCount> counts_;
  std::vector<int> before_;
};

}  // namespace steelyard
