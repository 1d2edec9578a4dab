#include "ci/git/ci_job.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "bench/model/text.hpp"
#include "storage/document/json.hpp"

namespace steelyard::ci {
namespace {

using Variables = std::map<std::string, std::string>;

std::string value_of(const Variables& variables, std::string_view name) {
  const auto found = name.empty() ? variables.end() : variables.find(std::string(name));
  return found == variables.end() ? std::string() : found->second;
}

std::string first_of(const Variables& variables, const CiService::Variables& names) {
  const std::string first = value_of(variables, names[0]);
  return first.empty() ? value_of(variables, names[1]) : first;
}

CiJob job_of(const CiService& service, const Variables& variables) {
  CiJob job{std::string(service.name),
            service.checkout,
            first_of(variables, service.commit),
            first_of(variables, service.branch),
            first_of(variables, service.base_branch),
            first_of(variables, service.request),
            first_of(variables, service.build)};
  // Buildkite's word for a build that is of no request.
  if (job.request == "false") job.request.clear();
  // GitHub names what it checked out: of a request's job that ref, else a branch or a tag.
  constexpr std::string_view kRefs = "refs/";
  constexpr std::string_view kPull = "refs/pull/";
  if (job.request.starts_with(kPull)) {
    job.request = job.request.substr(kPull.size(), job.request.find('/', kPull.size()) - kPull.size());
  } else if (job.request.starts_with(kRefs)) {
    job.request.clear();
  }
  return job;
}

bool is_job_of(const CiService& service, const Variables& variables) {
  if (!service.sign.empty()) {
    const std::string value = value_of(variables, service.sign);
    return service.value.empty() ? !value.empty() : value == service.value;
  }
  const CiJob job = job_of(service, variables);
  return !(job.commit + job.branch + job.base_branch + job.request + job.build).empty();
}

}  // namespace

CiJob ci_job(const Variables& variables) {
  const auto* const found = std::find_if(kCiServices.begin(), kCiServices.end(),
                                         [&](const CiService& service) { return is_job_of(service, variables); });
  return found == kCiServices.end() ? CiJob{} : job_of(*found, variables);
}

namespace {

constexpr std::uintmax_t kMaxEventBytes = std::uintmax_t{32} << 20U;  // GitHub's own bound is 25 MB

// `said`: as the service says it; all zeros of a new branch or tag, and of a pipeline that no push started.
CommitBefore before_as_said(std::string said, std::string what, const char* name) {
  constexpr std::size_t kMinHashDigits = 40;
  if (said.size() < kMinHashDigits || !is_hex(said))
    return {"", std::move(what), std::string(name) + " names no commit"};
  if (said.find_first_not_of('0') == std::string::npos) {
    return {"", std::move(what), std::string(name) + " names none"};
  }
  return {std::move(said), std::move(what)};
}

CommitBefore before_of_event(const Variables& variables) {
  const std::string name = value_of(variables, "GITHUB_EVENT_NAME");
  const bool is_queue = name == "merge_group";
  if (!is_queue && name != "push") return {};
  std::string what = is_queue ? "the base of the merge queue's group (merge_group.base_sha)"
                              : "what its branch was at before the push (before, of the event)";
  const std::string file = value_of(variables, "GITHUB_EVENT_PATH");
  if (file.empty()) return {"", std::move(what), "GITHUB_EVENT_PATH is not set"};
  const Result<std::string> text = read_github_event(file);
  if (!text) return {"", std::move(what), text.error().text()};
  const Result<storage::JsonDocument> event = storage::JsonDocument::parse(*text, file);
  if (!event) return {"", std::move(what), event.error().text()};
  const storage::JsonValue said =
      is_queue ? event->root().at("merge_group").at("base_sha") : event->root().at("before");
  if (!said.is_text()) return {"", std::move(what), "the event names none"};
  return before_as_said(said.text(), std::move(what), is_queue ? "merge_group.base_sha" : "the event's before");
}

}  // namespace

CommitBefore commit_before(const Variables& variables) {
  const CiJob job = ci_job(variables);
  if (job.service == "GitHub") return before_of_event(variables);
  if (job.service != "GitLab") return {};
  const char* const name = job.is_of_request() ? "CI_MERGE_REQUEST_TARGET_BRANCH_SHA" : "CI_COMMIT_BEFORE_SHA";
  std::string said = value_of(variables, name);
  if (said.empty()) return {};  // of a request that is measured without its target
  const std::string what =
      job.is_of_request() ? "what the request is merged into" : "what its branch was at before the push";
  return before_as_said(std::move(said), what + " (" + name + ')', name);
}

Result<std::string> read_github_event(const std::string& file) {
  std::error_code code;
  const std::uintmax_t bytes = std::filesystem::file_size(file, code);
  if (code) return input_error("GITHUB_EVENT_PATH", '"' + file + "\": " + code.message(), "the event's file");
  if (bytes > kMaxEventBytes) {
    return input_error("GITHUB_EVENT_PATH", std::to_string(bytes) + " bytes", "at most 32 MiB");
  }
  std::ifstream stream(file, std::ios::binary);
  return std::string{std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace steelyard::ci
