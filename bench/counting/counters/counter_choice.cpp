#include "bench/counting/counters/counter_choice.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace steelyard::bench {
namespace {

struct ChoiceWord {
  std::string_view word;
  bool CounterChoice::*chosen;
};
constexpr std::array kWords{ChoiceWord{"cache", &CounterChoice::cache}, ChoiceWord{"branch", &CounterChoice::branch},
                            ChoiceWord{"heap", &CounterChoice::heap}, ChoiceWord{"hardware", &CounterChoice::hardware}};

}  // namespace

std::vector<std::string> counter_words() {
  std::vector<std::string> words;
  for (const ChoiceWord& known : kWords) words.emplace_back(known.word);
  return words;
}

std::optional<std::size_t> read_counters(const std::vector<std::string>& words, CounterChoice& choice) {
  CounterChoice read;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words.size() == 1 && words[i] == kNoCounters) break;
    const auto known =
        std::find_if(kWords.begin(), kWords.end(), [&](const ChoiceWord& word) { return word.word == words[i]; });
    if (known == kWords.end()) return i;
    read.*(known->chosen) = true;
  }
  choice = read;
  return std::nullopt;
}

std::vector<std::string> to_words(const CounterChoice& choice) {
  std::vector<std::string> words;
  for (const ChoiceWord& known : kWords) {
    if (choice.*(known.chosen)) words.emplace_back(known.word);
  }
  return words;
}

namespace {

// The sum of some events of one profile; absent where one of them is.
class EventSums {
 public:
  EventSums(const std::vector<std::string>& events, const std::vector<std::int64_t>& costs)
      : events_(events), costs_(costs) {}

  std::optional<std::int64_t> of(std::initializer_list<std::string_view> names) const {
    std::int64_t sum = 0;
    for (const std::string_view name : names) {
      const auto at = static_cast<std::size_t>(std::find(events_.begin(), events_.end(), name) - events_.begin());
      if (at >= costs_.size()) return std::nullopt;
      sum += costs_[at];
    }
    return sum;
  }

 private:
  const std::vector<std::string>& events_;
  const std::vector<std::int64_t>& costs_;
};

std::string geometry_text() {
  return "I1 " + std::string(kInstructionCache) + "; D1 " + std::string(kDataCache) + "; LL " +
         std::string(kLastLevelCache);
}

}  // namespace

std::vector<std::string> simulation_options(const CounterChoice& choice) {
  std::vector<std::string> options;
  if (choice.cache) {
    options = {"--cache-sim=yes", "--I1=" + std::string(kInstructionCache), "--D1=" + std::string(kDataCache),
               "--LL=" + std::string(kLastLevelCache)};
  }
  if (choice.branch) options.emplace_back("--branch-sim=yes");
  return options;
}

std::string cache_model_text() {
  return geometry_text() + " (bytes, ways, line); estimated_cycles = l1_hits + " + std::to_string(kLastLevelCycles) +
         " ll_hits + " + std::to_string(kMemoryCycles) + " ram_hits";
}

std::string cache_key(const CounterChoice& choice) {
  if (!choice.cache) return "";
  std::string key = "caches " + geometry_text();
  std::replace(key.begin(), key.end(), ';', ' ');
  std::replace(key.begin(), key.end(), ',', '/');  // a key's parts end with ';' or ','
  return key;
}

std::vector<SimulatedCount> simulated_counts(const std::vector<std::string>& events,
                                             const std::vector<std::int64_t>& costs) {
  const EventSums sums(events, costs);
  std::vector<SimulatedCount> counts;
  const auto accesses = sums.of({"Ir", "Dr", "Dw"});
  const auto beyond_first = sums.of({"I1mr", "D1mr", "D1mw"});
  const auto ram = sums.of({"ILmr", "DLmr", "DLmw"});
  if (accesses && beyond_first && ram) {
    const std::int64_t last = *beyond_first - *ram;
    const std::int64_t first = *accesses - *ram - last;
    counts.push_back({"l1_hits", first});
    counts.push_back({"ll_hits", last});
    counts.push_back({"ram_hits", *ram});
    counts.push_back({"estimated_cycles", first + kLastLevelCycles * last + kMemoryCycles * *ram});
  }
  const auto branches = sums.of({"Bc", "Bi"});
  const auto mispredictions = sums.of({"Bcm", "Bim"});
  if (branches && mispredictions) {
    counts.push_back({"branches", *branches});
    counts.push_back({"branch_mispredictions", *mispredictions});
  }
  return counts;
}

}  // namespace steelyard::bench
