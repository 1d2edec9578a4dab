#include "ci/judging/row_pictures.hpp"

#include <algorithm>
#include <ostream>
#include <set>
#include <system_error>
#include <vector>

#include "ci/app/messages.hpp"
#include "ci/judging/changed_pictures.hpp"
#include "ci/report/distribution_picture.hpp"
#include "ci/report/row_order.hpp"
#include "regress/ab/wording.hpp"

namespace steelyard {
namespace {

bool is_changed(const ComparisonRow& row) {
  return row.metric.kind == MetricKind::noisy &&
         (row.verdict == Verdict::regression || row.verdict == Verdict::improvement);
}

bool has_picture(const ComparisonRow& row) {
  return row.metric.kind == MetricKind::noisy && (row.baseline || row.candidate) && row.ratio;
}

}  // namespace

Result<DrawnRows> draw_changed_rows(const Comparison& comparison, const Run& baseline, const Run& candidate,
                                    const std::filesystem::path& folder, std::size_t most) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) return input_error(folder.string(), code.message(), "a folder for pictures");
  std::set<std::string> taken;
  DrawnRows rows;
  for (const RowGroup& group : worst_first(comparison)) {
    for (const ComparisonRow* row : group.rows) {
      if (!is_changed(*row)) continue;
      if (rows.drawn == most) {
        ++rows.left_out;
        continue;
      }
      const std::string stem = file_stem(row->benchmark + "." + row->metric.name);
      std::string name = stem;
      for (int number = 2; !taken.insert(name).second; ++number) name = stem + "-" + std::to_string(number);
      const std::string picture = svg_distributions(*row, samples_of_row(*row, baseline, candidate));
      STEELYARD_CHECK(write_text_file(folder / (name + ".svg"), picture));
      ++rows.drawn;
    }
  }
  return rows;
}

std::string terminal_pictures(const Comparison& comparison, const Run& baseline, const Run& candidate,
                              const TerminalStyle& style, std::size_t most) {
  std::vector<const ComparisonRow*> changed, judged;
  for (const RowGroup& group : worst_first(comparison)) {
    for (const ComparisonRow* row : group.rows) {
      if (is_changed(*row)) changed.push_back(row);
      if (has_picture(*row)) judged.push_back(row);
    }
  }
  const std::vector<const ComparisonRow*>& rows = changed.empty() ? judged : changed;
  std::string text;
  for (std::size_t i = 0; i < std::min(rows.size(), most); ++i) {
    text += "\n" + terminal_distributions(*rows[i], samples_of_row(*rows[i], baseline, candidate), style);
  }
  if (rows.size() > most) {
    text += "\nnot drawn: " + plural_text(static_cast<std::int64_t>(rows.size() - most), "more row") +
            (changed.empty() ? "" : "; --svg-dir draws what changed") + "\n";
  }
  return text;
}

ExitCode show_pictures(const Comparison& comparison, const Run& baseline, const Run& candidate,
                       const PictureOptions& pictures, const CommonOptions& common, Streams& streams) {
  if (pictures.in_terminal && !common.json) {
    streams.out << terminal_pictures(comparison, baseline, candidate, terminal_style(streams, common.color))
                << std::flush;
  }
  if (pictures.svg_dir.empty()) return ExitCode::success;
  const Result<DrawnRows> rows = draw_changed_rows(comparison, baseline, candidate, pictures.svg_dir);
  if (!rows) return report_error(rows.error(), streams);
  if (rows->left_out > 0) {
    note("--svg-dir: the worst " + std::to_string(rows->drawn) + " are drawn, and " +
             plural_text(static_cast<std::int64_t>(rows->left_out), "more row") +
             " that changed are not; compare fewer benchmarks to see them",
         common, streams);
  }
  return ExitCode::success;
}

}  // namespace steelyard
