// The options of verbs that call a CI service's API: which one, of which request, with whose token, and for how long.
#pragma once

#include <string>

#include "bench/runner/secrets.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/http/service_api.hpp"
#include "ci/publish/own_comment.hpp"

namespace steelyard::ci {

struct ServiceOptions {
  NamedPlace place;
  std::string token_variable;
  ApiPatience patience;  // without a seed
};
void add_service_options(Verb& verb, ServiceOptions& options);

ApiPatience patience_of(const ServiceOptions& options);  // with a seed that is drawn

// The tokens' headers. Error (input): the variable is not set; `fix` says what to do.
Result<bench::Secret> github_token(const ServiceOptions& options);
Result<bench::Secret> gitlab_token(const ServiceOptions& options);

}  // namespace steelyard::ci
