#include "ci/app/store_client.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "bench/model/text.hpp"
#include "bench/runner/secrets.hpp"
#include "storage/document/json.hpp"

namespace steelyard::ci {
namespace {

using storage::JsonDocument;
using storage::JsonValue;
using storage::StoreService;

constexpr const char* kTokenVariable = "STEELYARD_TOKEN";
constexpr const char* kTokenFileVariable = "STEELYARD_TOKEN_FILE";
constexpr std::size_t kLongestTokenText = 16 * 1024;
constexpr std::size_t kMaxScopesTold = 100;
// What this program asks; a service tells with its version which it answers.
constexpr std::int64_t kQuestionsVersion = 1;
constexpr Nanoseconds kRequestTime = seconds(30);
// Longer than the service lets one statement of a put take. A put of several may outlast it: the next try then waits
// for the first, and finds what it left.
constexpr Nanoseconds kPutTime = seconds(75);
constexpr double kSecondsPerMebibyte = 1;  // more, of what is sent or fetched
constexpr std::size_t kMebibyte = std::size_t{1} << 20;
constexpr std::size_t kLargestArchive = 256 * kMebibyte;
constexpr std::size_t kToldAlertCharacters = 12;
constexpr const char* kTokenFix = "an owner issues one: steelyard serve token NAME --scopes read,submit";

// Of a run or an alert. It is a part of a path, and of an answer: what is none would name another path there.
bool is_id(const std::string& text) { return !text.empty() && is_hex(text); }
constexpr const char* kIdWanted = "hexadecimal digits in small letters";

std::string variable_of(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Empty where no variable gives a token.
Result<std::string> read_token() {
  std::string where = std::string("$") + kTokenVariable;
  std::string token = variable_of(kTokenVariable);
  if (const std::string file = variable_of(kTokenFileVariable); token.empty() && !file.empty()) {
    where = file;
    std::ifstream stream(file, std::ios::binary);
    if (!stream) return input_error(std::string("$") + kTokenFileVariable, file + ", which cannot be read", "a file");
    token.resize(kLongestTokenText + 1);
    stream.read(token.data(), static_cast<std::streamsize>(token.size()));
    token.resize(static_cast<std::size_t>(stream.gcount()));
    while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
    if (token.empty()) return input_error(where, "nothing", "a token", kTokenFix);
  }
  // Whatever it holds is not shown.
  const bool is_plain = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (is_plain && token.size() <= kLongestTokenText) return token;
  return input_error(where, "what is no token", "one line of letters, digits and signs", kTokenFix);
}

class StoreClient : public StoreService {
 public:
  StoreClient(std::string address, std::string token, ApiTransport transport)
      : address_(std::move(address)), token_(std::move(token)), transport_(std::move(transport)) {}
  ~StoreClient() override { bench::wipe(token_); }
  StoreClient(const StoreClient&) = delete;
  StoreClient& operator=(const StoreClient&) = delete;

  std::string name() const override { return address_; }

  Result<void> greet() {
    const ApiOutcome outcome = call({"GET", "/api/v1/session"});
    if (!outcome.is_done()) return refusal_of(outcome);
    const Result<JsonDocument> document = JsonDocument::parse(outcome.body, address_);
    if (!document || document->root().names().empty() || !document->root().at("version").is_text()) {
      return store_error(where(), "another server's answer", "Steelyard's service", "see the address");
    }
    const JsonValue root = document->root();
    for (const std::string& scope : root.at("scopes").texts(kMaxScopesTold)) scopes_.insert(scope);
    const JsonValue questions = root.at("questions");
    const std::int64_t version = questions.is_null() ? 0 : questions.integer(0, 1'000'000);
    if (version < kQuestionsVersion) {
      return store_error(where(), "a service of " + root.at("version").text() + ", which answers no command line",
                         "a newer one", "update the service, or name its database");
    }
    return {};
  }

  Result<std::string> ask(const std::string& question, const std::string& text) override {
    ApiCall asked{"POST", "/api/v1/questions/" + question, text};
    asked.most_answer_bytes = kLargestArchive;
    ApiOutcome outcome = call(asked, kLargestArchive);
    if (!outcome.is_done()) return refusal_of(outcome);
    return std::move(outcome.body);
  }

  Result<std::string> archive_of(const std::string& run) override {
    if (!is_id(run)) return input_error("run:" + run, "no id", kIdWanted);
    ApiCall asked{"GET", "/api/v1/runs/" + run + "/archive"};
    asked.most_answer_bytes = kLargestArchive;
    ApiOutcome outcome = call(asked, kLargestArchive);
    if (!outcome.is_done()) return refusal_of(outcome);
    return std::move(outcome.body);
  }

  Result<bool> put(Piece piece, const std::string& bytes) override {
    is_for_another_ = false;
    ApiCall sent{"POST", path_of(piece), bytes};
    if (piece == Piece::run) sent.type = "application/vnd.steelyard.run";
    const ApiOutcome outcome = call(sent, bytes.size(), kPutTime);
    if (!outcome.is_done()) return refusal_of_put(outcome);
    const auto read = [&]() -> Result<bool> {
      STEELYARD_TRY(const JsonDocument document, JsonDocument::parse(outcome.body, address_));
      const bool is_new = document.root().at("is_new").boolean();
      STEELYARD_CHECK(document.check());
      return is_new;
    };
    Result<bool> is_new = read();
    if (is_new) return is_new;
    return store_error(where(), is_new.error().text(), "whether it was new");
  }

  Result<void> act(const storage::AlertAct& act) override {
    if (!is_id(act.alert)) return store_error(where(), "an alert of the id \"" + act.alert + '"', kIdWanted);
    storage::JsonWriter body;
    body("who", act.who);
    if (!act.note.empty()) body("note", act.note);
    if (!act.commit.empty()) body("commit", act.commit);
    if (!act.until.empty()) body("until", act.until);
    if (act.kind == storage::AlertAct::Kind::assign) body("to", act.assignee);
    ApiCall sent{"POST", "/api/v1/alerts/" + act.alert + '/' + std::string(verb_of(act.kind)), body.one_line()};
    // A second one would be a second line of its life.
    sent.is_repeatable = false;
    const ApiOutcome outcome = call(sent);
    if (outcome.is_done()) return {};
    Error refusal = refusal_of(outcome);
    if (outcome.kind == ApiOutcome::Kind::lost) {
      refusal.fix = "it may have been done: steelyard alerts show " + act.alert.substr(0, kToldAlertCharacters);
    }
    return refusal;
  }

  bool refused_login() const override { return is_for_another_; }

 private:
  static const char* path_of(Piece piece) {
    switch (piece) {
      case Piece::run:
        return "/api/v1/runs";
      case Piece::comparison:
        return "/api/v1/comparisons";
      case Piece::commits:
        return "/api/v1/commits";
      case Piece::targets:
        break;
    }
    return "/api/v1/targets";
  }
  static std::string_view verb_of(storage::AlertAct::Kind kind) {
    switch (kind) {
      case storage::AlertAct::Kind::acknowledge:
        return "acknowledge";
      case storage::AlertAct::Kind::accept:
        return "accept";
      case storage::AlertAct::Kind::resolve:
        return "resolve";
      case storage::AlertAct::Kind::assign:
        return "assign";
      case storage::AlertAct::Kind::reopen:
        break;
    }
    return "reopen";
  }

  std::string where() const { return "store " + address_; }

  // bytes: that are sent or may come.
  ApiOutcome call(const ApiCall& call, std::size_t bytes = 0, Nanoseconds least = kRequestTime) {
    ApiPatience patience;
    patience.request =
        least + seconds(kSecondsPerMebibyte * static_cast<double>(bytes) / static_cast<double>(kMebibyte));
    patience.total = patience.request + patience.request;
    patience.silence = least;
    patience.seed = drawn_wait_seed();
    bench::Secret header(token_.empty() ? "" : "Authorization: Bearer " + token_);
    ServiceApi api(address_, std::move(header), {}, patience, transport_);
    return api.call(call);
  }

  bool is_of_content(const std::string& answer) const {
    const Result<JsonDocument> document = JsonDocument::parse(answer, address_);
    if (!document || document->root().at("content").is_null()) return false;
    const bool said = document->root().at("content").boolean();
    return document->check() && said;
  }

  // Input, by which what waits is set aside, where the service says that the content is at fault, and nothing else.
  // What another token may put waits for it.
  // What is above a limit, the service's or a proxy's, or newer than the service, waits on, and the rest goes on.
  Error refusal_of_put(const ApiOutcome& outcome) {
    constexpr int kNoToken = 401, kForbidden = 403, kNotThere = 404, kTooLarge = 413, kTooMany = 429;
    const int status = outcome.status;
    if (status == kForbidden) {
      is_for_another_ = scopes_.contains("submit");
      return store_error(where(), forbidden(outcome), "a token that may", fix_of(outcome));
    }
    const bool is_of_this =
        status >= 400 && status < 500 && status != kNoToken && status != kNotThere && status != kTooMany;
    if (!is_of_this || is_of_content(outcome.body)) return refusal_of(outcome);
    is_for_another_ = true;
    if (status != kTooLarge) {
      return store_error(where(), outcome.why, "what it takes", "update the service, or raise its limits");
    }
    // The service says its limit; what says nothing of the kind is a proxy before it.
    const std::string found = member_of(outcome.body, "found");
    if (found.empty()) {
      return store_error(where(), outcome.why, "what it takes", "raise the limit of the proxy before the service");
    }
    return store_error(where(), "a document of " + found, member_of(outcome.body, "wanted"),
                       "it waits for a database as the store, which takes larger ones; what comes after it goes on");
  }

  // A text of the answer's object; empty: it has none of that name.
  std::string member_of(const std::string& answer, const char* member) const {
    const Result<JsonDocument> document = JsonDocument::parse(answer, address_);
    const bool has = document && document->root().at(member).is_text();
    return has ? document->root().at(member).text() : std::string();
  }

  std::string forbidden(const ApiOutcome& outcome) const { return '"' + member_of(outcome.body, "detail") + '"'; }
  // The service knows which scope is lacking.
  std::string fix_of(const ApiOutcome& outcome) const {
    const std::string fix = member_of(outcome.body, "fix");
    return fix.empty() ? kTokenFix : fix;
  }

  Error refusal_of(const ApiOutcome& outcome) const {
    constexpr int kNoToken = 401, kForbidden = 403, kNotThere = 404, kTooLarge = 413;
    const auto said = [&](const char* member) { return member_of(outcome.body, member); };
    if (outcome.status == kNoToken && token_.empty()) {
      return store_error(where(), "no token", std::string("$") + kTokenVariable + " or $" + kTokenFileVariable,
                         kTokenFix);
    }
    if (outcome.status == kNoToken) {
      return store_error(where(), "a token that is none now: unknown, expired or revoked", "a good one", kTokenFix);
    }
    // Asking again changes nothing.
    if (outcome.status == kForbidden)
      return input_error(where(), forbidden(outcome), "a token that may", fix_of(outcome));
    if (outcome.status == kTooLarge) {
      return input_error(where(), outcome.why, "no more than the service takes", "ask for less at once");
    }
    const bool is_of_caller = outcome.status >= 400 && outcome.status < 500 && outcome.status != 429;
    if (is_of_caller && !said("where").empty()) {
      return input_error(said("where"), said("found"), said("wanted"), said("fix"));
    }
    if (outcome.status == kNotThere) {
      return store_error(where(), outcome.why, "a service that answers the command line", "update the service");
    }
    return store_error(where(), outcome.why, "its answer", "");
  }

  std::string address_;
  std::string token_;
  ApiTransport transport_;
  std::set<std::string, std::less<>> scopes_;
  bool is_for_another_ = false;
};

}  // namespace

bool has_store_token() { return !variable_of(kTokenVariable).empty() || !variable_of(kTokenFileVariable).empty(); }

Result<std::unique_ptr<StoreService>> connect_to_service(const std::string& address, ApiTransport transport) {
  STEELYARD_TRY(std::string token, read_token());
  auto client = std::make_unique<StoreClient>(address, std::move(token), std::move(transport));
  STEELYARD_CHECK(client->greet());
  return std::unique_ptr<StoreService>(std::move(client));
}

}  // namespace steelyard::ci
