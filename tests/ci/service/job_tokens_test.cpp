#include "ci/service/job_tokens.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>
#include <tuple>

#include "ci/service/web_server.hpp"
#include "tests/ci/service/test_certificates.hpp"
#include "tests/ci/service/token_issuer.hpp"

namespace steelyard::ci::job_tokens_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr std::int64_t kNow = 1'800'000'000;
constexpr const char* kAudience = "https://steelyard.example";

json push_claims() {
  return {{"iss", "https://token.actions.githubusercontent.com"},
          {"aud", kAudience},
          {"repository", "owner/name"},
          {"ref", "refs/heads/main"},
          {"event_name", "push"},
          {"iat", kNow - 10},
          {"nbf", kNow - 10},
          {"exp", kNow + 300}};
}

class JobTokensTest : public ::testing::Test {
 protected:
  JobTokensTest()
      : tokens_({parse_trust("github:owner/name@main=demo").value(),
                 parse_trust("gitlab:https://gitlab.example.org/group/name=other").value()},
                kAudience, [this](const std::string& url) -> Result<std::string> {
                  asked_.push_back(url);
                  if (is_away_) return store_error(url, "no connection");
                  return issuer_.keys(key_id_);
                }) {}
  std::optional<JobIdentity> identify(const json& claims) {
    return tokens_.identify(issuer_.token(claims), kNow).value();
  }
  Issuer issuer_;
  std::vector<std::string> asked_;
  std::string key_id_ = "one";
  bool is_away_ = false;
  JobTokens tokens_;
};

TEST_F(JobTokensTest, KnowAPushToTheBranchWhoseHistoryItIs) {
  const auto job = identify(push_claims());
  ASSERT_TRUE(job);
  EXPECT_EQ(job->project, "demo");
  EXPECT_EQ(job->branch, "main");
  EXPECT_FALSE(job->is_request);
  EXPECT_EQ(asked_, (std::vector<std::string>{"https://token.actions.githubusercontent.com/.well-known/jwks"}));
  EXPECT_TRUE(identify(push_claims()));
  EXPECT_EQ(asked_.size(), 1U) << "the keys are kept";
}

TEST_F(JobTokensTest, TakeEveryOtherJobOfTheRepositoryForARequest) {
  for (const auto& [name, value] :
       std::vector<std::pair<const char*, const char*>>{{"event_name", "pull_request"},
                                                        {"event_name", "pull_request_target"},
                                                        {"event_name", "issue_comment"},
                                                        {"event_name", "workflow_run"},
                                                        {"ref", "refs/heads/feature"},
                                                        {"ref", "refs/pull/7/merge"},
                                                        {"ref", "refs/tags/main"}}) {
    json claims = push_claims();
    claims[name] = value;
    const auto job = identify(claims);
    ASSERT_TRUE(job) << value;
    EXPECT_TRUE(job->is_request) << value;
    EXPECT_EQ(job->request, std::string(value).starts_with("refs/pull/") ? "7" : "") << value;
  }
}

TEST_F(JobTokensTest, KnowGitlabsJobsByItsOwnWords) {
  json claims{{"iss", "https://gitlab.example.org"},
              {"aud", {"x", kAudience}},
              {"project_path", "group/name"},
              {"ref", "main"},
              {"ref_type", "branch"},
              {"pipeline_source", "push"},
              {"iat", kNow},
              {"exp", kNow + 60}};
  const auto job = identify(claims);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->project, "other");
  EXPECT_FALSE(job->is_request);
  EXPECT_EQ(asked_.back(), "https://gitlab.example.org/oauth/discovery/keys");
  claims["pipeline_source"] = "merge_request_event";
  claims["ref_path"] = "refs/merge-requests/7/head";
  EXPECT_TRUE(identify(claims)->is_request);
  EXPECT_EQ(identify(claims)->request, "7");
  claims["pipeline_source"] = "push";
  claims["ref_type"] = "tag";
  EXPECT_TRUE(identify(claims)->is_request);
}

TEST_F(JobTokensTest, RefuseWhatIsNotForUsNotGoodNowOrOfSomebodyElse) {
  const std::vector<std::pair<const char*, json>> changes{{"aud", "https://elsewhere.example"},
                                                          {"aud", json::array()},
                                                          {"aud", nullptr},
                                                          {"iss", "https://evil.example"},
                                                          {"iss", nullptr},
                                                          {"repository", "owner/name2"},
                                                          {"repository", "Owner/name"},
                                                          {"exp", kNow - 100},
                                                          {"exp", nullptr},
                                                          {"exp", "1900000000"},
                                                          {"nbf", kNow + 1000},
                                                          {"iat", kNow + 1000},
                                                          {"iat", nullptr},
                                                          {"exp", kNow + 10'000'000},
                                                          {"exp", 1e300}};
  for (const auto& [name, value] : changes) {
    json claims = push_claims();
    claims[name] = value;
    EXPECT_FALSE(identify(claims)) << name << ' ' << value;
  }
  EXPECT_TRUE(asked_.empty()) << "nobody is asked for that";
}

TEST_F(JobTokensTest, RefuseWhatTheIssuerDidNotSign) {
  const Issuer other;
  EXPECT_FALSE(*tokens_.identify(other.token(push_claims()), kNow));
  const std::string good = issuer_.token(push_claims());
  EXPECT_TRUE(*tokens_.identify(good, kNow));
  json more = push_claims();
  more["event_name"] = "schedule";
  const std::string body = base64url(more.dump());
  EXPECT_FALSE(*tokens_.identify(good.substr(0, good.find('.') + 1) + body + good.substr(good.rfind('.')), kNow));
  EXPECT_FALSE(*tokens_.identify(good.substr(0, good.rfind('.') + 1), kNow)) << "no signature";
  for (const json& header : {json{{"alg", "none"}, {"kid", "one"}}, json{{"alg", "HS256"}, {"kid", "one"}},
                             json{{"alg", "RS256"}}, json{{"alg", "RS256"}, {"kid", "one"}, {"crit", {"x"}}}}) {
    EXPECT_FALSE(*tokens_.identify(issuer_.token(push_claims(), header), kNow)) << header;
  }
  for (const std::string& text : {std::string(), std::string("a.b"), std::string("..."), std::string("a.b.c.d"),
                                  std::string(100'000, '.'), good + "=", " " + good}) {
    EXPECT_FALSE(*tokens_.identify(text, kNow)) << text.substr(0, 20);
  }
}

TEST_F(JobTokensTest, AskForNewKeysNoMoreOftenThanOnceAMinute) {
  EXPECT_TRUE(identify(push_claims()));
  key_id_ = "two";
  const std::string rotated = issuer_.token(push_claims(), {{"alg", "RS256"}, {"kid", "two"}});
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(*tokens_.identify(rotated, kNow + 10));
  EXPECT_EQ(asked_.size(), 1U);
  EXPECT_TRUE(*tokens_.identify(rotated, kNow + 70));
  EXPECT_EQ(asked_.size(), 2U);
}

TEST_F(JobTokensTest, SayThatTheIssuerIsAway) {
  is_away_ = true;
  const auto trouble = tokens_.identify(issuer_.token(push_claims()), kNow);
  ASSERT_FALSE(trouble);
  EXPECT_EQ(trouble.error().kind, ErrorKind::store);
}

TEST_F(JobTokensTest, AskForTheKeysAgainAMinuteAfterTheIssuerWasAwayAndKeepTheOldOnes) {
  const std::string token = issuer_.token(push_claims());
  is_away_ = true;
  EXPECT_FALSE(tokens_.identify(token, kNow));
  const auto soon = tokens_.identify(token, kNow + 10);
  ASSERT_FALSE(soon) << "it is no bad token for that";
  EXPECT_EQ(soon.error().kind, ErrorKind::store);
  EXPECT_EQ(asked_.size(), 1U);
  is_away_ = false;
  EXPECT_TRUE(*tokens_.identify(token, kNow + 70));
  is_away_ = true;
  json later = push_claims();
  for (const char* time : {"iat", "nbf", "exp"}) later[time] = later[time].get<std::int64_t>() + 5000;
  for (const int seconds : {5000, 5010}) {
    const auto job = tokens_.identify(issuer_.token(later), kNow + seconds);
    ASSERT_TRUE(job) << job.error().text();
    EXPECT_TRUE(*job) << "the keys of an hour ago serve";
  }
}

TEST_F(JobTokensTest, AnswerOthersWhileTheIssuerTakesItsTime) {
  JobTokens* self = nullptr;
  const std::string token = issuer_.token(push_claims());
  JobTokens tokens({parse_trust("github:owner/name@main=demo").value()}, kAudience,
                   [&](const std::string&) -> Result<std::string> {
                     const auto beside = self->identify(token, kNow);
                     EXPECT_FALSE(beside);
                     if (!beside) {
                       EXPECT_EQ(beside.error().kind, ErrorKind::store);
                     }
                     return issuer_.keys("one");
                   });
  self = &tokens;
  EXPECT_TRUE(*tokens.identify(token, kNow));
}

TEST_F(JobTokensTest, AreOfTheEntryThatNamesTheirBranch) {
  JobTokens tokens({parse_trust("github:owner/name@main=demo").value(),
                    parse_trust("github:owner/name@next=new").value(), parse_trust("github:owner/name=rest").value()},
                   kAudience, [this](const std::string&) -> Result<std::string> { return issuer_.keys("one"); });
  for (const auto& [ref, project, is_request] :
       std::vector<std::tuple<const char*, const char*, bool>>{{"refs/heads/main", "demo", false},
                                                               {"refs/heads/next", "new", false},
                                                               {"refs/heads/else", "rest", false},
                                                               {"refs/pull/7/merge", "rest", true}}) {
    json claims = push_claims();
    claims["ref"] = ref;
    if (is_request) claims["event_name"] = "pull_request";
    const auto job = tokens.identify(issuer_.token(claims), kNow).value();
    ASSERT_TRUE(job) << ref;
    EXPECT_EQ(job->project, project) << ref;
    EXPECT_EQ(job->is_request, is_request) << ref;
  }
}

TEST(ParseTrust, TakesEachBranchOfARepositoryOnce) {
  const auto main_branch = parse_trust("github:owner/name@main=demo").value();
  EXPECT_TRUE(check_distinct({main_branch, parse_trust("github:owner/name@next=demo").value(),
                              parse_trust("github:owner/name=demo").value(),
                              parse_trust("gitlab:owner/name@main=demo").value()}));
  EXPECT_THAT(check_distinct({main_branch, parse_trust("github:owner/name@main=other").value()}).error().text(),
              HasSubstr("owner/name@main twice"));
}

TEST(ParseTrust, NamesARepositoryItsBranchAndTheProject) {
  const auto trusted = parse_trust("github:owner/name@release/1.x=demo");
  ASSERT_TRUE(trusted);
  EXPECT_EQ(trusted->repository, "owner/name");
  EXPECT_EQ(trusted->branch, "release/1.x");
  EXPECT_EQ(trusted->project, "demo");
  EXPECT_EQ(parse_trust("gitlab:a/b/c=p")->issuer, "https://gitlab.com");
  for (const char* bad :
       {"", "github", "github:owner=p", "github:owner/name", "github:owner/name=", "github:owner/name@=p",
        "bitbucket:a/b=p", "gitlab:http://gitlab.example.org/a/b=p", "github:/name=p", "github:a/b?x=p"}) {
    EXPECT_THAT(parse_trust(bad).error().text(), HasSubstr("--trust")) << bad;
  }
}

// An issuer's server: the same answer to everything.
class KeyServer : public WebHandler {
 public:
  KeyServer(std::string text, const MadeCertificate& made) : text_(std::move(text)) {
    WebOptions options;
    options.certificate = made.certificate;
    options.key = made.key;
    options.folder = ::testing::TempDir();
    auto listening = WebServer::listen(options, *this);
    if (!listening) throw std::runtime_error(listening.error().text());
    server_.emplace(std::move(listening).value());
    thread_ = std::thread([this] { static_cast<void>(server_->run(&stop_)); });
  }
  ~KeyServer() override {
    stop_ = true;
    thread_.join();
  }
  std::string address() const { return server_->address(); }
  std::pair<BodyPlan, WebAnswer> admit(std::size_t, const WebRequest&) override { return {{}, WebAnswer{413, {}}}; }
  WebAnswer answer(std::size_t, const WebRequest&) override {
    return {200, {}, std::make_shared<const std::string>(text_)};
  }
  WebAnswer refusal(int status, const std::string&, const std::string&) override { return WebAnswer{status, {}}; }

 private:
  std::string text_;
  std::optional<WebServer> server_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

TEST(JobTokensOverHttps, TakeKeysFromAnIssuerWhoseCertificateIsVouchedForAlone) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "issuers";
  std::filesystem::create_directories(folder);
  const TestAuthority authority(folder / "authority");
  constexpr long kHour = 3600;
  for (const auto& [what, names, seconds, is_good] : std::vector<std::tuple<const char*, const char*, long, bool>>{
           {"good", "IP:127.0.0.1", kHour, true},
           {"of another name", "DNS:gitlab.example.org", kHour, false},
           {"expired", "IP:127.0.0.1", -kHour, false}}) {
    const Issuer issuer;
    const KeyServer server(issuer.keys(), authority.issue(folder / "server", names, seconds));
    JobTokens tokens({parse_trust("gitlab:" + server.address() + "/group/name=other").value()}, kAudience,
                     fetch_over_https);
    const std::string token = issuer.token({{"iss", server.address()},
                                            {"aud", kAudience},
                                            {"project_path", "group/name"},
                                            {"ref", "main"},
                                            {"ref_type", "branch"},
                                            {"pipeline_source", "push"},
                                            {"iat", kNow - 10},
                                            {"nbf", kNow - 10},
                                            {"exp", kNow + 300}});
    setenv("SSL_CERT_FILE", authority.certificate().c_str(), 1);
    const auto job = tokens.identify(token, kNow);
    unsetenv("SSL_CERT_FILE");
    if (is_good) {
      ASSERT_TRUE(job) << job.error().text();
      ASSERT_TRUE(*job) << what;
      EXPECT_EQ((*job)->project, "other");
    } else {
      ASSERT_FALSE(job) << what;
      EXPECT_EQ(job.error().kind, ErrorKind::store) << "its own tokens are good later";
    }
  }
}

}  // namespace
}  // namespace steelyard::ci::job_tokens_test
