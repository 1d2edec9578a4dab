#include "bench/runner/layout_choice.hpp"

#include "bench/model/text.hpp"

namespace steelyard::bench {
namespace {

// Two significant digits.
std::string percent_text(double share) { return significant_text(share * 100, 2) + " %"; }

}  // namespace

LayoutChoice choose_layout(std::optional<Layout> wanted, const CoreChoice& cores, bool all_have_several_threads,
                           const std::string& device_use) {
  LayoutChoice choice;
  choice.cores = cores.cores;
  const bool duet_wanted = wanted.value_or(Layout::duet) == Layout::duet;
  if (!duet_wanted) {
    choice.layout = *wanted;
    choice.reason = "as asked for";
  } else if (!device_use.empty()) {
    choice.reason = "the program uses a device (" + device_use + "), which both sides would share: they take turns";
  } else if (!cores.two_equal) {
    choice.reason = cores.why_not_two;
  } else if (all_have_several_threads) {
    choice.reason = "every benchmark uses several threads, which one core cannot hold";
  } else {
    choice.layout = Layout::duet;
    choice.reason = cores.one_physical ? "as asked for, on two threads of one physical core"
                    : wanted           ? "as asked for"
                                       : "two equal cores are there to pin to";
  }
  return choice;
}

LayoutChoice choose_layout(LayoutChoice duet, const LayoutTrial& trial) {
  if (trial.pairs < kMinTrials) return duet;
  const std::string seen = "of one round against another, " + std::to_string(trial.pairs) +
                           " tried, the standard deviation is " + percent_text(trial.at_once) + " side by side and " +
                           percent_text(trial.in_turn) + " in turns";
  if (turns_are_worth_it(trial)) {
    duet.layout = Layout::interleaved;
    duet.reason = "taking turns agrees much better here: " + seen;
  } else {
    duet.reason += "; " + seen;
  }
  return duet;
}

}  // namespace steelyard::bench
