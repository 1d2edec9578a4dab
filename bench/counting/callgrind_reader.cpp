#include "bench/counting/callgrind_reader.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <system_error>

#include "bench/counting/callgrind_header.hpp"
#include "bench/counting/callgrind_numbers.hpp"
#include "bench/counting/callgrind_part_builder.hpp"

namespace steelyard {
namespace {

// A profile of a large C++ program with line and instruction positions is some 50 MiB.
constexpr std::uintmax_t kMaximumFileBytes = std::uintmax_t{512} << 20;

bool is_key_character(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-'; }

// "events" of "events: Ir"; empty where the line is no header line.
std::string_view header_key(std::string_view line) {
  std::size_t end = 0;
  while (end < line.size() && is_key_character(line[end])) ++end;
  return end > 0 && end < line.size() && line[end] == ':' ? line.substr(0, end) : std::string_view();
}

class CallgrindParser {
 public:
  CallgrindParser(std::string_view text, std::string_view name, const CallgrindReadOptions& options)
      : rest_(text), file_name_(name), options_(options) {}

  Result<std::vector<CallgrindPart>> run() {
    for (std::string_view line; next_line(line);) STEELYARD_CHECK(read_line(line));
    if (pending_ != Pending::none) return at(input_error("", "the end of the file", "the costs of a call or a jump"));
    if (header_ || builder_) {
      return at(input_error("", "the end of the file", "a line \"totals:\"", "it was cut off: collect it again"));
    }
    if (parts_.empty() && line_number_ > 0) return at(input_error("", "no part", "a callgrind.out file"));
    return std::move(parts_);
  }

 private:
  // What the next line has to be.
  enum class Pending { none, call_cost, jump_source };

  Error at(Error error) const {
    error.where = std::string(file_name_) + ":" + std::to_string(line_number_);
    return error;
  }
  Error wrong(std::string_view found, std::string wanted) const {
    return at(input_error("", quoted(found), std::move(wanted)));
  }

  // The next line that is neither blank nor a comment.
  bool next_line(std::string_view& line) {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++line_number_;
      if (!without_leading_blanks(line).empty() && line.front() != '#') return true;
    }
    return false;
  }

  Result<void> read_line(std::string_view line) {
    const char first = line.front();
    if ((first >= '0' && first <= '9') || first == '+' || first == '-' || first == '*') return read_cost_line(line);
    if (pending_ != Pending::none) return wrong(line, "the costs of the call or jump above");
    const std::string_view key = header_key(line);
    if (!key.empty()) return read_header(key, without_leading_blanks(line.substr(key.size() + 1)));
    return read_record(line);
  }

  Result<void> read_header(std::string_view key, std::string_view value) {
    if (key == "totals") return finish_part(value);
    if (builder_) return wrong(key, "\"totals:\" at the end of the part");
    if (!header_) header_.emplace().positions = {"line"};
    const Result<void> read = read_callgrind_header(key, value, *header_);
    return read ? read : at(read.error());
  }

  // ob= fl= fi= fe= fn= and their forms for callees and jump targets; calls=, jump=, jcnd=.
  Result<void> read_record(std::string_view line) {
    if (!builder_) STEELYARD_CHECK(begin_body(line));
    const std::size_t equals = std::min(line.find('='), line.size());
    const std::string_view key = line.substr(0, equals);
    const std::string_view value = line.substr(std::min(equals + 1, line.size()));
    if (equals == line.size()) return wrong(line, "a cost line, a name or \"totals:\"");
    if (key == "calls") return read_calls(value);
    if (key == "jump" || key == "jcnd") return read_jump(value, key == "jcnd");
    if (key == "fn") return begin_function(value);
    if (key == "fl" || key == "fi" || key == "fe") return read_name(names_.files, value, file_);
    if (key == "ob") return read_name(names_.objects, value, object_);
    if (key == "cfn") return read_optional_name(names_.functions, value, callee_name_);
    if (key == "cfi" || key == "cfl") return read_optional_name(names_.files, value, callee_file_);
    if (key == "cob") return read_optional_name(names_.objects, value, callee_object_);
    // The target of a jump is not kept, but its name may be defined here.
    std::uint32_t unused = 0;
    if (key == "jfi" || key == "jfl") return read_name(names_.files, value, unused);
    if (key == "jfn") return read_name(names_.functions, value, unused);
    if (key == "job") return read_name(names_.objects, value, unused);
    return wrong(line, "a record of the callgrind format");
  }

  Result<void> begin_body(std::string_view line) {
    if (!header_) return wrong(line, "the header of a part");
    if (header_->events.empty()) return wrong(line, "\"events:\" before the first record");
    const auto is_line = std::find(header_->positions.begin(), header_->positions.end(), "line");
    line_column_ = is_line - header_->positions.begin();
    events_ = header_->events.size();
    positions_.assign(header_->positions.size(), 0);
    builder_.emplace(names_, std::move(*header_), options_);
    header_.reset();
    function_.reset();
    return {};
  }

  Result<void> finish_part(std::string_view value) {
    if (!header_ && !builder_) return wrong("totals", "a part before it");
    if (!builder_) STEELYARD_CHECK(begin_body("totals"));  // an empty part: nothing was collected
    if (without_leading_blanks(value).empty()) return wrong("totals:", "one number per event");
    std::vector<std::int64_t> totals;
    STEELYARD_CHECK(read_costs_here(value, events_, totals));
    Result<CallgrindPart> part = std::move(*builder_).finish(totals);
    builder_.reset();
    if (!part) return at(part.error());
    parts_.push_back(std::move(part).value());
    return {};
  }

  Result<void> read_name(CallgrindNames& names, std::string_view value, std::uint32_t& index) {
    if (value.ends_with('\r')) value.remove_suffix(1);
    Result<std::uint32_t> found = names.resolve(value);
    if (!found) return at(found.error());
    index = *found;
    return {};
  }

  Result<void> read_optional_name(CallgrindNames& names, std::string_view value, std::optional<std::uint32_t>& index) {
    return read_name(names, value, index.emplace());
  }

  Result<void> begin_function(std::string_view value) {
    std::uint32_t name = 0;
    STEELYARD_CHECK(read_name(names_.functions, value, name));
    function_ = builder_->begin_record({object_, file_, name});
    return {};
  }

  // One position per column, relative to positions_, into `target`.
  Result<void> read_target(std::string_view& line, std::vector<std::uint64_t>& target) {
    target.resize(positions_.size());
    for (std::size_t column = 0; column < positions_.size(); ++column) {
      const std::string_view word = take_word(line);
      if (!read_position(word, positions_[column], target[column])) {
        return wrong(word, "a position (decimal, 0x..., +n, -n or *) of at least 0 and at most 64 bits");
      }
    }
    return {};
  }

  Result<void> read_costs_here(std::string_view text, std::size_t maximum, std::vector<std::int64_t>& costs) {
    const Result<void> read = read_costs(text, maximum, costs);
    return read ? read : at(read.error());
  }

  Result<void> read_calls(std::string_view value) {
    const std::string_view count = take_word(value);
    if (!function_) return wrong(count, "fn= before calls=");
    if (!callee_name_) return wrong(count, "cfn= before calls=");
    if (!read_cost(count, call_count_)) return wrong(count, "a number of calls");
    STEELYARD_CHECK(read_target(value, target_));
    pending_ = Pending::call_cost;
    return {};
  }

  // Callgrind writes jcnd=TAKEN/EXECUTED TARGET; its manual says EXECUTED TAKEN TARGET.
  Result<void> read_jump(std::string_view value, bool is_conditional) {
    std::string_view counts = take_word(value);
    const std::size_t slash = counts.find('/');
    std::uint64_t number = 0;
    const std::string_view second = slash != std::string_view::npos ? counts.substr(slash + 1)
                                    : is_conditional                ? take_word(value)
                                                                    : counts;
    if (!function_ || !read_number(counts.substr(0, slash), number) || !read_number(second, number)) {
      return wrong(value, "the count of a jump within a function");
    }
    STEELYARD_CHECK(read_target(value, target_));
    builder_->add_jump();
    pending_ = Pending::jump_source;
    return {};
  }

  Result<void> read_cost_line(std::string_view line) {
    if (!function_ || !builder_) return wrong(line, "fn= before a cost line");
    std::string_view costs_text = line;
    STEELYARD_CHECK(read_target(costs_text, here_));
    std::swap(positions_, here_);
    STEELYARD_CHECK(read_costs_here(costs_text, pending_ == Pending::jump_source ? 0 : events_, costs_));
    const bool is_call = pending_ == Pending::call_cost;
    const bool is_jump = pending_ == Pending::jump_source;
    pending_ = Pending::none;
    if (is_jump) return {};
    const bool fits =
        is_call ? builder_->add_call(*function_, take_callee(), call_count_, line_of(target_), costs_)
                : builder_->add_self(*function_, file_, {address_of(positions_), line_of(positions_)}, costs_);
    if (!fits) return wrong(line, "costs that add up to at most 63 bits");
    return {};
  }

  std::uint64_t line_of(const std::vector<std::uint64_t>& position) const {
    const auto column = static_cast<std::size_t>(line_column_);
    return column < position.size() ? position[column] : 0;
  }

  std::uint64_t address_of(const std::vector<std::uint64_t>& position) const {
    return line_column_ == 0 ? 0 : position.front();  // "instr" comes before "line"
  }

  // cob= and cfi= hold for one call; without them the callee is in the current object and the current file.
  std::uint32_t take_callee() {
    const CallgrindFunctionKey key{callee_object_.value_or(object_), callee_file_.value_or(file_), *callee_name_};
    callee_object_.reset();
    callee_file_.reset();
    callee_name_.reset();
    return builder_->find_or_add(key);
  }

  std::string_view rest_;
  std::string_view file_name_;
  CallgrindReadOptions options_;
  std::int64_t line_number_ = 0;
  std::vector<CallgrindPart> parts_;

  std::optional<CallgrindPart> header_;          // a part whose records have not begun
  std::optional<CallgrindPartBuilder> builder_;  // a part whose records have begun
  CallgrindNameSpaces names_;
  std::size_t events_ = 0;
  std::ptrdiff_t line_column_ = 0;

  std::uint32_t object_ = CallgrindNames::kNone;
  std::uint32_t file_ = CallgrindNames::kNone;
  std::optional<std::uint32_t> function_;
  std::optional<std::uint32_t> callee_object_;
  std::optional<std::uint32_t> callee_file_;
  std::optional<std::uint32_t> callee_name_;
  Pending pending_ = Pending::none;
  std::int64_t call_count_ = 0;

  std::vector<std::uint64_t> positions_;  // of the last cost or call-source line
  std::vector<std::uint64_t> target_;     // of the last calls= or jump=
  std::vector<std::uint64_t> here_;       // scratch, kept for its memory
  std::vector<std::int64_t> costs_;       // scratch, kept for its memory
};

}  // namespace

Result<std::vector<CallgrindPart>> parse_callgrind(std::string_view text, std::string_view name,
                                                   const CallgrindReadOptions& options) {
  if (text.size() > kMaximumFileBytes) return input_error(std::string(name), "more than 512 MiB", "a smaller profile");
  return CallgrindParser(text, name, options).run();
}

Result<std::vector<CallgrindPart>> read_callgrind(const std::filesystem::path& file,
                                                  const CallgrindReadOptions& options) {
  std::error_code trouble;
  const std::uintmax_t size = std::filesystem::file_size(file, trouble);
  if (trouble) return input_error(file.string(), trouble.message(), "a callgrind.out file");
  if (size > kMaximumFileBytes) return input_error(file.string(), "more than 512 MiB", "a smaller profile");
  std::ifstream stream(file, std::ios::binary);
  std::string text(static_cast<std::size_t>(size), '\0');
  if (!stream || !stream.read(text.data(), static_cast<std::streamsize>(size))) {
    return input_error(file.string(), "a file that cannot be read", "a callgrind.out file");
  }
  return parse_callgrind(text, file.string(), options);
}

}  // namespace steelyard
