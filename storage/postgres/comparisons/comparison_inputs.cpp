#include "storage/postgres/comparisons/comparison_inputs.hpp"

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "storage/comparison/history_document.hpp"

namespace steelyard {
namespace {

constexpr std::string_view kBaseline = "baseline";
constexpr std::string_view kCandidate = "candidate";
constexpr const char* kSides =
    "select side, run, created_at_unix_ns, tool, project, program, commit, parent, branch, subject, "
    "committed_at_unix_s, dirty, session, layout, seed, setting_names, setting_texts "
    "from steelyard.comparison_sides where comparison_key = $1";
constexpr const char* kHistory =
    "select document_bytes, document from steelyard.comparison_histories where comparison_key = $1";
constexpr const char* kInsertHistory =
    "insert into steelyard.comparison_histories (comparison_key, branch, series, points, document_bytes, document) "
    "values ($1, $2, $3, $4, $5, $6::bytea)";

SqlValues side_values(std::int64_t comparison_key, std::string_view side, const RunHeader& header) {
  std::vector<std::string> names;
  std::vector<std::string> texts;
  for (const auto& [name, text] : header.settings) {
    names.push_back(name);
    texts.push_back(text);
  }
  const Commit& commit = header.commit;
  SqlValues values;
  values.integer(comparison_key).text(side).text(header.id).integer(header.created_at_unix_ns).text(header.tool);
  values.text(header.project).text(header.program).text(commit.sha).text(commit.parent).text(commit.branch);
  values.text(commit.subject).integer(commit.committed_at_unix_s).boolean(commit.dirty).text(header.session);
  values.text(to_text(header.layout)).unsigned_integer(header.seed).texts(names).texts(texts);
  return values;
}

RunHeader header_of(const Rows& rows, std::int64_t at) {
  RunHeader header;
  header.id = rows.text(at, 1);
  header.created_at_unix_ns = rows.integer(at, 2);
  header.tool = rows.text(at, 3);
  header.project = rows.text(at, 4);
  header.program = rows.text(at, 5);
  header.commit = {rows.text(at, 6), rows.text(at, 7),     rows.text(at, 8),
                   rows.text(at, 9), rows.integer(at, 10), rows.boolean(at, 11)};
  header.session = rows.text(at, 12);
  header.layout = parse_layout(rows.raw(at, 13)).value_or(Layout::separate);
  const std::string_view seed = rows.raw(at, 14);
  std::from_chars(seed.data(), seed.data() + seed.size(), header.seed);
  const auto names = texts_of_array(rows.raw(at, 15));
  const auto texts = texts_of_array(rows.raw(at, 16));
  for (std::size_t i = 0; i < names.size() && i < texts.size(); ++i) header.settings[names[i]] = texts[i];
  return header;
}

Result<void> write_history(Transaction& transaction, std::int64_t comparison_key, const JudgedHistory& history) {
  STEELYARD_TRY(const PackedHistory packed, pack_history(history));
  std::int64_t points = 0;
  for (const SeriesHistory& one : history.series) points += static_cast<std::int64_t>(one.series.points.size());
  SqlValues values;
  values.integer(comparison_key).text(history.branch).integer(static_cast<std::int64_t>(history.series.size()));
  values.integer(points).integer(packed.document_bytes).bytes(packed.bytes);
  STEELYARD_CHECK(transaction.run(kInsertHistory, values, kOneRow));
  return {};
}

}  // namespace

Result<void> write_comparison_inputs(Transaction& transaction, std::int64_t comparison_key,
                                     const Comparison& comparison) {
  STEELYARD_CHECK(transaction.copy({"steelyard.comparison_sides",
                                    {"comparison_key", "side", "run", "created_at_unix_ns", "tool", "project",
                                     "program", "commit", "parent", "branch", "subject", "committed_at_unix_s", "dirty",
                                     "session", "layout", "seed", "setting_names", "setting_texts"}},
                                   2, [&](std::size_t i) {
                                     return i == 0 ? side_values(comparison_key, kBaseline, comparison.baseline)
                                                   : side_values(comparison_key, kCandidate, comparison.candidate);
                                   }));
  if (!comparison.history) return {};
  return write_history(transaction, comparison_key, *comparison.history);
}

Result<void> read_comparison_inputs(Transaction& transaction, std::int64_t comparison_key, Comparison& comparison) {
  STEELYARD_TRY(const Rows sides, transaction.run(kSides, SqlValues().integer(comparison_key)));
  for (std::int64_t i = 0; i < sides.size(); ++i) {
    (sides.raw(i, 0) == kBaseline ? comparison.baseline : comparison.candidate) = header_of(sides, i);
  }
  STEELYARD_TRY(const Rows rows, transaction.run(kHistory, SqlValues().integer(comparison_key), kAtMostOneRow));
  if (rows.size() == 0) return {};
  STEELYARD_TRY(comparison.history, unpack_history({bytes_of_text(rows.raw(0, 1)), rows.integer(0, 0)},
                                                   "the comparison's history in the store"));
  return {};
}

}  // namespace steelyard
