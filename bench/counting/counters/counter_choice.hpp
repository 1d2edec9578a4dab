// Which counters are wanted beside the instructions. They explain a change and fail no gate unless the policy names
// them; each costs something, so that none is taken unasked.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard {

struct CounterChoice {
  bool cache = false;     // Callgrind's model of caches, in the collections of the instructions
  bool branch = false;    // its model of a branch predictor, likewise
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

}  // namespace steelyard
