#include "bench/harness/thread_count.hpp"

#include <dlfcn.h>

namespace steelyard {
namespace {

struct Names {
  const char* library;
  const char* get;
  const char* set;
};

// OpenMP first: an OpenBLAS that is built on it takes over its count, and is restored before it.
constexpr Names kKnown[] = {{"OpenMP", "omp_get_max_threads", "omp_set_num_threads"},
                            {"OpenBLAS", "openblas_get_num_threads", "openblas_set_num_threads"}};

}  // namespace

std::vector<ThreadCount> loaded_thread_counts() {
  std::vector<ThreadCount> found;
  for (const Names& names : kKnown) {
    const auto get = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, names.get));
    const auto set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, names.set));
    if (get != nullptr && set != nullptr) found.push_back({names.library, get, set});
  }
  return found;
}

ScopedThreadCount::ScopedThreadCount(std::vector<ThreadCount> counts, int threads) : counts_(std::move(counts)) {
  // All are read before any is set: setting one may change another.
  for (const ThreadCount& count : counts_) before_.push_back(count.get());
  for (const ThreadCount& count : counts_) count.set(threads);
}

ScopedThreadCount::~ScopedThreadCount() {
  for (std::size_t i = counts_.size(); i-- > 0;) counts_[i].set(before_[i]);
}

}  // namespace steelyard
