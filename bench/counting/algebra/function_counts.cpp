#include "bench/counting/algebra/function_counts.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "bench/counting/costs.hpp"

namespace steelyard {
namespace {

using Costs = std::vector<std::int64_t>;

Error too_large(const FunctionKey& key) {
  return input_error(key.function, "counts that add up to more than 63 bits", "profiles that can have run");
}

const char* word_for(CountKind kind) { return kind == CountKind::self ? "self" : "inclusive"; }

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
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
                         "one for each event: " + joined(result.events_));
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
    return input_error("counts", "the events " + joined(events_) + " and " + joined(other.events_),
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

}  // namespace steelyard
