#include "ci/judging/changed_pictures.hpp"

#include <algorithm>
#include <set>
#include <system_error>

#include "ci/app/messages.hpp"
#include "ci/report/flame/flame_graph.hpp"

namespace steelyard {
namespace {

const CountedProfile* profile_of(const Run& run, const std::string& benchmark) {
  const auto at = std::find_if(run.profiles.begin(), run.profiles.end(), [&](const CountedProfile& profile) {
    return profile.benchmark.canonical() == benchmark;
  });
  return at == run.profiles.end() ? nullptr : &*at;
}

bool has_changed_count(const ComparisonRow& row) {
  return row.metric.name == kInstructions &&
         (row.verdict == Verdict::regression || row.verdict == Verdict::improvement);
}

std::string side_name(const RunHeader& header, const char* otherwise) {
  if (!header.commit.sha.empty()) return header.commit.sha.substr(0, 12);
  return header.program.empty() ? otherwise : header.program;
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
  std::set<std::string> taken;
  for (ComparisonRow& row : comparison.rows) {
    if (!has_changed_count(row)) continue;
    const CountedProfile* before = profile_of(baseline, row.benchmark);
    const CountedProfile* after = profile_of(candidate, row.benchmark);
    if (before == nullptr || after == nullptr) continue;
    STEELYARD_TRY(const JoinedProfile joined, join_profiles({before}, {after}, "Ir"));
    std::error_code code;
    std::filesystem::create_directories(folder, code);
    if (code) return input_error(folder.string(), code.message(), "a folder for flame graphs");
    const std::string stem = file_stem(row.benchmark);
    std::string name = stem;
    for (int number = 2; !taken.insert(name).second; ++number) name = stem + "-" + std::to_string(number);
    const std::filesystem::path file = folder / (name + ".html");
    const FlameCaption caption{row.benchmark, side_name(comparison.baseline, "baseline"),
                               side_name(comparison.candidate, "candidate")};
    STEELYARD_CHECK(write_text_file(file, html_flame_graph(joined, unfold(joined, StackLimits{}), caption)));
    row.flame_graph = file.string();
  }
  return {};
}

}  // namespace steelyard
