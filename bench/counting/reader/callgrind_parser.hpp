// The lines of a callgrind.out file, in order, in pieces of any size: how records are written, with every error's line.
// What they mean is the part builder's business; where the text comes from is the reader's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/counting/reader/callgrind_part_builder.hpp"
#include "bench/counting/reader/callgrind_reader.hpp"
#include "bench/model/result.hpp"

namespace steelyard::bench {

// The header lines of one part of a callgrind.out file ("events: Ir Dr", "positions: line", "cmd: ./program").

// Callgrind has 17 events with everything switched on.
constexpr std::size_t kMaximumCallgrindEvents = 64;

// Takes what one line says into `part`; a key that the format does not document is kept in other_headers. Error (input,
// without a place): a value that the key cannot have.
Result<void> read_callgrind_header(std::string_view key, std::string_view value, CallgrindPart& part);

// The cost line of a callgrind.out file ("+4 +1 12 3"): positions, then costs. Nine of ten lines are one, so the usual
// form has a scanner of its own, which makes half of the reader's speed.

using CallgrindPositions = std::array<std::uint64_t, 2>;  // one per column

struct CallgrindCostLine {
  CallgrindPositions position = {};  // of this line; before it was read: what it is relative to
  std::array<std::int64_t, kMaximumCallgrindEvents> cost = {};
  std::size_t cost_count = 0;
};

// Reads the line at `at` in its usual form: `columns` positions and at most `maximum` costs, one blank between two, or
// before the newline. Returns what is behind the newline; nullptr where the line has another form or is wrong, and then
// `line` is as before but for its costs: who reads lines with care has to look. Precondition: a newline follows.
const char* scan_cost_line(const char* at, std::size_t columns, std::size_t maximum, CallgrindCostLine& line);

class CallgrindParser {
 public:
  CallgrindParser(std::string_view name, const CallgrindReadOptions& options) : file_name_(name), options_(options) {}

  // Reads `text`, which has whole lines only (the last line of all may lack its newline), and keeps no view of it.
  // False after an error: then finish() tells it.
  bool read(std::string_view text);

  // For trouble of the reader's own: an error at the line after those that were read.
  bool fail(Error error);

  Result<std::vector<CallgrindPart>> finish() &&;

 private:
  // What the next line has to be.
  enum class Pending { none, call_cost, jump_source };

  bool fail_at_line(Error error);
  bool wrong(std::string_view found, std::string wanted);
  bool is_too_large();

  bool read_line(std::string_view line);
  bool read_header(std::string_view key, std::string_view value);
  bool read_record(std::string_view line);
  bool begin_body(std::string_view line);
  bool finish_part(std::string_view value);
  bool read_name(CallgrindNames& names, std::string_view value, std::uint32_t& index);
  bool begin_function(std::string_view value);
  bool take_target(std::string_view& line, CallgrindPositions& target);
  bool is_at_end(std::string_view line);
  bool read_calls(std::string_view value);
  bool read_jump(std::string_view value, bool is_conditional);
  bool read_cost_line(std::string_view line);
  bool add_cost_line(std::string_view line);
  std::size_t cost_maximum() const { return pending_ == Pending::jump_source ? 0 : events_; }
  bool has_callee() const { return callee_object_ || callee_file_ || callee_name_; }
  std::uint32_t take_callee();
  CallgrindPlace place_of(const CallgrindPositions& position) const;

  std::string file_name_;
  CallgrindReadOptions options_;
  std::int64_t line_number_ = 0;
  std::optional<Error> error_;
  std::vector<CallgrindPart> parts_;
  std::size_t bytes_of_parts_ = 0;

  std::optional<CallgrindPart> header_;          // a part whose records have not begun
  std::optional<CallgrindPartBuilder> builder_;  // a part whose records have begun
  CallgrindNameSpaces names_;
  std::size_t events_ = 0;
  std::size_t columns_ = 1;
  bool has_addresses_ = false;
  bool has_lines_ = true;

  std::uint32_t object_ = CallgrindNames::kNone;
  std::uint32_t file_ = CallgrindNames::kNone;
  std::optional<std::uint32_t> function_;
  std::optional<std::uint32_t> callee_object_;
  std::optional<std::uint32_t> callee_file_;
  std::optional<std::uint32_t> callee_name_;
  Pending pending_ = Pending::none;
  std::int64_t call_count_ = 0;

  // Between lines its position is that of the last line of self cost, and nothing else: what stands under calls=, jump=
  // or jcnd= is relative to that line as they are, and those that follow do not start from it.
  CallgrindCostLine here_;
  CallgrindPositions base_ = {};    // of the last line of self cost
  CallgrindPositions target_ = {};  // of the last calls= or jump=
};

}  // namespace steelyard::bench
