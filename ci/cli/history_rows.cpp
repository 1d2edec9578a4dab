// The rows of the verbs that look along a series: history shows it, changes judges it.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ci/cli/verb_options.hpp"
#include "ci/cli/verb_rows.hpp"

namespace steelyard {
namespace {

using Words = std::vector<std::string>;

// Of the policy, what a series is judged by.
std::vector<std::string_view> without_all_but(const std::vector<std::string_view>& wanted) {
  std::vector<std::string_view> others;
  for (const ConfigurationKey& key : configuration_keys()) {
    if (std::find(wanted.begin(), wanted.end(), key.option) == wanted.end()) others.push_back(key.option);
  }
  return others;
}

}  // namespace

std::unique_ptr<Verb> make_history() {
  auto verb = make_verb<HistoryOptions>(
      "history",
      "Draws how a benchmark went over the commits that the store knows. BENCHMARK: its name or a part of it.",
      "  steelyard history Sort --metric instructions\n"
      "  steelyard history Sort --archives ../performance-history");
  auto& history = options_of<HistoryOptions>(verb);
  verb->names = {"[BENCHMARK]"};
  verb->finish = [&history](Words given, Words) -> Result<void> {
    if (!given.empty()) history.benchmark = std::move(given[0]);
    return {};
  };
  verb->options.push_back(text_option("--metric", "NAME", history.metric, "default: real_time and the counted ones"));
  verb->options.push_back(text_option("--branch", "NAME", history.branch, "only commits of this branch"));
  verb->options.push_back(path_option("--archives", "FOLDER", history.archives,
                                      "the .syrun files below it, in place of the store; needs no server"));
  verb->options.push_back(number_option("--limit", history.limit, "newest points of each series"));
  add_key_options(*verb, history.common, {{"store", "project"}, {}});
  add_common_options(*verb, history.common);
  return verb;
}

std::unique_ptr<Verb> make_changes() {
  auto verb = make_verb<ChangesOptions>(
      "changes",
      "Finds where the level of a series changed, with the commits that can be the cause; what one commit can explain "
      "is one finding. BENCHMARK: its name or a part of it. With --input, series of numbers from any program.",
      "  steelyard changes Sort --branch main --svg pictures\n"
      "  steelyard changes --json --input series.json");
  auto& changes = options_of<ChangesOptions>(verb);
  verb->names = {"[BENCHMARK]"};
  verb->finish = [&changes](Words given, Words) -> Result<void> {
    if (!given.empty()) changes.benchmark = std::move(given[0]);
    return {};
  };
  verb->options.push_back(path_option("--input", "FILE", changes.input,
                                      "series as JSON (docs/changes.md), in place of the store; -: standard input"));
  verb->options.push_back(path_option("--archives", "FOLDER", changes.archives,
                                      "the .syrun files below it, in place of the store; needs no server"));
  verb->options.push_back(text_option("--metric", "NAME", changes.metric, "default: real_time and the counted ones"));
  verb->options.push_back(text_option("--branch", "NAME", changes.branch, "only commits of this branch"));
  verb->options.push_back(number_option("--limit", changes.limit, "newest points of each series"));
  verb->options.push_back(path_option("--svg", "FILE|FOLDER", changes.svg,
                                      "draw the series: one file in .svg, or one a series with a change"));
  verb->options.push_back(path_option("--markdown", "FILE", changes.markdown, "write the findings there as Markdown"));
  verb->options.push_back(flag_option("--fail-on-regression", changes.fail_on_regression,
                                      "exit with 1 where a confirmed regression stands"));
  verb->options.push_back(flag_option("--no-store", changes.no_store, "look only: keep no change point in the store"));
  add_key_options(*verb, changes.common, {{"policy"}, without_all_but({"--false-alarm-rate", "--minimum-effect"})});
  add_key_options(*verb, changes.common, {{"store", "project"}, {}});
  add_common_options(*verb, changes.common);
  return verb;
}

}  // namespace steelyard
