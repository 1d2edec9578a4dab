#include "tests/fuzz/claims.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

#include "bench/counting/reader/callgrind_reader.hpp"

namespace steelyard::testkit {
namespace {

using Parts = Result<std::vector<bench::CallgrindPart>>;
using Costs = std::vector<std::int64_t>;

// Small enough that what it bounds is seen to be bounded.
constexpr std::size_t kMaximumBytes = std::size_t{64} << 20;

// What a reader has checked adds up without overflow; a sum that does not wrap in 64 unsigned bits either way.
void add(Costs& sum, const Costs& costs) {
  for (std::size_t event = 0; event < sum.size(); ++event) {
    sum[event] =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(sum[event]) + static_cast<std::uint64_t>(costs[event]));
  }
}

bool is_below_zero(const Costs& costs) {
  return std::any_of(costs.begin(), costs.end(), [](std::int64_t cost) { return cost < 0; });
}

std::optional<std::string> broken_claim_about_part(const bench::CallgrindPart& part) {
  const Costs zero(part.events.size(), 0);
  if (part.events.empty() || part.totals.size() != part.events.size()) return "one total per event";
  Costs sum = zero;
  for (const ProfiledFunction& function : part.functions) {
    if (function.self.size() != zero.size() || function.inclusive.size() != zero.size()) return "one cost per event";
    if (is_below_zero(function.self) || is_below_zero(function.inclusive)) return "no cost below 0";
    if (function.calls < 0 || function.line < 0) return "no calls and no line below 0";
    add(sum, function.self);
  }
  if (sum != part.totals) return "self costs add up to the totals";
  for (const CallArc& arc : part.arcs) {
    if (std::max(arc.caller, arc.callee) >= part.functions.size()) return "arcs between functions that are there";
    if (arc.inclusive.size() != zero.size() || is_below_zero(arc.inclusive)) return "one cost of an arc per event";
  }
  for (const bench::InlinedCost& piece : part.inlined) {
    if (piece.function >= part.functions.size()) return "pieces of functions that are there";
    for (std::size_t event = 0; event < zero.size(); ++event) {
      if (piece.self[event] > part.functions[piece.function].self[event]) return "a piece is at most the whole";
    }
  }
  return std::nullopt;
}

std::optional<std::string> broken_claim_about_positions(const bench::CallgrindPart& part) {
  std::vector<Costs> sums(part.functions.size(), Costs(part.events.size(), 0));
  for (const bench::PositionCost& cost : part.position_costs) {
    if (cost.function >= sums.size() || cost.file >= part.position_files.size()) return "positions that are there";
    add(sums[cost.function], cost.self);
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] != part.functions[i].self) return "positions add up to their function";
  }
  return std::nullopt;
}

bool are_equal(const bench::CallgrindPart& a, const bench::CallgrindPart& b) {
  return a.part == b.part && a.events == b.events && a.totals == b.totals && a.functions == b.functions &&
         a.arcs == b.arcs && a.summary == b.summary && a.unbalanced == b.unbalanced &&
         a.inlined.size() == b.inlined.size();
}

bool are_equal(const Parts& a, const Parts& b) {
  if (!a || !b) return !a && !b && a.error().where == b.error().where;
  return std::equal(a->begin(), a->end(), b->begin(), b->end(),
                    [](const bench::CallgrindPart& x, const bench::CallgrindPart& y) { return are_equal(x, y); });
}

bool are_equal_with_positions(const Parts& a, const Parts& b) {
  if (!are_equal(a, b)) return false;
  if (!a) return true;
  return std::equal(a->begin(), a->end(), b->begin(), b->end(),
                    [](const bench::CallgrindPart& x, const bench::CallgrindPart& y) {
                      return x.position_costs == y.position_costs && x.position_files == y.position_files;
                    });
}

// One position: absolute as it is, or made so.
std::uint64_t absolute(const std::string& position, std::uint64_t base) {
  const auto number = [&](std::size_t start) {
    const std::string digits = position.substr(start);
    return std::stoull(digits, nullptr, digits.starts_with("0x") ? 16 : 10);
  };
  switch (position[0]) {
    case '*':
      return base;
    case '+':
      return base + number(1);
    case '-':
      return base - number(1);
    default:
      return number(0);
  }
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

// A text that can be read, with every position written in full: relative ones are relative to the last line of self
// cost in the part, whatever stands between. Slow, and by nothing of the reader's.
std::string with_absolute_positions(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string written;
  std::vector<std::uint64_t> base(1, 0);
  bool is_self = true;  // the next line that begins with positions
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kPositions = "positions:";
    if (line.starts_with(kPositions)) base.assign(words_of(line.substr(kPositions.size())).size(), 0);
    if (line.starts_with("totals:")) base.assign(1, 0);
    const bool names_target = line.starts_with("calls=") || line.starts_with("jump=") || line.starts_with("jcnd=");
    const bool has_cost = !line.empty() && std::string_view("+-*0123456789").find(line[0]) != std::string_view::npos;
    if (!names_target && !has_cost) {
      written += line + "\n";
      continue;
    }
    std::vector<std::string> words = words_of(line);
    const std::size_t first = names_target ? words.size() - base.size() : 0;
    std::vector<std::uint64_t> here(base);
    for (std::size_t i = 0; i < base.size(); ++i) {
      here[i] = absolute(words[first + i], base[i]);
      words[first + i] = std::to_string(here[i]);
    }
    for (const std::string& word : words) written += word + " ";
    written += "\n";
    if (has_cost && is_self) base = here;
    is_self = !names_target;
  }
  return written;
}

std::string with_long_line_ends(std::string_view text) {
  std::string longer;
  for (const char c : text) longer += c == '\n' ? "\r\n" : std::string(1, c);
  return longer;
}

}  // namespace

BrokenClaim broken_claim_about_callgrind(const std::string& text) {
  const Parts parts = bench::parse_callgrind(text, "profile", {.maximum_bytes = kMaximumBytes});
  if (!parts && !parts.error().where.starts_with("profile:")) return "an error says where: " + parts.error().text();
  if (parts) {
    for (const bench::CallgrindPart& part : *parts) {
      if (const auto broken = broken_claim_about_part(part)) return broken;
    }
  }
  const Parts with_positions =
      bench::parse_callgrind(text, "profile", {.keep_positions = true, .maximum_bytes = 4 * kMaximumBytes});
  const bool is_sum_of_bounds = !with_positions && with_positions.error().found.find("MiB") != std::string::npos;
  const bool is_refused_for_size = !parts && parts.error().found.find("MiB") != std::string::npos;
  if (is_sum_of_bounds || is_refused_for_size) return std::nullopt;
  if (!are_equal(parts, with_positions)) return "asking for positions changes nothing else";
  if (with_positions) {
    for (const bench::CallgrindPart& part : *with_positions) {
      if (const auto broken = broken_claim_about_positions(part)) return broken;
    }
  }
  if (text.find('\r') != std::string_view::npos) return std::nullopt;
  const bench::CallgrindReadOptions as_before{.keep_positions = true, .maximum_bytes = 4 * kMaximumBytes};
  const Parts carefully = bench::parse_callgrind(with_long_line_ends(text), "profile", as_before);
  if (!are_equal_with_positions(with_positions, carefully)) return "line ends change nothing";
  if (!parts) return std::nullopt;
  const Parts in_full = bench::parse_callgrind(with_absolute_positions(text), "profile", as_before);
  if (!are_equal_with_positions(with_positions, in_full)) return "relative positions mean what they do in full";
  return std::nullopt;
}

}  // namespace steelyard::testkit
