#include "regress/ab/row.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "bench/model/adjusted_p.hpp"
#include "bench/model/quantile.hpp"
#include "bench/model/run.hpp"
#include "regress/ab/code_layout.hpp"
#include "regress/ab/counted.hpp"
#include "regress/ab/match.hpp"
#include "regress/ab/sequential.hpp"
#include "regress/ab/steady_digits.hpp"
#include "regress/policy/pattern_policy.hpp"

namespace steelyard::regress {
namespace {

// Two inputs are two conditions. The hash behind kItemWord in the benchmark's label; empty: the program does not say.
std::string measured_item(const Run& run, const std::string& benchmark) {
  const auto label = run.labels.find(benchmark);
  if (label == run.labels.end()) return "";
  const std::size_t word = label->second.find(kItemWord);
  if (word == std::string::npos) return "";
  const std::size_t begin = word + kItemWord.size();
  return label->second.substr(begin, label->second.find(' ', begin) - begin);
}

std::string item_of(const Run& run, const MatchedSide& side) {
  return side.measurements.empty() ? "" : measured_item(run, side.measurements.front()->benchmark.canonical());
}

// Absent where both sides say the same, or one says nothing.
std::optional<why::InputsDiffer> item_difference(const Run& baseline, const Run& candidate, const Matched& matched) {
  why::InputsDiffer items{item_of(baseline, matched.baseline), item_of(candidate, matched.candidate)};
  if (items.baseline.empty() || items.candidate.empty() || items.baseline == items.candidate) return std::nullopt;
  return items;
}

Metric metric_of(const Matched& matched) {
  if (!matched.candidate.measurements.empty()) return matched.candidate.measurements.front()->metric;
  if (!matched.baseline.measurements.empty()) return matched.baseline.measurements.front()->metric;
  if (const auto known = well_known_metric(matched.metric)) return *known;
  Metric metric;
  metric.name = matched.metric;
  return metric;
}

std::optional<why::MetricsDiffer> metric_difference(const Metric& b, const Metric& c) {
  using enum why::MetricAspect;
  if (b.unit != c.unit) return why::MetricsDiffer{unit, b.unit, c.unit};
  if (b.better != c.better) {
    return why::MetricsDiffer{direction, std::string(to_text(b.better)), std::string(to_text(c.better))};
  }
  if (b.kind != c.kind) return why::MetricsDiffer{kind, std::string(to_text(b.kind)), std::string(to_text(c.kind))};
  return std::nullopt;
}

// Of all pieces of both sides; absent where nothing stands in the way.
std::optional<why::MetricsDiffer> metric_difference(const Matched& matched) {
  const Metric& first = matched.baseline.measurements.front()->metric;
  for (const Measurement* measurement : matched.candidate.measurements) {
    if (auto difference = metric_difference(first, measurement->metric)) return difference;
  }
  for (const Measurement* measurement : matched.baseline.measurements) {
    if (metric_difference(first, measurement->metric)) return why::MetricsDiffer{why::MetricAspect::within_baseline};
  }
  return std::nullopt;
}

// Of several measurements the widest scope and the largest jitter hold.
CountedSide counted_side(const MatchedSide& matched) {
  CountedSide side;
  for (const Measurement* measurement : matched.measurements) {
    for (const InvocationSamples& samples : measurement->invocations) {
      side.values.insert(side.values.end(), samples.values.begin(), samples.values.end());
    }
    const CountBasis& basis = measurement->count_basis;
    side.basis.scope = std::max(side.basis.scope, basis.scope);
    if (basis.jitter) side.basis.jitter = std::max(side.basis.jitter.value_or(0), *basis.jitter);
    if (side.basis.proof.empty()) {
      side.basis.proof = basis.proof;
      side.basis.origin = basis.origin;
    }
  }
  return side;
}

void finish(RowDraft& draft, Verdict verdict, Reason reason) {
  draft.row.verdict = verdict;
  draft.row.test = TestKind::none;
  draft.facts.reason = std::move(reason);
}

bool is_not_reached(const Failure& failure) { return failure.kind == FailureKind::not_reached; }

// What was not reached is no failure of anybody: it is undecided, and only where there are no values either.
const Failure* not_reached_in(const MatchedSide& side) {
  if (!side.measurements.empty() || side.failures.empty()) return nullptr;
  const bool all = std::all_of(side.failures.begin(), side.failures.end(),
                               [](const Failure* failure) { return is_not_reached(*failure); });
  return all ? side.failures.front() : nullptr;
}

// Whether a benchmark failed, and was neither kept from running by a budget or an interruption nor excluded by itself.
bool is_real(const Failure& failure) { return !is_not_reached(failure) && !is_skip(failure.kind); }

bool has_failed(const MatchedSide& side) {
  return std::any_of(side.failures.begin(), side.failures.end(),
                     [](const Failure* failure) { return is_real(*failure); });
}

const Failure& real_failure(const MatchedSide& side) {
  return **std::find_if(side.failures.begin(), side.failures.end(),
                        [](const Failure* failure) { return is_real(*failure); });
}

// Of its skips an error before a word, as that one tells more; null: it left itself out nowhere.
const Failure* skip_of(const MatchedSide& side) {
  const Failure* found = nullptr;
  for (const Failure* failure : side.failures) {
    if (!is_skip(failure->kind)) continue;
    if (found == nullptr || (found->kind == FailureKind::skipped && failure->kind != found->kind)) found = failure;
  }
  return found;
}

why::OwnSkip own_skip(const Failure& skip, const MatchedSide& side) {
  return {skip.kind == FailureKind::reported_error, !side.measurements.empty(), skip.said};
}

void finish_both_skipped(const Matched& matched, why::Skipped skipped, RowDraft& draft) {
  const bool b_has_values = !matched.baseline.measurements.empty();
  const bool c_has_values = !matched.candidate.measurements.empty();
  skipped.some_conditions_only = c_has_values;
  finish(draft,
         c_has_values   ? Verdict::inconclusive
         : b_has_values ? Verdict::missing
                        : Verdict::skipped,
         std::move(skipped));
}

// What leaves itself out on the candidate alone is lost like what is missing; on the baseline alone, there is nothing
// to hold the candidate's values against. Where the other side does not have the benchmark at all, no values were lost:
// only an error is told as a loss, for it is the candidate's own.
void finish_skipped(const Matched& matched, const Failure* baseline, const Failure* candidate, RowDraft& draft) {
  why::Skipped skipped;
  if (baseline != nullptr) skipped.baseline = own_skip(*baseline, matched.baseline);
  if (candidate != nullptr) skipped.candidate = own_skip(*candidate, matched.candidate);
  if (skipped.baseline && skipped.candidate) return finish_both_skipped(matched, std::move(skipped), draft);
  const MatchedSide& other = baseline != nullptr ? matched.candidate : matched.baseline;
  const bool other_has_values = !other.measurements.empty();
  skipped.other_lacks_it = !other_has_values && other.failures.empty();
  if (!other_has_values && !skipped.other_lacks_it) skipped.other_failure = *other.failures.front();
  if (skipped.candidate) {
    const bool is_loss = !skipped.other_lacks_it || skipped.candidate->by_error;
    return finish(draft, is_loss ? Verdict::missing : Verdict::skipped, std::move(skipped));
  }
  draft.row.notes.add(RowNote::skipped_by_baseline);
  skipped.some_conditions_only = other_has_values && skipped.baseline->in_part;
  const bool is_new = other_has_values && !skipped.baseline->in_part;
  finish(draft,
         skipped.other_lacks_it ? Verdict::skipped
         : is_new               ? Verdict::fresh
                                : Verdict::inconclusive,
         std::move(skipped));
}

// True where failures or a lacking side settle the row. No budget keeps a side from what it does not have.
bool finish_without_values(const Matched& matched, const RowContext& context, RowDraft& draft) {
  const auto& b = matched.baseline;
  const auto& c = matched.candidate;
  const bool is_of_one_side =
      context.rules >= Rules::rounds_6 && context.runs_have_all && b.has_benchmark != c.has_benchmark;
  if (matched.unjudged) {
    finish(draft, Verdict::missing, std::visit([](const auto& why) { return Reason(why); }, *matched.unjudged));
  } else if (has_failed(c)) {
    const WhichSide side = has_failed(b) ? WhichSide::both : WhichSide::candidate;
    finish(draft, Verdict::failed, why::Failed{side, real_failure(c)});
  } else if (has_failed(b)) {
    draft.row.only_baseline_failed = true;
    finish(draft, Verdict::failed, why::Failed{WhichSide::baseline, real_failure(b)});
  } else if (skip_of(b) != nullptr || skip_of(c) != nullptr) {
    finish_skipped(matched, skip_of(b), skip_of(c), draft);
  } else if (is_of_one_side && b.has_benchmark) {
    finish(draft, Verdict::missing, why::OnOneSideOnly{WhichSide::baseline});
  } else if (is_of_one_side) {
    finish(draft, Verdict::fresh, why::OnOneSideOnly{WhichSide::candidate});
  } else if (const Failure* unreached = not_reached_in(c) ? not_reached_in(c) : not_reached_in(b)) {
    finish(draft, Verdict::inconclusive, why::NotReached{*unreached});
  } else if (c.measurements.empty()) {
    finish(draft, Verdict::missing, why::OnOneSideOnly{WhichSide::baseline});
  } else if (b.measurements.empty()) {
    finish(draft, Verdict::fresh, why::OnOneSideOnly{WhichSide::candidate});
  } else {
    return false;
  }
  return true;
}

void draft_counted(const Matched& matched, Rules rules, RowDraft& draft) {
  for (const Measurement* b : matched.baseline.measurements) {
    for (const Measurement* c : matched.candidate.measurements) {
      if (b->count_key == c->count_key) continue;
      return finish(draft, Verdict::incomparable, count_key_difference(b->count_key, c->count_key));
    }
  }
  draft.facts = judge_counted(counted_side(matched.baseline), counted_side(matched.candidate), draft.row, rules);
}

double level_of(std::span<const LogInvocation> invocations) {
  std::vector<double> levels;
  for (const LogInvocation& invocation : invocations) levels.push_back(invocation.level);
  return steady(steady_exp(median(std::move(levels))));
}

// Rounds that lack a side are counted as well.
int rounds_tried(std::span<const LogInvocation> baseline, std::span<const LogInvocation> candidate) {
  int rounds = 0;
  for (const LogInvocation& invocation : baseline) rounds = std::max(rounds, invocation.round + 1);
  for (const LogInvocation& invocation : candidate) rounds = std::max(rounds, invocation.round + 1);
  return rounds;
}

// In a duet, what uses several threads is measured in turns, and of machines that share a suite each has its layout:
// the row says what was done.
Layout layout_of(const Matched& matched, const RowContext& context) {
  if (context.layout == Layout::interleaved && is_in_duet(context.baseline.header, matched.benchmark) &&
      is_in_duet(context.candidate.header, matched.benchmark)) {
    return Layout::duet;
  }
  const auto in_turns = [](const Run& run) {
    const auto setting = run.header.settings.find(std::string(kSeveralThreadsSetting));
    return setting != run.header.settings.end() && parse_layout(setting->second) == Layout::interleaved;
  };
  if (context.layout != Layout::duet || !in_turns(context.baseline) || !in_turns(context.candidate)) {
    return context.layout;
  }
  for (const MatchedSide* side : {&matched.baseline, &matched.candidate}) {
    for (const Measurement* measurement : side->measurements) {
      if (measurement->benchmark.threads.value_or(1) > 1) return Layout::interleaved;
    }
  }
  return context.layout;
}

// What the layouts of both sides' code make of the change, where both were relinked.
void add_code_layouts(std::span<const PairedRound> rounds, const RowContext& context, NoiseParts& noise) {
  const std::vector<std::int32_t> layouts = mutual_code_layouts(context.baseline.header, context.candidate.header);
  const auto found = noise_of_code_layouts(rounds, layouts, context.policy.confidence);
  if (!found) return;
  noise.code_layout = found->deviation;
  noise.code_layouts = found->layouts;
  noise.over_code_layouts = Interval{steady_exp(found->interval.low), steady_exp(found->interval.high)};
}

void draft_noisy(const Matched& matched, const RowContext& context, RowDraft& draft) {
  const auto baseline = log_invocations(context.baseline, matched.baseline.measurements);
  const auto candidate = log_invocations(context.candidate, matched.candidate.measurements);
  if (const auto* defect = std::get_if<Defect>(&candidate)) {
    return finish(draft, Verdict::failed, why::WithDefect{WhichSide::candidate, *defect});
  }
  if (const auto* defect = std::get_if<Defect>(&baseline)) {
    draft.row.only_baseline_failed = true;
    return finish(draft, Verdict::failed, why::WithDefect{WhichSide::baseline, *defect});
  }
  const auto& b = std::get<std::vector<LogInvocation>>(baseline);
  const auto& c = std::get<std::vector<LogInvocation>>(candidate);
  draft.row.baseline = level_of(b);
  draft.row.candidate = level_of(c);

  const Disturbed disturbed = draft.row.metric.better == Better::lower ? Disturbed::upwards : Disturbed::downwards;
  const EffectQuestion question{
      .confidence = context.policy.confidence, .margin = draft.row.margin, .disturbed = disturbed};
  NoisyEvidence evidence;
  evidence.rules = context.rules;
  const std::string& metric = draft.row.metric.name;
  evidence.single_noise = context.calibrated.of_single_invocations(draft.row.benchmark, metric);
  evidence.floor_beyond =
      context.calibrated.floor_beyond(draft.row.benchmark, metric, margin_of(context.policy, draft.row.benchmark));
  if (is_concurrent(context.layout) && !context.baseline.header.session.empty()) {
    const PairedRounds paired = pair_rounds(b, c);
    // Rounds of which hardly one has both sides are no pairs; the invocations still are what they are.
    if (paired.rounds.size() >= 2 || (paired.rounds.size() == 1 && std::min(b.size(), c.size()) == 1)) {
      evidence.dropped_rounds = paired.dropped;
      if (context.plan.empty()) {
        evidence.effect = effect_of_rounds(paired, question);
      } else if (!any_round_of(context.plan, paired)) {
        return finish(draft, Verdict::inconclusive, why::NoPlannedRound{context.plan.max_rounds()});
      } else {
        evidence.plan = context.plan;
        evidence.interrupted = stop_of(context.baseline.header) == Stop::interrupted ||
                               stop_of(context.candidate.header) == Stop::interrupted;
        evidence.first_look_only = is_first_look_only(context.candidate.header, draft.row.benchmark);
        EffectMemory* const memory =
            context.memory != nullptr ? &context.memory->effects[{draft.row.benchmark, metric}] : nullptr;
        evidence.looked = effect_of_looks(paired, rounds_tried(b, c), context.plan, question, memory);
        evidence.effect = evidence.looked.effect;
      }
      add_code_layouts(paired.rounds, context, evidence.effect.noise);
      if (context.rules >= Rules::rounds_4) {
        evidence.joint = joint_evidence(paired, evidence.looked.looks, question.disturbed);
      }
      const auto& first = paired.rounds.front();
      evidence.slots_confounded =
          paired.rounds.size() > 1 && first.baseline.slot != first.candidate.slot && !evidence.effect.slot_effect;
      draft.evidence = evidence;
      return;
    }
  }
  evidence.unpaired = SideInvocations{b.size(), c.size()};
  evidence.effect = effect_of_invocations(b, c, question);
  draft.own_noise = {autocorrelation_factor(b, c), spread_of_processes(b, c)};
  draft.evidence = evidence;
}

}  // namespace

RowDraft draft_row(const Matched& matched, const RowContext& context) {
  RowDraft draft;
  ComparisonRow& row = draft.row;
  row.benchmark = matched.benchmark;
  row.metric = metric_of(matched);
  set_policy(context.policy, row);
  const bool is_counted = row.metric.kind == MetricKind::counted;
  if (!is_counted) row.margin = context.calibrated.margin(row.benchmark, row.metric.name, row.margin);
  row.layout = layout_of(matched, context);
  if (context.on_different_machines) {
    finish(draft, Verdict::incomparable, why::OnDifferentMachines{});
  } else if (!finish_without_values(matched, context, draft)) {
    if (auto metrics = metric_difference(matched)) {
      finish(draft, Verdict::incomparable, std::move(*metrics));
    } else if (auto items = item_difference(context.baseline, context.candidate, matched)) {
      finish(draft, Verdict::incomparable, std::move(*items));
    } else if (is_counted) {
      draft_counted(matched, context.rules, draft);
    } else {
      draft_noisy(matched, context, draft);
      if (draft.evidence && draft.evidence->floor_beyond) {
        draft.evidence->effect.within_margin = draft.evidence->looked.effect.within_margin = false;
      }
    }
  }
  return draft;
}

namespace {

bool has_enough(const RowDraft& draft) { return draft.evidence->effect.units >= kMinRounds; }

// Its invocations are no pairs, so that no permutation of rounds is one of them.
bool is_apart(const RowDraft& draft) { return has_enough(draft) && draft.evidence->unpaired.has_value(); }

// The part of the level that is for the rows of which one permutation of the rounds can be that of all: 0 where there
// are no two of them, 1 where there are no others. To divide it by the number of rows favours none. Each part holds by
// itself, jointly or by Holm's rule, so that the chance of any false alarm is at most the sum of both, whatever depends
// on what; which rows are paired was settled by what was measured, not by what came out.
double joint_part(const std::vector<RowDraft*>& tested, const RowContext& context) {
  if (context.rules < Rules::rounds_4 || !is_concurrent(context.layout) || tested.size() < 2) return 0;
  const auto count = [&](bool (*is)(const RowDraft&)) {
    return std::count_if(tested.begin(), tested.end(), [&](const RowDraft* draft) { return is(*draft); });
  };
  const auto enough = count(has_enough);
  const auto apart = count(is_apart);
  if (enough == apart) return 0;
  if (apart == 0) return 1;
  if (context.rules < Rules::rounds_5 || enough - apart < 2) return 0;
  return static_cast<double>(enough - apart) / static_cast<double>(enough);
}

std::vector<double> adjusted_in_parts(const std::vector<RowDraft*>& tested, const RowContext& context, double part,
                                      Family& family) {
  std::vector<const JointEvidence*> evidence;
  std::vector<double> p_apart;
  for (const RowDraft* draft : tested) {
    if (is_apart(*draft)) {
      p_apart.push_back(*draft->evidence->effect.p);
    } else {
      evidence.push_back(&draft->evidence->joint);
    }
  }
  const JointLevel level{family.level * part, context.policy.seed, context.rules < Rules::rounds_7};
  const JointAdjustment joint =
      adjust_jointly(evidence, context.plan, level, context.memory != nullptr ? &context.memory->joint : nullptr);
  family.independent = joint.independent / part;
  const std::vector<double> q_apart = holm_adjusted(p_apart);
  auto next_joint = joint.q.begin();
  auto next_apart = q_apart.begin();
  std::vector<double> q;
  for (const RowDraft* draft : tested) {
    const double p = *draft->evidence->effect.p;
    if (is_apart(*draft)) {
      q.push_back(*next_apart++ / (1 - part));
    } else {
      const double jointly = std::max(p, *next_joint++) / part;
      q.push_back(has_enough(*draft) ? jointly : p * static_cast<double>(tested.size()));
    }
    q.back() = std::min(1.0, q.back());
  }
  return q;
}

}  // namespace

Family adjust(std::vector<RowDraft>& drafts, const RowContext& context) {
  std::vector<RowDraft*> tested;
  std::vector<double> p;
  for (RowDraft& draft : drafts) {
    if (!draft.evidence || !draft.evidence->effect.p) continue;
    draft.evidence->effect.p = steady(draft.evidence->effect.p);
    tested.push_back(&draft);
    p.push_back(*draft.evidence->effect.p);
  }
  Family family{context.policy.false_alarm_rate, std::max<std::int64_t>(1, static_cast<std::int64_t>(p.size()))};
  const double part = joint_part(tested, context);
  const std::vector<double> q = part > 0 ? adjusted_in_parts(tested, context, part, family) : holm_adjusted(p);
  for (std::size_t i = 0; i < tested.size(); ++i) tested[i]->row.q = steady(q[i]);
  return family;
}

Family family_of(const RowDraft& draft, const Family& family) {
  return is_apart(draft) ? Family{family.level, family.comparisons} : family;
}

}  // namespace steelyard::regress
