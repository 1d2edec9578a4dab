// The program itself: started, asked, killed and ended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "storage/access_store.hpp"
#include "storage/archive/archive.hpp"
#include "storage/store.hpp"
#include "tests/ci/service/http_client.hpp"
#include "tests/ci/service/test_certificates.hpp"
#include "tests/promised.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::ci::serve_test {
namespace {

using ::testing::HasSubstr;

// A program with its standard output in a pipe; killed with its object.
class Program {
 public:
  explicit Program(std::vector<std::string> arguments) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::dup2(ends[1], STDERR_FILENO);
      ::close(ends[0]);
      arguments.insert(arguments.begin(), STEELYARD_PROGRAM);
      std::vector<char*> words;
      for (std::string& one : arguments) words.push_back(one.data());
      words.push_back(nullptr);
      ::execv(words[0], words.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    out_ = ends[0];
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (process_ > 0) end(SIGKILL);
    ::close(out_);
  }
  std::string read_until(const std::string& text) {
    std::string read;
    std::array<char, 4096> piece{};
    for (ssize_t count = 1; read.find(text) == read.npos && count > 0;) {
      count = ::read(out_, piece.data(), piece.size());
      if (count > 0) read.append(piece.data(), static_cast<std::size_t>(count));
    }
    return read;
  }
  pid_t process() const { return process_; }
  // The exit status; of who was killed 128 and the signal.
  int end(int signal) {
    if (signal != 0) ::kill(process_, signal);
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t process_ = -1;
  int out_ = -1;
};

std::uint16_t started_on(Program& program) {
  const std::string said = program.read_until("#key=");
  const std::size_t at = said.find("listening on ");
  EXPECT_NE(at, said.npos) << said;
  return at == said.npos ? std::uint16_t{0} : port_of(said.substr(at, said.find('\n', at) - at));
}

class Serve : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto url = storage_test::migrated_database();
    STEELYARD_SKIP_WITHOUT("postgresql", url, storage_test::kNoServer);
    state_ = storage_test::fresh_state_folder();
    url_ = *url;
    setenv("STEELYARD_STATE", state_.c_str(), 1);
    setenv("STEELYARD_STORE", url_.c_str(), 1);
  }
  std::string token(const std::string& scopes) {
    Program issue({"serve", "token", "a test", "--scopes", scopes, "--quiet"});
    std::string text = issue.read_until("\n");
    EXPECT_EQ(issue.end(0), 0);
    if (!text.empty()) text.pop_back();
    return text;
  }
  std::string url_;
  std::filesystem::path state_;
};

TEST_F(Serve, PrintsAnObjectOnDemandOfEachThingThatIsDoneToTokens) {
  const auto said = [](std::vector<std::string> words) {
    words.insert(words.begin(), "serve");
    words.insert(words.end(), {"--json", "--quiet"});
    Program program(words);
    const std::string text = program.read_until("\n}\n");
    EXPECT_EQ(program.end(0), 0) << text;
    return nlohmann::json::parse(text);
  };
  const auto issued = said({"token", "a test", "--scopes", "read"});
  EXPECT_EQ(issued.at("schema"), "steelyard.issued_token/1");
  const auto listed = said({"tokens"});
  EXPECT_EQ(listed.at("schema"), "steelyard.tokens/1");
  EXPECT_EQ(listed.at("tokens").at(0), issued.at("token"));
  const auto rotated = said({"rotate", issued.at("token").at("id"), "--grace-hours", "1"});
  EXPECT_NE(rotated.at("secret"), issued.at("secret"));
  EXPECT_TRUE(rotated.at("old_expires_at").is_string());
  EXPECT_EQ(said({"revoke", rotated.at("token").at("id")}).at("was_good"), true);
}

TEST_F(Serve, LosesNoRunWhereOneOfTwoProcessesIsKilled) {
  Program first({"serve", "--listen", "127.0.0.1:0"}), second({"serve", "--listen", "127.0.0.1:0"});
  const std::uint16_t one = started_on(first);
  const std::uint16_t other = started_on(second);
  const Fields fields{{"Authorization", "Bearer " + token("submit")}, {"Content-Type", "application/octet-stream"}};
  std::vector<std::string> taken;
  for (int number = 1; number <= 6; ++number) {
    steelyard::Run run = storage_test::example_run(number);
    run.header.id.clear();
    storage::seal(run);
    const std::string archive = storage::encode_run(run);
    if (number == 4) {
      EXPECT_EQ(first.end(SIGKILL), 128 + SIGKILL);
    }
    HttpReply reply;
    if (number < 4) {
      reply = ask(one, "POST", "/api/v1/runs", fields, archive);
    } else {
      EXPECT_ANY_THROW(ask(one, "POST", "/api/v1/runs", fields, archive));
      reply = ask(other, "POST", "/api/v1/runs", fields, archive);
    }
    EXPECT_EQ(reply.status, 201) << reply.body;
    taken.push_back(run.header.id);
  }
  const Fields reader{{"Authorization", "Bearer " + token("read")}};
  for (const std::string& id : taken) EXPECT_EQ(ask(other, "GET", "/api/v1/runs/" + id, reader).status, 200) << id;
  EXPECT_EQ(second.end(SIGTERM), 0);
}

TEST_F(Serve, FinishesARunThatIsComingInWhenItIsToldToEnd) {
  Program program({"serve", "--listen", "127.0.0.1:0"});
  const std::uint16_t port = started_on(program);
  const std::string secret = token("submit");
  steelyard::Run run = storage_test::example_run(1);
  run.header.id.clear();
  storage::seal(run);
  const std::string archive = storage::encode_run(run);
  HttpClient client(port);
  client.send("POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + secret +
              "\r\nContent-Type: application/octet-stream\r\nExpect: 100-continue\r\nContent-Length: " +
              std::to_string(archive.size()) + "\r\n\r\n");
  ASSERT_THAT(client.receive_for(30'000, "\r\n\r\n"), HasSubstr("100 Continue"));
  client.send(archive.substr(0, 10));
  ASSERT_EQ(::kill(program.process(), SIGTERM), 0);
  ::usleep(500'000);
  client.send(archive.substr(10));
  EXPECT_EQ(client.receive().status, 201);
  EXPECT_EQ(program.end(0), 0);
}

TEST_F(Serve, ServesThePageToWhoOpensTheAddress) {
  Program program({"serve", "--listen", "127.0.0.1:0"});
  const std::uint16_t port = started_on(program);
  const HttpReply page = ask(port, "GET", "/", {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(page.status, STEELYARD_HAS_PAGE ? 200 : 404);
  if (STEELYARD_HAS_PAGE) {
    EXPECT_THAT(page.fields.at("content-security-policy"), HasSubstr("script-src 'self'"));
    EXPECT_THAT(page.fields.at("content-type"), HasSubstr("text/html"));
    EXPECT_EQ(ask(port, "GET", "/series/anything").body, ask(port, "GET", "/").body) << "the page's own places";
  }
  EXPECT_EQ(program.end(SIGINT), 0);
}

TEST_F(Serve, SpeaksTlsToWhomItsCertificateIsVouchedForAndToNobodyElse) {
  const TestAuthority authority(state_ / "authority"), stranger(state_ / "stranger");
  const std::string secret = token("read");
  constexpr long kHour = 3600;
  struct Case {
    const char* what;
    MadeCertificate served;
    std::filesystem::path vouching;
    int status;
    const char* said;
  };
  const std::vector<Case> cases{
      {"good", authority.issue(state_ / "good", "IP:127.0.0.1", kHour), authority.certificate(), 0, ""},
      {"of another name", authority.issue(state_ / "other", "DNS:steelyard.example,IP:127.0.0.2", kHour),
       authority.certificate(), 5, "127.0.0.1"},
      {"expired", authority.issue(state_ / "expired", "IP:127.0.0.1", -kHour), authority.certificate(), 5, "expired"},
      {"by a stranger", authority.issue(state_ / "unknown", "IP:127.0.0.1", kHour), stranger.certificate(), 5,
       "certificate"}};
  for (const Case& one : cases) {
    Program service({"serve", "--listen", "127.0.0.1:0", "--tls-certificate", one.served.certificate.string(),
                     "--tls-key", one.served.key.string()});
    const std::uint16_t port = started_on(service);
    setenv("SSL_CERT_FILE", one.vouching.c_str(), 1);
    setenv("STEELYARD_TOKEN", secret.c_str(), 1);
    Program client({"history", "--project", "all", "--store", "https://127.0.0.1:" + std::to_string(port)});
    const std::string said = client.read_until("\x01");
    EXPECT_EQ(client.end(0), one.status) << one.what << ": " << said;
    EXPECT_THAT(said, HasSubstr(one.said)) << one.what;
    unsetenv("SSL_CERT_FILE");
    unsetenv("STEELYARD_TOKEN");
    // Whoever speaks no TLS gets no answer.
    HttpClient plain(port);
    plain.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(plain.receive_for(2'000, "HTTP/").find("HTTP/1.1 200"), std::string::npos) << one.what;
    EXPECT_EQ(service.end(SIGTERM), 0) << one.what;
  }
}

TEST_F(Serve, SaysWhatIsWrongWithItsOptions) {
  const auto said = [](const std::vector<std::string>& options) {
    std::vector<std::string> words{"serve"};
    words.insert(words.end(), options.begin(), options.end());
    Program program(words);
    const std::string text = program.read_until("\x01");
    return std::to_string(program.end(0)) + ' ' + text;
  };
  EXPECT_THAT(said({"--listen", "8731"}), AllOf(::testing::StartsWith("3 "), HasSubstr("HOST:PORT")));
  EXPECT_THAT(said({"--listen", "192.0.2.1:1"}), AllOf(::testing::StartsWith("3 "), HasSubstr("--listen 192.0.2.1:1")));
  EXPECT_THAT(said({"--tls-key", "x"}), HasSubstr("--tls-certificate"));
  EXPECT_THAT(said({"--trust", "github:a/b=c"}), HasSubstr("--audience"));
  EXPECT_THAT(said({"token", "x"}), HasSubstr("--scopes"));
  EXPECT_THAT(said({"token", "x", "--scopes", "root"}), HasSubstr("\"root\""));
  for (const char* days : {"0", "3661", "100000"}) {
    EXPECT_THAT(said({"token", "x", "--scopes", "read", "--days", days}), HasSubstr("a whole number from 1 to 3660"));
  }
  for (const char* workers : {"0", "65", "100001"}) {
    EXPECT_THAT(said({"--workers", workers}), HasSubstr("a whole number from 1 to 64"));
  }
  EXPECT_THAT(said({"rotate", "x", "--grace-hours", "721"}), HasSubstr("a whole number from 0 to 720"));
  EXPECT_THAT(
      said({"--tls-certificate", "nope", "--tls-key", "x"}),
      AllOf(::testing::StartsWith("3 "), HasSubstr("--tls-certificate: found "), HasSubstr("nope: No such file")));
  EXPECT_THAT(said({"dance"}), HasSubstr("\"dance\""));
}

}  // namespace
}  // namespace steelyard::ci::serve_test
