// A judgement on GitLab: the note on its merge request. The files that GitLab's widgets read are artifacts of the job
// and need no token (ci/report/annotations.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/model/result.hpp"
#include "ci/http/service_api.hpp"
#include "ci/publish/own_comment.hpp"
#include "ci/report/comment.hpp"

namespace steelyard::ci {

// run: the job's id, of which each try has another.
struct GitlabPlace : PublishedJob {
  std::string api = "https://gitlab.com/api/v4";
  std::string project;                  // id, or path
  std::optional<std::int64_t> request;  // iid of the merge request; absent: the pipeline is of a branch
  std::string login;                    // empty: GitLab is asked
  bool is_from_fork = false;
};

// From CI_API_V4_URL, CI_MERGE_REQUEST_PROJECT_ID or CI_PROJECT_ID, CI_MERGE_REQUEST_IID, CI_COMMIT_SHA (of a merged
// results pipeline CI_MERGE_REQUEST_SOURCE_BRANCH_SHA), CI_JOB_ID, CI_JOB_NAME, CI_JOB_URL; in another service's job
// commit, request and link from what that one tells (ci/git/ci_job.hpp). Error (input): what is missing.
Result<GitlabPlace> gitlab_place(const NamedPlace& named);

ServiceApi gitlab_api(const GitlabPlace& place, bench::Secret token_header, ApiPatience patience);

// Precondition: the place has a merge request.
WrittenPart write_gitlab_note(ServiceApi& api, const GitlabPlace& place, const Publication& publication);

}  // namespace steelyard::ci
