#include "bench/counting/callgrind_header.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "bench/counting/callgrind_numbers.hpp"

namespace steelyard {
namespace {

// Of event: lines, and of lines with unknown keys.
constexpr std::size_t kMaximumLines = 64;
constexpr std::uint64_t kMaximumPart = 1'000'000'000;  // fits an int
constexpr std::string_view kTrigger = "Trigger:";
// Keys that say nothing about costs.
constexpr std::array<std::string_view, 3> kOfNoUse = {"version", "creator", "pid"};

Result<void> read_part_number(std::string_view value, CallgrindPart& part) {
  const std::string_view word = take_word(value);
  std::uint64_t number = 0;
  if (!read_decimal(word, number) || number > kMaximumPart) {
    return input_error("", quoted(word), "the number of a part");
  }
  part.part = static_cast<int>(number);
  return {};
}

Result<void> read_positions(std::string_view value, CallgrindPart& part) {
  part.positions.clear();
  const std::string_view whole = value;
  for (std::string_view word; part.positions.size() < 3 && !(word = take_word(value)).empty();) {
    part.positions.emplace_back(word);
  }
  const std::vector<std::string>& given = part.positions;
  const bool is_known = (given.size() == 1 && (given[0] == "line" || given[0] == "instr")) ||
                        (given.size() == 2 && given[0] == "instr" && given[1] == "line");
  if (!is_known) return input_error("", quoted(whole), "positions: line, instr, or instr line");
  return {};
}

Result<void> read_events(std::string_view value, CallgrindPart& part) {
  if (!part.events.empty()) return input_error("", quoted(value), "one line \"events:\" in each part");
  for (std::string_view word; !(word = take_word(value)).empty();) {
    if (part.events.size() == kMaximumCallgrindEvents) return input_error("", quoted(word), "at most 64 events");
    if (std::find(part.events.begin(), part.events.end(), word) != part.events.end()) {
      return input_error("", quoted(word), "every event once");
    }
    part.events.emplace_back(word);
  }
  return {};
}

Result<void> keep_line(std::string line, std::vector<std::string>& lines) {
  if (lines.size() == kMaximumLines)
    return input_error("", steelyard::quoted(line), "at most 64 lines of its kind in a header");
  lines.push_back(std::move(line));
  return {};
}

}  // namespace

Result<void> read_callgrind_header(std::string_view key, std::string_view value, CallgrindPart& part) {
  if (value.ends_with('\r')) value.remove_suffix(1);
  if (key == "part") return read_part_number(value, part);
  if (key == "positions") return read_positions(value, part);
  if (key == "events") return read_events(value, part);
  if (key == "summary") return read_costs(value, kMaximumCallgrindEvents, part.summary);
  if (key == "event") return keep_line(std::string(value), part.event_definitions);
  if (key == "thread") {
    part.thread = take_word(value);
  } else if (key == "cmd") {
    part.command = value;
  } else if (key == "desc") {
    if (value.starts_with(kTrigger)) part.trigger = without_leading_blanks(value.substr(kTrigger.size()));
  } else if (std::find(kOfNoUse.begin(), kOfNoUse.end(), key) == kOfNoUse.end()) {
    return keep_line(std::string(key) + ": " + std::string(value), part.other_headers);
  }
  return {};
}

}  // namespace steelyard
