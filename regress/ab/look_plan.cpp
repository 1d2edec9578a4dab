#include "regress/ab/look_plan.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "bench/model/text.hpp"
#include "regress/ab/relabelling.hpp"

namespace steelyard {
namespace {

// Few looks with growing distance: each look costs power, because its share is lost to the others. What these save on
// recorded noise with 1 to 100 comparisons stands in docs/method/sequential.md.
constexpr std::array<int, 7> kLookRounds{12, 16, 24, 36, 60, 100, 160};
constexpr int kUsualRounds = 60;
constexpr double kFirstShare = 0.1;
constexpr double kRounding = 1e-9;  // of a sum of shares that were written as decimals
constexpr std::size_t kMostLooks = 100;
constexpr int kMostRounds = 10000;
constexpr double kLeastShare = 1e-6;  // the smallest of a plan of ours is 1e-4; of less no quantile can be taken

bool reaches(int rounds, double level) {
  return least_split_p(static_cast<std::size_t>(rounds / 2), static_cast<std::size_t>(rounds)) <= level;
}

// Of all looks up to `rounds`, in a plan that ends at `most`.
double spent_by(int rounds, int most) {
  if (most <= kLookRounds.front()) return 1;
  const double part = static_cast<double>(rounds - kLookRounds.front()) / (most - kLookRounds.front());
  return kFirstShare + (1 - kFirstShare) * part;
}

// Decimals that people can read; the last look takes what rounding leaves.
double rounded_share(double share) { return std::floor(share * 1e4 + 0.5) / 1e4; }

template <class Number>
bool read_whole(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

std::optional<PlannedLook> parse_look(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  PlannedLook look;
  if (!read_whole(text.substr(0, colon), look.rounds) || !read_whole(text.substr(colon + 1), look.share)) {
    return std::nullopt;
  }
  if (look.rounds < 1 || look.rounds > kMostRounds || !(look.share >= kLeastShare && look.share <= 1))
    return std::nullopt;
  return look;
}

// The last of the looks that the budget pays for. Most benchmarks stop before it, and what they leave pays for half as
// many rounds again of the others. A last look that is not reached gives its share to the rounds that are; what it
// costs is the smaller shares of those before.
int useful_rounds(int affordable) {
  constexpr double kLeftByOthers = 1.5;
  int most = kUsualRounds;
  for (const int rounds : kLookRounds) {
    if (rounds <= kLeftByOthers * affordable) most = std::max(most, rounds);
  }
  return most;
}

}  // namespace

LookPlan plan_looks(const LookPlanQuestion& question) {
  const double lone = question.level / static_cast<double>(std::max<std::int64_t>(question.comparisons, 1));
  int most = question.most_rounds > 0 ? question.most_rounds : useful_rounds(question.affordable_rounds);
  // Where even the last of the usual looks cannot reach the level, later ones can.
  while (question.most_rounds == 0 && most < kMostRounds && !reaches(most, lone * (1 - spent_by(36, most)))) most += 12;
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
    if (!look || plan.looks.size() == kMostLooks || look->rounds <= plan.most_rounds()) return std::nullopt;
    spent += look->share;
    plan.looks.push_back(*look);
  }
  if (plan.empty() || spent > 1 + kRounding) return std::nullopt;
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

}  // namespace steelyard
