#include "ci/publish/github.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "bench/model/sha256.hpp"
#include "bench/model/text.hpp"
#include "ci/git/ci_job.hpp"
#include "ci/git/repository.hpp"
#include "storage/document/json.hpp"

namespace steelyard::ci {
namespace {

using storage::JsonDocument;
using storage::JsonValue;
using storage::JsonWriter;

constexpr std::int64_t kLargestId = std::numeric_limits<std::int64_t>::max();
constexpr const char* kCheck = "check";
constexpr std::size_t kLongestTitleOfCheck = 200;  // columns
constexpr const char* kMayComment = "the job needs `permissions: {pull-requests: write}`";
constexpr const char* kMayCheck =
    "the job needs `permissions: {checks: write}`, and the token must be an app's, as a "
    "job's own is";
constexpr const char* kForkHint =
    "; a job of a fork's pull request never has it: docs/guide/pull_requests.md, \"Forks\"";

// "acme/shop": what GitHub takes in names, so that a path stays that path.
bool is_repository(const std::string& text) {
  const std::size_t stroke = text.find('/');
  return stroke != std::string::npos && stroke > 0 && stroke + 1 < text.size() && text.size() <= 200 &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./") ==
             std::string::npos &&
         text.find('/', stroke + 1) == std::string::npos && text.find("..") == std::string::npos;
}

// Another repository's, or one that is gone.
bool is_other_repository(const JsonValue& repository, const std::string& own) {
  return repository.is_null() || repository.at("full_name").text() != own;
}

void take_workflow_run(const JsonValue& run, GithubPlace& place) {
  place.is_workflow_run = true;
  place.head = run.at("head_sha").text();
  place.run = std::to_string(run.at("id").integer(1, kLargestId));
  place.attempt = static_cast<int>(run.at("run_attempt").integer(1, 1'000'000));
  place.link = run.at("html_url").text();
  if (run.at("event").text() != "pull_request") return;
  place.head_branch = run.at("head_branch").text();
  const JsonValue from = run.at("head_repository");
  place.is_from_fork = is_other_repository(from, place.repository);
  if (!from.is_null()) place.head_owner = from.at("owner").at("login").text();
}

Result<void> take_event(GithubPlace& place) {
  const std::string file = job_variable("GITHUB_EVENT_PATH");
  if (file.empty()) return {};
  STEELYARD_TRY(const std::string text, read_github_event(file));
  STEELYARD_TRY(const JsonDocument document, JsonDocument::parse(text, file));
  const JsonValue root = document.root();
  if (const JsonValue pull = root.at("pull_request"); !pull.is_null()) {
    place.pull = pull.at("number").integer(1, kLargestId);
    place.head = pull.at("head").at("sha").text();
    place.is_from_fork = is_other_repository(pull.at("head").at("repo"), place.repository);
  } else if (const JsonValue run = root.at("workflow_run"); !run.is_null()) {
    take_workflow_run(run, place);
  }
  return document.check();
}

Result<void> take_names(const NamedPlace& named, const CiJob& other_job, GithubPlace& place) {
  if (!named.head.empty()) place.head = named.head;
  if (!is_full_commit_hash(place.head)) {
    return input_error("--commit", place.head.empty() ? "none, nor $GITHUB_SHA" : '"' + place.head + '"',
                       "the full hash of the pull request's commit");
  }
  const std::string request = named.request.empty() && !place.pull ? other_job.request : named.request;
  if (!request.empty()) {
    const bool is_number = request.size() <= 10 && is_decimal(request);
    if (!is_number) return input_error("--request", '"' + request + '"', "a pull request's number");
    place.pull = std::stoll(request);
  }
  place.login = named.login;
  return {};
}

std::string repository_path(const GithubPlace& place) { return "/repos/" + place.repository; }

std::string permission_of(const char* permission, const GithubPlace& place) {
  return std::string(permission) + (place.is_from_fork && !place.is_workflow_run ? kForkHint : "");
}

}  // namespace

Result<GithubPlace> github_place(const NamedPlace& named) {
  GithubPlace place;
  place.repository = named.repository.empty() ? job_variable("GITHUB_REPOSITORY") : named.repository;
  if (!is_repository(place.repository)) {
    return input_error("--repository",
                       place.repository.empty() ? "none, nor $GITHUB_REPOSITORY" : '"' + place.repository + '"',
                       "OWNER/NAME");
  }
  const std::string address = named.api.empty() ? job_variable("GITHUB_API_URL") : named.api;
  if (!address.empty()) {
    STEELYARD_TRY(place.api, check_api_address(address, named.api.empty() ? "GITHUB_API_URL" : "--api"));
  }
  // Of GitHub's own job the number is in the event, and the link is made below.
  const CiJob job = ci_job(caller_environment());
  place.head = job.commit;
  place.link = job.build;
  const std::string run = job_variable("GITHUB_RUN_ID");
  if (is_decimal(run)) place.run = run.substr(0, 20);
  place.attempt = std::max(1, std::atoi(job_variable("GITHUB_RUN_ATTEMPT").c_str()));
  place.job = job_variable("GITHUB_JOB");
  const std::string server = job_variable("GITHUB_SERVER_URL");
  if (!server.empty() && !place.run.empty())
    place.link = server + "/" + place.repository + "/actions/runs/" + place.run;
  STEELYARD_CHECK(take_event(place));
  STEELYARD_CHECK(take_names(named, job, place));
  return place;
}

ServiceApi github_api(const GithubPlace& place, bench::Secret token_header, ApiPatience patience) {
  return {place.api,
          std::move(token_header),
          {"Accept: application/vnd.github+json", "X-GitHub-Api-Version: 2022-11-28"},
          std::move(patience)};
}

std::optional<WrittenPart> find_pull(ServiceApi& api, GithubPlace& place) {
  if (place.pull) return std::nullopt;
  if (place.head_branch.empty() || place.head_owner.empty()) {
    return WrittenPart{"comment", WrittenPart::State::left, "the event is no pull request's"};
  }
  // Never from what a job of the fork left behind: it could name any other request.
  const std::string query =
      "/pulls?state=open&per_page=100&head=" + url_part(place.head_owner) + ":" + url_part(place.head_branch);
  ApiOutcome outcome = api.call({"GET", repository_path(place) + query});
  if (!outcome.is_done()) return part_not_written("comment", outcome, permission_of(kMayComment, place));
  std::vector<std::int64_t> found;
  read_answer(outcome, "GET /pulls", [&](const JsonValue& pulls) {
    for (const JsonValue& pull : pulls.items(100)) {
      if (pull.at("head").at("sha").text() == place.head) found.push_back(pull.at("number").integer(1, kLargestId));
    }
  });
  if (!outcome.is_done()) return WrittenPart{"comment", WrittenPart::State::failed, outcome.why};
  const std::string commit = shown_sha(place.head);
  if (found.size() == 1) return place.pull = found.front(), std::nullopt;
  if (found.empty()) {
    return WrittenPart{"comment", WrittenPart::State::left,
                       "no open pull request has " + commit + " as its head any more"};
  }
  // Each has a base of its own, and the event does not tell which of them was measured.
  return WrittenPart{"comment", WrittenPart::State::left,
                     std::to_string(found.size()) + " open pull requests have " + commit +
                         " as their head: of which it was measured is not known"};
}

namespace {

// Whose comments are ours. A job's token is the app's github-actions, which may not ask who it is.
Result<std::string> own_login(ServiceApi& api, const GithubPlace& place, std::optional<WrittenPart>& trouble) {
  if (!place.login.empty()) return place.login;
  const ApiOutcome outcome = api.call({"GET", "/user"});
  if (outcome.is_done()) {
    STEELYARD_TRY(const JsonDocument document, JsonDocument::parse(outcome.body, "GET /user"));
    const std::string login = document.root().at("login").text();
    STEELYARD_CHECK(document.check());
    return login;
  }
  // Not where it only asks to wait: the token may be a person's.
  const bool is_refused = outcome.kind == ApiOutcome::Kind::refused;
  if (is_refused && outcome.status == 403) return std::string("github-actions[bot]");
  trouble = part_not_written("comment", outcome, permission_of(kMayComment, place));
  return std::string();
}

}  // namespace

WrittenPart write_github_comment(ServiceApi& api, const GithubPlace& place, const Publication& publication) {
  std::optional<WrittenPart> trouble;
  const Result<std::string> login = own_login(api, place, trouble);
  if (!login) return {"comment", WrittenPart::State::failed, login.error().text()};
  if (trouble) return *trouble;
  const std::string repository = repository_path(place);
  const std::string number = std::to_string(*place.pull);
  CommentPlace comments;
  comments.request = repository + "/pulls/" + number;
  comments.head = "head.sha";
  comments.comments = repository + "/issues/" + number + "/comments";
  comments.comment = repository + "/issues/comments/";
  comments.change_method = "PATCH";
  comments.author = "user.login";
  comments.own_name = *login;
  comments.permission = permission_of(kMayComment, place);
  return write_own_comment(api, comments, publication);
}

namespace {

struct CheckState {
  std::int64_t id = 0;  // 0: there is none yet
  std::size_t annotations = 0;
  std::string url;
};

CheckState check_state(const JsonValue& run) {
  CheckState state;
  state.id = run.at("id").integer(1, kLargestId);
  state.annotations = static_cast<std::size_t>(run.at("output").at("annotations_count").integer(0, 1'000'000'000));
  if (run.at("html_url").is_text()) state.url = run.at("html_url").text();
  return state;
}

std::string conclusion_of(int status) { return status == 0 ? "success" : status == 5 ? "neutral" : "failure"; }

JsonWriter annotation_object(const Annotation& annotation) {
  JsonWriter object;
  object("path", annotation.path);
  object("start_line", annotation.line);
  object("end_line", annotation.line);
  object("annotation_level", to_text(annotation.level));
  object("title", annotation.title);
  object("message", annotation.message);
  return object;
}

// Writes one check run, in as many requests as its notes need. Every request is told to what is there: what was lost is
// looked for before anything is sent again, since notes add up.
class CheckWriter {
 public:
  CheckWriter(ServiceApi& api, const GithubPlace& place, const Publication& publication)
      : api_(api), place_(place), publication_(publication), runs_(repository_path(place) + "/check-runs") {
    const std::string content =
        sha256_hex(std::to_string(publication.status) + '\n' + publication.headline + '\n' + publication.report);
    const std::string identity = publication.key + '\n' + publication.head + '\n' + publication.run + '\n' +
                                 std::to_string(publication.attempt) + '\n' + publication.job;
    // A run without an id is told from others by what it says.
    try_id_ = "steelyard-" + sha256_hex(identity + (publication.run.empty() ? content : "")).substr(0, 32);
    // What a fork's run left may be judged again, which replaces what was told of it.
    external_id_ = publication.is_strangers ? try_id_ : try_id_ + '-' + content.substr(0, 16);
    name_ = "Steelyard: " + shortened(printable_line(publication.key, true), 60, true);
  }

  WrittenPart write() {
    for (int tries = 1;; ++tries) {
      ApiOutcome outcome = look();
      if (is_another_jobs_) return {kCheck, WrittenPart::State::failed, kAnotherJob};
      if (outcome.is_done()) outcome = state_.id == 0 ? create() : change();
      while (outcome.is_done() && state_.annotations < publication_.annotations.size()) outcome = change();
      if (outcome.is_done()) return {kCheck, WrittenPart::State::written, state_.url};
      if (outcome.kind != ApiOutcome::Kind::lost || !api_.may_try_again(tries)) {
        return part_not_written(kCheck, outcome, permission_of(kMayCheck, place_));
      }
    }
  }

 private:
  // Finds what an earlier try, or an earlier call of the same job, has written.
  ApiOutcome look() {
    const std::string query = "?filter=all&per_page=100&check_name=" + url_part(name_);
    ApiOutcome outcome =
        api_.call({"GET", repository_path(place_) + "/commits/" + publication_.head + "/check-runs" + query});
    if (!outcome.is_done()) return outcome;
    state_ = {};
    read_answer(outcome, "GET /check-runs", [this](const JsonValue& root) {
      for (const JsonValue& run : root.at("check_runs").items(100)) {
        const std::string id = run.at("external_id").is_text() ? run.at("external_id").text() : "";
        if (id == external_id_) state_ = check_state(run);
        is_another_jobs_ = is_another_jobs_ || (id != external_id_ && id.starts_with(try_id_));
      }
    });
    return outcome;
  }

  ApiOutcome create() {
    JsonWriter object = described();
    object("head_sha", publication_.head);
    return sent("POST", runs_, std::move(object));
  }

  ApiOutcome change() { return sent("PATCH", runs_ + "/" + std::to_string(state_.id), described()); }

  // With the first of the notes that are not there yet.
  JsonWriter described() const {
    const std::vector<Annotation>& all = publication_.annotations;
    const std::size_t begin = std::min(state_.annotations, all.size());
    const std::size_t end = std::min(begin + kMaxAnnotationsARequest, all.size());
    std::vector<JsonWriter> notes;
    for (std::size_t i = begin; i < end; ++i) notes.push_back(annotation_object(all[i]));
    JsonWriter output;
    output("title", shortened(printable_line(publication_.headline, true), kLongestTitleOfCheck, true));
    const bool is_judged = !publication_.report.empty();
    output("summary", is_judged ? cut_report(publication_.report, kMaxCommentBytes) : publication_.headline);
    if (!notes.empty()) output.add("annotations", std::move(notes));
    JsonWriter object;
    object("name", name_);
    object("external_id", external_id_);
    object("status", "completed");
    object("conclusion", conclusion_of(publication_.status));
    if (publication_.link.starts_with("https://")) object("details_url", publication_.link);
    object.add("output", std::move(output));
    return object;
  }

  ApiOutcome sent(const char* method, const std::string& path, JsonWriter object) {
    const std::size_t before = state_.annotations;
    ApiOutcome outcome = api_.call({method, path, object.one_line(), false});
    if (!outcome.is_done()) return outcome;
    read_answer(outcome, path, [this](const JsonValue& run) { state_ = check_state(run); });
    // What GitHub counts later than it answers is counted here: a note that it did take is not sent twice.
    const std::size_t now = std::min(before + kMaxAnnotationsARequest, publication_.annotations.size());
    state_.annotations = std::max(state_.annotations, now);
    return outcome;
  }

  ServiceApi& api_;
  const GithubPlace& place_;
  const Publication& publication_;
  std::string runs_;
  std::string try_id_;       // of a job's try
  std::string external_id_;  // of what it says
  std::string name_;
  CheckState state_;
  bool is_another_jobs_ = false;  // what stands there for this try
};

}  // namespace

WrittenPart write_check(ServiceApi& api, const GithubPlace& place, const Publication& publication) {
  return CheckWriter(api, place, publication).write();
}

}  // namespace steelyard::ci
