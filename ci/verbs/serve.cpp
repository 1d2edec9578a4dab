// steelyard serve: the HTTP service over the store until it is told to end, and the tokens it takes.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <memory>
#include <thread>

#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/settings.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/report/store.hpp"
#include "ci/service/service.hpp"
#include "ci/verbs/db.hpp"
#include "storage/access_store.hpp"
#include "storage/store.hpp"

namespace steelyard::ci {
namespace {

// More answers at once than processors make each of them later; two, so that one that takes long leaves another.
constexpr int kMaxWorkers = 64;
int usual_workers() {
  return static_cast<int>(std::clamp<unsigned>(std::thread::hardware_concurrency(), 2, kMaxWorkers));
}

struct ServeOptions {
  enum class Action { serve, token, tokens, revoke, rotate };
  Action action = Action::serve;
  std::string name;  // with token: what it is for; with revoke and rotate: its public id
  std::string listen = "127.0.0.1:8731";
  bool is_public = false;
  std::filesystem::path certificate;
  std::filesystem::path key;
  int rate = 100;
  int workers = usual_workers();
  std::vector<std::string> trusted;  // CI jobs, as they were typed
  std::string audience;
  std::vector<std::string> embedders;
  // With token:
  std::vector<std::string> scopes;
  std::string project;
  int days = 90;
  int grace_hours = 0;  // with rotate
};

// Of one address, where others than a proxy of this machine come.
constexpr std::size_t kMaxConnectionsOfPeer = 128;
constexpr std::size_t kMaxStreamsOfPeer = 32;
constexpr int kRequestsAtOnce = 10;  // times those of a second

struct Place {
  std::string host;
  std::uint16_t port = 0;
};

// "127.0.0.1:8731", "[::1]:8731".
Result<Place> read_place(const std::string& text) {
  const Error other = input_error("--listen", '"' + text + '"', "HOST:PORT", "write 127.0.0.1:8731");
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return other;
  Place place{text.substr(0, colon), 0};
  if (place.host.starts_with('[') && place.host.ends_with(']'))
    place.host = place.host.substr(1, place.host.size() - 2);
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data() + colon + 1, end, place.port);
  if (code != std::errc() || stop != end || place.host.empty()) return other;
  return place;
}

bool is_loopback(const std::string& host) { return host == "localhost" || host == "::1" || host.starts_with("127."); }

// What whoever reads this terminal may do that others of this machine may not.
Result<std::string> new_key() {
  std::array<char, 32> entropy{};
  if (::getentropy(entropy.data(), entropy.size()) == 0) return hex_text({entropy.data(), entropy.size()});
  return bug_error("the system's entropy", std::strerror(errno));
}

Result<std::filesystem::path> body_folder() {
  std::filesystem::path folder = storage::state_folder() / "service";
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code || ::chmod(folder.c_str(), S_IRWXU) != 0) {
    return input_error(folder.string(), code ? code.message() : std::strerror(errno), "a folder for what is sent");
  }
  return folder;
}

Result<ExitCode> serve(const ServeOptions& options, const Configuration& configuration, const App& app) {
  STEELYARD_TRY(const Place place, read_place(options.listen));
  if (options.certificate.empty() != options.key.empty()) {
    return input_error("--tls-certificate, --tls-key", "one of them", "both, or neither");
  }
  ServingOptions service_options;
  STEELYARD_TRY(service_options.store, database_address(configuration));
  service_options.state = storage::state_folder();
  service_options.configuration = configuration;
  service_options.workers = static_cast<std::size_t>(options.workers);
  for (const std::string& text : options.trusted) {
    STEELYARD_TRY(TrustedJobs jobs, parse_trust(text));
    service_options.trusted.push_back(std::move(jobs));
  }
  STEELYARD_CHECK(check_distinct(service_options.trusted));
  service_options.audience = options.audience;
  if (!options.trusted.empty() && options.audience.empty()) {
    return input_error("--trust", "no --audience", "whom the jobs' tokens are for",
                       "give the service's own address, and have the jobs ask for it");
  }
  for (const std::string& origin : options.embedders) {
    const bool is_origin = (origin.starts_with("https://") || origin.starts_with("http://")) &&
                           origin.find_first_of(" ;,'\"\r\n", 0) == origin.npos;
    if (!is_origin) return input_error("--embed", '"' + origin + '"', "https://wiki.example");
  }
  service_options.embedders = options.embedders;
  service_options.is_encrypted = !options.certificate.empty();
  service_options.requests_a_second = options.rate;
  service_options.requests_at_once = kRequestsAtOnce * options.rate;
  Admission& admission = service_options.admission;
  admission.is_public = options.is_public;
  if (is_loopback(place.host)) {
    STEELYARD_TRY(admission.key, new_key());
  }
  // Delivers what waits, and says now what would be wrong with every request.
  {
    STEELYARD_TRY(storage::Store store, open_store(configuration, app));
    for (const TrustedJobs& jobs : service_options.trusted) {
      STEELYARD_CHECK(storage::AccessStore(store).prepare_limits(jobs.project));
    }
  }
  WebOptions http;
  http.host = place.host;
  http.port = place.port;
  http.workers = service_options.workers;
  if (!is_loopback(place.host)) {
    http.most_connections_of_peer = kMaxConnectionsOfPeer;
    http.most_streams_of_peer = kMaxStreamsOfPeer;
  }
  http.certificate = options.certificate;
  http.key = options.key;
  STEELYARD_TRY(http.folder, body_folder());
  const Cancellation cancellation;
  Service service(service_options);
  STEELYARD_CHECK(service.prepare());
  STEELYARD_TRY(WebServer server, WebServer::listen(http, service));
  service.attach(server);
  app.print("listening on " + server.address() + '\n');
  app.streams.out.flush();
  if (!admission.key.empty()) app.note("open " + server.address() + "/#key=" + admission.key);
  if (!is_loopback(place.host) && !service_options.is_encrypted) {
    app.warn(
        "tokens go over the network as they are: give --tls-certificate and --tls-key, or put a proxy with TLS "
        "in front");
  }
  const Result<void> done = server.run(cancellation.flag());
  service.detach();
  STEELYARD_CHECK(done);
  app.note("ended");
  return ExitCode::success;
}

Result<ExitCode> issue(const ServeOptions& options, const Configuration& configuration, const App& app) {
  storage::TokenRequest wanted{options.name, options.project, options.scopes, options.days, person_or_login("")};
  STEELYARD_TRY(storage::Store store, open_store(configuration, app));
  STEELYARD_TRY(const storage::IssuedToken issued, storage::AccessStore(store).issue_token(wanted));
  app.print(app.common.json ? json_issued(issued) : issued.secret + '\n');
  app.note("token " + issued.token.id + ", good until " + issued.token.expires_at + ": it is shown this once");
  if (!options.project.empty()) warn_of_unmeasured_project(options.project, store, app);
  return ExitCode::success;
}

Result<ExitCode> list_tokens(const Configuration& configuration, const App& app) {
  STEELYARD_TRY(storage::Store store, open_store(configuration, app));
  STEELYARD_TRY(const std::vector<storage::Token> tokens, storage::AccessStore(store).tokens());
  app.print(app.common.json ? json_tokens(tokens) : terminal_tokens(tokens));
  if (tokens.empty()) app.note("no token is good now");
  return ExitCode::success;
}

Result<ExitCode> revoke(const ServeOptions& options, const Configuration& configuration, const App& app) {
  STEELYARD_TRY(storage::Store store, open_store(configuration, app));
  STEELYARD_TRY(const bool done, storage::AccessStore(store).revoke_token(options.name, person_or_login("")));
  if (app.common.json) app.print(json_revoked(options.name, done));
  app.note(done ? "revoked" : "it was revoked before");
  return ExitCode::success;
}

Result<ExitCode> rotate(const ServeOptions& options, const Configuration& configuration, const App& app) {
  STEELYARD_TRY(storage::Store store, open_store(configuration, app));
  STEELYARD_TRY(
      const storage::IssuedToken issued,
      storage::AccessStore(store).rotate_token({options.name, options.days, options.grace_hours, person_or_login("")}));
  app.print(app.common.json ? json_issued(issued) : issued.secret + '\n');
  app.note("token " + issued.token.id + ", good until " + issued.token.expires_at + ": it is shown this once");
  app.note("token " + options.name +
           (options.grace_hours == 0
                ? " is good no more"
                : " is good for " + plural_text(options.grace_hours, "hour") + " yet, if it was to be so long"));
  return ExitCode::success;
}

Result<ExitCode> run_serve(const ServeOptions& options, const App& app) {
  STEELYARD_TRY(const Configuration configuration, effective_configuration(app));
  switch (options.action) {
    case ServeOptions::Action::token:
      return issue(options, configuration, app);
    case ServeOptions::Action::tokens:
      return list_tokens(configuration, app);
    case ServeOptions::Action::revoke:
      return revoke(options, configuration, app);
    case ServeOptions::Action::rotate:
      return rotate(options, configuration, app);
    case ServeOptions::Action::serve:
      break;
  }
  return serve(options, configuration, app);
}

Result<void> take_action(ServeOptions& options, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  const std::string& action = names[0];
  const bool is_named = action == "token" || action == "revoke" || action == "rotate";
  if (!is_named && action != "tokens") {
    return input_error("steelyard serve", '"' + action + '"', "token, tokens, rotate, revoke, or nothing to serve");
  }
  if (is_named != (names.size() > 1)) {
    return input_error("steelyard serve " + action, is_named ? "no name" : '"' + names[1] + '"',
                       action == "token" ? "what the token is for"
                       : is_named        ? "the public id of a token"
                                         : "nothing behind it");
  }
  options.action = action == "token"    ? ServeOptions::Action::token
                   : action == "revoke" ? ServeOptions::Action::revoke
                   : action == "rotate" ? ServeOptions::Action::rotate
                                        : ServeOptions::Action::tokens;
  if (is_named) options.name = names[1];
  if (options.action == ServeOptions::Action::token && options.scopes.empty()) {
    return input_error("steelyard serve token", "no --scopes", "read, submit, report, admin: one or several");
  }
  return {};
}

}  // namespace

Verb serve_verb() {
  const auto options = std::make_shared<ServeOptions>();
  Verb verb = make_verb(
      options, run_serve, "serve",
      "Serves the store over HTTP: the page, the API /api/v1 that it describes itself (/api/v1/openapi.json), "
      "/healthz, "
      "/readyz and /metrics. For this machine alone it prints an address with a key, which needs no set-up; every "
      "other "
      "request needs a token, unless --public lets anybody read. Ends in order on SIGTERM. `serve token NAME` issues "
      "a token and prints it this once, `serve tokens` lists them, `serve rotate ID` issues another in the place of "
      "one, `serve revoke ID` ends one "
      "(docs/operations/service.md).",
      "  steelyard serve\n"
      "  steelyard serve --listen 0.0.0.0:8731 --tls-certificate cert.pem --tls-key key.pem\n"
      "  steelyard serve token \"the runner of demo\" --scopes read,submit --project demo");
  verb.names = {"[ACTION]", "[NAME]"};
  verb.first_names = {"token", "tokens", "rotate", "revoke"};
  verb.take = [options](Words words) { return take_action(*options, words.names); };
  verb.add(text_option("--listen", "HOST:PORT", options->listen, "default: 127.0.0.1:8731; port 0: a free one"));
  verb.add(flag_option("--public", options->is_public, "anybody who reaches it may read, without a token"));
  verb.add(path_option("--tls-certificate", "FILE", options->certificate, "PEM, with its chain: serve HTTPS"));
  verb.add(path_option("--tls-key", "FILE", options->key, "the PEM key of that certificate"));
  verb.add(number_option("--rate", options->rate,
                         "requests a second of one token or address, ten times as many at once (default: 100)"));
  verb.add(
      number_option("--workers", options->workers,
                    "requests answered at once, each with a connection to the store (default: as many as there are "
                    "processors, at least 2; at most 64)",
                    {1, kMaxWorkers}));
  verb.add(repeated_option("--embed", "ORIGIN", options->embedders,
                           "whose pages may show ours in a frame: https://wiki.example; several times"));
  verb.add(repeated_option("--trust", "JOBS", options->trusted,
                           "take runs from CI jobs by their own tokens: github:OWNER/NAME@BRANCH=PROJECT or "
                           "gitlab:GROUP/NAME@BRANCH=PROJECT; several times"));
  verb.add(text_option("--audience", "TEXT", options->audience, "with --trust: whom their tokens must be for"));
  verb.add(list_option("--scopes", "SCOPES", options->scopes, "with token: read, submit, report, admin; by commas"));
  verb.add(text_option("--project", "NAME", options->project, "with token: the only project it is good for"));
  verb.add(number_option("--days", options->days, "with token and rotate: until it expires (default: 90, at most 3660)",
                         {1, storage::kMaxTokenDays}));
  verb.add(number_option("--grace-hours", options->grace_hours,
                         "with rotate: so long the old one is good yet (default: 0, at most 720)",
                         {0, storage::kMaxGraceHours}));
  add_key_options(verb, {{"store", "policy"}});
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci
