#include "ci/git/repository.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "bench/model/text.hpp"
#include "bench/runner/child_process.hpp"
#include "bench/runner/secrets.hpp"
#include "ci/git/ci_job.hpp"
#include "storage/model/alert.hpp"

namespace steelyard::ci {
namespace {

constexpr Nanoseconds kFetchLimit = seconds(600);  // a deep history over a slow link
constexpr const char* kDeepenBy = "--deepen=50";   // covers most branches; --unshallow follows where it does not
constexpr std::size_t kMaxNameBytes = 4096;
// Of recent_history(): the line of first parents a year back or more, and what was merged lately. Every run brings as
// much, so that a store that missed some hears of it again.
constexpr const char* kLineCommits = "--max-count=500";
constexpr const char* kCommitsAround = "--max-count=1000";
constexpr const char* kLongestLine = "--max-count=5000";
constexpr std::size_t kMaxBetween = 5000;
constexpr std::size_t kMaxReleases = 20;

std::map<std::string, std::string> git_environment(GitReach reach) {
  std::map<std::string, std::string> variables = caller_environment();
  // Set inside git hooks; they would bind every call to the hook's repository and index.
  for (const char* name : {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY"}) {
    variables.erase(name);
  }
  variables["GIT_TERMINAL_PROMPT"] = "0";  // never wait for a password that nobody types
  variables["GIT_OPTIONAL_LOCKS"] = "0";   // status must not write beside the user's own git
  variables["LC_ALL"] = "C";               // its messages are matched below
  // A commit's parents are those that it names: a build may have written others.
  variables["GIT_NO_REPLACE_OBJECTS"] = "1";
  variables["GIT_GRAFT_FILE"] = "/dev/null/none";  // of one that is there git says that it is out of use
  if (reach != GitReach::remote) bench::withhold_secrets(variables);
  if (reach == GitReach::local) {
    variables["GIT_ALLOW_PROTOCOL"] = "";  // none, whatever the repository's settings say
    variables["GIT_NO_LAZY_FETCH"] = "1";  // since 2.45; says so at once
  }
  return variables;
}

void trim_newlines(std::string& text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
}

Error ownership_error(const std::filesystem::path& folder) {
  return input_error(folder.string(), "a repository that belongs to another user", "one that git trusts",
                     "git config --global --add safe.directory \"" + folder.string() + '"');
}

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> list;
  for (std::string word; stream >> word;) list.push_back(word);
  return list;
}

// No option, whatever git would make of it, and of a bounded length.
bool may_be_name(const std::string& text) {
  return !text.empty() && text.front() != '-' && text.size() <= kMaxNameBytes;
}

// What a server can have under that very name; "a:b" would even write a branch here.
bool may_be_on_server(const std::string& name) {
  return may_be_name(name) && name.find_first_of(":+*^~?[\\{ ") == std::string::npos;
}

Result<GitAnswer> run_git_in(const bench::SharedConfinement& confinement, const std::filesystem::path& folder,
                             const std::vector<std::string>& arguments, GitReach reach, Nanoseconds timeout) {
  const std::optional<std::filesystem::path> git = bench::find_in_path("git");
  if (!git) return input_error("git", "no such program", "git on the PATH", "install it, for example apt install git");
  bench::ChildCommand command;
  command.executable = *git;
  command.arguments = {"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false",
                       "-c", "log.showSignature=false",  "-c", "core.commitGraph=false"};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.environment = git_environment(reach);
  command.working_directory = folder;
  command.confinement = confinement;
  command.timeout = timeout;
  STEELYARD_TRY(bench::ChildResult child, bench::run_child(command));
  if (child.error_output.find("detected dubious ownership") != std::string::npos) return ownership_error(folder);
  trim_newlines(child.output);
  std::string trouble = child.end == bench::ChildEnd::exited ? bench::last_line(child.error_output) : child.describe();
  return GitAnswer{child.succeeded(), std::move(child.output), std::move(trouble), std::move(child.error_output)};
}

}  // namespace

Result<GitAnswer> run_git(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
                          GitReach reach, Nanoseconds timeout) {
  return run_git_in({}, folder, arguments, reach, timeout);
}

Result<GitAnswer> run_git(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
                          const bench::SharedConfinement& confinement) {
  return run_git_in(confinement, folder, arguments, GitReach::local, seconds(60));
}

Result<GitRepository> GitRepository::find(const std::filesystem::path& folder) {
  STEELYARD_TRY(const GitAnswer top, run_git(folder, {"rev-parse", "--show-toplevel"}));
  if (!top.succeeded) return input_error(folder.string(), "no git repository", "a folder inside of one");
  return GitRepository(top.output);
}

Result<std::string> GitRepository::resolve(const std::string& name) const {
  if (!may_be_name(name)) {
    return input_error(root_.string(), '"' + name.substr(0, 100) + '"', "the name of a commit");
  }
  STEELYARD_TRY(GitAnswer answer, run_git(root_, {"rev-parse", "--verify", "--quiet", name + "^{commit}"}));
  if (answer.succeeded) return std::move(answer.output);
  return input_error(root_.string(), "no commit \"" + name + '"', "a branch, tag or sha of this repository");
}

Result<std::vector<std::string>> GitRepository::parents(const std::string& sha) const {
  STEELYARD_TRY(const GitAnswer answer, run_git(root_, {"rev-list", "--parents", "-n", "1", sha, "--"}));
  if (!answer.succeeded) return input_error(root_.string(), answer.trouble);
  std::vector<std::string> list = split_words(answer.output);
  if (!list.empty()) list.erase(list.begin());
  return list;
}

Result<std::vector<storage::CommitParents>> GitRepository::recent_history(const std::string& sha) const {
  std::set<std::string> cut;  // commits whose parents a shallow clone does not have; git calls them roots
  STEELYARD_TRY(const GitAnswer shallow, run_git(root_, {"rev-parse", "--git-path", "shallow"}));
  if (shallow.succeeded) {
    std::ifstream file(root_ / shallow.output);
    for (std::string line; std::getline(file, line);) cut.insert(line);
  }
  std::map<std::string, std::vector<std::string>> parents;
  for (const std::vector<std::string>& reach : {std::vector<std::string>{"--first-parent", kLineCommits},
                                                std::vector<std::string>{"--topo-order", kCommitsAround}}) {
    std::vector<std::string> arguments{"rev-list", "--parents"};
    arguments.insert(arguments.end(), reach.begin(), reach.end());
    arguments.insert(arguments.end(), {sha, "--"});
    STEELYARD_TRY(const GitAnswer answer, run_git(root_, arguments));
    if (!answer.succeeded) return input_error(root_.string(), answer.trouble);
    std::istringstream lines(answer.output);
    for (std::string line; std::getline(lines, line);) {
      std::vector<std::string> list = split_words(line);
      if (list.empty() || cut.contains(list.front())) continue;
      list.erase(list.begin() + 1 + std::min(list.size() - 1, storage::kMaxParents), list.end());
      parents.try_emplace(list.front(), list.begin() + 1, list.end());
    }
  }
  std::vector<storage::CommitParents> history;
  for (auto& [commit, list] : parents) history.push_back({commit, std::move(list)});
  return history;
}

bool is_release_name(const std::string& tag) {
  const std::size_t end_of_text = tag.find_last_not_of("0123456789.");
  const std::string version = tag.substr(end_of_text == tag.npos ? 0 : end_of_text + 1);
  const std::size_t dot = version.find('.');
  constexpr std::size_t kLongestMajor = 3;  // four digits are a year
  const bool is_version = dot != version.npos && dot > 0 && dot <= kLongestMajor && version.back() != '.';
  // "v1.2-rc1.1" is none of what people install.
  return is_version && tag.find("rc") == tag.npos && tag.find("alpha") == tag.npos && tag.find("beta") == tag.npos;
}

Result<std::vector<std::string>> GitRepository::line_to(const std::string& sha) const {
  STEELYARD_TRY(const GitAnswer answer, run_git(root_, {"rev-list", "--first-parent", kLongestLine, sha, "--"}));
  if (!answer.succeeded) return input_error(root_.string(), answer.trouble);
  std::vector<std::string> line = split_words(answer.output);
  std::reverse(line.begin(), line.end());
  return line;
}

Result<std::vector<std::string>> GitRepository::line_between(const std::string& from, const std::string& to) const {
  STEELYARD_TRY(const GitAnswer answer,
                run_git(root_, {"rev-list", "--first-parent", "--max-count=" + std::to_string(kMaxBetween + 1), to,
                                '^' + from, "--"}));
  if (!answer.succeeded) return input_error(root_.string(), answer.trouble);
  std::vector<std::string> line = split_words(answer.output);
  // The newest of them alone would look as if the line had left the older end long ago.
  if (line.size() > kMaxBetween) {
    return input_error(
        root_.string(),
        "more than " + std::to_string(kMaxBetween) + " commits between " + shown_sha(from) + " and " + shown_sha(to),
        "at most " + std::to_string(kMaxBetween), "name an older end that is nearer");
  }
  if (line.empty()) return std::vector<std::string>{to};
  std::reverse(line.begin(), line.end());
  STEELYARD_TRY(const std::vector<std::string> before, parents(line.front()));
  if (before.empty()) {
    return input_error(root_.string(),
                       "no commit of " + shown_sha(from) + " on the line of first parents of " + shown_sha(to),
                       "one that leads there", is_shallow() ? "check out the whole history" : "");
  }
  line.insert(line.begin(), before.front());
  return line;
}

std::vector<Release> GitRepository::releases(const std::set<std::string>& commits) const {
  // Of an annotated tag the commit stands behind *.
  const Result<GitAnswer> tags =
      run_git(root_, {"for-each-ref", "--sort=-creatordate", "--count=1000",
                      "--format=%(creatordate:unix) %(objectname) %(*objectname) %(refname:strip=2)", "refs/tags"});
  std::vector<Release> found;
  if (!tags || !tags->succeeded) return found;
  std::istringstream lines(tags->output);
  for (std::string line; std::getline(lines, line) && found.size() < kMaxReleases;) {
    const std::vector<std::string> parts = split_words(line);
    if (parts.size() < 3 || !is_release_name(parts.back())) continue;
    Release release{parts.back(), parts[parts.size() - 2], 0};
    std::from_chars(parts[0].data(), parts[0].data() + parts[0].size(), release.at_unix_s);
    if (!commits.contains(release.commit)) {
      const Result<GitAnswer> reached =
          run_git(root_, {"rev-list", "--topo-order", kCommitsAround, release.commit, "--"});
      if (!reached || !reached->succeeded) continue;
      const std::vector<std::string> all = split_words(reached->output);
      const auto measured =
          std::find_if(all.begin(), all.end(), [&](const std::string& sha) { return commits.contains(sha); });
      if (measured == all.end()) continue;
      release.commit = *measured;
    }
    found.push_back(std::move(release));
  }
  return found;
}

Result<Commit> GitRepository::describe(const std::string& sha) const {
  STEELYARD_TRY(const GitAnswer answer,
                run_git(root_, {"log", "-1", "--no-show-signature", "--format=%H%n%P%n%ct%n%s", sha, "--"}));
  if (!answer.succeeded) return input_error(root_.string(), answer.trouble);
  std::istringstream lines(answer.output);
  Commit commit;
  std::string parent_line;
  std::string time;
  std::getline(lines, commit.sha);
  std::getline(lines, parent_line);
  std::getline(lines, time);
  std::getline(lines, commit.subject);
  if (const std::vector<std::string> list = split_words(parent_line); !list.empty()) commit.parent = list.front();
  std::from_chars(time.data(), time.data() + time.size(), commit.committed_at_unix_s);
  if (const std::string branch = current_branch(); !branch.empty() && is_ancestor(sha, "HEAD")) commit.branch = branch;
  return commit;
}

Result<Commit> GitRepository::describe_baseline(const std::string& sha) const {
  STEELYARD_TRY(Commit commit, describe(sha));
  const std::string target = ci_job(caller_environment()).base_branch;
  if (target.empty()) return commit;
  // A shallow clone does not know who descends from whom, and a runner may have fetched no branch at all.
  const std::optional<std::string> from = is_shallow() ? std::nullopt : remote();
  const std::string tip = from ? "refs/remotes/" + *from + '/' + target : "";
  const bool elsewhere = !tip.empty() && resolve(tip) && !is_ancestor(sha, tip);
  commit.branch = elsewhere ? "" : target;
  return commit;
}

bool GitRepository::is_ancestor(const std::string& sha, const std::string& of) const {
  const Result<GitAnswer> answer = run_git(root_, {"merge-base", "--is-ancestor", sha, of});
  return answer && answer->succeeded;
}

std::string GitRepository::merge_base(const std::string& a, const std::string& b) const {
  const Result<GitAnswer> answer = run_git(root_, {"merge-base", a, b});
  return answer && answer->succeeded ? answer->output : std::string();
}

Result<bool> GitRepository::is_dirty() const {
  STEELYARD_TRY(const GitAnswer answer, run_git(root_, {"status", "--porcelain", "--untracked-files=no"}));
  if (!answer.succeeded) return input_error(root_.string(), answer.trouble);
  return !answer.output.empty();
}

bool GitRepository::differs_from(const std::string& commit, const std::filesystem::path& file) const {
  if (file.empty()) return false;
  std::error_code ignored;
  const std::string place = std::filesystem::absolute(file, ignored).string();
  const Result<GitAnswer> answer = run_git(root_, {"diff", "--name-only", "--diff-filter=M", commit, "--", place});
  return answer && answer->succeeded && !answer->output.empty();
}

bool GitRepository::is_shallow() const {
  const Result<GitAnswer> answer = run_git(root_, {"rev-parse", "--is-shallow-repository"});
  return answer && answer->output == "true";
}

std::optional<std::string> GitRepository::remote() const {
  const Result<GitAnswer> answer = run_git(root_, {"remote"});
  if (!answer || !answer->succeeded) return std::nullopt;
  const std::vector<std::string> names = split_words(answer->output);
  for (const std::string& name : names) {
    if (name == "origin") return name;
  }
  return names.empty() ? std::nullopt : std::optional(names.front());
}

// A runner checks out a commit, not a branch; it says the branch in a variable. A request is on none: the branch that
// it comes from may be a fork's and have the name of one that is kept here. Nor is a merge queue's group: its branch is
// made for that one job.
std::string GitRepository::current_branch() const {
  const std::map<std::string, std::string> variables = caller_environment();
  const CiJob job = ci_job(variables);
  const auto event = variables.find("GITHUB_EVENT_NAME");
  if (job.is_of_request() || (event != variables.end() && event->second == "merge_group")) return "";
  const Result<GitAnswer> answer = run_git(root_, {"symbolic-ref", "--short", "--quiet", "HEAD"});
  if (answer && answer->succeeded) return answer->output;
  return job.branch;
}

namespace {

// git's first word on what it could not do: its last one says only that it gave up.
std::string first_trouble(const GitAnswer& answer) {
  constexpr std::string_view kFatal = "fatal: ";
  std::istringstream lines(answer.messages);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kFatal)) return line.substr(kFatal.size());
  }
  return answer.trouble;
}

// Where it is the name of a branch that only the remote's copy here has.
Error no_commit(const GitRepository& repository, const std::string& name, Error error) {
  const std::optional<std::string> remote = repository.remote();
  if (remote && may_be_on_server(name) && repository.resolve("refs/remotes/" + *remote + '/' + name)) {
    const std::string there = *remote + '/' + name;
    error.fix = there + " is there: name that";
  }
  return error;
}

}  // namespace

Result<std::string> resolve_deepening(const GitRepository& repository, const std::string& name,
                                      const std::string& what) {
  Result<std::string> sha = repository.resolve(name);
  if (sha || !may_be_name(name)) return sha;
  if (!repository.is_shallow()) return no_commit(repository, name, sha.error());
  const std::optional<std::string> remote = repository.remote();
  const Result<std::string> head = repository.resolve("HEAD");
  std::string trouble = "there is no remote to fetch from";
  if (remote && head) {
    // Deepening reaches only what the fetched commit reaches, so HEAD itself is asked for, which may be no branch.
    std::vector<std::vector<std::string>> attempts{{"fetch", "--quiet", "--no-tags", kDeepenBy, "--", *remote, *head}};
    if (may_be_on_server(name)) attempts.push_back({"fetch", "--quiet", "--no-tags", "--depth=1", "--", *remote, name});
    attempts.push_back({"fetch", "--quiet", "--no-tags", "--unshallow", "--", *remote});
    for (const std::vector<std::string>& attempt : attempts) {
      STEELYARD_TRY(const GitAnswer answer, run_git(repository.root(), attempt, GitReach::remote, kFetchLimit));
      trouble = answer.succeeded ? "fetching more history did not bring it" : first_trouble(answer);
      sha = repository.resolve(name);
      if (sha) return sha;
    }
  }
  const std::string called = what.empty() ? "commit \"" + name + '"' : what;
  return input_error(repository.root().string(), "no " + called + " in this shallow clone (" + trouble + ')',
                     "the baseline's history", "check out with fetch-depth: 0 (GitHub) or GIT_DEPTH: 0 (GitLab)");
}

Result<bool> is_ancestor_deepening(const GitRepository& repository, const std::string& sha, const std::string& of) {
  for (const char* const more : {kDeepenBy, "--unshallow"}) {
    if (repository.is_ancestor(sha, of)) return true;
    if (!repository.is_shallow()) return false;
    const std::optional<std::string> remote = repository.remote();
    const std::string where = repository.root().string();
    if (!remote) return input_error(where, "a shallow clone without a remote", "the history up to that commit");
    STEELYARD_TRY(const GitAnswer fetched,
                  run_git(repository.root(), {"fetch", "--quiet", "--no-tags", more, "--", *remote, of},
                          GitReach::remote, kFetchLimit));
    if (!fetched.succeeded) return input_error(where, first_trouble(fetched), "the history up to that commit");
  }
  return repository.is_ancestor(sha, of);
}

Result<BranchPoint> branch_point(const GitRepository& repository, const std::string& sha, const std::string& branch) {
  const std::optional<std::string> remote = repository.remote();
  std::string trouble = "there is no remote to fetch it from";
  if (remote && may_be_on_server(branch)) {
    const std::string tip = "refs/remotes/" + *remote + '/' + branch;
    std::vector<std::string> fetch{"fetch", "--quiet", "--no-tags", "--", *remote, "+refs/heads/" + branch + ':' + tip};
    for (const bool deepens : {false, true}) {
      if (deepens && !repository.is_shallow()) break;
      if (deepens) fetch.insert(fetch.begin() + 1, "--unshallow");
      STEELYARD_TRY(const GitAnswer fetched, run_git(repository.root(), fetch, GitReach::remote, kFetchLimit));
      STEELYARD_TRY(const GitAnswer base, run_git(repository.root(), {"merge-base", sha, tip}));
      if (base.succeeded) return BranchPoint{base.output, fetched.succeeded ? "" : first_trouble(fetched)};
      trouble = fetched.succeeded ? "they share no commit here" : first_trouble(fetched);
    }
  }
  return input_error(repository.root().string(),
                     "no commit where " + shown_sha(sha) + " left the branch \"" + branch + "\" (" + trouble + ')',
                     "the baseline's history", "check out the whole history, or name the baseline: --base COMMIT");
}

std::string commit_named_here(const std::string& name) {
  std::error_code trouble;
  const std::filesystem::path folder = std::filesystem::current_path(trouble);
  if (trouble) return name;
  const Result<GitRepository> repository = GitRepository::find(folder);
  if (!repository) return name;
  Result<std::string> sha = repository->resolve(name);
  return sha ? std::move(sha).value() : name;
}

Commit commit_of_folder(const std::filesystem::path& folder) {
  const Result<GitRepository> repository = GitRepository::find(folder);
  if (!repository) return {};
  const Result<std::string> head = repository->resolve("HEAD");
  if (!head) return {};
  Result<Commit> commit = repository->describe(*head);
  if (!commit) return {};
  const Result<bool> dirty = repository->is_dirty();
  commit->dirty = dirty && *dirty;
  return std::move(commit).value();
}

void keep_request(RunHeader& header) {
  const CiJob job = ci_job(caller_environment());
  if (!job.is_of_request() || !header.commit.branch.empty()) return;
  const std::string& name = job.request.empty() ? job.branch : job.request;
  if (!name.empty()) header.settings[storage::kRequestSetting] = name;
}

namespace {

constexpr Nanoseconds kCheckoutLimit = seconds(600);  // a large tree on a slow disk, submodules over a slow link

constexpr const char* kWithinView =
    "git has no secrets here, as builds may have written its settings: name what it asks a server with in "
    "STEELYARD_BUILD_ENVIRONMENT";

// `view`: of the strangers whose code may have written git's settings; null: none has run.
Result<void> check_out(const std::filesystem::path& repository, const std::filesystem::path& target,
                       const std::string& sha, WorkTrees::Submodules submodules, const bench::SharedConfinement* view) {
  const auto run_git_for_it = [view](const std::filesystem::path& folder, const std::vector<std::string>& arguments) {
    return view == nullptr ? run_git(folder, arguments, GitReach::remote, kCheckoutLimit)
                           : run_git_in(*view, folder, arguments, GitReach::without_secrets, kCheckoutLimit);
  };
  STEELYARD_TRY(const GitAnswer added, run_git_for_it(repository, {"worktree", "add", "--quiet", "--force", "--detach",
                                                                   target.string(), sha}));
  const std::string fix = view == nullptr ? "" : kWithinView;
  if (!added.succeeded) return input_error("git worktree add of " + shown_sha(sha), added.trouble, "", fix);
  std::error_code code;
  if (submodules == WorkTrees::Submodules::none || !std::filesystem::exists(target / ".gitmodules", code)) {
    return {};
  }
  STEELYARD_TRY(const GitAnswer modules,
                run_git_for_it(target, {"submodule", "--quiet", "update", "--init", "--recursive"}));
  if (!modules.succeeded) {
    return input_error("submodules of " + shown_sha(sha), first_trouble(modules),
                       "addresses that can be reached from here",
                       "where the build needs none of them: --no-submodules, or no_submodules = true under [build]" +
                           (fix.empty() ? "" : "; " + fix));
  }
  return {};
}

// Git's record of work trees whose folders are gone with the run that was killed. One that was killed while git made
// the tree is left locked.
void forget_lost_trees(const std::filesystem::path& repository) {
  const Result<GitAnswer> listed = run_git(repository, {"worktree", "list", "--porcelain"});
  if (!listed || !listed->succeeded) return;
  constexpr std::string_view kTree = "worktree ";
  bool any = false;
  std::istringstream lines(listed->output);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kTree)) continue;
    const std::filesystem::path tree = line.substr(kTree.size());
    std::error_code code;
    if (!bench::RunFolder::is_named_so(tree.parent_path()) || std::filesystem::exists(tree, code)) continue;
    any = true;
    static_cast<void>(static_cast<bool>(run_git(repository, {"worktree", "unlock", tree.string()})));
  }
  if (any) static_cast<void>(static_cast<bool>(run_git(repository, {"worktree", "prune"})));
}

}  // namespace

Result<WorkTrees> WorkTrees::create(const GitRepository& repository, Submodules submodules) {
  STEELYARD_TRY(bench::RunFolder folder, bench::RunFolder::create(repository.root().string()));
  forget_lost_trees(repository.root());
  return WorkTrees(repository.root(), std::move(folder), submodules);
}

Result<std::filesystem::path> WorkTrees::add(const std::string& name, const std::string& sha) {
  std::filesystem::path tree = folder() / name;
  trees_.push_back(tree);  // before it is made: half of one has to go as well
  STEELYARD_CHECK(check_out(repository_, tree, sha, submodules_, view_ ? &*view_ : nullptr));
  return tree;
}

bool WorkTrees::remove(const std::filesystem::path& tree) {
  static_cast<void>(static_cast<bool>(run_git(repository_, {"worktree", "remove", "--force", tree.string()})));
  bench::remove_whole(tree);  // what git would not take, as where a build left its record locked
  std::error_code code;
  if (std::filesystem::exists(tree, code)) return false;
  std::erase(trees_, tree);
  static_cast<void>(static_cast<bool>(run_git(repository_, {"worktree", "prune"})));
  return true;
}

WorkTrees::WorkTrees(WorkTrees&& other) noexcept
    : repository_(std::move(other.repository_)),
      folder_(std::move(other.folder_)),
      submodules_(other.submodules_),
      view_(std::move(other.view_)),
      trees_(std::move(other.trees_)) {}

WorkTrees::~WorkTrees() {
  if (folder_.path().empty()) return;
  for (const std::filesystem::path& tree : trees_) {
    static_cast<void>(static_cast<bool>(run_git(repository_, {"worktree", "remove", "--force", tree.string()})));
  }
  { const bench::RunFolder gone(std::move(folder_)); }
  static_cast<void>(static_cast<bool>(run_git(repository_, {"worktree", "prune"})));
}

Result<WorkTreePair> WorkTreePair::create(const GitRepository& repository, const std::string& base_sha,
                                          const std::string& head_sha, Submodules submodules) {
  STEELYARD_TRY(WorkTrees trees, WorkTrees::create(repository, submodules));
  STEELYARD_CHECK(trees.add("base", base_sha));
  STEELYARD_CHECK(trees.add("head", head_sha));
  return WorkTreePair(std::move(trees));
}

std::map<std::string, std::string> caller_environment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

}  // namespace steelyard::ci
