#include "bench/counting/reader/callgrind_parser.hpp"

#include <algorithm>
#include <utility>

#include "bench/counting/reader/callgrind_numbers.hpp"

namespace steelyard::bench {
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
    return input_error("", bench::quoted(line), "at most 64 lines of its kind in a header");
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

namespace {

// 18 decimal and 15 hexadecimal digits fit into 63 bits.
constexpr std::ptrdiff_t kMaxDecimals = 18;
constexpr std::ptrdiff_t kMaxHexadecimals = 15;

// The newline that follows ends every loop below: no other check is needed.
inline const char* scan_decimal(const char* at, std::uint64_t& number) {
  const char* const start = at;
  std::uint64_t value = 0;
  for (unsigned digit = 0; (digit = static_cast<unsigned>(*at) - '0') <= 9; ++at) value = value * 10 + digit;
  number = value;
  return at == start || at - start > kMaxDecimals ? nullptr : at;
}

inline const char* scan_hexadecimal(const char* at, std::uint64_t& number) {
  const char* const start = at;
  std::uint64_t value = 0;
  for (;; ++at) {
    unsigned digit = static_cast<unsigned>(*at) - '0';
    if (digit > 9) {
      digit = static_cast<unsigned>(*at) - 'a';
      if (digit > 5) break;
      digit += 10;
    }
    value = value * 16 + digit;
  }
  number = value;
  return at == start || at - start > kMaxHexadecimals ? nullptr : at;
}

inline const char* scan_number(const char* at, std::uint64_t& number) {
  return at[0] == '0' && at[1] == 'x' ? scan_hexadecimal(at + 2, number) : scan_decimal(at, number);
}

inline const char* scan_position(const char* at, std::uint64_t& position) {
  std::uint64_t number = 0;
  switch (*at) {
    case '*':
      return at + 1;
    case '+':
      at = scan_number(at + 1, number);
      return at == nullptr || __builtin_add_overflow(position, number, &position) ? nullptr : at;
    case '-':
      at = scan_number(at + 1, number);
      return at == nullptr || __builtin_sub_overflow(position, number, &position) ? nullptr : at;
    default:
      return scan_number(at, position);
  }
}

}  // namespace

const char* scan_cost_line(const char* at, std::size_t columns, std::size_t maximum, CallgrindCostLine& line) {
  CallgrindPositions position = line.position;
  for (std::size_t column = 0; column < columns; ++column) {
    if (column > 0 && *at++ != ' ') return nullptr;
    at = scan_position(at, position[column]);
    if (at == nullptr) return nullptr;
  }
  std::size_t count = 0;
  while (*at == ' ') {
    ++at;
    if (*at == '\n') break;
    std::uint64_t number = 0;
    if (count == maximum || (at = scan_number(at, number)) == nullptr) return nullptr;
    line.cost[count++] = static_cast<std::int64_t>(number);
  }
  if (*at != '\n') return nullptr;
  line.position = position;
  line.cost_count = count;
  return at + 1;
}

namespace {

bool is_key_character(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-'; }

// "events" of "events: Ir"; empty where the line is no header line.
std::string_view header_key(std::string_view line) {
  std::size_t end = 0;
  while (end < line.size() && is_key_character(line[end])) ++end;
  return end > 0 && end < line.size() && line[end] == ':' ? line.substr(0, end) : std::string_view();
}

bool begins_a_cost(char first) {
  return (first >= '0' && first <= '9') || first == '+' || first == '-' || first == '*';
}

}  // namespace

bool CallgrindParser::read(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  // Up to here every line has its newline, as scan_cost_line() needs it.
  const char* const whole = at + (text.rfind('\n') + 1);
  while (at != end && !error_) {
    ++line_number_;
    if (at < whole && begins_a_cost(*at) && function_) {
      if (const char* const behind = scan_cost_line(at, columns_, cost_maximum(), here_)) {
        add_cost_line({at, static_cast<std::size_t>(behind - at - 1)});
        at = behind;
        continue;
      }
    }
    const std::string_view rest(at, static_cast<std::size_t>(end - at));
    const std::string_view line = rest.substr(0, rest.find('\n'));
    read_line(line);
    at += std::min(line.size() + 1, rest.size());
  }
  return !error_;
}

Result<std::vector<CallgrindPart>> CallgrindParser::finish() && {
  if (!error_ && pending_ != Pending::none) wrong("the end of the file", "the costs of a call or a jump");
  if (!error_ && (header_ || builder_)) {
    fail_at_line(input_error("", "the end of the file", "a line \"totals:\"", "it was cut off: collect it again"));
  }
  if (!error_ && parts_.empty() && line_number_ > 0) fail_at_line(input_error("", "no part", "a callgrind.out file"));
  if (error_) return *std::move(error_);
  return std::move(parts_);
}

bool CallgrindParser::fail(Error error) {
  ++line_number_;
  return fail_at_line(std::move(error));
}

bool CallgrindParser::fail_at_line(Error error) {
  error.where = file_name_ + ":" + std::to_string(line_number_);
  error_ = std::move(error);
  return false;
}

bool CallgrindParser::wrong(std::string_view found, std::string wanted) {
  return fail_at_line(input_error("", quoted(found), std::move(wanted)));
}

// Functions may share long names, and a line of six bytes may be a function: the size of the file bounds nothing.
bool CallgrindParser::is_too_large() {
  const std::size_t bytes = bytes_of_parts_ + (builder_ ? builder_->bytes() : 0) + names_.objects.bytes() +
                            names_.files.bytes() + names_.functions.bytes();
  if (bytes <= options_.maximum_bytes) return false;
  return !fail_at_line(input_error("",
                                   "functions, calls and names that take more than " +
                                       std::to_string(options_.maximum_bytes >> 20) + " MiB of memory",
                                   "a smaller profile"));
}

bool CallgrindParser::read_line(std::string_view line) {
  if (without_leading_blanks(line).empty() || line.front() == '#') return true;
  if (begins_a_cost(line.front())) return read_cost_line(line);
  if (pending_ != Pending::none) return wrong(line, "the costs of the call or jump above");
  if (is_too_large()) return false;
  const std::string_view key = header_key(line);
  if (!key.empty()) return read_header(key, without_leading_blanks(line.substr(key.size() + 1)));
  return read_record(line);
}

bool CallgrindParser::read_header(std::string_view key, std::string_view value) {
  if (key == "totals") return finish_part(value);
  if (builder_) return wrong(key, "\"totals:\" at the end of the part");
  if (!header_) header_.emplace().positions = {"line"};
  Result<void> read = read_callgrind_header(key, value, *header_);
  return read || fail_at_line(std::move(read).error());
}

// ob= fl= fi= fe= fn= and their forms for callees and jump targets; calls=, jump=, jcnd=.
bool CallgrindParser::read_record(std::string_view line) {
  if (!builder_ && !begin_body(line)) return false;
  const std::size_t equals = std::min(line.find('='), line.size());
  if (equals == line.size()) return wrong(line, "a cost line, a name or \"totals:\"");
  const std::string_view key = line.substr(0, equals);
  std::string_view value = line.substr(equals + 1);
  if (value.ends_with('\r')) value.remove_suffix(1);
  if (key == "calls") return read_calls(value);
  if (key == "cfn") return read_name(names_.functions, value, callee_name_.emplace());
  if (key == "cfi" || key == "cfl") return read_name(names_.files, value, callee_file_.emplace());
  if (key == "cob") return read_name(names_.objects, value, callee_object_.emplace());
  if (key == "fn") return begin_function(value);
  if (key == "fl" || key == "fi" || key == "fe") return read_name(names_.files, value, file_);
  if (key == "ob") return read_name(names_.objects, value, object_);
  if (key == "jump" || key == "jcnd") return read_jump(value, key == "jcnd");
  // The target of a jump is not kept, but its name may be defined here.
  std::uint32_t unused = 0;
  if (key == "jfi" || key == "jfl") return read_name(names_.files, value, unused);
  if (key == "jfn") return read_name(names_.functions, value, unused);
  if (key == "job") return read_name(names_.objects, value, unused);
  return wrong(line, "a record of the callgrind format");
}

bool CallgrindParser::begin_body(std::string_view line) {
  if (!header_) return wrong(line, "the header of a part");
  if (header_->events.empty()) return wrong(line, "\"events:\" before the first record");
  const std::vector<std::string>& positions = header_->positions;
  has_addresses_ = positions.front() == "instr";
  has_lines_ = positions.back() == "line";
  columns_ = positions.size();
  events_ = header_->events.size();
  here_ = {};
  base_ = {};
  builder_.emplace(names_, std::move(*header_), options_);
  header_.reset();
  return true;
}

bool CallgrindParser::finish_part(std::string_view value) {
  if (!header_ && !builder_) return wrong("totals", "a part before it");
  if (has_callee()) return wrong("totals", "calls= after a callee");
  if (!builder_ && !begin_body("totals")) return false;  // an empty part: nothing was collected
  if (without_leading_blanks(value).empty()) return wrong("totals:", "one number per event");
  std::vector<std::int64_t> totals;
  Result<void> read = read_costs(value, events_, totals);
  if (!read) return fail_at_line(std::move(read).error());
  bytes_of_parts_ += builder_->bytes();
  Result<CallgrindPart> part = std::move(*builder_).finish(totals);
  builder_.reset();
  function_.reset();
  if (!part) return fail_at_line(std::move(part).error());
  parts_.push_back(std::move(part).value());
  return true;
}

bool CallgrindParser::read_name(CallgrindNames& names, std::string_view value, std::uint32_t& index) {
  Result<std::uint32_t> found = names.resolve(value);
  if (!found) return fail_at_line(std::move(found).error());
  index = *found;
  return true;
}

bool CallgrindParser::begin_function(std::string_view value) {
  if (has_callee()) return wrong("fn=", "calls= after a callee");
  std::uint32_t name = 0;
  if (!read_name(names_.functions, value, name)) return false;
  function_ = builder_->find_or_add({object_, file_, name});
  return true;
}

// One position per column, relative to the last line of self cost, into `target`.
bool CallgrindParser::take_target(std::string_view& line, CallgrindPositions& target) {
  for (std::size_t column = 0; column < columns_; ++column) {
    if (!take_position(line, here_.position[column], target[column])) {
      return wrong(take_word(line), "a position (decimal, 0x..., +n, -n or *) of at least 0 and at most 64 bits");
    }
  }
  return true;
}

bool CallgrindParser::is_at_end(std::string_view line) {
  return without_leading_blanks(line).empty() || wrong(line, "the end of the line");
}

bool CallgrindParser::read_calls(std::string_view value) {
  if (!function_) return wrong(value, "fn= before calls=");
  if (!callee_name_) return wrong(value, "cfn= before calls=");
  if (!take_cost(value, call_count_)) return wrong(value, "a number of calls");
  if (!take_target(value, target_) || !is_at_end(value)) return false;
  pending_ = Pending::call_cost;
  return true;
}

// Callgrind writes jcnd=TAKEN/EXECUTED TARGET; its manual says EXECUTED TAKEN TARGET.
bool CallgrindParser::read_jump(std::string_view value, bool is_conditional) {
  const std::string_view whole = value;
  std::string_view counts = take_word(value);
  const std::size_t slash = counts.find('/');
  std::uint64_t number = 0;
  const std::string_view second = slash != std::string_view::npos ? counts.substr(slash + 1)
                                  : is_conditional                ? take_word(value)
                                                                  : counts;
  if (!function_ || !read_number(counts.substr(0, slash), number) || !read_number(second, number)) {
    return wrong(whole, "the count of a jump within a function");
  }
  if (!take_target(value, target_) || !is_at_end(value)) return false;
  pending_ = Pending::jump_source;
  return true;
}

bool CallgrindParser::read_cost_line(std::string_view line) {
  if (!function_) return wrong(line, "fn= before a cost line");
  std::string_view rest = line;
  if (!take_target(rest, here_.position)) return false;
  std::size_t& count = here_.cost_count;
  for (count = 0; count < cost_maximum() && take_cost(rest, here_.cost[count]);) ++count;
  if (!without_leading_blanks(rest).empty()) {
    const std::string wanted = "at most " + std::to_string(cost_maximum()) + " costs, one per event";
    return wrong(take_word(rest), count < cost_maximum() ? "a cost of at most 63 bits" : wanted);
  }
  return add_cost_line(line);
}

// What here_ holds, which was read from `line`.
bool CallgrindParser::add_cost_line(std::string_view line) {
  const CallgrindCost cost(here_.cost.data(), here_.cost_count);
  const Pending pending = std::exchange(pending_, Pending::none);
  // Callgrind moves the base with self cost alone. A call or jump mostly stands under its own instruction's self cost
  // and has the same position; where that instruction cost nothing, as where collection begins within the callee, to
  // go on from it would shift every position up to the next absolute one.
  if (pending == Pending::none) {
    base_ = here_.position;
  } else {
    here_.position = base_;
  }
  if (pending == Pending::jump_source) return true;
  const bool fits = pending == Pending::call_cost
                        ? builder_->add_call(*function_, take_callee(), call_count_, place_of(target_).line, cost)
                        : builder_->add_self(*function_, file_, place_of(base_), cost);
  if (!fits) return wrong(line, "costs that add up to at most 63 bits");
  return !options_.keep_positions || !is_too_large();
}

// cob= and cfi= hold for one call; without them the callee is in the current object and the current file.
std::uint32_t CallgrindParser::take_callee() {
  const CallgrindFunctionKey key{callee_object_.value_or(object_), callee_file_.value_or(file_), *callee_name_};
  callee_object_.reset();
  callee_file_.reset();
  callee_name_.reset();
  return builder_->find_or_add(key);
}

CallgrindPlace CallgrindParser::place_of(const CallgrindPositions& position) const {
  return {has_addresses_ ? position[0] : 0, has_lines_ ? position[columns_ - 1] : 0};
}

}  // namespace steelyard::bench
