// All that is set up before the first repetition: teams of threads, their memory, and one item for each ceiling.
#pragma once

#include <memory>
#include <vector>

#include "bench/ceilings/cache_levels.hpp"
#include "bench/ceilings/ceiling_item.hpp"
#include "bench/ceilings/cpu_identity.hpp"
#include "bench/ceilings/measure_ceilings.hpp"
#include "bench/ceilings/measuring_place.hpp"
#include "bench/ceilings/memory_region.hpp"
#include "bench/ceilings/stream_kernels.hpp"
#include "bench/ceilings/working_sets.hpp"

namespace steelyard {

class CeilingBench {
 public:
  static Result<std::unique_ptr<CeilingBench>> set_up(const CeilingOptions& options);
  CeilingBench(const CeilingBench&) = delete;
  CeilingBench& operator=(const CeilingBench&) = delete;

  // Of those that CeilingOptions::only means; of one thread first within each kind.
  std::vector<CeilingItem>& items() { return items_; }
  // The names of all that could be measured here, meant or not.
  const std::vector<std::string>& names() const { return names_; }
  std::vector<AbsentCeiling>& absent() { return absent_; }
  std::vector<std::string>& notes() { return notes_; }

 private:
  CeilingBench() = default;
  Result<void> start_teams();
  bool is_wanted(const std::string& name, const std::string& only);
  void add_arithmetic(const std::string& only);
  void note_fma_units();
  Result<void> add_bandwidth(const CeilingOptions& options);
  std::vector<StreamKernel> wanted_kernels(const WorkingSet& set, const StreamKernels& kernels,
                                           const std::string& only);
  Result<void> reserve_memory(const std::vector<WorkingSetPlan>& plans, bool huge_pages);
  void add_stream(WorkerTeam& team, const WorkingSet& set, const StreamKernel& kernel, std::string_view how);

  CpuIdentity cpu_;
  MeasuringPlace place_;
  std::vector<std::unique_ptr<WorkerTeam>> teams_;  // one thread; all cores, where there is more than one
  std::vector<MemoryRegion> memory_;                // by thread; shared by the teams, which take turns
  std::vector<CeilingItem> items_;
  std::vector<std::string> names_;
  std::vector<AbsentCeiling> absent_;
  std::vector<std::string> notes_;
};

}  // namespace steelyard
