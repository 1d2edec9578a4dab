#include "bench/main/main_options.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "bench/model/parse_number.hpp"
#include "bench/model/text.hpp"

namespace steelyard {
namespace {

constexpr std::string_view kOurs = "--steelyard_";
constexpr int kMaxBlocks = 10'000;

struct Option {
  std::string_view name;
  std::string_view value;  // in the help; empty: it takes none
  std::string_view help;
};
constexpr std::array kOptions{
    Option{"--steelyard_axis", "NAME=VALUES", "values of an axis: [FIRST:LAST:STEP], [A,B] or A; repeatable"},
    Option{"--steelyard_blocks", "N", "timed blocks that each repetition is split into (8; 1: none)"},
    Option{"--steelyard_callgrind", "", "collect in the timed loops only, under valgrind --collect-atstart=no"},
    Option{"--steelyard_help", "", "this text"},
    Option{"--steelyard_profile", "FILE", "as --steelyard_spans, and what CUDA devices do meanwhile"},
    Option{"--steelyard_samples", "HZ",
           "with --steelyard_spans: sample each thread's stack so often a second of its processor time"},
    Option{"--steelyard_single", "", "with --steelyard_spans: behind each loop, spans of single iterations too"},
    Option{"--steelyard_spans", "FILE",
           "record spans, for steelyard profile --read spans FILE; not for times to be judged"},
};

// Google Benchmark's, by its flag or by its variable.
class GoogleFlags {
 public:
  GoogleFlags(const std::vector<std::string>& arguments, const ReadVariable& variable)
      : arguments_(arguments), variable_(variable) {}

  // The last one given; empty where it is given without a value.
  std::optional<std::string> text(const std::string& name) const {
    std::optional<std::string> found;
    for (const std::string& argument : arguments_) {
      if (argument == "--benchmark_" + name) found = "";
      if (argument.starts_with("--benchmark_" + name + '=')) found = argument.substr(name.size() + 13);
    }
    if (found || !variable_) return found;
    std::string upper = "BENCHMARK_";
    for (const char c : name) upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return variable_(upper);
  }

  bool is_set(const std::string& name) const {
    const auto value = text(name);
    return value && *value != "false" && *value != "0" && *value != "no" && *value != "off" && *value != "n";
  }

 private:
  const std::vector<std::string>& arguments_;
  const ReadVariable& variable_;
};

// Absent where it is given as a number of iterations ("100x") or cannot be read, which Google Benchmark says itself.
std::optional<Nanoseconds> min_time(const GoogleFlags& flags) {
  std::string text = flags.text("min_time").value_or("0.5");
  if (text.ends_with('s')) text.pop_back();
  const auto in_seconds = parse_as<double>(text);
  if (!in_seconds || !std::isfinite(*in_seconds) || *in_seconds <= 0) return std::nullopt;
  return seconds(*in_seconds);
}

BlockOrder order_of(const GoogleFlags& flags, int wanted_blocks) {
  BlockOrder order;
  const auto repetitions = parse_as<int>(flags.text("repetitions").value_or("1"));
  const auto time = min_time(flags);
  // Repetitions in random order are not one after the other, which the budget of a benchmark relies on.
  const bool can_split = repetitions && *repetitions >= 1 && *repetitions <= kMaxBlocks && time &&
                         !flags.is_set("enable_random_interleaving") && !flags.is_set("dry_run");
  if (repetitions) order.repetitions = *repetitions;
  if (time) order.min_time = *time;
  if (can_split) order.blocks = wanted_blocks;
  return order;
}

std::string in_seconds_text(Nanoseconds duration) { return shortest_text(in_seconds(duration)); }

Result<void> take_own(const std::string& argument, MainOptions& options, int& blocks) {
  const std::size_t equals = argument.find('=');
  const std::string name = argument.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
  if (name == "--steelyard_axis") {
    STEELYARD_TRY(AxisOverride given, parse_axis_override(value));
    options.axes.push_back(std::move(given));
    return {};
  }
  if (name == "--steelyard_blocks") {
    const auto number = parse_as<int>(value);
    if (!number || *number < 1 || *number > kMaxBlocks) {
      return input_error(name, '"' + value + '"', "a whole number from 1 to " + std::to_string(kMaxBlocks));
    }
    blocks = *number;
    return {};
  }
  STEELYARD_TRY(const bool is_of_spans, take_span_option(argument, options.spans));
  if (is_of_spans) return {};
  if (argument == "--steelyard_callgrind") {
    options.collects_by_hand = true;
    return {};
  }
  if (argument == "--steelyard_single") {
    options.makes_single_iterations = true;
    return {};
  }
  if (argument == "--steelyard_help") {
    options.wants_help = true;
    return {};
  }
  const std::string known = joined_text(kOptions, ", ", [](const Option& option) { return option.name; });
  return input_error(argument, "no option of this program", "one of: " + known);
}

}  // namespace

Result<MainOptions> parse_main_options(const std::vector<std::string>& arguments, const ReadVariable& variable,
                                       bool time_takes_unit) {
  MainOptions options;
  int blocks = kDefaultBlocks;
  for (const std::string& argument : arguments) {
    if (!argument.starts_with(kOurs)) {
      options.rest.push_back(argument);
      continue;
    }
    STEELYARD_CHECK(take_own(argument, options, blocks));
  }
  STEELYARD_CHECK(check_span_options(options.spans));
  const GoogleFlags flags(options.rest, variable);
  options.order = order_of(flags, options.collects_by_hand ? 1 : blocks);
  options.has_file = !flags.text("out").value_or("").empty();
  options.file_format = flags.text("out_format").value_or("json");
  const std::string format = flags.text("format").value_or("console");
  options.shows_blocks =
      format != "console" || flags.is_set("report_aggregates_only") || flags.is_set("display_aggregates_only");
  if (options.order.blocks > 1) {
    const Nanoseconds each = options.order.min_time * (1.0 / options.order.blocks);
    options.rest.push_back("--benchmark_repetitions=" +
                           std::to_string(options.order.repetitions * options.order.blocks));
    options.rest.push_back("--benchmark_min_time=" + in_seconds_text(each) + (time_takes_unit ? "s" : ""));
  }
  return options;
}

std::string main_options_help() {
  std::string text = "options of steelyard::bench_main, beside those of Google Benchmark (--help):\n";
  for (const Option& option : kOptions) {
    std::string left(option.name);
    if (!option.value.empty()) left += '=' + std::string(option.value);
    left.resize(std::max<std::size_t>(left.size() + 1, 34), ' ');
    text += "  " + left + std::string(option.help) + '\n';
  }
  return text;
}

}  // namespace steelyard
