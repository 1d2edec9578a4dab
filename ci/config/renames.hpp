// What benchmarks were called before: the table [rename] of steelyard.toml. What is kept is never changed: who reads a
// history reads it under today's names, and who measures an older build calls its benchmarks by them.
//
//     [rename]
//     "BM_sort" = "BM_sort/size:1024"        # an axis that was added, and what held before
//     "parse/* [suite=old]" = "parse/* [suite=text]"
//
// A '*' stands for any characters, and on the right for what the '*' of the same number stood for on the left; "\*" is
// the character itself, as in 'BM_copy<int\*>'.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"

namespace steelyard::ci {

struct TomlEntry;

struct BenchmarkRename {
  std::string from;
  std::string to;
  bool operator==(const BenchmarkRename&) const = default;
};

inline constexpr std::string_view kRenameSection = "rename";

// Of one line of the table. Errors (input): no text, an empty name, more '*' on the right than on the left.
Result<BenchmarkRename> read_rename(const TomlEntry& entry, const std::string& where);

// Today's name of a benchmark, canonical: each line of the table once, in the order of the file, so that later lines
// may rename again. A pattern is of the whole name, or of the name without its " [suite=...]", which then stays.
std::string current_name(const std::vector<BenchmarkRename>& renames, std::string benchmark);

// Today's identity of a benchmark. Absent: it is called as ever.
std::optional<BenchmarkId> current_id(const std::vector<BenchmarkRename>& renames, const BenchmarkId& id);

// Under today's names, which the run keeps. Error (input): it has a benchmark under its old name and under the new one;
// `where` names the run.
Result<void> call_by_current_names(const std::vector<BenchmarkRename>& renames, const std::string& where, Run& run);

// Says that `where` has both, so that they are no two names of one benchmark.
Error both_names(const std::string& where, const std::string& earlier, const std::string& today);

// The pattern of one name alone: "BM_copy<int*>" -> "BM_copy<int\*>".
std::string as_pattern(std::string_view name);

// The table as steelyard.toml would have it, with an empty line before it; empty: there is none.
std::string to_toml(const std::vector<BenchmarkRename>& renames);

// The longest part of the pattern that stands in every name it matches; may be empty.
std::string literal_part(const BenchmarkRename& rename);

}  // namespace steelyard::ci
