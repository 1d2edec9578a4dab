// All that is set up before the first repetition: teams of threads, their memory, and one item for each ceiling.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "bench/ceilings/cpu_identity.hpp"
#include "bench/ceilings/measure_ceilings.hpp"
#include "bench/ceilings/measuring_place.hpp"
#include "bench/ceilings/stream_kernels.hpp"
#include "bench/ceilings/worker_team.hpp"

namespace steelyard::bench {

// Which ceilings a part of a name means where some are asked for. Names are "f64" and "DRAM/triad-nt", without threads.

// The whole name, or all before or after a slash of it: "f16" is not "bf16", and "DRAM/triad" not "DRAM/triad-nt". An
// empty part means every name.
bool is_meant(std::string_view part, std::string_view name);

// How many multiply-add units of which width a core has, where that is known of the microarchitecture. An expectation
// to check a measured peak against: units x lanes x 2 x clock. Never a ceiling by itself.

struct FmaUnits {
  std::string_view microarchitecture;
  int units = 0;
  int width_bits = 0;
};

// Absent where the table does not have the processor.
std::optional<FmaUnits> fma_units(const CpuIdentity& cpu);

// Operations per cycle of one core in elements of `element_bits`, with instructions of `instruction_bits`.
double fma_operations_per_cycle(const FmaUnits& units, int element_bits, int instruction_bits);

// Memory for one measuring thread, in huge pages where it asks for them and the system has them, so that the
// translation of addresses does not count as bandwidth. Pages come to be where they are first touched: by the thread
// that will use them.

class MemoryRegion {
 public:
  MemoryRegion() = default;
  ~MemoryRegion();
  MemoryRegion(MemoryRegion&& other) noexcept;
  MemoryRegion& operator=(MemoryRegion&& other) noexcept;

  // False: no memory. Without `huge_pages` the pages are those that the system gives unasked.
  bool reserve(std::size_t bytes, bool huge_pages);
  void touch();

  double* data() const { return static_cast<double*>(data_); }
  std::size_t bytes() const { return bytes_; }

 private:
  void release() noexcept;

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

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

}  // namespace steelyard::bench
