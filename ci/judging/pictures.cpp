#include "ci/judging/pictures.hpp"

#include <algorithm>
#include <set>
#include <system_error>
#include <vector>

#include "bench/model/number_text.hpp"
#include "ci/app/app.hpp"
#include "ci/report/charts/distributions.hpp"
#include "ci/report/charts/series_chart.hpp"
#include "ci/report/comparison_text.hpp"
#include "ci/report/flame/flame_graph.hpp"

namespace steelyard::ci {
namespace {

// A folder in which no two pictures get the same name.
class PictureFolder {
 public:
  explicit PictureFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  Result<void> make(const char* what) const {
    std::error_code code;
    std::filesystem::create_directories(folder_, code);
    return code ? Result<void>(input_error(folder_.string(), code.message(), what)) : Result<void>();
  }
  std::filesystem::path file_for(const std::string& subject, const char* extension) {
    const std::string stem = file_stem(subject);
    std::string name = stem;
    for (int number = 2; !taken_.insert(name).second; ++number) name = stem + "-" + std::to_string(number);
    return folder_ / (name + extension);
  }

 private:
  std::filesystem::path folder_;
  std::set<std::string> taken_;
};

bool is_changed_time(const ComparisonRow& row) {
  return row.metric.kind == MetricKind::noisy && is_change(row.verdict);
}

bool has_picture(const ComparisonRow& row) {
  return row.metric.kind == MetricKind::noisy && (row.baseline || row.candidate) && row.ratio;
}

// Series with changes; where there are none, all.
std::vector<std::size_t> series_to_draw(const ChangesReport& report) {
  std::vector<std::size_t> with_changes, all;
  for (std::size_t i = 0; i < report.series.size(); ++i) {
    all.push_back(i);
    if (!report.changes[i].empty()) with_changes.push_back(i);
  }
  return with_changes.empty() ? all : with_changes;
}

}  // namespace

std::string file_stem(const std::string& benchmark) {
  constexpr std::size_t kLongest = 100;
  std::string stem = benchmark.substr(0, kLongest);
  for (char& c : stem) {
    const bool is_plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
    if (!is_plain) c = '_';
  }
  // No hidden file, and nothing that a command takes for an option.
  if (stem.empty() || stem.front() == '.' || stem.front() == '-') stem.insert(0, "_");
  return stem;
}

Result<void> draw_changed_counts(Comparison& comparison, const Run& baseline, const Run& candidate,
                                 const std::filesystem::path& folder) {
  PictureFolder pictures(folder);
  for (ComparisonRow& row : comparison.rows) {
    if (row.metric.name != kInstructions || !is_change(row.verdict)) continue;
    STEELYARD_TRY(const auto joined, changed_profile(row.benchmark, baseline, candidate));
    if (!joined) continue;
    STEELYARD_CHECK(pictures.make("a folder for flame graphs"));
    const std::filesystem::path file = pictures.file_for(row.benchmark, ".html");
    const FlameCaption caption = change_caption(row.benchmark, comparison.baseline, comparison.candidate);
    STEELYARD_CHECK(write_text_file(file, html_flame_graph(*joined, unfold(*joined, StackLimits{}), caption)));
    row.flame_graph = file.string();
  }
  return {};
}

Result<DrawnRows> draw_changed_rows(const Comparison& comparison, const Run& baseline, const Run& candidate,
                                    const std::filesystem::path& folder, std::size_t most) {
  PictureFolder pictures(folder);
  STEELYARD_CHECK(pictures.make("a folder for pictures"));
  DrawnRows rows;
  const SampleIndex samples(baseline, candidate);
  for (const RowGroup& group : worst_first(comparison)) {
    for (const ComparisonRow* row : group.rows) {
      if (!is_changed_time(*row)) continue;
      if (rows.drawn == most) {
        ++rows.excluded;
        continue;
      }
      const std::string picture = svg_distributions(*row, samples.of(*row));
      STEELYARD_CHECK(write_text_file(pictures.file_for(row->benchmark + "." + row->metric.name, ".svg"), picture));
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
      if (is_changed_time(*row)) changed.push_back(row);
      if (has_picture(*row)) judged.push_back(row);
    }
  }
  const std::vector<const ComparisonRow*>& rows = changed.empty() ? judged : changed;
  const SampleIndex samples(baseline, candidate);
  std::string text;
  for (std::size_t i = 0; i < std::min(rows.size(), most); ++i) {
    text += "\n" + terminal_distributions(*rows[i], samples.of(*rows[i]), style);
  }
  if (rows.size() > most) {
    text += "\nnot drawn: " + plural_text(rows.size() - most, "more row") +
            (changed.empty() ? "" : "; --svg-dir draws what changed") + "\n";
  }
  return text;
}

Result<std::size_t> draw_series(const ChangesReport& report, const std::filesystem::path& target) {
  std::vector<std::size_t> indices = series_to_draw(report);
  const auto picture = [&](std::size_t index) { return svg_series(report.series[index], report.changes[index]); };
  if (target.extension() == ".svg") {
    if (indices.size() != 1) {
      return input_error("--svg", std::to_string(indices.size()) + " series to draw", "one for one file",
                         "name a benchmark, or a folder for all of them");
    }
    STEELYARD_CHECK(write_text_file(target, picture(indices.front())));
    return std::size_t{1};
  }
  PictureFolder pictures(target);
  STEELYARD_CHECK(pictures.make("a folder for pictures"));
  indices.resize(std::min(indices.size(), kMaxPictures));
  for (const std::size_t index : indices) {
    const Series& series = report.series[index];
    const std::string subject = series.name + (series.metric.empty() ? "" : "." + series.metric);
    STEELYARD_CHECK(write_text_file(pictures.file_for(subject, ".svg"), picture(index)));
  }
  return indices.size();
}

}  // namespace steelyard::ci
