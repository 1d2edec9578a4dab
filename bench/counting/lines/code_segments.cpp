#include "bench/counting/lines/code_segments.hpp"

#include <algorithm>

namespace steelyard {
namespace {

bool is_before(const CodeRange& a, const CodeRange& b) {
  if (a.begin != b.begin) return a.begin < b.begin;
  if (a.end != b.end) return a.end > b.end;  // the outer one first
  return a.entry < b.entry;
}

// Walks the ranges from the lowest address up; those that hold the place reached lie on a stack, the innermost on top.
class Sweep {
 public:
  void enter(const CodeRange& range) {
    advance_to(range.begin);
    open_.push_back(range);
  }

  std::vector<CodeRange> finish() && {
    advance_to(UINT64_MAX);
    return std::move(segments_);
  }

 private:
  void advance_to(std::uint64_t place) {
    while (!open_.empty() && place_ < place) {
      const CodeRange& innermost = open_.back();
      if (innermost.end > place_) emit(std::min(innermost.end, place), innermost.entry);
      if (open_.back().end <= place_) open_.pop_back();
    }
    place_ = place;
  }

  void emit(std::uint64_t end, std::uint32_t entry) {
    const bool goes_on = !segments_.empty() && segments_.back().end == place_ && segments_.back().entry == entry;
    if (goes_on) {
      segments_.back().end = end;
    } else {
      segments_.push_back({place_, end, entry});
    }
    place_ = end;
  }

  std::vector<CodeRange> open_;
  std::vector<CodeRange> segments_;
  std::uint64_t place_ = 0;
};

}  // namespace

std::vector<CodeRange> flatten(std::vector<CodeRange> ranges) {
  std::erase_if(ranges, [](const CodeRange& range) { return range.begin >= range.end; });
  std::sort(ranges.begin(), ranges.end(), is_before);
  Sweep sweep;
  for (const CodeRange& range : ranges) sweep.enter(range);
  return std::move(sweep).finish();
}

const CodeRange* segment_of(const std::vector<CodeRange>& segments, std::uint64_t address) {
  const auto after =
      std::upper_bound(segments.begin(), segments.end(), address,
                       [](std::uint64_t wanted, const CodeRange& segment) { return wanted < segment.begin; });
  if (after == segments.begin()) return nullptr;
  const CodeRange& candidate = *std::prev(after);
  return address < candidate.end ? &candidate : nullptr;
}

}  // namespace steelyard
