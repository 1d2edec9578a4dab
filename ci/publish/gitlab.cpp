#include "ci/publish/gitlab.hpp"

#include <initializer_list>
#include <utility>

#include "bench/model/text.hpp"
#include "ci/git/ci_job.hpp"
#include "ci/git/repository.hpp"
#include "storage/document/json.hpp"

namespace steelyard::ci {
namespace {

constexpr const char* kMayWriteNotes =
    "a project access token with the scope api and the role Reporter, as a masked variable; a job's own token may not "
    "write notes";
constexpr const char* kNotForForks =
    "; a pipeline of a fork's merge request has no variables of this project: "
    "docs/guide/pull_requests.md, \"Forks\"";

std::string first_of(std::initializer_list<std::string> texts) {
  for (const std::string& text : texts) {
    if (!text.empty()) return text;
  }
  return "";
}

}  // namespace

Result<GitlabPlace> gitlab_place(const NamedPlace& named) {
  GitlabPlace place;
  const std::string address = first_of({named.api, job_variable("CI_API_V4_URL")});
  if (!address.empty()) {
    STEELYARD_TRY(place.api, check_api_address(address, named.api.empty() ? "CI_API_V4_URL" : "--api"));
  }
  const std::string target = job_variable("CI_MERGE_REQUEST_PROJECT_ID");
  place.project = first_of({named.repository, target, job_variable("CI_PROJECT_ID")});
  if (place.project.empty()) {
    return input_error("--repository", "none, nor $CI_PROJECT_ID", "the project's id or its path, GROUP/NAME");
  }
  const CiJob job = ci_job(caller_environment());
  const std::string number = first_of({named.request, job.request});
  if (!is_decimal(number) || number.size() > 10) {
    return input_error("--request", '"' + number + '"', "a merge request's number");
  }
  if (!number.empty()) place.request = std::stoll(number);
  place.head = first_of({named.head, job.commit});
  if (!is_full_commit_hash(place.head)) {
    return input_error("--commit", place.head.empty() ? "none, nor $CI_COMMIT_SHA" : '"' + place.head + '"',
                       "the full hash of the merge request's commit");
  }
  place.login = named.login;
  const std::string run = job_variable("CI_JOB_ID");
  if (run.size() <= 20 && is_decimal(run)) place.run = run;
  place.job = job_variable("CI_JOB_NAME");
  place.link = job.build;
  const std::string source = job_variable("CI_MERGE_REQUEST_SOURCE_PROJECT_ID");
  place.is_from_fork = !source.empty() && source != target;
  return place;
}

ServiceApi gitlab_api(const GitlabPlace& place, bench::Secret token_header, ApiPatience patience) {
  return {place.api, std::move(token_header), {"Accept: application/json"}, std::move(patience)};
}

WrittenPart write_gitlab_note(ServiceApi& api, const GitlabPlace& place, const Publication& publication) {
  CommentPlace notes;
  notes.permission = std::string(kMayWriteNotes) + (place.is_from_fork ? kNotForForks : "");
  notes.own_name = place.login;
  if (notes.own_name.empty()) {
    ApiOutcome outcome = api.call({"GET", "/user"});
    if (!outcome.is_done()) return part_not_written("comment", outcome, notes.permission);
    read_answer(outcome, "GET /user",
                [&notes](const storage::JsonValue& user) { notes.own_name = user.at("username").text(); });
    if (!outcome.is_done()) return {"comment", WrittenPart::State::failed, outcome.why};
  }
  notes.request = "/projects/" + url_part(place.project) + "/merge_requests/" + std::to_string(*place.request);
  notes.head = "sha";
  notes.comments = notes.request + "/notes";
  notes.oldest_first = "&order_by=created_at&sort=asc";  // GitLab's own order is the newest first
  notes.comment = notes.comments + "/";
  notes.change_method = "PUT";
  notes.author = "author.username";
  return write_own_comment(api, notes, publication);
}

}  // namespace steelyard::ci
