#include "ci/judging/series_pictures.hpp"

#include <algorithm>
#include <set>
#include <system_error>

#include "ci/app/messages.hpp"
#include "ci/judging/changed_pictures.hpp"
#include "ci/report/series_chart.hpp"

namespace steelyard {
namespace {

std::vector<std::size_t> chosen(const ChangesReport& report) {
  std::vector<std::size_t> with_changes, all;
  for (std::size_t i = 0; i < report.series.size(); ++i) {
    all.push_back(i);
    if (!report.changes[i].empty()) with_changes.push_back(i);
  }
  return with_changes.empty() ? all : with_changes;
}

}  // namespace

Result<std::size_t> draw_series(const ChangesReport& report, const std::filesystem::path& target) {
  std::vector<std::size_t> indices = chosen(report);
  const auto picture = [&](std::size_t index) { return svg_series(report.series[index], report.changes[index]); };
  if (target.extension() == ".svg") {
    if (indices.size() != 1) {
      return input_error("--svg", std::to_string(indices.size()) + " series to draw", "one for one file",
                         "name a benchmark, or a folder for all of them");
    }
    STEELYARD_CHECK(write_text_file(target, picture(indices.front())));
    return std::size_t{1};
  }
  std::error_code code;
  std::filesystem::create_directories(target, code);
  if (code) return input_error(target.string(), code.message(), "a folder for pictures");
  indices.resize(std::min(indices.size(), kMostPictures));
  std::set<std::string> taken;
  for (const std::size_t index : indices) {
    const Series& series = report.series[index];
    const std::string stem = file_stem(series.name + (series.metric.empty() ? "" : "." + series.metric));
    std::string name = stem;
    for (int number = 2; !taken.insert(name).second; ++number) name = stem + "-" + std::to_string(number);
    STEELYARD_CHECK(write_text_file(target / (name + ".svg"), picture(index)));
  }
  return indices.size();
}

}  // namespace steelyard
