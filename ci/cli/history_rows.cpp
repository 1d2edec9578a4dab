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

// A..B, or nothing.
VerbOption range_option(std::string name, bool& wanted, std::string& range, std::string help) {
  const auto set = [&wanted, &range, name](const std::string& text) -> Result<void> {
    wanted = true;
    if (text.empty()) return {};
    const std::size_t dots = text.find("..");
    if (dots == std::string::npos || dots == 0 || dots + 2 == text.size() || text[dots + 2] == '.') {
      return input_error(name, '"' + text + '"', "A..B, two commits", name + " HEAD~10..HEAD");
    }
    range = text;
    return {};
  };
  return {std::move(name), "[A..B]", std::move(help), kGeneralGroup, false, set};
}

Result<void> check_history_options(const HistoryOptions& history) {
  if (!history.changed && !history.movers) return {};
  const std::string option = history.changed ? "--changed-in" : "--top-movers";
  if (history.changed && history.movers) return input_error(option, "--top-movers as well", "one of the two");
  if (!history.archives.empty()) {
    return input_error(option, "--archives", "a store", "fill one: steelyard db rebuild --from FOLDER");
  }
  const bool is_narrowed = !history.benchmark.empty() || !history.metric.empty() || !history.machine.empty() ||
                           !history.parameters.empty() || !history.label.empty() || history.most_series != 0;
  if (!is_narrowed) return {};
  return input_error(option, "a benchmark, --metric, --machine, --parameter, --label or --series",
                     "--branch, --limit and --after alone", "it is about all series of a project");
}

}  // namespace

std::unique_ptr<Verb> make_history() {
  auto verb = make_verb<HistoryOptions>(
      "history",
      "Draws how a benchmark went over the commits that the store knows. BENCHMARK: its name or a part of it. With "
      "--changed-in or --top-movers, what happened in a range of commits.",
      "  steelyard history Sort --metric instructions --branch main\n"
      "  steelyard history --parameter size=1024 --machine cpu.model=EPYC --json\n"
      "  steelyard history --changed-in v1.2..HEAD\n"
      "  steelyard history --top-movers HEAD~20..HEAD --limit 10\n"
      "  steelyard history Sort --archives ../performance-history");
  auto& history = options_of<HistoryOptions>(verb);
  verb->names = {"[BENCHMARK]"};
  verb->finish = [&history](Words given, Words) -> Result<void> {
    if (!given.empty()) history.benchmark = std::move(given[0]);
    return check_history_options(history);
  };
  verb->options.push_back(text_option("--metric", "NAME", history.metric, "default: real_time and the counted ones"));
  verb->options.push_back(text_option("--branch", "NAME", history.branch, "only commits of this branch"));
  verb->options.push_back(text_option("--machine", "TEXT", history.machine,
                                      "the beginning of a fingerprint, or FACT=TEXT: what a fact holds, as "
                                      "cpu.model=EPYC"));
  verb->options.push_back(repeated_option("--parameter", "NAME=VALUE", history.parameters,
                                          "of the benchmark, or its threads, device, dtype, suite; may be repeated: "
                                          "all must hold; VALUE alone: a parameter without a name"));
  verb->options.push_back(text_option("--label", "TEXT", history.label, "a part of what the benchmark says of itself"));
  verb->options.push_back(path_option("--archives", "FOLDER", history.archives,
                                      "the .syrun files below it, in place of the store; needs no server"));
  verb->options.push_back(number_option("--limit", history.limit,
                                        "newest points of each series (default: 200); rows of a range (default: 50)"));
  verb->options.push_back(number_option("--series", history.most_series, "most series of one answer (default: all)"));
  verb->options.push_back(text_option("--after", "CURSOR", history.after,
                                      "go on there: where an answer says that there is more, or that a series has "
                                      "older points"));
  verb->options.push_back(range_option("--changed-in", history.changed, history.range,
                                       "the series whose level was found to change after A and up to B"));
  verb->options.push_back(range_option("--top-movers", history.movers, history.range,
                                       "what moved most between A and B, judged or not, largest first; without a "
                                       "range: the last ten measured commits"));
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
  verb->options.push_back(
      path_option("--input", "FILE", changes.input,
                  "series as JSON (docs/guide/changes.md), in place of the store; -: standard input"));
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
