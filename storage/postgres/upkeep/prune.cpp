#include "storage/postgres/upkeep/prune.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "storage/postgres/access/audit_trail.hpp"
#include "storage/postgres/upkeep/prune_candidates.hpp"
#include "storage/postgres/upkeep/prune_steps.hpp"

namespace steelyard {
namespace {

// Of one transaction, where runs are emptied one by one.
constexpr std::size_t kRunsAtOnce = 200;
constexpr std::int64_t kNanoseconds = 1'000'000'000;

std::string days_text(std::int64_t seconds) {
  constexpr std::int64_t kDay = 86'400;
  return std::to_string(seconds / kDay) + " days";
}

struct Step {
  std::string what;  // "samples", "profiles", "run"
  std::string policy;
  TakenWithin taken{};
  Pruned::Part* part = nullptr;
};

// Whole runs first: of what goes altogether nothing else has to be dropped.
std::vector<Step> steps_of(const PruneOptions& options, Pruned& pruned) {
  std::vector<Step> steps;
  const auto add = [&](const std::string& what, const std::string& words, const std::optional<std::int64_t>& seconds,
                       Pruned::Part& part) {
    if (!seconds) return;
    TakenWithin taken;
    taken.before_unix_ns = options.now_unix_ns - *seconds * kNanoseconds;
    // What a step before this one would have dropped whole.
    if (options.dry_run && !steps.empty() && steps.front().what == "run") {
      taken.from_unix_ns = steps.front().taken.before_unix_ns;
    }
    steps.push_back({what, "keep " + words + ' ' + days_text(*seconds), taken, &part});
  };
  add("run", "runs", options.policy.runs_s, pruned.whole);
  add("samples", "samples", options.policy.samples_s, pruned.samples);
  add("profiles", "profiles", options.policy.profiles_s, pruned.profiles);
  return steps;
}

// Cuts a group that is not whole into pieces of one transaction each.
std::vector<PruneGroup> pieces_of(const std::vector<PruneGroup>& groups, const std::string& what) {
  std::vector<PruneGroup> pieces;
  for (const PruneGroup& group : groups) {
    if (group.is_whole && what != "profiles") {
      pieces.push_back(group);
      continue;
    }
    for (std::size_t begin = 0; begin < group.keys.size(); begin += kRunsAtOnce) {
      PruneGroup piece;
      piece.partition = group.partition;
      const auto first = group.keys.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto size = std::min(kRunsAtOnce, group.keys.size() - begin);
      piece.keys.assign(first, first + static_cast<std::ptrdiff_t>(size));
      pieces.push_back(std::move(piece));
    }
  }
  return pieces;
}

Result<Dropped> drop(Transaction& transaction, const Step& step, const PruneGroup& piece) {
  if (step.what == "profiles") return drop_profiles(transaction, piece.keys);
  if (step.what == "run") {
    return piece.is_whole ? drop_partition(transaction, piece) : drop_runs(transaction, piece.keys);
  }
  return piece.is_whole ? rewrite_partition(transaction, piece) : drop_samples(transaction, piece.keys);
}

// False: the partition is not whole any more, and nothing was done.
Result<bool> carry_out(Session& session, const Step& step, const PruneGroup& piece, const PruneOptions& options,
                       Pruned& pruned) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  // A distributed store changes tables and those that they point to over one connection to each node; elsewhere it
  // means nothing.
  STEELYARD_CHECK(transaction.run_script("set local citus.multi_shard_modify_mode = 'sequential'"));
  if (piece.is_whole) {
    STEELYARD_TRY(const bool still_whole, lock_whole(transaction, step.what, piece));
    if (!still_whole) return false;
  }
  // Before the runs themselves may be gone.
  STEELYARD_CHECK(note_prunings(transaction, piece.keys, {step.what, step.policy, options.who}));
  STEELYARD_TRY(const Dropped dropped, drop(transaction, step, piece));
  const std::string count = std::to_string(piece.keys.size());
  STEELYARD_CHECK(
      write_audit(transaction, {options.who, step.what == "run" ? "runs pruned" : step.what + " pruned",
                                "partition:" + std::to_string(piece.partition), count + " runs, " + step.policy}));
  STEELYARD_CHECK(transaction.commit());
  step.part->runs += static_cast<std::int64_t>(piece.keys.size());
  step.part->rows += dropped.rows;
  step.part->bytes += dropped.bytes;
  if (piece.is_whole) ++(step.what == "run" ? pruned.partitions_dropped : pruned.partitions_rewritten);
  return true;
}

// A partition that is whole no more goes run by run.
Result<void> carry_out_or_split(Session& session, const Step& step, const PruneGroup& piece,
                                const PruneOptions& options, Pruned& pruned) {
  STEELYARD_TRY(const bool done, carry_out(session, step, piece, options, pruned));
  if (done) return {};
  PruneGroup rest = piece;
  rest.is_whole = false;
  for (const PruneGroup& one : pieces_of({rest}, step.what)) {
    STEELYARD_CHECK(carry_out(session, step, one, options, pruned));
  }
  return {};
}

Result<void> estimate(Transaction& transaction, const Step& step, const PruneGroup& piece, Pruned& pruned) {
  STEELYARD_TRY(const Dropped would, estimate_of(transaction, step.what, piece));
  step.part->runs += static_cast<std::int64_t>(piece.keys.size());
  step.part->rows += would.rows;
  step.part->bytes += would.bytes;
  if (piece.is_whole && step.what != "profiles") {
    ++(step.what == "run" ? pruned.partitions_dropped : pruned.partitions_rewritten);
  }
  return {};
}

Result<std::vector<PruneGroup>> pieces_of_step(Session& session, const Step& step) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const std::vector<PruneGroup> groups, prune_groups(transaction, step.what, step.taken));
  return pieces_of(groups, step.what);
}

}  // namespace

Result<Pruned> prune(Session& session, const PruneOptions& options) {
  Pruned pruned;
  const std::vector<Step> steps = steps_of(options, pruned);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    STEELYARD_TRY(const std::vector<PruneGroup> pieces, pieces_of_step(session, steps[i]));
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      if (options.dry_run) {
        STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
        STEELYARD_CHECK(estimate(transaction, steps[i], pieces[k], pruned));
      } else {
        STEELYARD_CHECK(carry_out_or_split(session, steps[i], pieces[k], options, pruned));
      }
      if (options.progress) {
        const double of_step = static_cast<double>(k + 1) / static_cast<double>(pieces.size());
        options.progress((static_cast<double>(i) + of_step) / static_cast<double>(steps.size()));
      }
    }
  }
  return pruned;
}

}  // namespace steelyard
