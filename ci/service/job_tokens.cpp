#include "ci/service/job_tokens.hpp"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "ci/http/http.hpp"
#include "storage/document/json.hpp"

namespace steelyard::ci {
namespace {

using storage::JsonDocument;
using storage::JsonValue;

constexpr std::int64_t kKeysHold = 3600;     // seconds; a new one that is not among them is asked for before
constexpr std::int64_t kKeysServe = 86'400;  // where the issuer does not answer
constexpr std::int64_t kBetweenQuestions = 60;
constexpr std::int64_t kLeeway = 60;           // that clocks may differ
constexpr std::int64_t kLongestLife = 86'400;  // of a token: what lives longer is none of a job
constexpr std::size_t kLongestToken = 16 * 1024;
constexpr std::size_t kMaxKeys = 100;
constexpr std::size_t kMaxAudiences = 20;
constexpr std::size_t kShortestModulus = 256;  // bytes: 2048 bits
constexpr std::size_t kLongestModulus = 1024;
constexpr const char* kGithub = "https://token.actions.githubusercontent.com";
constexpr std::string_view kBranchBegin = "refs/heads/";

std::optional<std::string> from_base64url(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    int value = 0;
    if (c >= 'A' && c <= 'Z')
      value = c - 'A';
    else if (c >= 'a' && c <= 'z')
      value = c - 'a' + 26;
    else if (c >= '0' && c <= '9')
      value = c - '0' + 52;
    else if (c == '-')
      value = 62;
    else if (c == '_')
      value = 63;
    else
      return std::nullopt;
    bits = (bits << 6U) | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>((bits >> static_cast<unsigned>(count)) & 0xffU);
  }
  return text.size() % 4 == 1 ? std::nullopt : std::optional(bytes);
}

template <class T, void (*release)(T*)>
struct Releasing {
  void operator()(T* value) const { release(value); }
};
template <class T, void (*release)(T*)>
using Owned = std::unique_ptr<T, Releasing<T, release>>;

const unsigned char* octets(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017, 8.2), which is all that either issuer signs with.
bool is_signed(std::string_view text, std::string_view signature, std::string_view modulus, std::string_view exponent) {
  const Owned<BIGNUM, BN_free> n(BN_bin2bn(octets(modulus), static_cast<int>(modulus.size()), nullptr));
  const Owned<BIGNUM, BN_free> e(BN_bin2bn(octets(exponent), static_cast<int>(exponent.size()), nullptr));
  const Owned<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free> build(OSSL_PARAM_BLD_new());
  if (!n || !e || !build || OSSL_PARAM_BLD_push_BN(build.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(build.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1) {
    return false;
  }
  const Owned<OSSL_PARAM, OSSL_PARAM_free> parameters(OSSL_PARAM_BLD_to_param(build.get()));
  const Owned<EVP_PKEY_CTX, EVP_PKEY_CTX_free> making(EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr));
  EVP_PKEY* made = nullptr;
  if (!parameters || !making || EVP_PKEY_fromdata_init(making.get()) != 1 ||
      EVP_PKEY_fromdata(making.get(), &made, EVP_PKEY_PUBLIC_KEY, parameters.get()) != 1) {
    return false;
  }
  const Owned<EVP_PKEY, EVP_PKEY_free> key(made);
  const Owned<EVP_MD_CTX, EVP_MD_CTX_free> context(EVP_MD_CTX_new());
  return context && EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), octets(signature), signature.size(), octets(text), text.size()) == 1;
}

struct TokenParts {
  std::string key;        // by which it says that it is signed
  std::string_view text;  // that is signed
  std::string signature;
  std::string claims;  // JSON
};

// The parts of a token; absent where it is none of the form that is taken: RS256, with a key's name.
std::optional<TokenParts> take_apart(std::string_view token) {
  const std::size_t first = token.find('.');
  const std::size_t second = first == token.npos ? token.npos : token.find('.', first + 1);
  if (second == token.npos || token.size() > kLongestToken || token.find('.', second + 1) != token.npos) return {};
  const auto header = from_base64url(token.substr(0, first));
  auto claims = from_base64url(token.substr(first + 1, second - first - 1));
  auto signature = from_base64url(token.substr(second + 1));
  if (!header || !claims || !signature) return {};
  const auto document = JsonDocument::parse(*header, "token");
  if (!document) return {};
  const std::string algorithm = document->root().at("alg").text();
  std::string key = document->root().at("kid").text();
  // What the header demands beyond this would have to be understood.
  const bool is_plain = document->root().at("crit").is_null();
  if (!document->check() || algorithm != "RS256" || key.empty() || !is_plain) return {};
  return TokenParts{std::move(key), token.substr(0, second), *std::move(signature), *std::move(claims)};
}

bool has_audience(const JsonValue& claim, const std::string& wanted) {
  if (claim.is_text()) return claim.text() == wanted;
  const std::vector<std::string> all = claim.texts(kMaxAudiences);
  return std::find(all.begin(), all.end(), wanted) != all.end();
}

bool is_good_at(const JsonValue& claims, std::int64_t now) {
  const std::int64_t end = claims.at("exp").integer(0, INT64_MAX / 2);
  const std::int64_t issued = claims.at("iat").integer(0, INT64_MAX / 2);
  const std::int64_t begin = claims.at("nbf").is_null() ? issued : claims.at("nbf").integer(0, INT64_MAX / 2);
  return now < end + kLeeway && begin <= now + kLeeway && issued <= now + kLeeway && end - issued <= kLongestLife;
}

// Empty where the job is of no branch, such as a tag's.
std::string branch_of(bool is_github, const JsonValue& claims) {
  const std::string ref = claims.at("ref").text();
  if (is_github) return ref.starts_with(kBranchBegin) ? ref.substr(kBranchBegin.size()) : "";
  return claims.at("ref_type").text() == "branch" ? ref : "";
}

// GitHub's "refs/pull/7/merge", GitLab's "refs/merge-requests/7/head".
std::string request_of(bool is_github, const JsonValue& claims) {
  const JsonValue ref = claims.at(is_github ? "ref" : "ref_path");
  const std::string_view begin = is_github ? "refs/pull/" : "refs/merge-requests/";
  const std::string text = ref.is_text() ? ref.text() : "";
  if (!text.starts_with(begin)) return "";
  return text.substr(begin.size(), text.find('/', begin.size()) - begin.size());
}

// The branch that the job is of, and whether it adds to that branch's history.
JobIdentity identity_of(const TrustedJobs& trusted, const JsonValue& claims) {
  JobIdentity job{trusted.repository, trusted.project, branch_of(trusted.is_github, claims), true};
  bool is_of_a_push = false;
  if (trusted.is_github) {
    const std::string event = claims.at("event_name").text();
    is_of_a_push = event == "push" || event == "schedule" || event == "workflow_dispatch";
  } else {
    const std::string source = claims.at("pipeline_source").text();
    is_of_a_push = source == "push" || source == "schedule" || source == "web";
  }
  const bool is_its_branch = !job.branch.empty() && (trusted.branch.empty() || job.branch == trusted.branch);
  job.is_request = !is_of_a_push || !is_its_branch;
  job.request = request_of(trusted.is_github, claims);
  return job;
}

}  // namespace

Result<TrustedJobs> parse_trust(const std::string& text) {
  const Error other =
      input_error("--trust", '"' + text + '"', "github:OWNER/NAME@BRANCH=PROJECT or gitlab:GROUP/NAME@BRANCH=PROJECT",
                  "see docs/operations/service.md");
  const std::size_t colon = text.find(':');
  const std::size_t equals = text.rfind('=');
  if (colon == text.npos || equals == text.npos || equals < colon || equals + 1 == text.size()) return other;
  TrustedJobs trusted;
  const std::string kind = text.substr(0, colon);
  trusted.is_github = kind == "github";
  if (!trusted.is_github && kind != "gitlab") return other;
  trusted.project = text.substr(equals + 1);
  std::string place = text.substr(colon + 1, equals - colon - 1);
  if (const std::size_t at = place.find('@'); at != place.npos) {
    trusted.branch = place.substr(at + 1);
    place.resize(at);
    if (trusted.branch.empty()) return other;
  }
  trusted.issuer = trusted.is_github ? kGithub : "https://gitlab.com";
  if (!trusted.is_github && (place.starts_with("https://") || place.starts_with("http://127.0.0.1:"))) {
    const std::size_t slash = place.find('/', place.find("//") + 2);
    if (slash == place.npos) return other;
    trusted.issuer = place.substr(0, slash);
    place.erase(0, slash + 1);
  }
  trusted.keys = trusted.issuer + (trusted.is_github ? "/.well-known/jwks" : "/oauth/discovery/keys");
  trusted.repository = place;
  const bool has_slash = place.find('/') != place.npos && place.front() != '/' && place.back() != '/';
  const bool is_plain = place.find_first_of(" :?#%\"\\") == place.npos;
  return has_slash && is_plain ? Result<TrustedJobs>(trusted) : other;
}

Result<void> check_distinct(const std::vector<TrustedJobs>& trusted) {
  for (auto one = trusted.begin(); one != trusted.end(); ++one) {
    const auto is_same = [&](const TrustedJobs& other) {
      return other.issuer == one->issuer && other.repository == one->repository && other.branch == one->branch;
    };
    if (std::none_of(trusted.begin(), one, is_same)) continue;
    return input_error("--trust", one->repository + (one->branch.empty() ? "" : '@' + one->branch) + " twice",
                       "each branch of a repository once", "leave one of them out");
  }
  return {};
}

JobTokens::JobTokens(std::vector<TrustedJobs> trusted, std::string audience, Fetch fetch)
    : trusted_(std::move(trusted)), audience_(std::move(audience)), fetch_(std::move(fetch)) {}

Result<std::map<std::string, JobTokens::Key>> JobTokens::parse_keys(const std::string& text) {
  STEELYARD_TRY(const JsonDocument document, JsonDocument::parse(text, "keys"));
  std::map<std::string, Key> keys;
  for (const JsonValue& one : document.root().at("keys").items(kMaxKeys)) {
    if (one.at("kty").text() != "RSA") continue;
    const auto modulus = from_base64url(one.at("n").text());
    const auto exponent = from_base64url(one.at("e").text());
    const bool is_strong = modulus && exponent && modulus->size() >= kShortestModulus &&
                           modulus->size() <= kLongestModulus && !exponent->empty() && exponent->size() <= 8;
    if (is_strong) keys[one.at("kid").text()] = {*modulus, *exponent};
  }
  STEELYARD_CHECK(document.check());
  return keys;
}

Result<std::optional<JobTokens::Key>> JobTokens::key_of(const std::string& address, const std::string& id,
                                                        std::int64_t now) {
  const auto known = [&id](const Keys& keys) {
    const auto found = keys.by_id.find(id);
    return found == keys.by_id.end() ? std::optional<Key>() : std::optional(found->second);
  };
  {
    const std::lock_guard lock(mutex_);
    Keys& keys = keys_[address];
    const std::optional<Key> key = known(keys);
    const std::int64_t age = now - keys.told_at;
    if (key && age < kKeysHold) return key;
    // A stranger who makes names up makes us ask no more often than that.
    if (keys.is_asking || now - keys.asked_at < kBetweenQuestions) {
      if (key && age < kKeysServe) return key;
      if (keys.told_at == keys.asked_at) return std::optional<Key>();  // the last question was answered
      return store_error(address, "no keys a moment ago", "an answer", "try again in a minute");
    }
    keys.asked_at = now;
    keys.is_asking = true;
  }
  const Result<std::string> text = fetch_(address);
  Result<std::map<std::string, Key>> parsed =
      text ? parse_keys(*text) : Result<std::map<std::string, Key>>(text.error());
  const std::lock_guard lock(mutex_);
  Keys& keys = keys_[address];
  keys.is_asking = false;
  if (!parsed) {
    const std::optional<Key> key = known(keys);
    if (key && now - keys.told_at < kKeysServe) return key;
    return store_error(address, parsed.error().text(), "a set of keys");
  }
  keys.by_id = std::move(parsed).value();
  keys.told_at = now;
  return known(keys);
}

const TrustedJobs* JobTokens::entry_of(const std::string& issuer, const std::string& repository,
                                       const std::string& branch) const {
  const TrustedJobs* best = nullptr;
  const auto rank = [&](const TrustedJobs& one) { return one.branch.empty() ? 1 : one.branch == branch ? 2 : 0; };
  for (const TrustedJobs& one : trusted_) {
    if (one.issuer != issuer || one.repository != repository) continue;
    if (best == nullptr || rank(one) > rank(*best)) best = &one;
  }
  return best;
}

Result<std::optional<JobIdentity>> JobTokens::identify(std::string_view token, std::int64_t now) {
  const std::optional<JobIdentity> none;
  const std::optional<TokenParts> parts = take_apart(token);
  if (!parts) return none;
  const Result<JsonDocument> document = JsonDocument::parse(parts->claims, "token");
  if (!document) return none;
  const JsonValue claims = document->root();
  const std::string issuer = claims.at("iss").text();
  // Who it is from and for is looked at before anything is asked of anybody.
  const bool is_github = issuer == kGithub;
  const std::string repository = claims.at(is_github ? "repository" : "project_path").text();
  const TrustedJobs* trusted = entry_of(issuer, repository, branch_of(is_github, claims));
  if (trusted == nullptr || !has_audience(claims.at("aud"), audience_) || !is_good_at(claims, now)) return none;
  JobIdentity job = identity_of(*trusted, claims);
  if (!document->check()) return none;
  STEELYARD_TRY(const std::optional<Key> key, key_of(trusted->keys, parts->key, now));
  if (!key || !is_signed(parts->text, parts->signature, key->modulus, key->exponent)) return none;
  return std::optional(std::move(job));
}

Result<std::string> fetch_over_https(const std::string& url) {
  HttpRequest request;
  request.url = url;
  request.timeout = seconds(10);
  HttpOutcome outcome = send(request);
  if (const auto* failure = std::get_if<HttpFailure>(&outcome)) return store_error(url, failure->text, "an answer");
  HttpAnswer& answer = std::get<HttpAnswer>(outcome);
  if (answer.status != 200) return store_error(url, "status " + std::to_string(answer.status), "200");
  return std::move(answer.body);
}

}  // namespace steelyard::ci
