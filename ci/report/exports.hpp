// One run in the formats of other tools and of plain tables: a row for each, from which `steelyard export`, its help
// and docs/guide/importing.md follow. What is excluded of the judgement is in none of them. Not for a verdict.
//
//     find_export("csv")->write(run)
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/run.hpp"
#include "storage/model/history.hpp"

namespace steelyard::ci {

struct ExportFormat {
  std::string_view name;    // as people type it
  std::string_view ending;  // of a file that is in this format unless another one is asked for; empty: of none
  std::string_view what;    // who reads it, and what of a run it holds
  std::string (*write)(const Run& run);
  bool is_json = false;  // one document, which a name in .json may have
};

std::span<const ExportFormat> export_formats();

// A row for each point of each series, older first, under the names that steelyard.history/1 has for them.
std::string csv_history(const std::vector<storage::HistorySeries>& all);

// The way in: what an import took, under what it was kept, and what is missing of it.

// Where the date of a run is from.
enum class DateFrom { file, option, commit, nobody };

struct TakenRun {
  std::string path;
  std::string_view format;
  RunHeader header;
  std::size_t measurements = 0;
  std::size_t failures = 0;
  std::size_t skips = 0;                   // of them
  std::size_t bad_records = 0;             // of them
  std::vector<std::string> warnings = {};  // of the reading
  DateFrom date = DateFrom::file;
  std::optional<bool> is_new = {};  // in the store; absent: it was not asked, or gave no answer
};

struct ImportOutcome {
  std::vector<TakenRun> runs;
  bool is_for_store = true;
  // Of the commit that an option named.
  bool is_unknown_commit = false;  // to git, here
  bool is_without_branch = false;  // it is not the one that is checked out, and no option names its branch
};

// A line a run: "run:3f2a91c04b7e  go.txt, go: 8 measurements; kept in project shop, branch main".
std::string terminal_import(const TakenRun& run, const ImportOutcome& imported);
std::string json_imports(const ImportOutcome& imported);  // schema steelyard.import/1
// A line each, about all runs together.
std::vector<std::string> import_warnings(const ImportOutcome& imported);
// Of records that were spoilt; empty where there are none.
std::string bad_records_text(const TakenRun& run);

}  // namespace steelyard::ci
