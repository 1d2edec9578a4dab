#include "bench/ceilings/ceiling_bench.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "bench/ceilings/arithmetic_kernels.hpp"

namespace steelyard::bench {

bool is_meant(std::string_view part, std::string_view name) {
  if (part.empty() || part == name) return true;
  if (part.size() >= name.size()) return false;
  return (name.starts_with(part) && name[part.size()] == '/') ||
         (name.ends_with(part) && name[name.size() - part.size() - 1] == '/');
}

namespace {

struct Models {
  std::string_view vendor;
  int family;
  int first;
  int last;
  FmaUnits units;
};

// Widths of the units, from Agner Fog, "The microarchitecture of Intel, AMD and VIA CPUs", and the makers' optimization
// guides. Model numbers as the Linux kernel has them (arch/x86/include/asm/intel-family.h, amd.c). A processor that
// takes a wide instruction in two halves has the units of the halves.
constexpr std::array kModels{
    Models{"GenuineIntel", 6, 0x3C, 0x3D, {"Haswell or Broadwell", 2, 256}},  // 0x3E is Ivy Bridge: none
    Models{"GenuineIntel", 6, 0x3F, 0x3F, {"Haswell", 2, 256}},
    Models{"GenuineIntel", 6, 0x45, 0x47, {"Haswell or Broadwell", 2, 256}},
    Models{"GenuineIntel", 6, 0x4E, 0x4F, {"Skylake or Broadwell", 2, 256}},
    Models{"GenuineIntel", 6, 0x55, 0x55, {"Skylake server (some models have one unit of 512 bits)", 2, 512}},
    Models{"GenuineIntel", 6, 0x56, 0x56, {"Broadwell", 2, 256}},
    Models{"GenuineIntel", 6, 0x5E, 0x5E, {"Skylake", 2, 256}},
    Models{"GenuineIntel", 6, 0x6A, 0x6C, {"Ice Lake server", 2, 512}},
    Models{"GenuineIntel", 6, 0x7D, 0x7E, {"Ice Lake client", 2, 256}},
    Models{"GenuineIntel", 6, 0x8C, 0x8D, {"Tiger Lake", 2, 256}},
    Models{"GenuineIntel", 6, 0x8E, 0x8E, {"Kaby Lake", 2, 256}},
    Models{"GenuineIntel", 6, 0x8F, 0x8F, {"Sapphire Rapids", 2, 512}},
    Models{"GenuineIntel", 6, 0x97, 0x97, {"Alder Lake", 2, 256}},
    Models{"GenuineIntel", 6, 0x9A, 0x9A, {"Alder Lake", 2, 256}},
    Models{"GenuineIntel", 6, 0x9E, 0x9E, {"Kaby Lake or Coffee Lake", 2, 256}},
    Models{"GenuineIntel", 6, 0xA5, 0xA6, {"Comet Lake", 2, 256}},
    Models{"GenuineIntel", 6, 0xA7, 0xA7, {"Rocket Lake", 2, 256}},
    Models{"GenuineIntel", 6, 0xAD, 0xAE, {"Granite Rapids", 2, 512}},
    Models{"GenuineIntel", 6, 0xB7, 0xB7, {"Raptor Lake", 2, 256}},
    Models{"GenuineIntel", 6, 0xBA, 0xBA, {"Raptor Lake", 2, 256}},
    Models{"GenuineIntel", 6, 0xCF, 0xCF, {"Emerald Rapids", 2, 512}},
    Models{"AuthenticAMD", 0x17, 0x00, 0x2F, {"Zen", 2, 128}},
    Models{"AuthenticAMD", 0x17, 0x30, 0xAF, {"Zen 2", 2, 256}},
    Models{"AuthenticAMD", 0x19, 0x00, 0x0F, {"Zen 3", 2, 256}},
    Models{"AuthenticAMD", 0x19, 0x10, 0x1F, {"Zen 4", 2, 256}},
    Models{"AuthenticAMD", 0x19, 0x20, 0x5F, {"Zen 3", 2, 256}},
    Models{"AuthenticAMD", 0x19, 0x60, 0x7F, {"Zen 4", 2, 256}},
    Models{"AuthenticAMD", 0x19, 0xA0, 0xAF, {"Zen 4", 2, 256}},
    Models{"AuthenticAMD", 0x1A, 0x00, 0x1F, {"Zen 5 server", 2, 512}},
    Models{"AuthenticAMD", 0x1A, 0x40, 0x4F, {"Zen 5 desktop", 2, 512}},
};

}  // namespace

std::optional<FmaUnits> fma_units(const CpuIdentity& cpu) {
  for (const Models& models : kModels) {
    if (cpu.vendor == models.vendor && cpu.family == models.family && cpu.model >= models.first &&
        cpu.model <= models.last) {
      return models.units;
    }
  }
  return std::nullopt;
}

double fma_operations_per_cycle(const FmaUnits& units, int element_bits, int instruction_bits) {
  return 2.0 * units.units * std::min(units.width_bits, instruction_bits) / element_bits;
}

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

MemoryRegion::~MemoryRegion() { release(); }

MemoryRegion::MemoryRegion(MemoryRegion&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

MemoryRegion& MemoryRegion::operator=(MemoryRegion&& other) noexcept {
  if (this != &other) {
    release();
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

bool MemoryRegion::reserve(std::size_t bytes, bool huge_pages) {
  release();
  const std::size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* const data = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) return false;
  data_ = data;
  bytes_ = whole;
  // Advice only: a kernel without huge pages refuses it, and nothing else changes. Never MADV_NOHUGEPAGE: a program
  // that asks for nothing has huge pages all the same where the system gives them to all.
  if (huge_pages) static_cast<void>(madvise(data_, bytes_, MADV_HUGEPAGE));
  return true;
}

void MemoryRegion::touch() {
  double* const values = data();
  for (std::size_t i = 0; i < bytes_ / sizeof(double); ++i) values[i] = 1;
}

void MemoryRegion::release() noexcept {
  if (data_ != nullptr) munmap(data_, bytes_);
  data_ = nullptr;
  bytes_ = 0;
}

namespace {

// Short, so that on a busy machine some of them fall between the moments in which others have the core.
constexpr int kPilots = 9;
constexpr Nanoseconds kPilot = microseconds(500);

// The arrays of a pass lie behind each other, each a few lines further into its page than the one before, so that a
// load and a store in flight do not look like one place to the processor, which compares twelve bits of addresses.
constexpr std::size_t kStagger = kStreamBlock;  // doubles

StreamArrays arrays_in(const MemoryRegion& memory, std::int64_t bytes, int count) {
  const std::size_t part = static_cast<std::size_t>(bytes) / sizeof(double) / static_cast<std::size_t>(count);
  StreamArrays arrays;
  arrays.length = std::max(kStreamBlock, part / kStreamBlock * kStreamBlock);
  arrays.a = memory.data();
  arrays.b = arrays.a + arrays.length + kStagger;
  arrays.c = arrays.b + arrays.length + kStagger;
  return arrays;
}

// Room for the arrays' own rounding and stagger.
std::size_t region_bytes(std::int64_t bytes) {
  return static_cast<std::size_t>(bytes) + (3 * kStreamBlock + 2 * kStagger) * sizeof(double);
}

CeilingItem arithmetic_item(const DtypeKernels& dtype, const ArithmeticKernel& kernel, WorkerTeam& team) {
  CeilingItem item;
  item.ceiling.kind = CeilingKind::arithmetic;
  item.ceiling.dtype = dtype.dtype;
  item.ceiling.threads = team.size();
  item.ceiling.source = "measured";
  item.ceiling.how = kernel.how;
  item.team = &team;
  item.amount_per_pass = static_cast<double>(kernel.operations_per_pass) * team.size();
  item.work = [run = kernel.run](int, std::int64_t passes) {
    const double sum = run(passes);
    asm volatile("" : : "g"(&sum) : "memory");
  };
  return item;
}

// Processors that take wide vectors in halves, or slow down for them, are known by trying, in turns.
const ArithmeticKernel& fastest(const DtypeKernels& dtype, WorkerTeam& team) {
  std::vector<CeilingItem> pilots;
  for (const ArithmeticKernel& kernel : dtype.kernels) {
    pilots.push_back(arithmetic_item(dtype, kernel, team));
    calibrate(pilots.back(), kPilot);
  }
  for (int i = 0; i < kPilots && pilots.size() > 1; ++i) {
    for (CeilingItem& pilot : pilots) repeat(pilot);
  }
  std::size_t best = 0;
  double best_rate = 0;
  for (std::size_t i = 0; i < pilots.size() && pilots.size() > 1; ++i) {
    const std::vector<double>& samples = pilots[i].ceiling.samples;
    const double rate = *std::max_element(samples.begin(), samples.end());
    if (rate <= best_rate * 1.01)
      continue;  // of equals the widest, which comes first: it needs the fewest instructions
    best = i;
    best_rate = rate;
  }
  return dtype.kernels[best];
}

}  // namespace

Result<std::unique_ptr<CeilingBench>> CeilingBench::set_up(const CeilingOptions& options) {
  std::unique_ptr<CeilingBench> bench(new CeilingBench());
  bench->cpu_ = identify_cpu();
  bench->place_ = find_measuring_place(options.root);
  bench->notes_ = bench->place_.notes;
  STEELYARD_CHECK(bench->start_teams());
  bench->add_arithmetic(options.only);
  STEELYARD_CHECK(bench->add_bandwidth(options));
  return bench;
}

Result<void> CeilingBench::start_teams() {
  STEELYARD_TRY(auto one, WorkerTeam::start({place_.cores.front()}));
  teams_.push_back(std::move(one));
  if (place_.cores.size() > 1) {
    STEELYARD_TRY(auto all, WorkerTeam::start(place_.cores));
    teams_.push_back(std::move(all));
  }
  for (const auto& team : teams_) team->run([](int) {});  // all have tried to pin themselves
  if (!teams_.back()->pinned() && place_.cores.front() >= 0) {
    notes_.push_back("threads could not be pinned to their cores");
  }
  return {};
}

bool CeilingBench::is_wanted(const std::string& name, const std::string& only) {
  if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
  return is_meant(only, name);
}

void CeilingBench::note_fma_units() {
  const std::optional<FmaUnits> units = fma_units(cpu_);
  if (!units) {
    notes_.push_back("how many multiply-add units a core has is not known of this CPU: its peaks have no expectation");
    return;
  }
  notes_.push_back("expected are " + std::to_string(units->units) + " multiply-add units of " +
                   std::to_string(units->width_bits) + " bits a core (" + std::string(units->microarchitecture) + ")");
}

void CeilingBench::add_arithmetic(const std::string& only) {
  const std::optional<FmaUnits> units = fma_units(cpu_);
  for (const DtypeKernels& dtype : arithmetic_kernels(cpu_)) {
    if (dtype.kernels.empty()) {
      absent_.push_back({dtype.dtype, dtype.reason});
      continue;
    }
    if (!is_wanted(dtype.dtype, only)) continue;
    const ArithmeticKernel& kernel = fastest(dtype, *teams_.front());
    for (const auto& team : teams_) {
      CeilingItem item = arithmetic_item(dtype, kernel, *team);
      if (units && kernel.is_fma) {
        item.ceiling.expected_per_cycle = fma_operations_per_cycle(*units, dtype.element_bits, kernel.instruction_bits);
      }
      items_.push_back(std::move(item));
    }
  }
  if (!items_.empty()) note_fma_units();
}

Result<void> CeilingBench::reserve_memory(const std::vector<WorkingSetPlan>& plans, bool huge_pages) {
  memory_.resize(place_.cores.size());
  std::vector<std::size_t> wanted(memory_.size(), 0);
  for (std::size_t team = 0; team < plans.size(); ++team) {
    for (const WorkingSet& set : plans[team].sets) {
      for (int thread = 0; thread < teams_[team]->size(); ++thread) {
        std::size_t& bytes = wanted[static_cast<std::size_t>(thread)];
        bytes = std::max(bytes, region_bytes(set.bytes_per_thread));
      }
    }
  }
  std::atomic<bool> is_short = false;
  teams_.back()->run([&](int thread) {
    const auto index = static_cast<std::size_t>(thread);
    if (wanted[index] == 0) return;
    if (!memory_[index].reserve(wanted[index], huge_pages)) is_short = true;
    if (!is_short) memory_[index].touch();
  });
  if (is_short) return program_error("measuring ceilings", "no memory for the working sets", "", "free some");
  return {};
}

void CeilingBench::add_stream(WorkerTeam& team, const WorkingSet& set, const StreamKernel& kernel,
                              std::string_view how) {
  CeilingItem item;
  item.ceiling.kind = CeilingKind::bandwidth;
  item.ceiling.level = set.level;
  item.ceiling.access = kernel.access;
  item.ceiling.threads = team.size();
  item.ceiling.source = "measured";
  item.ceiling.how = how;
  item.team = &team;
  item.is_warmed_up = set.level != "DRAM";
  std::vector<StreamArrays> arrays;
  for (int thread = 0; thread < team.size(); ++thread) {
    arrays.push_back(arrays_in(memory_[static_cast<std::size_t>(thread)], set.bytes_per_thread, kernel.arrays));
    item.amount_per_pass += static_cast<double>(arrays.back().length * sizeof(double)) * kernel.arrays;
  }
  item.work = [arrays, run = kernel.run](int thread, std::int64_t passes) {
    const double sum = run(arrays[static_cast<std::size_t>(thread)], passes);
    asm volatile("" : : "g"(&sum) : "memory");
  };
  items_.push_back(std::move(item));
}

std::vector<StreamKernel> CeilingBench::wanted_kernels(const WorkingSet& set, const StreamKernels& kernels,
                                                       const std::string& only) {
  std::vector<StreamKernel> wanted;
  const auto add = [&](const StreamKernel& kernel) {
    if (is_wanted(set.level + '/' + std::string(kernel.access), only)) wanted.push_back(kernel);
  };
  std::for_each(kernels.plain.begin(), kernels.plain.end(), add);
  if (set.level == "DRAM") std::for_each(kernels.non_temporal.begin(), kernels.non_temporal.end(), add);
  return wanted;
}

Result<void> CeilingBench::add_bandwidth(const CeilingOptions& options) {
  const CacheLevels caches = read_cache_levels(options.root, place_.cores.front(), cpuid_reader());
  if (!caches.note.empty()) notes_.push_back(caches.note);
  const StreamKernels kernels = stream_kernels(cpu_);
  std::vector<WorkingSetPlan> plans;
  for (const auto& team : teams_) {
    WorkingSetOptions wanted;
    wanted.cores.assign(place_.cores.begin(), place_.cores.begin() + team->size());
    wanted.memory_bytes = place_.memory_bytes;
    plans.push_back(plan_working_sets(caches, wanted));
    absent_.insert(absent_.end(), plans.back().absent.begin(), plans.back().absent.end());
    std::erase_if(plans.back().sets, [&](const WorkingSet& set) {
      return wanted_kernels(set, kernels, options.only).empty();  // no memory for what is not measured
    });
    if (!plans.back().note.empty() && !plans.back().sets.empty()) notes_.push_back(plans.back().note);
  }
  STEELYARD_CHECK(reserve_memory(plans, options.huge_pages));
  for (std::size_t team = 0; team < teams_.size(); ++team) {
    for (const WorkingSet& set : plans[team].sets) {
      for (const StreamKernel& kernel : wanted_kernels(set, kernels, options.only)) {
        add_stream(*teams_[team], set, kernel, kernels.how);
      }
    }
  }
  return {};
}

}  // namespace steelyard::bench
