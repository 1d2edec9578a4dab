// steelyard accepted: which changes people with write access have accepted on a pull or merge request, for gate.
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "ci/grammar/verb.hpp"
#include "ci/publish/accepting.hpp"
#include "ci/publish/github.hpp"
#include "ci/publish/gitlab.hpp"
#include "ci/verbs/service_options.hpp"

namespace steelyard::ci {
namespace {

struct AcceptedOptions {
  std::string service;
  ServiceOptions call;
  std::filesystem::path output;
};

// A push of a commit that came by no request accepts nothing, and there is nothing to tell of it.
RequestAcceptances of_no_request(const WrittenPart& trouble) {
  if (trouble.state == WrittenPart::State::left) return {};
  return {{}, {"nothing is accepted on a request: " + trouble.text}, trouble.state};
}

Result<RequestAcceptances> read_from_github(const ServiceOptions& options) {
  STEELYARD_TRY(GithubPlace place, github_place(options.place));
  STEELYARD_TRY(bench::Secret token, github_token(options));
  ServiceApi api = github_api(place, std::move(token), patience_of(options));
  if (!place.pull && !place.is_workflow_run) place.pull = merged_on_github(api, place);
  if (const std::optional<WrittenPart> trouble = find_pull(api, place)) {
    return of_no_request(*trouble);
  }
  return accepted_on_github(api, place);
}

Result<RequestAcceptances> read_from_gitlab(const ServiceOptions& options) {
  STEELYARD_TRY(GitlabPlace place, gitlab_place(options.place));
  STEELYARD_TRY(bench::Secret token, gitlab_token(options));
  ServiceApi api = gitlab_api(place, std::move(token), patience_of(options));
  if (!place.request) place.request = merged_on_gitlab(api, place);
  return place.request ? accepted_on_gitlab(api, place) : RequestAcceptances();
}

Result<ExitCode> run_accepted(const AcceptedOptions& options, const App& app) {
  STEELYARD_TRY(const RequestAcceptances accepted,
                options.service == "github" ? read_from_github(options.call) : read_from_gitlab(options.call));
  const std::string document = accepted_document(accepted);
  if (!options.output.empty()) STEELYARD_CHECK(write_text_file(options.output, document));
  if (app.common.json) {
    app.print(document);
  } else {
    for (const RequestAcceptance& one : accepted.accepted) {
      app.print(printable_line(one.text, true) + "  (" + one.where + " by " + printable_line(one.by, true) + ")\n");
    }
    if (accepted.accepted.empty()) app.print("nothing was accepted\n");
    for (const std::string& note : accepted.notes) app.note(note);
  }
  if (!accepted.refused.empty()) app.warn(accepted.refused);
  if (accepted.state == WrittenPart::State::failed) return ExitCode::bad_input;
  return accepted.state == WrittenPart::State::away ? ExitCode::store_away : ExitCode::success;
}

}  // namespace

Verb accepted_verb() {
  const auto options = std::make_shared<AcceptedOptions>();
  Verb verb = make_verb(
      options, run_accepted, "accepted",
      "Reads which changes are accepted on a pull or merge request itself, by a comment with a line Perf-accept: "
      "PATTERN REASON or by a label Perf-accept: PATTERN, of people who may write to the repository: the service is "
      "asked of each. Of a push it is the request by whose merge the commit came. SERVICE: github or gitlab. gate and "
      "compare take the file by --accepted. Status 0: all was read; "
      "3: the service refuses it; 5: the service is away.",
      "  steelyard accepted github --output accepted.json && steelyard gate --accepted accepted.json");
  verb.names = {"SERVICE"};
  verb.first_names = {"github", "gitlab"};
  verb.min_names = 1;
  verb.take = [options](Words words) -> Result<void> {
    options->service = std::move(words.names[0]);
    if (options->service == "github" || options->service == "gitlab") return {};
    return input_error("steelyard accepted", '"' + options->service + '"', "github or gitlab");
  };
  verb.add(output_option("--output", "FILE", options->output, "write what was accepted there, for --accepted"));
  add_service_options(verb, options->call);
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci
