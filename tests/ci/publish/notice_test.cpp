// What people are told of alerts, and how it reaches a webhook, a chat and a mail server.
#include "ci/report/notice.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/model/sha256.hpp"
#include "ci/publish/notifying.hpp"
#include "tests/ci/publish/mail_server.hpp"
#include "tests/ci/publish/service_server.hpp"
#include "tests/promised.hpp"

namespace steelyard::ci::notice_test {
namespace {

using ci_test::MailServer;
using ci_test::ServiceServer;
using ci_test::Trouble;
using storage::AlertState;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using Json = nlohmann::json;

constexpr const char* kKey = "a key that nobody else has";

NoticedAlert noticed(const std::string& benchmark, AlertState state = AlertState::open) {
  NoticedAlert one;
  one.alert.id = sha256_hex(benchmark);
  one.alert.subject = {"shop", "main", benchmark, "real_time"};
  one.alert.state = state;
  one.alert.verdict = "regression";
  one.alert.unit = "ns";
  one.alert.commit = std::string(40, 'b');
  one.alert.baseline = 812;
  one.alert.candidate = 910;
  one.alert.ratio = 910.0 / 812;
  one.alert.life = {{"opened", 1'700'000'000'000'000'000, "comparison:aa", one.alert.commit, ""}};
  one.owner = "kernels@example.org";
  return one;
}

Notice notice_of(std::vector<NoticedAlert> alerts) { return {"0123", "shop", 1'700'000'000, std::move(alerts)}; }

std::string bytes_of_base64(const std::string& text) {
  static const std::string kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string::npos) continue;
    bits = (bits << 6U | static_cast<unsigned>(digit)) & 0xffffU;
    if ((count += 6) >= 8) bytes += static_cast<char>(bits >> static_cast<unsigned>(count -= 8) & 0xffU);
  }
  return bytes;
}

std::string body_of(const std::string& mail) { return bytes_of_base64(mail.substr(mail.find("\r\n\r\n") + 4)); }

TEST(NoticeTest, SaysWhatChangedToEach) {
  NoticedAlert gone = noticed("BM_gone", AlertState::resolved);
  gone.before = AlertState::open;
  const Notice notice = notice_of({noticed("BM_sort/1024"), gone});
  EXPECT_EQ(notice_headline(notice), "1 open, 1 resolved");
  const Json told = Json::parse(webhook_text(notice));
  EXPECT_EQ(told["schema"], "steelyard.notice/1");
  EXPECT_EQ(told["id"], "0123");
  EXPECT_EQ(told["project"], "shop");
  ASSERT_EQ(told["alerts"].size(), 2U);
  EXPECT_EQ(told["alerts"][0]["state"], "open");
  EXPECT_TRUE(told["alerts"][0]["before"].is_null());
  EXPECT_EQ(told["alerts"][0]["owner"], "kernels@example.org");
  EXPECT_EQ(told["alerts"][1]["before"], "open");
  const std::string chat = Json::parse(chat_text(notice))["text"];
  EXPECT_THAT(chat, AllOf(HasSubstr("`shop` Performance alerts: 1 open, 1 resolved"),
                          HasSubstr("open: `BM_sort/1024` `real_time` on `main`, `+12.1 % (812 ns to 910 ns)`, commit "
                                    "`bbbbbbbbb`, owner `kernels@example.org`"),
                          HasSubstr("resolved (was open): `BM_gone`")));
  const std::string mail = mail_text(notice, "ci@example.org", "kernels@example.org");
  EXPECT_THAT(mail, AllOf(HasSubstr("Date: Tue, 14 Nov 2023 22:13:20 +0000\r\n"),
                          HasSubstr("Subject: [shop] Performance alerts: 1 open, 1 resolved\r\n"),
                          HasSubstr("To: <kernels@example.org>\r\n"), HasSubstr("Message-ID: <0123@example.org>\r\n")));
  EXPECT_THAT(body_of(mail), AllOf(HasSubstr("- open: BM_sort/1024 real_time on main"), HasSubstr("Project: shop")));
}

TEST(NoticeTest, OfOneMachineSaysOfWhich) {
  NoticedAlert one = noticed("BM_sort");
  one.alert.subject.fingerprint = "c18522b80aaaa";
  EXPECT_EQ(Json::parse(webhook_text(notice_of({one})))["alerts"][0]["fingerprint"], "c18522b80aaaa");
  EXPECT_THAT(body_of(mail_text(notice_of({one}), "ci@example.org", "kernels@example.org")),
              HasSubstr("BM_sort real_time on main, machine c18522b80, +12.1 %"));
}

// Names, notes and owners are what strangers wrote.
TEST(NoticeTest, HostileNamesFormatNothingMentionNobodyAndBeginNoHeader) {
  const std::string hostile =
      "BM_`x` <!channel> @here *b* &amp;\r\nBcc: all@example.org\r\n.\r\n\x1b[31m\xff\xe2\x80\xae";
  NoticedAlert one = noticed(hostile);
  one.owner = hostile;
  one.alert.subject.branch = hostile;
  one.alert.life[0].note = hostile;
  Notice notice = notice_of({one});
  notice.project = hostile;
  const Json told = Json::parse(webhook_text(notice));
  EXPECT_EQ(told["alerts"].size(), 1U);
  const std::string chat = Json::parse(chat_text(notice))["text"];
  EXPECT_THAT(chat,
              AllOf(Not(HasSubstr("<")), Not(HasSubstr("\r")), Not(HasSubstr("\x1b")), HasSubstr("&lt;!channel")));
  EXPECT_EQ(std::count(chat.begin(), chat.end(), '\n'), 1) << chat;
  // Outside of code spans there are words of ours alone.
  std::string outside;
  bool is_code = false;
  for (const char c : chat) is_code = c == '`' ? !is_code : (outside += is_code ? "" : std::string(1, c), is_code);
  EXPECT_FALSE(is_code);
  EXPECT_THAT(outside, AllOf(Not(HasSubstr("@")), Not(HasSubstr("*")), Not(HasSubstr("&"))));
  const std::string mail = mail_text(notice, "ci@example.org", "kernels@example.org");
  const std::string headers = mail.substr(0, mail.find("\r\n\r\n"));
  EXPECT_THAT(headers, AllOf(Not(HasSubstr("\nBcc")), Not(HasSubstr("\x1b")), Not(HasSubstr("\xff"))));
  EXPECT_EQ(std::count(headers.begin(), headers.end(), '\n'), 8) << headers;
  EXPECT_THAT(body_of(mail), AllOf(Not(HasSubstr("\r")), Not(HasSubstr("\x1b"))));
}

TEST(NoticeTest, MessagesAreBoundedAndCountWhatTheyLeaveOut) {
  std::vector<NoticedAlert> many;
  for (int i = 0; i < 1000; ++i) many.push_back(noticed(std::string(5000, 'x') + std::to_string(i)));
  const Notice notice = notice_of(std::move(many));
  const std::string chat = Json::parse(chat_text(notice))["text"];
  EXPECT_LT(chat.size(), 12'000U);
  EXPECT_THAT(chat, HasSubstr("and 980 more: `steelyard alerts`"));
  const std::string body = body_of(mail_text(notice, "ci@example.org", "a@example.org"));
  EXPECT_LT(body.size(), 120'000U);
  EXPECT_THAT(body, HasSubstr("and 800 more"));
}

TEST(NoticeTest, FindsTheAddressesOfOwners) {
  EXPECT_THAT(mail_addresses("a@example.org, Team <b@example.org>; a@example.org"),
              ElementsAre("a@example.org", "b@example.org"));
  EXPECT_THAT(mail_addresses("@acme/kernels, the team"), IsEmpty());
  for (const char* no : {"", "@", "a@", "@b", "a@b@c", "a b@c", "a@b\r\nRCPT", "a@b>", "-f@b", "a\"@b", "a@b;c"}) {
    EXPECT_FALSE(is_mail_address(no)) << no;
  }
  EXPECT_TRUE(is_mail_address("first.last+tag@mail.example.org"));
}

class Notifying : public ::testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  static void clear() {
    for (const char* name :
         {"STEELYARD_WEBHOOK_URL", "STEELYARD_WEBHOOK_SECRET", "STEELYARD_SLACK_WEBHOOK_URL", "STEELYARD_SMTP_URL",
          "STEELYARD_SMTP_USER", "STEELYARD_SMTP_PASSWORD", "STEELYARD_MAIL_FROM"}) {
      unsetenv(name);
    }
  }
  NoticePlaces places() {
    setenv("STEELYARD_WEBHOOK_URL", (server_.address() + "/hooks/ours?x=1").c_str(), 1);
    setenv("STEELYARD_WEBHOOK_SECRET", kKey, 1);
    setenv("STEELYARD_SLACK_WEBHOOK_URL", (server_.address() + "/hooks/chat").c_str(), 1);
    setenv("STEELYARD_SMTP_URL", mail_.address().c_str(), 1);
    setenv("STEELYARD_MAIL_FROM", "ci@example.org", 1);
    return take_notice_places().value();
  }
  ServiceServer server_;
  MailServer mail_;
};

TEST_F(Notifying, SignsTheBodyAndItsTimeForTheWebhook) {
  const Telling telling = tell_webhook(places(), notice_of({noticed("BM_x")}), ApiPatience{});
  EXPECT_TRUE(telling.is_told) << telling.part.text;
  ASSERT_THAT(server_.requests(), SizeIs(1));
  const ci_test::ReceivedRequest request = server_.requests()[0];
  EXPECT_EQ(request.path, "/hooks/ours?x=1");
  EXPECT_EQ(request.headers.at("content-type"), "application/json");
  EXPECT_EQ(request.headers.at("steelyard-delivery"), "0123");
  EXPECT_EQ(request.headers.at("steelyard-timestamp"), "1700000000");
  EXPECT_EQ(request.headers.at("steelyard-signature"), "sha256=" + hmac_sha256_hex(kKey, "1700000000." + request.body));
  EXPECT_EQ(request.headers.count("authorization"), 0U);
  EXPECT_EQ(std::getenv("STEELYARD_WEBHOOK_SECRET"), nullptr) << "no child has it";
}

// As docs/guide/alerts.md tells a receiver to.
TEST_F(Notifying, TheDocumentedCheckFindsTheSignature) {
  STEELYARD_SKIP_WITHOUT("openssl", std::system("command -v openssl >/dev/null") == 0, "openssl is not installed");
  std::ifstream page(std::string(STEELYARD_DOCS) + "/guide/alerts.md");
  std::string command;
  while (std::getline(page, command) && command.find("openssl dgst") == std::string::npos) {
  }
  const std::string body = webhook_text(notice_of({noticed("BM_'x' \\ \xc3\xa4")}));
  std::string folder = ::testing::TempDir() + "steelyard-signature-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::ofstream(folder + "/body", std::ios::binary) << body;
  setenv("STEELYARD_WEBHOOK_SECRET", kKey, 1);
  const std::string check = "cd '" + folder + "' && timestamp=1700000000 && " + command + " >answer";
  EXPECT_EQ(std::system(check.c_str()), 0) << check;
  std::string first;
  std::ifstream(folder + "/answer") >> first;
  EXPECT_EQ("sha256=" + first, webhook_signature(kKey, 1'700'000'000, body));
  std::filesystem::remove_all(folder);
}

TEST_F(Notifying, TriesTheWebhookAgainWithinBoundsAndUnderTheSameId) {
  server_.plan({"POST", "/hooks/ours", Trouble::How::answer, 503, {}, "away", 2});
  EXPECT_TRUE(tell_webhook(places(), notice_of({noticed("BM_x")}), ApiPatience{}).is_told);
  ASSERT_THAT(server_.requests(), SizeIs(3));
  EXPECT_EQ(server_.requests()[0].headers.at("steelyard-delivery"),
            server_.requests()[2].headers.at("steelyard-delivery"));
  server_.plan({"POST", "/hooks/ours", Trouble::How::answer, 503, {}, "away", 100});
  const Telling away = tell_webhook(places(), notice_of({noticed("BM_x")}), ApiPatience{});
  EXPECT_FALSE(away.is_told);
  EXPECT_EQ(away.part.state, WrittenPart::State::away);
  EXPECT_THAT(away.part.text,
              AllOf(HasSubstr("status 503"), HasSubstr("the next call tries again"), Not(HasSubstr("hooks"))));
  EXPECT_THAT(server_.requests(), SizeIs(7));
}

TEST_F(Notifying, SaysWhatRefusesAndFollowsNobodyElsewhere) {
  server_.plan({"POST", "/hooks/chat", Trouble::How::answer, 302, {"Location: http://127.0.0.1:1/"}, "moved"});
  const Telling moved = tell_chat(places(), notice_of({noticed("BM_x")}), ApiPatience{});
  EXPECT_FALSE(moved.is_told);
  EXPECT_EQ(moved.part.state, WrittenPart::State::failed);
  EXPECT_THAT(moved.part.text, HasSubstr("status 302"));
}

TEST_F(Notifying, DoesNotTellAChatTwiceWhereTheAnswerGotLost) {
  server_.plan({"POST", "/hooks/chat", Trouble::How::cut_after});
  const Telling lost = tell_chat(places(), notice_of({noticed("BM_x")}), ApiPatience{});
  EXPECT_TRUE(lost.is_told);
  EXPECT_EQ(lost.part.state, WrittenPart::State::away);
  EXPECT_THAT(lost.part.text, HasSubstr("it may have been taken, and is not sent again"));
  EXPECT_THAT(server_.requests(), SizeIs(1));
}

TEST_F(Notifying, SendsMailToTheOwner) {
  const Telling telling = tell_by_mail(places(), notice_of({noticed("BM_x")}), "kernels@example.org", ApiPatience{});
  EXPECT_TRUE(telling.is_told) << telling.part.text;
  ASSERT_THAT(mail_.mails(), SizeIs(1));
  EXPECT_EQ(mail_.mails()[0].from, "<ci@example.org>");
  EXPECT_EQ(mail_.mails()[0].to, "<kernels@example.org>");
  EXPECT_THAT(body_of(mail_.mails()[0].text), HasSubstr("- open: BM_x real_time on main"));
}

TEST_F(Notifying, TriesMailAgainWhereTheServerSaysLaterAndNotWhereItSaysNo) {
  mail_.replies_to_recipient = {"451 greylisted"};
  EXPECT_TRUE(tell_by_mail(places(), notice_of({noticed("BM_x")}), "a@example.org", ApiPatience{}).is_told);
  EXPECT_EQ(mail_.sessions(), 2);
  EXPECT_THAT(mail_.mails(), SizeIs(1));
  mail_.replies_to_recipient = {"550 nobody here"};
  const Telling no = tell_by_mail(places(), notice_of({noticed("BM_x")}), "a@example.org", ApiPatience{});
  EXPECT_FALSE(no.is_told);
  EXPECT_EQ(no.part.state, WrittenPart::State::failed) << no.part.text;
  EXPECT_THAT(no.part.text, HasSubstr("550"));
  EXPECT_EQ(mail_.sessions(), 3);
}

TEST_F(Notifying, DoesNotSendAMailTwiceWhereTheAnswerGotLost) {
  mail_.cuts_after_mail = true;
  const Telling lost = tell_by_mail(places(), notice_of({noticed("BM_x")}), "a@example.org", ApiPatience{});
  EXPECT_TRUE(lost.is_told) << lost.part.text;
  EXPECT_EQ(lost.part.state, WrittenPart::State::away);
  EXPECT_THAT(mail_.mails(), SizeIs(1));
  EXPECT_EQ(mail_.sessions(), 1);
}

TEST_F(Notifying, SendsNoMailToAnotherMachineWithoutTls) {
  // Of another name this machine is another one, and this server knows no TLS.
  std::string address = mail_.address();
  setenv("STEELYARD_SMTP_URL", address.replace(address.find("127.0.0.1"), 9, "127.0.0.2").c_str(), 1);
  setenv("STEELYARD_MAIL_FROM", "ci@example.org", 1);
  const NoticePlaces other = take_notice_places().value();
  EXPECT_FALSE(tell_by_mail(other, notice_of({noticed("BM_x")}), "a@example.org", ApiPatience{}).is_told);
  EXPECT_THAT(mail_.mails(), IsEmpty());
}

TEST_F(Notifying, RefusesPlacesOverWhichOthersCouldRead) {
  for (const char* address : {"http://hooks.example.org/x", "https://user@hooks.example.org/x", "ftp://127.0.0.1/",
                              "http://127.0.0.1@example.org/", "https:///x", "hooks.example.org"}) {
    setenv("STEELYARD_SLACK_WEBHOOK_URL", address, 1);
    const auto places = take_notice_places();
    ASSERT_FALSE(places) << address;
    EXPECT_THAT(places.error().text(), AllOf(HasSubstr("$STEELYARD_SLACK_WEBHOOK_URL"), Not(HasSubstr(address))));
  }
  setenv("STEELYARD_WEBHOOK_URL", "https://example.org/x", 1);
  EXPECT_THAT(take_notice_places().error().text(), HasSubstr("$STEELYARD_WEBHOOK_SECRET: found not set"));
  setenv("STEELYARD_WEBHOOK_URL", "https://example.org/x", 1);
  setenv("STEELYARD_WEBHOOK_SECRET", "short", 1);
  EXPECT_THAT(take_notice_places().error().text(), AllOf(HasSubstr("at least 16"), Not(HasSubstr("found \"short"))));
  setenv("STEELYARD_SMTP_URL", "smtp://mail.example.org", 1);
  EXPECT_THAT(take_notice_places().error().text(), HasSubstr("$STEELYARD_MAIL_FROM"));
}

}  // namespace
}  // namespace steelyard::ci::notice_test
