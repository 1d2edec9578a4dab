#include "regress/ab/sequential.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "bench/model/parse_number.hpp"
#include "bench/model/text.hpp"
#include "regress/ab/distributions.hpp"
#include "regress/ab/steady_digits.hpp"

namespace steelyard::regress {
namespace {

// Few looks with growing distance: each look costs power, because its share is lost to the others. What these save on
// recorded noise with 1 to 100 comparisons stands in docs/method/sequential.md.
constexpr std::array<int, 7> kLookRounds{12, 16, 24, 36, 60, 100, 160};
constexpr double kFirstShare = 0.1;
constexpr double kShareRounding = 1e-9;  // of a sum of shares that were written as decimals
constexpr std::size_t kMaxLooks = 100;
constexpr double kMinShare = 1e-6;  // the smallest of a plan of ours is 1e-4; of less no quantile can be taken

// Of all looks up to `rounds`, in a plan that ends at `most`.
double spent_by(int rounds, int most) {
  if (most <= kLookRounds.front()) return 1;
  const double part = static_cast<double>(rounds - kLookRounds.front()) / (most - kLookRounds.front());
  return kFirstShare + (1 - kFirstShare) * part;
}

// Decimals that people can read; the last look takes what rounding leaves.
double rounded_share(double share) { return std::floor(share * 1e4 + 0.5) / 1e4; }

std::optional<PlannedLook> parse_look(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto rounds = parse_as<int>(text.substr(0, colon));
  const auto share = parse_as<double>(text.substr(colon + 1));
  if (!rounds || !share) return std::nullopt;
  if (*rounds < 1 || *rounds > kMaxRoundsAsked || !(*share >= kMinShare && *share <= 1)) return std::nullopt;
  return PlannedLook{*rounds, *share};
}

// The last of the looks that the budget pays for. Most benchmarks stop long before it, and what they leave is for the
// others. A last look that is not reached gives its share to the rounds behind the last that is; it costs smaller
// shares of those before. docs/measured/judging_scores.md has what the time of 60 rounds finds with looks to 60 and to
// 160.
int useful_rounds(int affordable) {
  constexpr double kLeftByOthers = 8.0 / 3;
  int most = kUsualLookRounds;
  for (const int rounds : kLookRounds) {
    if (rounds <= kLeftByOthers * affordable) most = std::max(most, rounds);
  }
  return most;
}

}  // namespace

LookPlan plan_looks(const LookPlanQuestion& question) {
  const int most = question.max_rounds > 0 ? question.max_rounds : useful_rounds(question.affordable_rounds);
  LookPlan plan;
  double spent = 0;
  for (const int rounds : kLookRounds) {
    if (rounds >= most) break;
    const double share = rounded_share(spent_by(rounds, most) - spent);
    plan.looks.push_back({rounds, share});
    spent += share;
  }
  plan.looks.push_back({most, rounded_share(1 - spent)});
  return plan;
}

std::string to_text(const LookPlan& plan) {
  std::string text;
  for (const PlannedLook& look : plan.looks) {
    text += (text.empty() ? "" : " ") + std::to_string(look.rounds) + ':' + shortest_text(look.share);
  }
  return text;
}

std::optional<LookPlan> parse_look_plan(std::string_view text) {
  LookPlan plan;
  double spent = 0;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::optional<PlannedLook> look = parse_look(text.substr(0, space));
    text.remove_prefix(std::min(space + 1, text.size()));
    if (!look || plan.looks.size() == kMaxLooks || look->rounds <= plan.max_rounds()) return std::nullopt;
    spent += look->share;
    plan.looks.push_back(*look);
  }
  if (plan.empty() || spent > 1 + kShareRounding) return std::nullopt;
  return plan;
}

LookPlan mutual_look_plan(const RunHeader& baseline, const RunHeader& candidate) {
  const auto of_baseline = baseline.settings.find(std::string(kLooksSetting));
  const auto of_candidate = candidate.settings.find(std::string(kLooksSetting));
  if (of_baseline == baseline.settings.end() || of_candidate == candidate.settings.end()) return {};
  if (baseline.session.empty() || baseline.session != candidate.session) return {};
  if (of_baseline->second != of_candidate->second) return {};
  return parse_look_plan(of_baseline->second).value_or(LookPlan{});
}

namespace {

// Below this chance of a decision the rounds are better spent elsewhere: a higher one costs power, a lower one saves
// few of the rounds of noisy benchmarks. docs/method/sequential.md has the figures with it.
constexpr double kMinChance = 0.15;

double normal_below(double z) { return steady(0.5 * std::erfc(-z / std::sqrt(2.0))); }

// The looks that were taken, by round and share: the planned ones, and what the budget left.
std::vector<PlannedLook> looks_taken(int measured, const LookPlan& plan) {
  std::vector<PlannedLook> taken;
  double left = 1;
  for (const PlannedLook& look : plan.looks) {
    if (look.rounds > measured) break;
    taken.push_back(look);
    left -= look.share;
  }
  const int reached = taken.empty() ? 0 : taken.back().rounds;
  if (measured > reached && taken.size() < plan.looks.size() && left > 0) taken.push_back({measured, left});
  return taken;
}

PairedRounds rounds_before(const PairedRounds& paired, int rounds) {
  PairedRounds before;
  for (const PairedRound& round : paired.rounds) {
    if (round.baseline.round < rounds) before.rounds.push_back(round);
  }
  return before;
}

void intersect(std::optional<Interval>& whole, const std::optional<Interval>& with) {
  if (!with) return;
  if (!whole) {
    whole = with;
  } else {
    whole = Interval{std::max(whole->low, with->low), std::min(whole->high, with->high)};
  }
}

bool is_empty(const std::optional<Interval>& interval) { return interval && interval->low > interval->high; }

// Gathers the looks into one effect.
class Gathered {
 public:
  Gathered(const PairedRounds& paired, const EffectQuestion& question, EffectMemory& memory)
      : paired_(paired), question_(question), memory_(memory) {}

  void look(const PlannedLook& planned) {
    const PairedRounds before = rounds_before(paired_, planned.rounds);
    Look look{planned.rounds, 1, planned.share};
    // Fewer rounds have no permutation test; their t test is no evidence for a verdict either.
    if (static_cast<int>(before.rounds.size()) >= kMinRounds) {
      EffectQuestion question = question_;
      question.confidence = 1 - (1 - question_.confidence) * planned.share;
      question.equivalence_alpha = question_.equivalence_alpha * planned.share;
      const Effect& seen = memory_.of_rounds(before, question);
      look.p = seen.p.value_or(1);
      const double spent_p = std::min(1.0, look.p / planned.share);
      min_p_ = std::min(min_p_, seen.min_p / planned.share);
      if (spent_p < p_ || !strongest_) {
        p_ = std::min(p_, spent_p);
        strongest_ = seen.interval;
      }
      intersect(interval_, seen.interval);
      intersect(equivalence_, seen.equivalence_interval);
      within_margin_ = within_margin_ || seen.within_margin;
    }
    looks_.push_back(look);
  }

  LookedAt finish() {
    LookedAt result;
    result.effect = memory_.of_rounds(rounds_before(paired_, looks_.back().rounds), question_);
    Effect& effect = result.effect;
    if (effect.units >= kMinRounds) {
      // Looks that contradict each other, as happens with a chance below alpha: the strongest speaks.
      effect.interval = is_empty(interval_) ? strongest_ : interval_;
      effect.equivalence_interval = is_empty(equivalence_) ? std::nullopt : equivalence_;
      effect.within_margin = within_margin_ && effect.equivalence_interval;
      effect.p = p_;
      effect.min_p = std::min(1.0, min_p_);
      if (effect.interval) {
        effect.log_ratio = std::clamp(effect.log_ratio, effect.interval->low, effect.interval->high);
      }
    } else if (effect.p) {
      looks_.back().p = *effect.p;  // the t test of so few, which is all that there is
    }
    result.looks = std::move(looks_);
    return result;
  }

 private:
  const PairedRounds& paired_;
  const EffectQuestion& question_;
  EffectMemory& memory_;
  std::vector<Look> looks_;
  double p_ = 1;
  double min_p_ = 1;
  bool within_margin_ = false;
  std::optional<Interval> interval_;
  std::optional<Interval> equivalence_;
  std::optional<Interval> strongest_;
};

}  // namespace

bool any_round_of(const LookPlan& plan, const PairedRounds& paired) {
  return std::any_of(paired.rounds.begin(), paired.rounds.end(),
                     [&](const PairedRound& round) { return round.baseline.round < plan.max_rounds(); });
}

LookedAt effect_of_looks(const PairedRounds& paired, int measured, const LookPlan& plan, const EffectQuestion& question,
                         EffectMemory* memory) {
  assert(!plan.empty() && any_round_of(plan, paired));
  EffectMemory own;
  Gathered gathered(paired, question, memory != nullptr ? *memory : own);
  for (const PlannedLook& look : looks_taken(measured, plan)) gathered.look(look);
  return gathered.finish();
}

double chance_of_decision(const Effect& effect, const LookPlan& plan, const StopQuestion& question) {
  if (!effect.standard_error || plan.empty() || effect.units >= plan.max_rounds()) return 1;
  const double part = static_cast<double>(effect.units) / plan.max_rounds();
  const double error_then = *effect.standard_error * std::sqrt(part);
  const double movement = std::max(*effect.standard_error * std::sqrt(1 - part), 1e-12);
  const auto between = [&](double low, double high) {
    return std::max(
        0.0, normal_below((high - effect.log_ratio) / movement) - normal_below((low - effect.log_ratio) / movement));
  };
  const double share = plan.looks.back().share;
  const double level = question.level / std::max(question.comparisons, 1.0);
  const double far = std::max(-normal_quantile(level * share / 2) * error_then, steady_log1p(question.minimum_effect));
  const double near = steady_log1p(question.margin) + normal_quantile(0.05 * share) * error_then;
  return 1 - between(-far, far) + (near > 0 ? between(-std::min(near, far), std::min(near, far)) : 0);
}

LookAnswer answer_of(const LookedAt& seen, const LookPlan& plan, const StopQuestion& question) {
  if (plan.empty() || seen.looks.empty() || seen.looks.back().rounds >= plan.max_rounds()) return LookAnswer::decided;
  const Effect& effect = seen.effect;
  if (!effect.p || effect.units < kMinRounds) return LookAnswer::undecided;
  const bool relevant = is_relevant(steady_exp(effect.log_ratio), question.minimum_effect, question.rules);
  const double q = question.q ? *question.q : *effect.p * question.comparisons;
  if (q <= question.level && relevant) return LookAnswer::decided;
  const bool leaning = relevant && seen.looks.back().p <= question.level;
  if (effect.within_margin && !leaning) return LookAnswer::decided;
  return chance_of_decision(effect, plan, question) < kMinChance ? LookAnswer::futile : LookAnswer::undecided;
}

}  // namespace steelyard::regress
