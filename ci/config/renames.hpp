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

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/comparison.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"

namespace steelyard::ci {

struct TomlEntry;

struct BenchmarkRename {
  std::string from;
  std::string to;
  bool is_of_candidate = false;  // a gate: only the candidate's file has the line, and the baseline's decides
  bool operator==(const BenchmarkRename&) const = default;
};

inline constexpr std::string_view kRenameSection = "rename";

// Of one line of the table. Errors (input): no text, an empty name, more '*' on the right than on the left.
Result<BenchmarkRename> read_rename(const TomlEntry& entry, const std::string& where);

// Today's name of a benchmark, canonical: each line of the table once, in the order of the file, so that later lines
// may rename again. A pattern is of the whole name, or of the name without its " [suite=...]", which then stays. What a
// line adds ("f/*" = "f/*/n:1") is not added to what has it.
std::string current_name(const std::vector<BenchmarkRename>& renames, std::string benchmark);

// What benchmarks that are called so today were called before -> today's name. Not by lines that have fewer '*' on the
// right than on the left, which do not tell, and no name that another benchmark of these has today. Of a name at most
// kMaxNamesBefore.
inline constexpr std::size_t kMaxNamesBefore = 100;
std::map<std::string, std::string> names_before(const std::vector<BenchmarkRename>& renames,
                                                const std::set<std::string>& today);

// Today's identity of a benchmark. Absent: it is called as ever.
std::optional<BenchmarkId> current_id(const std::vector<BenchmarkRename>& renames, const BenchmarkId& id);

// Those lines that count for what the baseline has under `older` names, where the candidate has `newer` ones. A line of
// the candidate's file alone counts only for a benchmark that the candidate no longer has under its old name and has
// under the new one, which the baseline does not have: it is given as a line of that one benchmark, behind the others.
std::vector<BenchmarkRename> renames_that_count(const std::vector<BenchmarkRename>& renames,
                                                const std::set<std::string>& older, const std::set<std::string>& newer);
// Benchmarks by today's names that only the candidate's lines gave them -> what the baseline's file calls them.
using EarlierNames = std::map<std::string, std::string>;
EarlierNames earlier_names_of(const std::vector<BenchmarkRename>& counting);
std::set<std::string> names_in(const Run& run);
// What the tables say of an earlier name they say of today's as well, before any other that matches it; what somebody
// accepts of today's name still holds. The earlier one's budget stays its own.
void judge_by_earlier_names(const EarlierNames& earlier, std::vector<PatternPolicy>& tables);
// A pattern of tables and targets that matches a name.
std::string as_table_pattern(std::string name);

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
