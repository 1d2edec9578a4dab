#include "ci/measuring/commit_builds.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "bench/model/text.hpp"
#include "ci/measuring/build.hpp"
#include "ci/measuring/kept_builds.hpp"
#include "ci/measuring/strangers.hpp"
#include "ci/report/warning_text.hpp"
#include "storage/place/store_address.hpp"

namespace steelyard::ci {
namespace {

std::filesystem::path kept_folder() {
  const std::filesystem::path named = KeptBuilds::folder();
  return named.empty() ? storage::state_folder() / "builds" : named;
}

// Where there is none, no other tree can be made either.
bool has_room(const std::filesystem::path& folder) {
  constexpr std::uintmax_t kMinFree = std::uintmax_t{16} << 20;
  std::error_code trouble;
  const std::filesystem::space_info space = std::filesystem::space(folder, trouble);
  return !trouble && space.available >= kMinFree;
}

std::string name_of_commit(const Commit& commit) { return "commit " + shown_sha(commit.sha); }

}  // namespace

CommitBuilds::CommitBuilds(WorkTrees trees, const Plan& plan, const App& app, const std::atomic<bool>* cancelled)
    : trees_(std::move(trees)), plan_(plan), app_(&app), cancelled_(cancelled), kept_(kept_folder()) {
  // What is kept is hidden from what is built, as archives are: one commit must not change another's build.
  StrangersView view = confine_strangers({plan.configuration, plan.keeps, kept_}, {trees_.folder()});
  confinement_ = view.confinement;
  trees_.check_out_within(confinement_);
  warnings_ = std::move(view.warnings);
}

Result<CommitBuilds> CommitBuilds::create(const GitRepository& repository, const Plan& plan, const App& app,
                                          const std::atomic<bool>* cancelled) {
  const auto submodules =
      plan.configuration.no_submodules ? WorkTrees::Submodules::none : WorkTrees::Submodules::checked_out;
  STEELYARD_TRY(WorkTrees trees, WorkTrees::create(repository, submodules));
  return CommitBuilds(std::move(trees), plan, app, cancelled);
}

Result<void> CommitBuilds::check_programs(const std::filesystem::path& tree, const Commit& commit) const {
  for (const ConfiguredProgram& configured : plan_.programs) {
    STEELYARD_TRY(const bench::Program program, program_in_tree(configured, tree, {}, false));
    std::error_code ignored;
    if (std::filesystem::exists(program.executable, ignored)) continue;
    return program_error(name_of_commit(commit),
                         "no file " + program.executable.lexically_relative(tree).string() + " after the build",
                         "the benchmark program");
  }
  return {};
}

Result<std::filesystem::path> CommitBuilds::build_in(const std::filesystem::path& tree, const Commit& commit) {
  const Configuration& configuration = plan_.configuration;
  const KeptBuilds kept(kept_);
  const std::string name =
      name_of({commit.sha, configuration.build_command, tree, !configuration.no_submodules}, cancelled_);
  const Result<bool> was_kept = kept.put_into(tree, name);
  if (was_kept && *was_kept) {
    app_->note(name_of_commit(commit) + " is as it was built before  " + commit.subject);
  } else if (!configuration.build_command.empty()) {
    if (!was_kept) app_->note(note::kept_build_damaged(was_kept.error()));
    app_->note(note::building(note::BuiltTree::alone, commit));
    ++builds_;
    // One path for all trees, for compilers that put it in what they build.
    const std::string one_path = (trees_.folder() / "tree").string();
    STEELYARD_CHECK(build({tree,
                           configuration.build_command,
                           configuration.build_timeout,
                           name_of_commit(commit),
                           {{"STEELYARD_PREFIX_MAP", "-ffile-prefix-map=" + tree.string() + '=' + one_path}},
                           confinement_},
                          cancelled_));
    if (const Result<void> done = kept.keep(tree, name, confinement_); !done) {
      app_->note("this build is not kept for the next time: " + done.error().text());
    }
  }
  STEELYARD_CHECK(check_programs(tree, commit));
  return tree;
}

void CommitBuilds::make_room() {
  while (trees_by_use_.size() >= kMaxTrees) {
    const auto oldest = known_.find(trees_by_use_.front());
    trees_.remove(*oldest->second);  // what is left of it, if anything is, is no tree any more
    known_.erase(oldest);
    trees_by_use_.erase(trees_by_use_.begin());
  }
}

Result<std::filesystem::path> CommitBuilds::tree_of(const Commit& commit) {
  const auto known = known_.find(commit.sha);
  if (known != known_.end()) {
    const auto used = std::find(trees_by_use_.begin(), trees_by_use_.end(), commit.sha);
    if (used != trees_by_use_.end()) std::rotate(used, used + 1, trees_by_use_.end());
    return known->second;
  }
  make_room();
  // Names of one length, so that no side's paths are longer. Another one where something of an earlier tree is left.
  std::string name = "c-" + commit.sha.substr(0, 16);
  for (std::error_code ignored; name[0] < 'z' && std::filesystem::exists(trees_.folder() / name, ignored);) ++name[0];
  Result<std::filesystem::path> tree = trees_.add(name, commit.sha);
  if (!tree && !has_room(trees_.folder())) return tree;
  // A submodule's commit that nobody has any more, for one: others can be made.
  Result<std::filesystem::path> built =
      tree ? build_in(*tree, commit) : program_error(name_of_commit(commit), tree.error().text());
  if (cancelled_ != nullptr && cancelled_->load()) return built;
  if (built) {
    trees_by_use_.push_back(commit.sha);
  } else if (tree) {
    trees_.remove(*tree);
  }
  return known_.emplace(commit.sha, std::move(built)).first->second;
}

Result<std::vector<ProgramPair>> CommitBuilds::pairs_of(const Commit& baseline, const Commit& candidate) {
  STEELYARD_TRY(const std::filesystem::path before, tree_of(baseline));
  STEELYARD_TRY(const std::filesystem::path after, tree_of(candidate));
  std::vector<ProgramPair> pairs;
  const bool with_suite = plan_.programs.size() > 1;
  for (const ConfiguredProgram& configured : plan_.programs) {
    ProgramPair pair;
    STEELYARD_TRY(pair.baseline, program_in_tree(configured, before, {}, with_suite));
    STEELYARD_TRY(pair.candidate, program_in_tree(configured, after, {}, with_suite));
    pair.baseline.confinement = pair.candidate.confinement = confinement_;
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace steelyard::ci
