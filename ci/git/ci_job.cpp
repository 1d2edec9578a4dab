#include "ci/git/ci_job.hpp"

#include <algorithm>

namespace steelyard::ci {
namespace {

using Environment = std::map<std::string, std::string>;

std::string value_of(const Environment& variables, std::string_view name) {
  const auto found = name.empty() ? variables.end() : variables.find(std::string(name));
  return found == variables.end() ? std::string() : found->second;
}

std::string first_of(const Environment& variables, const CiService::Variables& names) {
  const std::string first = value_of(variables, names[0]);
  return first.empty() ? value_of(variables, names[1]) : first;
}

CiJob job_of(const CiService& service, const Environment& variables) {
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

bool is_job_of(const CiService& service, const Environment& variables) {
  if (!service.sign.empty()) {
    const std::string value = value_of(variables, service.sign);
    return service.value.empty() ? !value.empty() : value == service.value;
  }
  const CiJob job = job_of(service, variables);
  return !(job.commit + job.branch + job.base_branch + job.request + job.build).empty();
}

}  // namespace

CiJob ci_job(const Environment& variables) {
  const auto* const found = std::find_if(kCiServices.begin(), kCiServices.end(),
                                         [&](const CiService& service) { return is_job_of(service, variables); });
  return found == kCiServices.end() ? CiJob{} : job_of(*found, variables);
}

}  // namespace steelyard::ci
