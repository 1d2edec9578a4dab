#include "bench/runner/run_header.hpp"

#include <algorithm>

#include "bench/formats/import_formats.hpp"
#include "bench/model/sha256.hpp"
#include "bench/model/text.hpp"
#include "bench/runner/round_plan.hpp"

namespace steelyard::bench {
namespace {

constexpr std::size_t kNamesShown = 10;  // a setting is read by people; the failures and invocations have them all

std::string core_text(const std::vector<int>& cores) {
  if (cores.empty()) return "not pinned";
  return joined_text(cores, ",", [](int core) { return std::to_string(core); });
}

}  // namespace

std::map<std::string, std::string> describe_settings(const MeasuringSettings& asked, Nanoseconds budget,
                                                     const LayoutChoice& layout, int rounds_planned,
                                                     const RoundLoopOutcome& outcome) {
  std::map<std::string, std::string> settings{
      {"timeout", in_seconds_text(asked.timeout) + "s"},
      {"budget", in_seconds_text(budget) + "s"},
      {"rounds_planned", std::to_string(rounds_planned)},
      {"rounds", std::to_string(outcome.rounds)},
      {"layout_reason", layout.reason},
      {"cores", core_text(layout.cores)},
      {"environment_padding", "0 to " + std::to_string(kMaxPadding - 1) + " bytes, drawn for each process"},
  };
  if (outcome.disturbed_rounds > 0) {
    settings["disturbed_rounds"] =
        std::to_string(outcome.disturbed_rounds) + " of " + std::to_string(outcome.measured_rounds);
  }
  if (outcome.repeated_rounds > 0) {
    settings["repeated_rounds"] = std::to_string(outcome.repeated_rounds);
    settings["replaced_rounds"] = std::to_string(outcome.replaced_rounds);
  }
  if (!asked.filter.empty()) settings[std::string(kFilterSetting)] = asked.filter;
  if (outcome.budget_spent) keep_stop(Stop::budget_spent, outcome.rounds, settings);
  if (outcome.cancelled) keep_stop(Stop::interrupted, outcome.rounds, settings);
  // Whether or not this program has any: several programs become one run, which keeps what the first one says.
  if (layout.layout == Layout::duet) {
    settings[std::string(kSeveralThreadsSetting)] = std::string(to_text(Layout::interleaved));
  }
  if (!outcome.unpaired.empty()) {
    settings["interleaved_benchmarks"] = some_joined(outcome.unpaired, kNamesShown, ", ", ", and ");
    settings["layout_reason"] += "; benchmarks of several threads were interleaved";
  }
  return settings;
}

void describe_addresses(const Environment& environment, bool is_refused, std::map<std::string, std::string>& settings) {
  const std::string* const of_machine = environment.find("aslr");
  const bool is_off = of_machine != nullptr && *of_machine == "0";
  settings["address_randomization"] = is_refused ? "off, as the system refused to switch it on" : is_off ? "off" : "on";
}

void describe_samples(const SamplePlan& samples, Nanoseconds pilot, std::map<std::string, std::string>& settings) {
  settings["repetitions"] = std::to_string(samples.usual.repetitions);
  if (samples.usual.min_time.count() > 0) settings["min_time"] = in_seconds_text(samples.usual.min_time) + "s";
  const bool known = std::any_of(samples.sizes.begin(), samples.sizes.end(),
                                 [](const auto& size) { return size.second.iterations > 0; });
  settings["iterations"] = known ? "known before" : "found by the program";
  if (samples.group > 1) settings["benchmarks_a_process"] = std::to_string(samples.group);
  if (pilot.count() > 0) settings["pilot"] = to_text(pilot);
}

void describe_copies(const std::vector<MeasuredSide>& sides, int rounds_per_copy,
                     std::map<std::string, std::string>& settings) {
  const std::string rounds = rounds_per_copy > 1 ? std::to_string(rounds_per_copy) + " rounds" : "round";
  std::string text;
  PagesOf worst = PagesOf::copied;
  for (const MeasuredSide& side : sides) {
    const FreshCopy& copy = side.copy();
    if (!copy.is_of_both_sides()) worst = std::max(worst, copy.pages());
    std::string one;
    switch (copy.pages()) {
      case PagesOf::copied:
        one = "one " + (rounds_per_copy > 1 ? "for " + rounds : "a round") + ", " + to_text(copy.size());
        break;
      case PagesOf::reread:
        one = "none; its pages are read anew each " + rounds + " (" + copy.why() + ')';
        break;
      case PagesOf::kept:
        one = "none; it keeps its pages (" + copy.why() + ')';
        break;
    }
    if (copy.renewals() > 0 && copy.pages() != PagesOf::kept) {
      one += " in " + to_text(copy.spent() * (1.0 / copy.renewals()));
    }
    if (!text.empty()) text += side.side() == Side::candidate ? "; candidate: " : "; ";
    text += one;
  }
  settings["fresh_copies"] = text;
  settings[std::string(kPagesSetting)] = to_text(worst);
}

void describe_command(const ListedProgram& listed, std::map<std::string, std::string>& settings) {
  if (!listed.program.command) return;
  const MeasuredCommand& command = *listed.program.command;
  settings[std::string(kCommandSetting)] = command.format == nullptr ? "process" : std::string(command.format->name);
  settings["command.warmups"] = std::to_string(command.warmup);
  if (!command.prepare.empty()) settings["command.prepare"] = command.prepare;
  if (command.ignore_failure) settings["command.exit_status"] = "ignored";
  if (!listed.listing.process) return;
  settings["command.processes_an_invocation"] = settings["repetitions"];
  settings["command.empty_process"] = to_text(listed.listing.process->empty);
}

std::string draw_session(std::uint64_t seed, std::int64_t at_unix_ns, std::int64_t process) {
  return sha256_hex(std::to_string(seed) + ' ' + std::to_string(at_unix_ns) + ' ' + std::to_string(process))
      .substr(0, 16);
}

std::string program_line(const Program& program) {
  std::string line = program.executable.string();
  for (const std::string& argument : program.arguments) line += ' ' + argument;
  return line;
}

}  // namespace steelyard::bench
