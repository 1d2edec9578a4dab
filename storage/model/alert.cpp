#include "storage/model/alert.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "bench/model/sha256.hpp"

namespace steelyard::storage {
namespace {

constexpr std::array<std::string_view, 5> kStates{"open", "acknowledged", "accepted", "resolved", "reopened"};
constexpr std::string_view kOfRequest = "request:";  // git takes no branch's name with a colon

// The alert of one subject while its facts pass by.
class Life {
 public:
  explicit Life(const AlertSubject& subject) { alert_.subject = subject; }
  void take(const AlertFact& fact) {
    switch (fact.kind) {
      case AlertFact::Kind::comparison:
        return take_comparison(fact);
      case AlertFact::Kind::change_point:
        return take_change_point(fact);
      case AlertFact::Kind::person:
        return take_word(fact);
    }
  }
  std::optional<Alert> alert() && {
    if (alert_.life.empty()) return std::nullopt;
    if (!known_as_.empty()) alert_.subject.benchmark = known_as_;
    alert_.id = alert_id(alert_.subject);
    return std::move(alert_);
  }

 private:
  bool is_there() const { return !alert_.life.empty() && alert_.state != AlertState::resolved; }

  void enter(AlertState state, const AlertFact& fact, const std::string& by) {
    const bool is_first = alert_.life.empty();
    alert_.state = state;
    alert_.life.push_back(
        {is_first ? "opened" : std::string(to_text(state)), fact.at_unix_ns, by, fact.commit, fact.note});
  }

  // Above 1: worse than the baseline. Absent where there is no ratio.
  static std::optional<double> worsening(const AlertFact& fact) {
    if (!fact.ratio || !(*fact.ratio > 0)) return std::nullopt;
    return fact.higher_is_better ? 1 / *fact.ratio : *fact.ratio;
  }
  double all_changes() const {
    double product = 1;
    for (const auto& [sides, change] : changes_) product *= change;
    return product;
  }
  bool has_same_baseline(const AlertFact& fact) const {
    return fact.baseline_side == baseline_side_ || (fact.has_commits && is_request_branch(alert_.subject.branch));
  }
  // The sides exchanged say nothing that was not said.
  bool goes_on(const AlertFact& fact) const {
    if (fact.has_commits && !alert_.subject.branch.empty()) return true;
    const auto leads_to_it = [&](const auto& known) { return known.first.second == fact.baseline_side; };
    return fact.candidate_side != baseline_side_ && std::any_of(changes_.begin(), changes_.end(), leads_to_it);
  }
  bool begins_anew(const AlertFact& fact) const { return has_same_baseline(fact) || !goes_on(fact); }

  // What this comparison adds to what is known since the alert opened. Of the same two sides, or against the same
  // baseline, the newest word holds.
  void count(const AlertFact& fact) {
    const std::optional<double> change = worsening(fact);
    if (!change) return;
    if (begins_anew(fact)) {
      changes_.clear();
      baseline_side_ = fact.baseline_side;
    }
    changes_[{fact.baseline_side, fact.candidate_side}] = *change;
    const double worse = all_changes();
    alert_.ratio = fact.higher_is_better ? 1 / worse : worse;
  }

  void show(const AlertFact& fact) {
    alert_.comparison = fact.kind == AlertFact::Kind::comparison ? fact.id : "";
    alert_.commit = fact.commit;
    alert_.fingerprint = fact.fingerprint;
    alert_.unit = fact.unit;
    alert_.candidate = fact.candidate;
  }

  void open(const AlertFact& fact, const std::string& by) {
    take_over(fact);
    if (alert_.life.empty()) known_as_ = fact.benchmark;
    enter(alert_.life.empty() ? AlertState::open : AlertState::reopened, fact, by);
  }

  void take_comparison(const AlertFact& fact) {
    const std::string by = "comparison:" + fact.id;
    if (fact.what == "regression" || fact.what == "failed" || fact.what == "missing") return take_worse(fact, by);
    if (!is_there()) return;
    if (alert_.verdict != "regression") {
      // What leaves itself out on both sides does not fail; but what was lost is lost until it is measured.
      const bool fails_no_more = alert_.verdict == "failed" && fact.what == "skipped";
      if (fact.candidate || fails_no_more) enter(AlertState::resolved, fact, by);
      return;
    }
    if (fact.what != "unchanged" && fact.what != "improvement") return;
    if (has_same_baseline(fact)) return resolve(fact, by);
    if (fact.what != "improvement" || !goes_on(fact)) return;
    count(fact);
    if (all_changes() <= 1 + fact.margin) enter(AlertState::resolved, fact, by);
  }

  void resolve(const AlertFact& fact, const std::string& by) {
    count(fact);
    enter(AlertState::resolved, fact, by);
  }

  void take_worse(const AlertFact& fact, const std::string& by) {
    if (!is_there()) return open(fact, by);
    if (fact.what != "regression") {
      // A regression that can no longer be measured is not gone.
      if (alert_.verdict == "regression" && alert_.state != AlertState::accepted) return;
      if (alert_.verdict == fact.what) return show(fact);
      return alert_.state == AlertState::accepted ? open(fact, by) : take_over(fact);
    }
    if (alert_.verdict != "regression") {
      return alert_.state == AlertState::accepted ? open(fact, by) : take_over(fact);
    }
    const bool was_accepted = alert_.state == AlertState::accepted;
    const bool is_another = !has_same_baseline(fact) && !goes_on(fact);
    show(fact);
    if (begins_anew(fact)) alert_.baseline = fact.baseline;
    count(fact);
    const bool is_more = fact.is_creep || is_another || all_changes() > accepted_ * (1 + fact.margin);
    if (was_accepted && is_more) enter(AlertState::reopened, fact, by);
  }

  // What the alert is about from here on, as where it could not be measured before, and now it can and is slower.
  void take_over(const AlertFact& fact) {
    changes_.clear();
    baseline_side_ = fact.baseline_side;
    alert_.verdict = fact.what;
    alert_.baseline = fact.baseline;
    alert_.ratio.reset();
    show(fact);
    count(fact);
  }

  void take_change_point(const AlertFact& fact) {
    const std::string by = "change point";
    const bool was_taken_back = std::exchange(is_taken_back_, !fact.taken_back_by.empty());
    if (fact.what == "gone" || fact.of_machine) {
      if (is_there()) enter(AlertState::resolved, fact, by);
      return;
    }
    if (is_taken_back_ && !was_taken_back && is_there()) {
      AlertFact repair = fact;
      repair.commit = fact.taken_back_by;
      return enter(AlertState::resolved, repair, by);
    }
    if (is_there()) return show(fact);
    if (is_taken_back_) return;
    AlertFact worse = fact;
    worse.what = "regression";
    open(worse, by);
  }

  void take_word(const AlertFact& fact) {
    if (alert_.life.empty()) return;
    for (const auto kind :
         {AlertAct::Kind::acknowledge, AlertAct::Kind::accept, AlertAct::Kind::resolve, AlertAct::Kind::reopen}) {
      if (event_of(kind) != fact.what || !refusal(kind, alert_.state).empty()) continue;
      if (kind == AlertAct::Kind::accept) {
        accepted_ = all_changes();
        alert_.accepted_commit = fact.commit;
      }
      if (!is_spoken_of_) known_as_ = fact.benchmark;
      is_spoken_of_ = true;
      return enter(*parse_alert_state(fact.what), fact, fact.who);
    }
  }

  Alert alert_;
  std::string baseline_side_;
  std::map<std::pair<std::string, std::string>, double> changes_;  // by both sides, since it opened
  double accepted_ = 1;                                            // all_changes() when it was accepted
  bool is_taken_back_ = false;                                     // the change point, as it was seen last
  std::string known_as_;                                           // empty: by the subject's name
  bool is_spoken_of_ = false;                                      // by a person
};

}  // namespace

std::span<const std::string_view> words_of(AlertState) { return kStates; }
std::string_view to_text(AlertState state) { return kStates[static_cast<std::size_t>(state)]; }

std::optional<AlertState> parse_alert_state(std::string_view text) {
  const auto found = std::find(kStates.begin(), kStates.end(), text);
  if (found == kStates.end()) return std::nullopt;
  return static_cast<AlertState>(found - kStates.begin());
}

bool is_news(std::optional<AlertState> told_before, AlertState now) {
  if (!told_before) return now == AlertState::open || now == AlertState::reopened;
  return *told_before != now;
}

std::string alert_id(const AlertSubject& subject) {
  std::string content;
  for (const std::string* field : {&subject.project, &subject.branch, &subject.benchmark, &subject.metric,
                                   &subject.fingerprint, &subject.change_point}) {
    content += std::to_string(field->size()) + ':' + *field;
  }
  return sha256_hex(content);
}

std::string alert_branch(const RunHeader& candidate, bool is_of_request) {
  const std::string& branch = candidate.commit.branch;
  if (!branch.empty() && !is_of_request) return branch;
  const auto request = candidate.settings.find(kRequestSetting);
  const std::string& name = request == candidate.settings.end() ? branch : request->second;
  return name.empty() ? "" : alert_branch_of_request(name);
}

std::string alert_branch_of_request(const std::string& name) { return std::string(kOfRequest) + name; }

bool is_of_files(const RunHeader& baseline, const RunHeader& candidate) {
  const bool is_one_session = !baseline.session.empty() && baseline.session == candidate.session;
  return is_one_session && baseline.commit.sha.empty() && candidate.commit.sha.empty();
}

bool is_request_branch(std::string_view branch) { return branch.starts_with(kOfRequest); }

std::optional<Alert> alert_of(const AlertSubject& subject, std::vector<AlertFact> facts) {
  std::stable_sort(facts.begin(), facts.end(), [](const AlertFact& a, const AlertFact& b) {
    return std::tie(a.at_unix_ns, a.kind, a.id) < std::tie(b.at_unix_ns, b.kind, b.id);
  });
  Life life(subject);
  for (const AlertFact& fact : facts) life.take(fact);
  return std::move(life).alert();
}

std::string_view event_of(AlertAct::Kind kind) {
  switch (kind) {
    case AlertAct::Kind::acknowledge:
      return "acknowledged";
    case AlertAct::Kind::accept:
      return "accepted";
    case AlertAct::Kind::resolve:
      return "resolved";
    case AlertAct::Kind::assign:
      return "assigned";
    case AlertAct::Kind::reopen:
      break;
  }
  return "reopened";
}

std::string refusal(AlertAct::Kind kind, AlertState state) {
  const bool is_there = state == AlertState::open || state == AlertState::reopened;
  switch (kind) {
    case AlertAct::Kind::acknowledge:
      return is_there ? "" : "it is " + std::string(to_text(state)) + " already";
    case AlertAct::Kind::accept:
    case AlertAct::Kind::resolve:
      return state == AlertState::resolved ? "it is resolved already" : "";
    case AlertAct::Kind::assign:
      return "";
    case AlertAct::Kind::reopen:
      break;
  }
  return is_there ? "it is open" : "";
}

}  // namespace steelyard::storage
