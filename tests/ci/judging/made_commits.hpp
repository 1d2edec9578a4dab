// Histories that are made up, to be searched: times with the noise of a shared machine, judged as those of ab are, and
// counts that are exact. Building is a name in a set.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ci/judging/bisect.hpp"
#include "regress/ab/sequential.hpp"
#include "regress/compare_runs.hpp"
#include "regress/judge_looks.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::ci {

inline std::string commit_at(std::size_t place) { return "c" + std::to_string(1000 + place); }

// A commit as its benchmark has it.
struct MadeCommit {
  double time = 1;      // a factor
  double count = 1000;  // of instructions
  bool builds = true;
};

// A world of made up commits. A line of them unless `parents` says otherwise.
class MadeWorld {
 public:
  explicit MadeWorld(std::vector<MadeCommit> commits, std::uint64_t seed = 1, double noise = 0.012)
      : random_(seed), noise_(noise) {
    for (std::size_t i = 0; i < commits.size(); ++i) {
      commits_[commit_at(i)] = commits[i];
      parents_[commit_at(i)] = i == 0 ? std::vector<std::string>{} : std::vector<std::string>{commit_at(i - 1)};
    }
  }
  void set(const std::string& name, const MadeCommit& commit, std::vector<std::string> parents) {
    commits_[name] = commit;
    parents_[name] = std::move(parents);
  }

  BisectWorld world() {
    BisectWorld world;
    world.line = [this](const std::string& from, const std::string& to) { return line(from, to); };
    world.parents = [this](const std::string& sha) -> Result<std::vector<std::string>> { return parents_.at(sha); };
    world.describe = [](const std::string& sha) -> Result<Commit> {
      Commit commit;
      commit.sha = sha;
      return commit;
    };
    world.probe = [this](const ProbeQuestion& question) { return probe(question); };
    world.builds = [this] { return static_cast<std::int64_t>(built_.size()); };
    return world;
  }
  std::size_t builds() const { return built_.size(); }
  std::size_t timed() const { return timed_; }
  void stop_after(std::size_t probes) { left_ = probes; }

 private:
  std::set<std::string> reached(const std::string& from) const {
    std::set<std::string> all{from};
    for (const std::string& parent : parents_.at(from)) all.merge(reached(parent));
    return all;
  }
  Result<std::vector<std::string>> line(const std::string& from, const std::string& to) const {
    const std::set<std::string> known = reached(from);
    std::vector<std::string> line{to};
    while (!known.contains(line.front())) line.insert(line.begin(), parents_.at(line.front()).front());
    return line;
  }
  Result<ProbeData> probe(const ProbeQuestion& question) {
    if (left_ && (*left_)-- == 0) return program_error("test", "interrupted");
    for (const std::string& sha : {question.baseline, question.candidate}) {
      built_.insert(sha);
      if (!commits_.at(sha).builds) return ProbeData{{}, sha + " does not build"};
    }
    const MadeCommit& baseline = commits_.at(question.baseline);
    const MadeCommit& candidate = commits_.at(question.candidate);
    return question.witness == ProbeWitness::counts ? counted(question, baseline.count, candidate.count)
                                                    : timed(question, candidate.time / baseline.time);
  }
  ProbeData counted(const ProbeQuestion& question, double before, double after) const {
    ComparisonRow row;
    row.metric = *well_known_metric(kInstructions);
    row.baseline = before;
    row.candidate = after;
    if (before > 0) row.ratio = after / before;
    if (before > 0) row.interval = Interval{after / before, after / before};
    row.verdict = after > before ? Verdict::regression : after < before ? Verdict::improvement : Verdict::unchanged;
    if (question.purpose == regress::ProbePurpose::check && after != before)
      row.functions.push_back({"culprit()", "a.cpp"});
    return {row};
  }
  // In rounds with looks, until it is decided or twice as many as at the attempt before are spent.
  ProbeData timed(const ProbeQuestion& question, double ratio) {
    ++timed_;
    ComparisonPolicy policy;
    policy.false_alarm_rate = question.false_alarm_rate;
    policy.minimum_effect = question.minimum_effect;
    policy.margin = question.margin;
    const int affordable = 60 << question.attempt;
    const regress::LookPlan plan = regress::plan_looks({.affordable_rounds = affordable});
    regress::SimulationOptions options;
    options.rounds = plan.max_rounds();
    options.samples = 3;
    options.changed_benchmarks = 1;
    options.ratio = ratio;
    options.noise.process = noise_;
    regress::SimulatedPair all = random_.draw(options);
    for (const regress::PlannedLook& look : plan.looks) {
      regress::SimulatedPair seen = all;
      for (Run* run : {&seen.baseline, &seen.candidate}) {
        run->header.settings[std::string(kLooksSetting)] = regress::to_text(plan);
        run->measurements[0].invocations.resize(static_cast<std::size_t>(look.rounds));
        run->invocations.resize(static_cast<std::size_t>(look.rounds));
      }
      const auto answers = regress::LookJudge(policy, 1).answers(seen.baseline, seen.candidate);
      if (answers.begin()->second == regress::LookAnswer::undecided && look.rounds < plan.max_rounds()) continue;
      return {regress::compare_runs(seen.baseline, seen.candidate, policy).comparison.rows.at(0)};
    }
    return {};
  }

  std::map<std::string, MadeCommit> commits_;
  std::map<std::string, std::vector<std::string>> parents_;
  regress::Simulation random_;
  double noise_;  // between processes, relative
  std::set<std::string> built_;
  std::size_t timed_ = 0;
  std::optional<std::size_t> left_;
};

inline BisectQuestion question_of(std::size_t commits, std::string_view metric = kRealTime) {
  BisectQuestion question;
  question.good = commit_at(0);
  question.bad = commit_at(commits - 1);
  question.benchmark = "BM_0";
  question.metric = *well_known_metric(metric);
  return question;
}

inline std::vector<MadeCommit> slower_from(std::size_t commits, std::size_t place, double ratio) {
  std::vector<MadeCommit> made(commits);
  for (std::size_t i = place; i < commits; ++i) made[i].time = ratio;
  return made;
}

}  // namespace steelyard::ci
