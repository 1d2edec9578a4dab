#include "ci/verbs/table_options.hpp"

#include <utility>

#include "ci/grammar/verb_options.hpp"
#include "ci/verbs/compare_table.hpp"

namespace steelyard {
namespace {

constexpr const char* kTableGroup = "Table";

VerbOption table_flag(std::string name, bool& target, std::string help) {
  VerbOption option = flag_option(std::move(name), target, std::move(help));
  option.group = kTableGroup;
  return option;
}

// The first option that means something only with --table; empty: none was given.
std::string option_of_tables(const TableChoice& table) {
  if (table.format != TableFormat::text) return "--table-format";
  if (table.rowwise) return "--rowwise";
  if (table.columnwise) return "--columnwise";
  if (table.reference_style) return "--reference-style";
  if (table.ascii) return "--ascii";
  return table.against.empty() ? "" : "--against";
}

Result<void> check_table(const CompareOptions& compare) {
  const TableChoice& table = compare.table;
  const auto contradiction = [](const std::string& found) {
    return input_error("steelyard compare --table", found, "one of them");
  };
  if (table.rowwise && table.columnwise) return contradiction("--rowwise and --columnwise");
  if (compare.common.json && table.format != TableFormat::text) return contradiction("--json and --table-format");
  if (compare.markdown && compare.common.json) return contradiction("--markdown and --json");
  if (compare.markdown && table.format != TableFormat::text && table.format != TableFormat::markdown) {
    return contradiction("--markdown and --table-format");
  }
  if (table.reference_style && (compare.common.json || compare.markdown || table.format != TableFormat::text)) {
    return input_error("--reference-style", "another format than text", "text");
  }
  if (table.reference_style && !table.against.empty()) return contradiction("--reference-style and --against");
  return {};
}

}  // namespace

void add_table_options(Verb& verb, TableChoice& table) {
  verb.options.push_back(table_flag("--table", table.wanted,
                                    "1 to 20 sides next to each other, no verdicts: a row for each benchmark, marked "
                                    "only where the difference is significant"));
  const auto set_format = [&table](const std::string& text) -> Result<void> {
    STEELYARD_TRY(const std::size_t word,
                  read_word(WrittenValue{text, true}, "--table-format", {"text", "markdown", "csv", "html"}));
    table.format = static_cast<TableFormat>(word);
    return {};
  };
  verb.options.push_back({"--table-format", "text|markdown|csv|html", "default: text", kTableGroup, false, set_format});
  verb.options.push_back(
      table_flag("--rowwise", table.rowwise, "compare along rows: the sides of each benchmark (the default for runs)"));
  verb.options.push_back(
      table_flag("--columnwise", table.columnwise,
                 "compare along columns (the default for files of the Timer, whose columns are descriptions)"));
  verb.options.push_back(text_option(
      "--against", "SIDE", table.against,
      "compare with this one instead of the best; as given, or as its column (by column: its row) is headed",
      kTableGroup));
  verb.options.push_back(table_flag("--reference-style", table.reference_style,
                                    "as torch.utils.benchmark prints it: times only, coloured by ratio"));
  verb.options.push_back(table_flag("--ascii", table.ascii, "no characters beyond ASCII"));
}

Result<void> take_compare_names(CompareOptions& compare, std::vector<std::string> given) {
  std::string found;
  for (const std::string& name : given) found += (found.empty() ? "" : " ") + name;
  found = found.empty() ? "nothing" : '"' + found + '"';
  if (!compare.table.wanted) {
    const std::string option = option_of_tables(compare.table);
    if (!option.empty()) return input_error("steelyard compare", option + " without --table", "both");
    if (given.size() != 2) {
      return input_error("steelyard compare", found, "BASELINE CANDIDATE", "see steelyard compare --help");
    }
    compare.baseline = std::move(given[0]);
    compare.candidate = std::move(given[1]);
    return {};
  }
  if (given.empty() || given.size() > kMostTableSides) {
    return input_error("steelyard compare --table", given.empty() ? found : std::to_string(given.size()) + " sides",
                       "1 to " + std::to_string(kMostTableSides) + " sides");
  }
  STEELYARD_CHECK(check_table(compare));
  // The report as Markdown is the table as Markdown.
  if (compare.markdown) compare.table.format = TableFormat::markdown;
  compare.table.sides = std::move(given);
  return {};
}

}  // namespace steelyard
