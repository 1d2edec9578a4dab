#include "regress/history/bisection.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

namespace steelyard::regress {

std::span<const std::string_view> words_of(ProbePurpose) {
  static constexpr std::array<std::string_view, 4> kWords{"ends", "search", "check", "order"};
  return kWords;
}

std::span<const std::string_view> words_of(ProbeAnswer) {
  static constexpr std::array<std::string_view, 4> kWords{"unchanged", "changed", "cannot tell", "skipped"};
  return kWords;
}

std::span<const std::string_view> words_of(BisectionEnd) {
  static constexpr std::array<std::string_view, 6> kWords{
      "found", "range", "not confirmed", "ends alike", "ends cannot tell", "ends skipped"};
  return kWords;
}

Bisection::Bisection(std::size_t commits, BisectionRules rules) : rules_(rules), places_(commits) {
  assert(commits >= 2);
}

bool Bisection::is_told(std::size_t place) const {
  const std::optional<ProbeAnswer>& answer = places_[place].answer;
  return answer == ProbeAnswer::unchanged || answer == ProbeAnswer::changed;
}

// The first place on the line where one commit is as the good end and the next that is known as the bad one. There is
// one, as the ends differ.
Bisection::Bracket Bisection::bracket() const {
  std::size_t last_good = 0;
  for (std::size_t place = 1; place + 1 < places_.size(); ++place) {
    if (places_[place].answer == ProbeAnswer::changed) return {last_good, place};
    if (places_[place].answer == ProbeAnswer::unchanged) last_good = place;
  }
  return {last_good, places_.size() - 1};
}

bool Bisection::is_open(std::size_t place) const {
  const Place& known = places_[place];
  return !known.answer || (known.answer == ProbeAnswer::cannot_tell && known.attempts < rules_.attempts);
}

namespace {

// The halvings, and once more the two that a contradicted search asks again, each as often as it may be tried. Most are
// told at once, and leave theirs to a second search and to neighbours.
int probes_of_commits(std::size_t commits, const BisectionRules& rules) {
  const int halvings = static_cast<int>(std::bit_width(std::max<std::size_t>(commits, 2) - 1));
  return (halvings + 2 * rules.repeats + rules.order_probes) * rules.attempts;
}

// Of the longest run of open places between `low` and `high`, its middle.
std::size_t middle_of_longest(const std::vector<std::size_t>& open) {
  std::size_t best_begin = 0;
  std::size_t best_length = 0;
  for (std::size_t begin = 0; begin < open.size();) {
    std::size_t end = begin + 1;
    while (end < open.size() && open[end] == open[end - 1] + 1) ++end;
    if (end - begin > best_length) {
      best_begin = begin;
      best_length = end - begin;
    }
    begin = end;
  }
  return open[best_begin + best_length / 2];
}

}  // namespace

std::optional<std::size_t> Bisection::best_of(const Bracket& bracket) const {
  constexpr int kNeighboursTried = 2;  // of commits that could not be asked: a single one is best stepped around
  const auto& [low, high] = bracket;
  std::vector<std::size_t> open;
  int closed = 0;
  int untold = 0;
  for (std::size_t place = low + 1; place < high; ++place) {
    const Place& known = places_[place];
    if (known.again) return place;
    if (is_open(place)) {
      open.push_back(place);
    } else {
      ++closed;
      if (known.answer == ProbeAnswer::cannot_tell) ++untold;
    }
  }
  // What was begun has its build at hand.
  for (const std::size_t place : open) {
    if (places_[place].answer == ProbeAnswer::cannot_tell) return place;
  }
  if (open.empty() || untold >= rules_.untold) return std::nullopt;
  if (closed > kNeighboursTried) return middle_of_longest(open);
  const auto off = [sum = low + high](std::size_t place) {
    return 2 * place > sum ? 2 * place - sum : sum - 2 * place;
  };
  return *std::min_element(open.begin(), open.end(), [&](std::size_t a, std::size_t b) { return off(a) < off(b); });
}

std::optional<BisectionProbe> Bisection::within(const Bracket& bracket) const {
  if (spent_ >= probes_of_commits(places_.size(), rules_)) return std::nullopt;
  const std::optional<std::size_t> best = best_of(bracket);
  if (!best) return std::nullopt;
  return BisectionProbe{ProbePurpose::search, 0, *best, places_[*best].attempts};
}

// The middle of the widest gap between two commits of one answer, behind each other: where a change there and back
// could lie.
std::optional<BisectionProbe> Bisection::out_of_order() const {
  if (ordered_ >= rules_.order_probes || spent_ >= probes_of_commits(places_.size(), rules_)) return std::nullopt;
  const auto answer_at = [this](std::size_t place) {
    if (place == 0) return std::optional(ProbeAnswer::unchanged);
    if (place + 1 == places_.size()) return std::optional(ProbeAnswer::changed);
    return is_told(place) ? places_[place].answer : std::nullopt;
  };
  std::size_t before = 0;
  std::size_t widest = 0;
  std::size_t middle = 0;
  for (std::size_t place = 1; place < places_.size(); ++place) {
    if (!answer_at(place)) continue;
    const std::size_t gap = place - before;
    const std::size_t centre = before + gap / 2;
    if (answer_at(place) == answer_at(before) && gap > std::max<std::size_t>(widest, 1) && !places_[centre].answer) {
      widest = gap;
      middle = centre;
    }
    before = place;
  }
  if (widest == 0) return std::nullopt;
  return BisectionProbe{ProbePurpose::order, 0, middle, places_[middle].attempts};
}

BisectionConclusion Bisection::concluded(BisectionEnd end, const Bracket& bracket) const {
  BisectionConclusion conclusion{end, bracket.last_good, bracket.first_bad};
  for (std::size_t place = bracket.last_good + 1; place < bracket.first_bad; ++place) {
    conclusion.between.push_back(place);
  }
  for (std::size_t place = 1; place + 1 < places_.size(); ++place) {
    const std::optional<ProbeAnswer>& answer = places_[place].answer;
    const bool is_contrary = (place < bracket.last_good && answer == ProbeAnswer::changed) ||
                             (place > bracket.first_bad && answer == ProbeAnswer::unchanged);
    if (is_contrary) conclusion.contrary.push_back(place);
  }
  return conclusion;
}

BisectionStep Bisection::next() const {
  const std::size_t last = places_.size() - 1;
  const bool ends_open =
      !ends_.answer || (ends_.answer == ProbeAnswer::cannot_tell && ends_.attempts < rules_.attempts);
  if (ends_open) return {BisectionProbe{ProbePurpose::ends, 0, last, ends_.attempts}};
  if (ends_.answer == ProbeAnswer::unchanged) return {{}, concluded(BisectionEnd::ends_alike, {0, last})};
  if (ends_.answer == ProbeAnswer::cannot_tell) return {{}, concluded(BisectionEnd::ends_cannot_tell, {0, last})};
  if (ends_.answer == ProbeAnswer::skipped) return {{}, concluded(BisectionEnd::ends_skipped, {0, last})};

  const Bracket found = bracket();
  if (std::optional<BisectionProbe> probe = within(found)) return {probe};
  // A line of two commits is its own check, measured anew all the same.
  const auto known = checks_.find({found.last_good, found.first_bad});
  const Place check = known == checks_.end() ? Place{} : known->second;
  const bool check_open =
      !check.answer || (check.answer == ProbeAnswer::cannot_tell && check.attempts < rules_.attempts);
  if (check_open) return {BisectionProbe{ProbePurpose::check, found.last_good, found.first_bad, check.attempts}};
  if (check.answer != ProbeAnswer::changed) return {{}, concluded(BisectionEnd::not_confirmed, found)};
  if (std::optional<BisectionProbe> probe = out_of_order()) return {probe};
  const bool is_one = found.first_bad == found.last_good + 1;
  return {{}, concluded(is_one ? BisectionEnd::found : BisectionEnd::range, found)};
}

std::size_t Bisection::open_commits() const {
  const Bracket found = bracket();
  return found.first_bad - found.last_good;
}

void Bisection::ask_again(std::size_t place) {
  if (place == 0 || place + 1 == places_.size()) return;
  places_[place].answer.reset();
  places_[place].again = true;
}

void Bisection::answer(const BisectionProbe& probe, ProbeAnswer answer) {
  Place& place = probe.purpose == ProbePurpose::ends    ? ends_
                 : probe.purpose == ProbePurpose::check ? checks_[{probe.baseline, probe.candidate}]
                                                        : places_[probe.candidate];
  place.answer = answer;
  place.again = false;
  ++place.attempts;
  const bool is_of_commit = probe.purpose == ProbePurpose::search || probe.purpose == ProbePurpose::order;
  if (is_of_commit && answer != ProbeAnswer::skipped) ++spent_;
  if (probe.purpose == ProbePurpose::order) ++ordered_;
  if (probe.purpose == ProbePurpose::check && answer == ProbeAnswer::unchanged && repeats_ < rules_.repeats) {
    ++repeats_;
    place.answer.reset();
    ask_again(probe.candidate);
    ask_again(probe.baseline);
  }
}

BisectionLevels bisection_levels(std::size_t commits, double rate, const BisectionRules& rules) {
  const int probes = rules.attempts + probes_of_commits(commits, rules);  // of the ends as well
  const int checks = (1 + rules.repeats) * rules.attempts;
  return {kProbesShare / probes, rate / checks, kProbesShare * rate};
}

}  // namespace steelyard::regress
