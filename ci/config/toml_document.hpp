// A TOML text as a flat list of what it sets, each with its line: all that the configuration needs of TOML, so that the
// library's heavy header stays in one file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"
#include "ci/config/written_value.hpp"

namespace steelyard::ci {

// [run] rounds = 12 gives {"run", -1, "rounds", 3, 12}. A table's header gives an entry with an empty name.
struct TomlEntry {
  std::string section;  // empty: above the first table
  int index = -1;       // which of the [[section]] tables, 0-based; -1: a plain table
  std::string name;
  int line = 0;                       // 1-based
  std::optional<WrittenValue> value;  // absent: of a kind that no key takes (a date, a table, a list of numbers)
};

// Beyond what any configuration needs; the library descends a dotted key by recursion.
inline constexpr std::size_t kMaxKeyParts = 32;
inline constexpr std::size_t kMaxKeyBytes = 256;  // of one part

// In the order of the text. Error (input): not TOML, or a key of more or longer parts, with file and line.
Result<std::vector<TomlEntry>> read_toml(std::string_view text, const std::string& name);

}  // namespace steelyard::ci
