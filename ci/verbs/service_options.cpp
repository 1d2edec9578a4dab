#include "ci/verbs/service_options.hpp"

namespace steelyard::ci {
namespace {

VerbOption duration_option(const char* name, Nanoseconds& target, const std::string& help) {
  const auto set = [name, &target](const std::string& text) -> Result<void> {
    STEELYARD_TRY(target, parse_duration(text, name));
    return {};
  };
  return {name, "DURATION", help, kGeneralGroup, false, set};
}

Result<bench::Secret> token_of(const std::string& variable, std::string_view prefix, const std::string& fix) {
  bench::Secret token = bench::take_secret(variable, prefix);
  if (!token.empty()) return token;
  return input_error("$" + variable, "not set", "a token", fix);
}

std::string variable_of(const ServiceOptions& options, const char* usual) {
  return options.token_variable.empty() ? usual : options.token_variable;
}

}  // namespace

ApiPatience patience_of(const ServiceOptions& options) {
  ApiPatience patience = options.patience;
  patience.seed = drawn_wait_seed();
  return patience;
}

Result<bench::Secret> github_token(const ServiceOptions& options) {
  return token_of(variable_of(options, "GITHUB_TOKEN"), "Authorization: Bearer ",
                  "in the step: env: {GITHUB_TOKEN: ${{ github.token }}}");
}

Result<bench::Secret> gitlab_token(const ServiceOptions& options) {
  return token_of(variable_of(options, "STEELYARD_GITLAB_TOKEN"), "PRIVATE-TOKEN: ",
                  "a project access token with the scope api and the role Reporter, as a masked variable");
}

void add_service_options(Verb& verb, ServiceOptions& options) {
  verb.add(text_option("--api", "ADDRESS", options.place.api, "the service's API (default: as the CI job is told)"));
  verb.add(text_option("--repository", "NAME", options.place.repository, "OWNER/NAME, or GitLab's project"));
  verb.add(text_option("--request", "NUMBER", options.place.request, "the pull or merge request"));
  verb.add(text_option("--commit", "SHA", options.place.head, "its commit"));
  verb.add(
      text_option("--token-variable", "NAME", options.token_variable,
                  "the environment variable that holds the token (default: GITHUB_TOKEN, STEELYARD_GITLAB_TOKEN)"));
  verb.add(duration_option("--timeout", options.patience.request, "of one request (default: 30s)"));
  verb.add(duration_option("--patience", options.patience.total,
                           "of all requests and the waits between them (default: 60s)"));
}

}  // namespace steelyard::ci
