#include "bench/counting/algebra/learned_noise.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "bench/counting/costs.hpp"

namespace steelyard {
namespace {

using Costs = std::vector<std::int64_t>;

Result<void> require_same_measure(CountKind kind_a, CountKind kind_b, const std::vector<std::string>& events_a,
                                  const std::vector<std::string>& events_b) {
  if (kind_a != kind_b) return input_error("noise", "self and inclusive counts", "both self or both inclusive");
  if (events_a != events_b) return input_error("noise", "other events than those of the counts", "the same events");
  return {};
}

// Without overflow, whatever the sign of `change`.
bool is_within(std::int64_t change, std::int64_t spread) { return change <= spread && change >= -spread; }

bool is_within(const Costs& change, const Costs& spread) {
  for (std::size_t event = 0; event < change.size(); ++event) {
    if (!is_within(change[event], spread[event])) return false;
  }
  return true;
}

}  // namespace

Costs LearnedNoise::spread_of(const FunctionKey& key) const {
  const auto row = std::lower_bound(functions.begin(), functions.end(), key,
                                    [](const FunctionNoise& a, const FunctionKey& b) { return a.key < b; });
  return row != functions.end() && row->key == key ? row->spread : Costs(events.size(), 0);
}

Result<LearnedNoise> learn_noise(const std::vector<FunctionCounts>& repeats) {
  if (repeats.size() < 2) {
    return input_error("noise", std::to_string(repeats.size()) + " repeats", "at least 2 of the same binary");
  }
  LearnedNoise noise;
  noise.kind = repeats.front().kind();
  noise.events = repeats.front().events();
  noise.repeats = repeats.size();
  std::set<FunctionKey> keys;
  for (const FunctionCounts& counts : repeats) {
    STEELYARD_CHECK(require_same_measure(noise.kind, counts.kind(), noise.events, counts.events()));
    for (const FunctionCount& row : counts.rows()) keys.insert(row.key);
  }
  for (const FunctionKey& key : keys) {
    Costs least = repeats.front().at(key);
    Costs most = least;
    for (const FunctionCounts& counts : repeats) {
      const Costs values = counts.at(key);
      for (std::size_t event = 0; event < values.size(); ++event) {
        least[event] = std::min(least[event], values[event]);
        most[event] = std::max(most[event], values[event]);
      }
    }
    FunctionNoise function{key, Costs(least.size(), 0)};
    for (std::size_t event = 0; event < least.size(); ++event) {
      if (__builtin_sub_overflow(most[event], least[event], &function.spread[event])) {
        return input_error(key.function, "a spread of more than 63 bits", "repeats of one binary");
      }
    }
    if (!is_zero(function.spread)) noise.functions.push_back(std::move(function));
  }
  return noise;
}

Result<LearnedNoise> wider(const LearnedNoise& a, const LearnedNoise& b) {
  STEELYARD_CHECK(require_same_measure(a.kind, b.kind, a.events, b.events));
  std::map<FunctionKey, Costs> spreads;
  for (const LearnedNoise* noise : {&a, &b}) {
    for (const FunctionNoise& function : noise->functions) {
      Costs& spread = spreads.try_emplace(function.key, Costs(a.events.size(), 0)).first->second;
      for (std::size_t event = 0; event < spread.size(); ++event) {
        spread[event] = std::max(spread[event], function.spread[event]);
      }
    }
  }
  LearnedNoise widest{a.kind, a.events, std::min(a.repeats, b.repeats), {}};
  for (auto& [key, spread] : spreads) widest.functions.push_back({key, std::move(spread)});
  return widest;
}

Result<Denoised> denoise(const FunctionCounts& change, const LearnedNoise& noise) {
  STEELYARD_CHECK(require_same_measure(change.kind(), noise.kind, change.events(), noise.events));
  const auto is_kept = [&](const FunctionKey& key) { return !is_within(change.at(key), noise.spread_of(key)); };
  return Denoised{change.filtered(is_kept), change.filtered([&](const FunctionKey& key) { return !is_kept(key); })};
}

Result<FunctionCounts> steady_functions(const FunctionCounts& counts, const LearnedNoise& noise) {
  STEELYARD_CHECK(require_same_measure(counts.kind(), noise.kind, counts.events(), noise.events));
  return counts.filtered([&](const FunctionKey& key) { return is_zero(noise.spread_of(key)); });
}

}  // namespace steelyard
