// What a CI service tells its jobs of themselves: which commit and branch are at hand, which request they belong to and
// where people see the job. One table, a row a service. A checkout of a runner says little of it by itself: it is of a
// commit, often a shallow one, on no branch.
//
//     const CiJob job = ci_job(caller_environment());
//     if (!job.base_branch.empty()) ...   // of a request: what it is to be merged into
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "bench/model/result.hpp"

namespace steelyard::ci {

// What the checkout of a request's job is.
enum class RequestCheckout {
  merge,   // with the target, as its first parent, or of the request's commit alone where the workflow asks for it
  either,  // of the request's commit, or a merge with the target in whatever order
};

struct CiService {
  using Variables = std::array<std::string_view, 2>;  // the first that is set says it
  std::string_view name;
  // The variable by which a job is known to be this service's, and its value (empty: any). No variable: those below are
  // the service's own, and the job is its where one of them is set.
  std::string_view sign;
  std::string_view value;
  RequestCheckout checkout;
  Variables commit;       // of the request, where the job is of one
  Variables branch;       // that it comes from
  Variables base_branch;  // that the request is to be merged into
  Variables request;      // its number, or "refs/pull/NUMBER/merge"
  Variables build;        // address of the job's page
};

// The first that a job is of holds: those with a sign first, as others share their variables' names.
inline constexpr std::array<CiService, 5> kCiServices{{
    {"Buildkite",
     "BUILDKITE",
     "true",
     RequestCheckout::either,
     {"BUILDKITE_COMMIT"},
     {"BUILDKITE_BRANCH"},
     {"BUILDKITE_PULL_REQUEST_BASE_BRANCH"},
     {"BUILDKITE_PULL_REQUEST"},
     {"BUILDKITE_BUILD_URL"}},
    {"Woodpecker",
     "CI",
     "woodpecker",
     RequestCheckout::either,
     {"CI_COMMIT_SHA"},
     {"CI_COMMIT_SOURCE_BRANCH", "CI_COMMIT_BRANCH"},
     {"CI_COMMIT_TARGET_BRANCH"},
     {"CI_COMMIT_PULL_REQUEST"},
     {"CI_PIPELINE_URL"}},
    {"Jenkins",
     "JENKINS_URL",
     "",
     RequestCheckout::either,
     {"GIT_COMMIT"},
     {"CHANGE_BRANCH", "BRANCH_NAME"},
     {"CHANGE_TARGET"},
     {"CHANGE_ID"},
     {"BUILD_URL"}},
    {"GitHub",
     "",
     "",
     RequestCheckout::merge,
     {"GITHUB_SHA"},
     {"GITHUB_HEAD_REF", "GITHUB_REF_NAME"},
     {"GITHUB_BASE_REF"},
     {"GITHUB_REF"},
     {}},
    {"GitLab",
     "",
     "",
     RequestCheckout::merge,
     {"CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", "CI_COMMIT_SHA"},
     {"CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_COMMIT_REF_NAME"},
     {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME"},
     {"CI_MERGE_REQUEST_IID"},
     {"CI_JOB_URL"}},
}};

// Empty where the service does not say it.
struct CiJob {
  std::string service;  // empty: this is no job of a service that is known
  RequestCheckout checkout = RequestCheckout::merge;
  std::string commit;
  std::string branch;
  std::string base_branch;
  std::string request;  // its number
  std::string build;

  bool is_of_request() const { return !base_branch.empty() || !request.empty(); }
};

// `variables` is the environment.
CiJob ci_job(const std::map<std::string, std::string>& variables);

// What was there before all that a job is about, as its service says it: below the group of a merge queue, where a push
// found its branch, what a merge train or a merged result puts a request on. The commits from there to the one at hand
// are judged together, so that none of them passes unmeasured.
struct CommitBefore {
  std::string sha;           // full; empty: it is not known
  std::string what;          // "the base of the merge queue's group (merge_group.base_sha)"
  std::string trouble = {};  // why it is not known of a job that should have one; a part of a sentence
};
// Of GITHUB_EVENT_NAME and the event's file, or CI_COMMIT_BEFORE_SHA and CI_MERGE_REQUEST_TARGET_BRANCH_SHA.
CommitBefore commit_before(const std::map<std::string, std::string>& variables);

// The file of GITHUB_EVENT_PATH. Error (input): it cannot be read, or is of more than 32 MiB.
Result<std::string> read_github_event(const std::string& file);

}  // namespace steelyard::ci
