// The search for the commit that changed one benchmark: which commits are measured against which, by counts or by time,
// along first parents and then inside what was merged; and the facts that it ends in. Who builds and measures is handed
// in, so that the search can be tested without either; every answer is kept before the next question is asked, and a
// search that was interrupted goes on from there.
//
//     BisectWorld world = repository_world(...);                       // bisect_world.hpp
//     STEELYARD_TRY(const BisectReport report, bisect(question, world, kept));
//
// The order of the questions, and how seldom a wrong commit is named: regress/history/bisection.hpp.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "ci/report/bisect.hpp"
#include "regress/history/bisection.hpp"

namespace steelyard::ci {

struct BisectQuestion {
  std::string repository;
  std::string good;  // full shas
  std::string bad;
  std::string benchmark;  // as the user named it
  Metric metric;
  std::string build_command;
  std::string programs;  // their commands
  std::string renames;   // as steelyard.toml has them: what a commit's benchmarks are called
  double rate = 0.05;    // of false checks (regress::bisection_levels)
  double minimum_effect = 0.01;
  bool counts = true;  // may decide
  // Of the first attempt at one commit. Another one is another search: what could not be told in a shorter one is
  // measured anew, and no search has more attempts than its levels are shared by.
  Nanoseconds budget = {};
  int order_probes = 0;

  // What the answers of one search hold for, as a name of its file.
  std::string identity() const;
};

// What is measured next.
struct ProbeQuestion {
  regress::ProbePurpose purpose = regress::ProbePurpose::search;
  ProbeWitness witness = ProbeWitness::values;
  std::string baseline;  // full shas
  std::string candidate;
  std::int64_t attempt = 0;  // each has more time than the one before
  double false_alarm_rate = 0.05;
  double minimum_effect = 0.01;
  double margin = 0.02;
};

// What was found out. Without a row: why a commit could not be measured.
struct ProbeData {
  std::optional<ComparisonRow> row;
  std::string trouble = {};
};

// The answers of one question, in its file, with how far it is. Written whole or not at all.
struct KeptBisect {
  std::filesystem::path file;  // empty: nothing is kept
  std::vector<BisectProbe> probes = {};
  std::int64_t builds = 0;  // of all sessions
  // As those of BisectSearch.
  std::int64_t commits = 0;
  std::int64_t left = 0;
  std::string measuring = {};
  std::string end = {};
  std::string culprit = {};

  Result<void> write(const BisectQuestion& question) const;
};
// Of a state folder: where searches are kept.
inline std::filesystem::path bisect_folder(const std::filesystem::path& state) { return state / "bisect"; }
// What is kept of the question; nothing where there is none. Error (input): a file that cannot be read.
Result<KeptBisect> read_kept_bisect(const std::filesystem::path& folder, const BisectQuestion& question);

// The ids of the searches that are kept there, those that were written last first, 10,000 at most. For whoever shows
// them.
std::vector<std::string> kept_bisect_ids(const std::filesystem::path& folder);
// Error (input): there is none, or its file cannot be read.
Result<BisectSearch> kept_bisect(const std::filesystem::path& folder, const std::string& id);

// GitRepository::line_between.
using LineOf = std::function<Result<std::vector<std::string>>(const std::string& from, const std::string& to)>;

// Where commits and figures come from.
struct BisectWorld {
  // As those of GitRepository.
  LineOf line;
  std::function<Result<std::vector<std::string>>(const std::string& sha)> parents;
  std::function<Result<Commit>(const std::string& sha)> describe;
  std::function<std::string(const std::string& sha)> author;  // of a commit; empty: unknown
  // Error: the search cannot go on; it was interrupted.
  std::function<Result<ProbeData>(const ProbeQuestion& question)> probe;
  std::function<std::int64_t()> builds;  // so far, of this session
  // Told of each new answer, with how many commits could be the cause when it was asked; may be empty.
  std::function<void(const BisectProbe& probe, std::size_t left)> told;
};

// Of first parents, the good end first. Error (input): the bad end does not come after the good one, or not along them.
Result<std::vector<std::string>> bisected_line(const BisectQuestion& question, const LineOf& line_of);

// `kept` is written after each answer. Error: what stands in the way of the search; the answers so far are kept.
Result<BisectReport> bisect(const BisectQuestion& question, const BisectWorld& world, KeptBisect& kept);

}  // namespace steelyard::ci
