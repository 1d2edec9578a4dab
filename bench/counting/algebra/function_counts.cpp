#include "bench/counting/algebra/function_counts.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "bench/model/text.hpp"

namespace steelyard::bench {
namespace {

using Costs = std::vector<std::int64_t>;

Error too_large(const FunctionKey& key) {
  return input_error(key.function, "counts that add up to more than 63 bits", "profiles that can have run");
}

const char* word_for(CountKind kind) { return kind == CountKind::self ? "self" : "inclusive"; }

std::string text_of_events(const std::vector<std::string>& events) {
  const std::string text = joined_text(events, " ");
  return text.empty() ? "none" : text;
}

template <class Profile>
Result<FunctionCounts> counts_of(const Profile& profile, CountKind kind) {
  std::vector<FunctionCount> rows;
  rows.reserve(profile.functions.size());
  for (const ProfiledFunction& function : profile.functions) {
    rows.push_back({{function.object, function.file, function.name},
                    kind == CountKind::self ? function.self : function.inclusive});
  }
  return FunctionCounts::of(kind, profile.events, std::move(rows));
}

}  // namespace

Result<FunctionCounts> FunctionCounts::of(CountKind kind, std::vector<std::string> events,
                                          std::vector<FunctionCount> rows) {
  FunctionCounts result;
  result.kind_ = kind;
  result.events_ = std::move(events);
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  bool is_nested = false;
  for (FunctionCount& row : rows) {
    if (row.counts.size() != result.events_.size()) {
      return input_error(row.key.function, std::to_string(row.counts.size()) + " counts",
                         "one for each event: " + text_of_events(result.events_));
    }
    if (is_zero(row.counts)) continue;
    if (result.rows_.empty() || result.rows_.back().key != row.key) {
      result.rows_.push_back(std::move(row));
      is_nested = false;
      continue;
    }
    if (!add_costs(result.rows_.back().counts, row.counts)) return too_large(row.key);
    if (kind == CountKind::inclusive && !std::exchange(is_nested, true)) ++result.nested_sums_;
  }
  std::erase_if(result.rows_, [](const FunctionCount& row) { return is_zero(row.counts); });
  return result;
}

Result<FunctionCounts> FunctionCounts::of(const CallgrindPart& part, CountKind kind) { return counts_of(part, kind); }

Result<FunctionCounts> FunctionCounts::of(const CountedProfile& profile, CountKind kind) {
  return counts_of(profile, kind);
}

Costs FunctionCounts::at(const FunctionKey& key) const {
  const auto row = std::lower_bound(rows_.begin(), rows_.end(), key,
                                    [](const FunctionCount& a, const FunctionKey& b) { return a.key < b; });
  return row != rows_.end() && row->key == key ? row->counts : Costs(events_.size(), 0);
}

Result<FunctionCounts> FunctionCounts::combined(const FunctionCounts& other, bool is_difference) const {
  if (kind_ != other.kind_) {
    return input_error("counts", std::string(word_for(kind_)) + " and " + word_for(other.kind_),
                       "both self or both inclusive");
  }
  if (events_ != other.events_) {
    return input_error("counts", "the events " + text_of_events(events_) + " and " + text_of_events(other.events_),
                       "the same events in the same order", "count both sides with the same options");
  }
  FunctionCounts result;
  result.kind_ = kind_;
  result.events_ = events_;
  result.nested_sums_ = nested_sums_ + other.nested_sums_;
  auto a = rows_.begin();
  auto b = other.rows_.begin();
  while (a != rows_.end() || b != other.rows_.end()) {
    const bool takes_a = b == other.rows_.end() || (a != rows_.end() && a->key <= b->key);
    const bool takes_b = a == rows_.end() || (b != other.rows_.end() && b->key <= a->key);
    FunctionCount row = takes_a ? *a : FunctionCount{b->key, Costs(events_.size(), 0)};
    for (std::size_t event = 0; takes_b && event < row.counts.size(); ++event) {
      std::int64_t& sum = row.counts[event];
      const bool is_beyond = is_difference ? __builtin_sub_overflow(sum, b->counts[event], &sum)
                                           : __builtin_add_overflow(sum, b->counts[event], &sum);
      if (is_beyond) return too_large(row.key);
    }
    if (!is_zero(row.counts)) result.rows_.push_back(std::move(row));
    if (takes_a) ++a;
    if (takes_b) ++b;
  }
  return result;
}

Result<FunctionCounts> FunctionCounts::plus(const FunctionCounts& other) const { return combined(other, false); }

Result<FunctionCounts> FunctionCounts::minus(const FunctionCounts& other) const { return combined(other, true); }

Result<FunctionCounts> FunctionCounts::scaled(std::int64_t times, std::int64_t per) const {
  __extension__ typedef __int128 Wide;
  if (per == 0) return input_error("counts", "a division by 0", "a scale of times / per with per other than 0");
  FunctionCounts result = *this;
  for (FunctionCount& row : result.rows_) {
    for (std::int64_t& count : row.counts) {
      const Wide value = Wide{count} * times / per;
      if (value > std::numeric_limits<std::int64_t>::max() || value < std::numeric_limits<std::int64_t>::min()) {
        return too_large(row.key);
      }
      count = static_cast<std::int64_t>(value);
    }
  }
  std::erase_if(result.rows_, [](const FunctionCount& row) { return is_zero(row.counts); });
  return result;
}

Result<FunctionCounts> FunctionCounts::transformed(
    const std::function<FunctionKey(const FunctionKey&)>& new_key) const {
  std::vector<FunctionCount> rows = rows_;
  for (FunctionCount& row : rows) row.key = new_key(row.key);
  STEELYARD_TRY(FunctionCounts result, of(kind_, events_, std::move(rows)));
  result.nested_sums_ += nested_sums_;
  return result;
}

FunctionCounts FunctionCounts::filtered(const std::function<bool(const FunctionKey&)>& is_wanted) const {
  FunctionCounts result = *this;
  std::erase_if(result.rows_, [&](const FunctionCount& row) { return !is_wanted(row.key); });
  return result;
}

Result<Costs> FunctionCounts::sum() const {
  if (kind_ == CountKind::inclusive) {
    return input_error("counts", "a sum of inclusive counts, which contain one another", "self counts");
  }
  Costs sum(events_.size(), 0);
  for (const FunctionCount& row : rows_) {
    if (!add_costs(sum, row.counts)) return too_large(row.key);
  }
  return sum;
}

std::vector<FunctionCount> FunctionCounts::sorted(std::size_t event) const {
  std::vector<FunctionCount> rows = rows_;
  std::stable_sort(rows.begin(), rows.end(), [&](const FunctionCount& a, const FunctionCount& b) {
    return std::tie(a.counts[event], a.key.function, a.key.file, a.key.object) >
           std::tie(b.counts[event], b.key.function, b.key.file, b.key.object);
  });
  return rows;
}

namespace {

// torch/utils/benchmark/utils/valgrind_wrapper/timer_interface.py, CallgrindStats.as_standardized. Each is kept without
// its first slash, and needs something before it. The first need not be a folder's whole name.
constexpr std::array<std::string_view, 4> kMarks{"build/../", "/build/aten/", "/Python/", "/Objects/"};

// The path from `folder` to `file`; empty where it is not below.
std::string below(const std::filesystem::path& file, const std::filesystem::path& folder) {
  if (folder.empty()) return "";
  const std::filesystem::path relative = file.lexically_relative(folder.lexically_normal());
  if (relative.empty() || relative == "." || *relative.begin() == "..") return "";
  return relative.generic_string();
}

}  // namespace

std::string standard_file(std::string_view file, const StandardNames& names) {
  if (!names.folders.empty()) {
    const std::filesystem::path normal = std::filesystem::path(file).lexically_normal();
    for (const std::filesystem::path& folder : names.folders) {
      std::string relative = below(normal, folder);
      if (!relative.empty()) return relative;
    }
  }
  for (const std::string_view mark : kMarks) {
    const std::size_t at = file.rfind(mark);
    if (at != std::string_view::npos && at > 0) file = file.substr(at + (mark.front() == '/' ? 1 : 0));
  }
  return std::string(file);
}

Result<FunctionCounts> as_standardized(const FunctionCounts& counts, const StandardNames& names) {
  return counts.transformed([&](const FunctionKey& key) {
    return FunctionKey{"", standard_file(key.file, names), key.function};
  });
}

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

}  // namespace steelyard::bench
