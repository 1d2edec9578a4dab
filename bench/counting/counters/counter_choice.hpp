// Which counters are wanted beside the instructions. They explain a change and fail no gate unless the policy names
// them; each costs something, so that none is taken unasked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::bench {

struct CounterChoice {
  bool cache = false;     // Callgrind's model of caches, in the collections of the instructions
  bool branch = false;    // its model of a branch predictor, in the same collections
  bool heap = false;      // allocations of the timed loop, in processes of their own under Valgrind
  bool hardware = false;  // the machine's own counters, in processes of their own at full speed

  bool is_simulated() const { return cache || branch; }
  // Whether anything is counted under Valgrind.
  bool is_counted() const { return is_simulated() || heap; }
  bool operator==(const CounterChoice&) const = default;
};

// For nothing of it, over a configuration that names some.
inline constexpr std::string_view kNoCounters = "none";

// "cache", "branch", "heap", "hardware": the words of --counters.
std::vector<std::string> counter_words();

// The position of the first word that is none of counter_words(); absent where all are. "none" alone is an empty list.
std::optional<std::size_t> read_counters(const std::vector<std::string>& words, CounterChoice& choice);

// What read_counters would read back; empty where nothing is chosen.
std::vector<std::string> to_words(const CounterChoice& choice);

// Callgrind's model of the caches and of a branch predictor: what is asked of it, and what its events add up to. A
// model, not the machine: two levels, no prefetcher, addresses as the program sees them, the same on every host.
//
// Callgrind's events: Ir, Dr, Dw are instructions, data reads and writes; I1mr, D1mr, D1mw those that miss the first
// level; ILmr, DLmr, DLmw those that miss the last one too; Bc, Bcm conditional branches and their mispredictions, Bi,
// Bim indirect ones (Valgrind manual, "Cachegrind"). From them, as gungraun and iai define it:
//   ram_hits = ILmr + DLmr + DLmw
//   ll_hits  = I1mr + D1mr + D1mw - ram_hits
//   l1_hits  = Ir + Dr + Dw - ram_hits - ll_hits
//   estimated_cycles = l1_hits + 5 ll_hits + 35 ram_hits
//   branches = Bc + Bi, branch_mispredictions = Bcm + Bim

// Size in bytes, ways, bytes of a line. Fixed: Callgrind would take the geometry of the machine it runs on.
inline constexpr std::string_view kInstructionCache = "32768,8,64";
inline constexpr std::string_view kDataCache = "32768,8,64";
inline constexpr std::string_view kLastLevelCache = "8388608,16,64";
// Cycles of one access: 1 in the first level, these beyond it.
inline constexpr std::int64_t kLastLevelCycles = 5;
inline constexpr std::int64_t kMemoryCycles = 35;

// Options for Callgrind; none where neither caches nor branches are wanted.
std::vector<std::string> simulation_options(const CounterChoice& choice);

// Geometry and constants, for the run's settings: who reads a record must know the model.
std::string cache_model_text();
// The model as a part of a count's key; empty where caches are not simulated.
std::string cache_key(const CounterChoice& choice);

struct SimulatedCount {
  std::string_view metric;
  std::int64_t count = 0;
  bool operator==(const SimulatedCount&) const = default;
};

// What `costs` (one per event) add up to; a metric whose events are absent is absent. Can be negative where costs are
// differences. Precondition: costs below 2^57.
std::vector<SimulatedCount> simulated_counts(const std::vector<std::string>& events,
                                             const std::vector<std::int64_t>& costs);

}  // namespace steelyard::bench
