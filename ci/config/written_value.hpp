// A configured value as somebody wrote it, and the readings of it: one per type that a key can have. Each refuses what
// it does not understand with what was found, what was wanted and the fix. `where` names the line or the option.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"

namespace steelyard::ci {

// From TOML it has the type that TOML gave it; from the command line it is text, and a list is text with commas.
struct WrittenValue {
  std::variant<std::string, std::int64_t, double, bool, std::vector<std::string>> content;
  bool from_command_line = false;
};
std::string to_text(const WrittenValue& value);  // as TOML would write it
std::string quoted_for_toml(
    std::string_view text);  // a basic string: quotes, backslashes and control characters escaped

Result<std::string> read_text(const WrittenValue& value, const std::string& where);
// A filter of benchmarks, as Google Benchmark takes it. Error (input): a group, a set or a backslash is left open in
// every dialect of regular expressions, or neither POSIX nor ECMAScript takes it, not even with the classes that RE2
// adds; they are asked where it is short and has no counts, quotations and control characters, and beside flags no
// backslash, "--" or "#".
Result<std::string> read_filter(const WrittenValue& value, const std::string& where);
Result<void> check_filter(const std::string& filter, const std::string& where);
// Whether the filter excludes the benchmark in each dialect that takes it; false where they disagree, as of "\d", or
// where finding out may cost too much.
bool filter_excludes(const std::string& filter, const std::string& benchmark);
Result<bool> read_flag(const WrittenValue& value, const std::string& where);
Result<Nanoseconds> read_duration(const WrittenValue& value, const std::string& where);  // above 0
Result<std::string> read_day(const WrittenValue& value, const std::string& where);       // "2026-12-31", a real one
// Items are trimmed; an empty one is refused. At most 1000.
Result<std::vector<std::string>> read_list(const WrittenValue& value, const std::string& where);

struct CountRange {
  std::int64_t least = 0;
  std::int64_t most = 0;
};
Result<std::int64_t> read_count(const WrittenValue& value, const std::string& where, CountRange range);

// A part of one: 0.01, "1%" and "1 %" are the same. Both bounds exclusive unless `zero_allowed`.
struct ShareRange {
  double most = 1;
  bool zero_allowed = false;
};
Result<double> read_share(const WrittenValue& value, const std::string& where, ShareRange range);

// The index of the word in `words`, of which one must be written.
Result<std::size_t> read_word(const WrittenValue& value, const std::string& where,
                              const std::vector<std::string>& words);

// Which of the known names a mistyped one was probably meant to be: for unknown options and unknown keys.
//
//     nearest_name("min_tme", {"min_time", "rounds"}) == "min_time"

// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment; Damerau 1964, restricted).
// Cost: the product of the lengths; texts are cut at 64 characters.
int edit_distance(std::string_view a, std::string_view b);

// The known name with the least distance, the first of several; absent where none is near enough to be a slip of the
// fingers (more than a third of the longer name, at least two edits allowed).
std::optional<std::string> nearest_name(std::string_view name, const std::vector<std::string>& known);

// A command as one writes it in a file or an option, taken apart into its words: blanks separate, quotes and
// backslashes keep together as in a shell; nothing is expanded. Not a shell: pipes and variables are plain text.

// Error (input): a quote that is not closed, no word at all. `where` names the option or key.
Result<std::vector<std::string>> command_words(std::string_view text, const std::string& where);

}  // namespace steelyard::ci
