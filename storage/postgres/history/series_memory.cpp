#include "storage/postgres/history/series_memory.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace steelyard::storage {

bool comes_before(const SeriesValue& a, const SeriesValue& b) {
  return a.run != b.run ? a.run < b.run : a.position > b.position;
}

void SeriesMemory::limit(std::size_t most_bytes) {
  most_bytes_ = most_bytes;
  clear();
}

void SeriesMemory::be_of(const std::string& version) {
  if (version != version_) clear();
  version_ = version;
}

void SeriesMemory::clear() {
  kept_.clear();
  by_series_.clear();
  bytes_ = 0;
  asked_ = std::vector<Asked>();
  asked_as_ = std::vector<std::int64_t>();
}

std::size_t SeriesMemory::bytes() const {
  return bytes_ + asked_.capacity() * sizeof(Asked) + asked_as_.capacity() * sizeof(std::int64_t);
}

bool SeriesMemory::fits(std::size_t runs) const {
  return kBesideRows + runs * (sizeof(Row) + sizeof(Asked) + sizeof(std::int64_t)) <= most_bytes_;
}

void SeriesMemory::forget(std::list<Kept>::iterator place) {
  bytes_ -= bytes_of(*place);
  by_series_.erase(place->series);
  kept_.erase(place);
}

void SeriesMemory::keep(Kept kept) {
  if (const auto old = by_series_.find(kept.series); old != by_series_.end()) forget(old->second);
  const std::size_t size = bytes_of(kept);
  const std::size_t of_question = bytes() - bytes_;
  if (of_question + size > most_bytes_) return;
  while (bytes() + size > most_bytes_) forget(std::prev(kept_.end()));
  kept_.push_front(std::move(kept));
  by_series_[kept_.front().series] = kept_.begin();
  bytes_ += size;
}

// By run: they come newest first as a rule, which is nearly that.
void SeriesMemory::ask_for(std::span<const std::int64_t> runs) {
  if (std::equal(runs.begin(), runs.end(), asked_as_.begin(), asked_as_.end())) return;
  // Anew, so that they are as long as this question and not as the longest.
  asked_as_ = std::vector<std::int64_t>(runs.begin(), runs.end());
  asked_ = std::vector<Asked>(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) asked_[runs.size() - 1 - i] = {runs[i], i};
  const auto is_before = [](const Asked& a, const Asked& b) { return a.run < b.run; };
  if (!std::is_sorted(asked_.begin(), asked_.end(), is_before)) std::sort(asked_.begin(), asked_.end(), is_before);
  while (bytes() > most_bytes_) forget(std::prev(kept_.end()));
}

Result<std::vector<SeriesValue>> SeriesMemory::read(std::int64_t series, std::span<const std::int64_t> runs,
                                                    const Fetch& fetch) {
  if (!fits(runs.size())) return fetch({runs.begin(), runs.end()});
  ask_for(runs);
  const auto is_before = [](const Row& a, const Row& b) {
    return a.run != b.run ? a.run < b.run : a.position > b.position;
  };
  std::vector<SeriesValue> values;
  values.reserve(runs.size());
  std::vector<std::int64_t> missing;
  const auto look_up = [&](const std::vector<Row>& rows) {
    values.clear();
    missing.clear();
    auto at = rows.begin();
    for (const Asked& one : asked_) {
      if (at != rows.end() && at->run < one.run) {
        at = std::lower_bound(at, rows.end(), one.run, [](const Row& row, std::int64_t run) { return row.run < run; });
      }
      if (at == rows.end() || at->run != one.run) missing.push_back(one.run);
      for (; at != rows.end() && at->run == one.run; ++at) {
        if (at->position != kNone) values.push_back({one.index, at->position, at->value, at->samples, 0, series});
      }
    }
  };
  const auto known = by_series_.find(series);
  if (known != by_series_.end()) kept_.splice(kept_.begin(), kept_, known->second);
  static const std::vector<Row> nothing;
  const std::vector<Row>& remembered = known == by_series_.end() ? nothing : known->second->rows;
  look_up(remembered);
  if (!missing.empty()) {
    STEELYARD_TRY(const std::vector<SeriesValue> fetched, fetch(missing));
    std::vector<Row> fresh;
    std::vector<bool> has_one(missing.size());
    for (const SeriesValue& one : fetched) {
      fresh.push_back({one.value, static_cast<std::int32_t>(missing[one.run]), static_cast<std::int32_t>(one.position),
                       static_cast<std::int32_t>(one.samples)});
      has_one[one.run] = true;
    }
    for (std::size_t i = 0; i < missing.size(); ++i) {
      if (!has_one[i])
        fresh.push_back({std::numeric_limits<double>::quiet_NaN(), static_cast<std::int32_t>(missing[i]), kNone, 0});
    }
    std::sort(fresh.begin(), fresh.end(), is_before);
    Kept kept{series, {}};
    kept.rows.reserve(remembered.size() + fresh.size());
    std::merge(remembered.begin(), remembered.end(), fresh.begin(), fresh.end(), std::back_inserter(kept.rows),
               is_before);
    look_up(kept.rows);
    keep(std::move(kept));
  }
  std::reverse(values.begin(), values.end());
  if (!std::is_sorted(values.begin(), values.end(), comes_before)) {
    std::sort(values.begin(), values.end(), comes_before);
  }
  return values;
}

}  // namespace steelyard::storage
