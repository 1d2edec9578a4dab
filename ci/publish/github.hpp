// A judgement on GitHub: the comment on its pull request, and a check run with notes at the lines that attribution
// names. Where they go follows from what GitHub tells a job, or from what was named.
//
//     STEELYARD_TRY(GithubPlace place, github_place(named));
//     ServiceApi api = github_api(place, bench::take_secret("GITHUB_TOKEN", "Authorization: Bearer "), patience);
//     if (const auto trouble = find_pull(api, place)) return *trouble;
//     return write_github_comment(api, place, publication);
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/model/result.hpp"
#include "ci/http/service_api.hpp"
#include "ci/publish/own_comment.hpp"
#include "ci/report/comment.hpp"

namespace steelyard::ci {

// GitHub takes as many notes in one request (REST API, "Create a check run").
inline constexpr std::size_t kMaxAnnotationsARequest = 50;

// run: the one that measured; job: its name in the workflow, which the jobs of a matrix share.
struct GithubPlace : PublishedJob {
  std::string api = "https://api.github.com";
  std::string repository;  // "acme/shop"
  std::optional<std::int64_t> pull;
  // Of a fork's pull request in a workflow_run, which has no number: the branch that it comes from.
  std::string head_owner;
  std::string head_branch;
  bool is_from_fork = false;
  bool is_workflow_run = false;  // it judges what another run measured
  std::string login;             // empty: GitHub is asked
};

// From GITHUB_REPOSITORY, GITHUB_API_URL, GITHUB_EVENT_PATH, GITHUB_SHA, GITHUB_RUN_ID, GITHUB_RUN_ATTEMPT, GITHUB_JOB
// and GITHUB_SERVER_URL; in another service's job commit, request and link from what that one tells
// (ci/git/ci_job.hpp). Error (input): what is missing, with the option that names it.
Result<GithubPlace> github_place(const NamedPlace& named);

ServiceApi github_api(const GithubPlace& place, bench::Secret token_header, ApiPatience patience);

// Sets the number of a pull request that the event did not tell: the open one of the branch whose head is the commit.
// Returns a part where there is none, where there are several, or where GitHub does not answer.
std::optional<WrittenPart> find_pull(ServiceApi& api, GithubPlace& place);

// Precondition: the place has a pull request.
WrittenPart write_github_comment(ServiceApi& api, const GithubPlace& place, const Publication& publication);

// A check run of that name at the head; written once for each attempt of a job's run, its notes in requests of
// kMaxAnnotationsARequest. One with another report is not overwritten.
WrittenPart write_check(ServiceApi& api, const GithubPlace& place, const Publication& publication);

}  // namespace steelyard::ci
