// Mail over TLS, to a server of a package of Debian's (tls_mail_server.py) with a certificate of the test's own.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "ci/publish/notifying.hpp"
#include "tests/promised.hpp"

namespace steelyard::ci::mail_over_tls_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHasServer = "/usr/bin/python3 -c 'import aiosmtpd.smtp' 2>/dev/null";
constexpr const char* kMakeCertificate =
    "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost "
    "-addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout key.pem -out cert.pem 2>/dev/null";

class MailOverTls : public ::testing::Test {
 protected:
  void SetUp() override {
    STEELYARD_SKIP_WITHOUT("openssl", std::system("openssl version >/dev/null 2>&1") == 0, "openssl is not installed");
    STEELYARD_SKIP_WITHOUT("aiosmtpd", std::system(kHasServer) == 0, "python3-aiosmtpd is not installed");
    std::string name = (std::filesystem::temp_directory_path() / "steelyard-mail-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    ASSERT_EQ(std::system(("cd '" + name + "' && " + kMakeCertificate).c_str()), 0);
    setenv("SSL_CERT_FILE", (folder_ / "cert.pem").c_str(), 1);
    setenv("STEELYARD_SMTP_USER", "ci", 1);
    setenv("STEELYARD_SMTP_PASSWORD", "a mail password", 1);
    setenv("STEELYARD_MAIL_FROM", "ci@example.org", 1);
  }
  void TearDown() override {
    // The server goes as its input ends.
    if (server_ != nullptr) pclose(server_);
    for (const char* variable : {"SSL_CERT_FILE", "STEELYARD_SMTP_URL", "STEELYARD_SMTP_USER",
                                 "STEELYARD_SMTP_PASSWORD", "STEELYARD_MAIL_FROM"}) {
      unsetenv(variable);
    }
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  // Starts the server, and sets $STEELYARD_SMTP_URL.
  void start(const std::string& how, const std::string& scheme) {
    const std::string script = std::string(STEELYARD_DOCS) + "/../tests/ci/publish/tls_mail_server.py";
    server_ = popen(("/usr/bin/python3 '" + script + "' '" + folder_.string() + "' " + how).c_str(), "w");
    ASSERT_NE(server_, nullptr);
    for (int i = 0; i < 400 && !std::filesystem::exists(folder_ / "port"); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    std::string port;
    std::ifstream(folder_ / "port") >> port;
    ASSERT_FALSE(port.empty()) << "no server";
    setenv("STEELYARD_SMTP_URL", (scheme + "127.0.0.1:" + port).c_str(), 1);
  }
  static Telling send_one() {
    NoticedAlert one;
    one.alert.id = std::string(64, 'a');
    one.alert.subject = {"shop", "main", "BM_x", "real_time"};
    one.alert.life = {{"opened", 1, "comparison:aa", std::string(40, 'b'), ""}};
    const auto places = take_notice_places();
    EXPECT_TRUE(places) << (places ? "" : places.error().text());
    ApiPatience patience;
    patience.tries = 1;
    return tell_by_mail(*places, {"0123", "shop", 1'700'000'000, {one}}, "kernels@example.org", patience);
  }
  nlohmann::json taken() const {
    std::ifstream stream(folder_ / "mail.json");
    return nlohmann::json::parse(stream, nullptr, false);
  }

  std::filesystem::path folder_;
  FILE* server_ = nullptr;
};

TEST_F(MailOverTls, LogsInAndSendsWhereTheConnectionBeginsInTls) {
  start("smtps", "smtps://");
  const Telling telling = send_one();
  ASSERT_TRUE(telling.is_told) << telling.part.text;
  EXPECT_EQ(telling.part.state, WrittenPart::State::written) << telling.part.text;
  EXPECT_EQ(taken()["from"], "ci@example.org");
  EXPECT_EQ(taken()["to"], nlohmann::json::array({"kernels@example.org"}));
}

TEST_F(MailOverTls, LogsInAndSendsWhereTheServerBeginsItWhenItIsAsked) {
  start("starttls", "smtp://");
  const Telling telling = send_one();
  ASSERT_TRUE(telling.is_told) << telling.part.text;
  EXPECT_THAT(taken()["text"].get<std::string>(), HasSubstr("Subject: "));
}

TEST_F(MailOverTls, GivesNothingToAServerWhoseCertificateNobodyVouchesFor) {
  start("smtps", "smtps://");
  unsetenv("SSL_CERT_FILE");
  const Telling telling = send_one();
  EXPECT_FALSE(telling.is_told);
  EXPECT_EQ(telling.part.state, WrittenPart::State::failed);
  EXPECT_THAT(telling.part.text, AllOf(HasSubstr("certificate"), Not(HasSubstr("a mail password"))));
  EXPECT_TRUE(taken().is_discarded());
}

TEST_F(MailOverTls, APasswordThatIsRefusedIsToldWithoutIt) {
  start("smtps", "smtps://");
  setenv("STEELYARD_SMTP_PASSWORD", "another password", 1);
  const Telling telling = send_one();
  EXPECT_FALSE(telling.is_told);
  EXPECT_EQ(telling.part.state, WrittenPart::State::failed) << telling.part.text;
  EXPECT_THAT(telling.part.text, Not(HasSubstr("another password")));
}

}  // namespace
}  // namespace steelyard::ci::mail_over_tls_test
