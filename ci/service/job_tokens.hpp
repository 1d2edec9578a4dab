// Tokens that GitHub and GitLab give to a CI job (OpenID Connect): a job of a repository that the service was told to
// trust may send runs of one project, with no secret kept anywhere. What a job's token says of its branch is what its
// runs may say; what comes of a pull or merge request is kept and compared, and never a baseline.
//
//     STEELYARD_TRY(TrustedJobs trusted, parse_trust("github:owner/name@main=demo"));
//     JobTokens tokens({trusted}, "https://steelyard.example", fetch_over_https);
//     STEELYARD_TRY(std::optional<JobIdentity> job, tokens.identify(sent, now));
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"

namespace steelyard::ci {

struct TrustedJobs {
  std::string issuer;      // "https://token.actions.githubusercontent.com"
  std::string keys;        // address of its public keys
  std::string repository;  // "owner/name", as the issuer writes it
  std::string branch;      // whose jobs add to the history; empty: any branch's
  std::string project;     // of the runs
  bool is_github = false;  // else GitLab: what the claims are called
};
// "github:OWNER/NAME@BRANCH=PROJECT", "gitlab:GROUP/NAME@BRANCH=PROJECT" for gitlab.com, and with a server of one's own
// "gitlab:https://gitlab.example.org/GROUP/NAME@BRANCH=PROJECT"; "@BRANCH" may be left out. Error (input): other text.
Result<TrustedJobs> parse_trust(const std::string& text);
// Error (input): two are of one branch of one repository, so that the second would mean nothing.
Result<void> check_distinct(const std::vector<TrustedJobs>& trusted);

struct JobIdentity {
  std::string repository;
  std::string project;
  std::string branch;       // that the job is of; empty: of none, such as a tag
  bool is_request = false;  // of a pull or merge request, or of a branch that does not add to the history
  std::string request{};    // its number; empty: the claims say none
};

class JobTokens {
 public:
  // Error (store): the address gives no answer; its text is for the service's own messages.
  using Fetch = std::function<Result<std::string>(const std::string& url)>;
  JobTokens(std::vector<TrustedJobs> trusted, std::string audience, Fetch fetch);

  // Whose job sent it; absent where it is no token of a trusted job that is good now, whatever the reason. Error
  // (store): the issuer's keys cannot be had. now: seconds since 1970.
  Result<std::optional<JobIdentity>> identify(std::string_view token, std::int64_t now);
  bool is_empty() const { return trusted_.empty(); }

 private:
  struct Key {
    std::string modulus;  // bytes, the first one the most significant
    std::string exponent;
  };
  struct Keys {
    std::map<std::string, Key> by_id;
    std::int64_t asked_at = 0;  // of the last question, answered or not
    std::int64_t told_at = 0;   // of the last answer
    bool is_asking = false;
  };
  // The entry that a job of these claims is of: of its branch, else of any branch, else the first of its repository.
  const TrustedJobs* entry_of(const std::string& issuer, const std::string& repository,
                              const std::string& branch) const;
  // Of that name; absent where the issuer has none. Other threads do not wait while it is asked.
  Result<std::optional<Key>> key_of(const std::string& address, const std::string& id, std::int64_t now);
  static Result<std::map<std::string, Key>> parse_keys(const std::string& document);

  std::vector<TrustedJobs> trusted_;
  std::string audience_;
  Fetch fetch_;
  std::mutex mutex_;
  std::map<std::string, Keys> keys_;  // by address
};

// Over https with a verified certificate, or from this machine.
Result<std::string> fetch_over_https(const std::string& url);

}  // namespace steelyard::ci
