// steelyard compare --table: up to twenty sides next to each other. No verdicts: the exit status is 0 whatever the
// cells say.
#pragma once

#include <string>
#include <vector>

#include "ci/grammar/verb.hpp"
#include "ci/judging/judge.hpp"

namespace steelyard::ci {

enum class TableFormat { text, markdown, csv, html };

inline constexpr std::size_t kMaxTableSides = 20;

struct TableOptions {
  bool wanted = false;
  std::vector<std::string> sides;  // 1 to 20, each as a side of compare
  TableFormat format = TableFormat::text;
  bool rowwise = false;  // neither: as the kind of the sides has it
  bool columnwise = false;
  bool reference_style = false;
  bool ascii = false;
  std::string against;  // a side; empty: the best
};

void add_table_options(Verb& verb, TableOptions& table);

// The first option that means something only with --table; empty: none was given.
std::string option_of_tables(const TableOptions& table);

// Error (input): too few sides or too many.
Result<void> take_table_sides(TableOptions& table, std::vector<std::string> sides);

// `outputs`: where the table goes, and whether as Markdown. Errors (input): forms that contradict each other; sides.
Result<ExitCode> run_compare_table(const TableOptions& table, const JudgementOutputs& outputs, const App& app);

}  // namespace steelyard::ci
