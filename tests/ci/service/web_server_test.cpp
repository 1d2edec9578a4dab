#include "ci/service/web_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ci/service/peer_address.hpp"
#include "tests/ci/service/http_client.hpp"

namespace steelyard::ci::web_server_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Says what it was asked, and takes bodies below /take.
class Echo : public WebHandler {
 public:
  std::pair<BodyPlan, WebAnswer> admit(std::size_t, const WebRequest& head) override {
    if (!head.target.starts_with("/take")) return {{}, refusal(413, "no body here", head.id)};
    WebAnswer go_on;
    go_on.status = 0;
    return {{100, head.target == "/take/file"}, go_on};
  }
  Workers::Length length_of(const WebRequest& request) override {
    return request.target == "/held" ? Workers::Length::large : Workers::Length::small;
  }
  WebAnswer answer(std::size_t, const WebRequest& request) override {
    if (request.target == "/held") released_.wait(false);
    if (request.target == "/slow") std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    if (request.target == "/events") {
      WebAnswer stream{200, {{"Content-Type", "text/event-stream"}}, std::make_shared<std::string>("retry: 1\n\n")};
      stream.is_event_stream = true;
      return stream;
    }
    const std::string body = request.target == "/large" ? std::string(3'000'000, 'x')
                                                        : request.method + ' ' + request.target + ' ' + request.body +
                                                              (request.body_file < 0 ? "" : "in a file");
    return {200, {}, std::make_shared<std::string>(body)};
  }
  WebAnswer refusal(int status, const std::string& detail, const std::string&) override {
    return {status, {}, std::make_shared<std::string>(detail)};
  }
  // What was asked of /held is answered now.
  void release() {
    released_ = true;
    released_.notify_all();
  }

 private:
  std::atomic<bool> released_{false};
};

class WebServerTest : public ::testing::Test {
 protected:
  void start(WebOptions options = {}) {
    if (options.folder.empty()) options.folder = ::testing::TempDir();
    auto listening = WebServer::listen(options, echo_);
    ASSERT_TRUE(listening) << listening.error().text();
    server_.emplace(std::move(listening).value());
    port_ = port_of(server_->address());
    thread_ = std::thread([this] { static_cast<void>(server_->run(&stop_)); });
  }
  void TearDown() override {
    echo_.release();
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  HttpReply exchange(const std::string& bytes) {
    HttpClient client(port_);
    client.send(bytes);
    return client.receive();
  }
  Echo echo_;
  std::optional<WebServer> server_;
  std::uint16_t port_ = 0;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

TEST_F(WebServerTest, AnswersSeveralRequestsOfOneConnectionInTheirOrder) {
  start();
  HttpClient client(port_);
  client.send(
      "GET /a HTTP/1.1\r\nHost: x\r\n\r\nPOST /take HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcGET /b "
      "HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.receive().body, "GET /a ");
  EXPECT_EQ(client.receive().body, "POST /take abc");
  EXPECT_EQ(client.receive().body, "GET /b ");
}

TEST_F(WebServerTest, TakesABodyInChunksAndIntoAFile) {
  start();
  const std::string chunks =
      " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;name=v\r\nde\r\n0\r\n\r\n";
  EXPECT_EQ(exchange("POST /take" + chunks).body, "POST /take abcde");
  EXPECT_EQ(exchange("POST /take/file" + chunks).body, "POST /take/file in a file");
  const HttpReply large = exchange("POST /take HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n" +
                                   std::string(101, 'a') + "\r\n0\r\n\r\n");
  EXPECT_EQ(large.status, 413);
  EXPECT_EQ(large.body, "a body of more than 100 bytes");
}

TEST_F(WebServerTest, TakesNoMoreBytesOfBodiesThanThereIsRoomForAndLeavesNoFile) {
  WebOptions options;
  options.most_body_bytes = 100;
  options.folder = std::filesystem::path(::testing::TempDir()) / ("bodies-" + std::to_string(::getpid()));
  std::filesystem::create_directories(options.folder);
  start(options);
  const std::string head = "POST /take/file HTTP/1.1\r\nHost: x\r\nContent-Length: 60\r\n\r\n";
  {
    HttpClient first(port_);
    first.send(head + std::string(50, 'x'));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    EXPECT_EQ(exchange(head + std::string(60, 'x')).status, 503);
    EXPECT_TRUE(std::filesystem::is_empty(options.folder));
    first.send(std::string(10, 'x'));
    EXPECT_EQ(first.receive().body, "POST /take/file in a file");
  }
  EXPECT_EQ(exchange(head + std::string(60, 'x')).status, 200) << "and there is room again";
  std::filesystem::remove_all(options.folder);
}

TEST_F(WebServerTest, SendsWhatIsLargerThanAnyBufferWhole) {
  start();
  EXPECT_EQ(exchange("GET /large HTTP/1.1\r\nHost: x\r\n\r\n").body.size(), 3'000'000U);
}

TEST_F(WebServerTest, AsksForTheBodyOfWhoWaitsForThat) {
  start();
  HttpClient client(port_);
  client.send("POST /take HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.receive_for(10'000, "\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("ok");
  EXPECT_EQ(client.receive().body, "POST /take ok");
}

// What two programs in a row might read as two different requests, and what is no request at all.
struct BadRequest {
  const char* name;
  std::string bytes;
  int status;
};
const std::string kHost = "Host: x\r\n";
const std::vector<BadRequest> kBadRequests{
    {"a length and chunks",
     "POST /take HTTP/1.1\r\n" + kHost + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /b", 400},
    {"chunks and a length",
     "POST /take HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\nGET /b", 400},
    {"two lengths", "POST /take HTTP/1.1\r\n" + kHost + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400},
    {"the same length twice", "POST /take HTTP/1.1\r\n" + kHost + "Content-Length: 1\r\nContent-Length: 1\r\n\r\na",
     400},
    {"a list of lengths", "POST /take HTTP/1.1\r\n" + kHost + "Content-Length: 1, 1\r\n\r\na", 400},
    {"a length with a sign", "POST /take HTTP/1.1\r\n" + kHost + "Content-Length: +1\r\n\r\na", 400},
    {"a negative length", "POST /take HTTP/1.1\r\n" + kHost + "Content-Length: -1\r\n\r\na", 400},
    {"a length beyond 64 bits", "POST /take HTTP/1.1\r\n" + kHost + "Content-Length: 99999999999999999999999\r\n\r\na",
     400},
    {"another coding", "POST /take HTTP/1.1\r\n" + kHost + "Transfer-Encoding: gzip\r\n\r\na", 501},
    {"a coding before chunks", "POST /take HTTP/1.1\r\n" + kHost + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
     501},
    {"a disguised coding", "POST /take HTTP/1.1\r\n" + kHost + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 501},
    {"chunks twice",
     "POST /take HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     400},
    {"chunks in HTTP/1.0", "POST /take HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501},
    {"a blank before the colon", "POST /take HTTP/1.1\r\n" + kHost + "Content-Length : 1\r\n\r\na", 400},
    {"no number of a chunk", "POST /take HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400},
    {"a chunk beyond 64 bits",
     "POST /take HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", 400},
    {"line ends without CR", "GET / HTTP/1.1\nHost: x\n\n", 505},
    {"a zero byte in a field", "GET / HTTP/1.1\r\n" + kHost + std::string("X: a\0b\r\n\r\n", 11), 400},
    {"a line folded over two", "GET / HTTP/1.1\r\n" + kHost + "X: a\r\n b\r\n\r\n", 400},
    {"a host folded with a tab", "GET / HTTP/1.1\r\nHost:\r\n\tx\r\n\r\n", 400},
    {"a fold behind the first line", "GET / HTTP/1.1\r\n X: a\r\n" + kHost + "\r\n", 400},
    {"no host", "GET / HTTP/1.1\r\n\r\n", 400},
    {"two hosts", "GET / HTTP/1.1\r\n" + kHost + kHost + "\r\n", 400},
    {"a whole address as target", "GET http://elsewhere/ HTTP/1.1\r\n" + kHost + "\r\n", 400},
    {"an asterisk as target", "OPTIONS * HTTP/1.1\r\n" + kHost + "\r\n", 400},
    {"another version", "GET / HTTP/3.1\r\n" + kHost + "\r\n", 505},
    {"TLS to a port without", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 garbage\r\n\r\n", 24), 400},
    {"an unknown expectation", "POST /take HTTP/1.1\r\n" + kHost + "Expect: tea\r\nContent-Length: 1\r\n\r\na", 417},
    {"two tokens", "GET / HTTP/1.1\r\n" + kHost + "Authorization: a\r\nAuthorization: b\r\n\r\n", 400},
    {"a body where none is taken", "GET /a HTTP/1.1\r\n" + kHost + "Content-Length: 1\r\n\r\na", 413},
    {"a body that says that it is too long", "POST /take HTTP/1.1\r\n" + kHost + "Content-Length: 101\r\n\r\na", 413},
    {"chunks that are too long together",
     "POST /take HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\n65\r\n" + std::string(101, 'x') +
         "\r\n0\r\n\r\n",
     413},
    {"a long target", "GET /" + std::string(9000, 'a') + " HTTP/1.1\r\n" + kHost + "\r\n", 414},
    {"a long field", "GET / HTTP/1.1\r\n" + kHost + "X: " + std::string(20'000, 'a') + "\r\n\r\n", 431},
};

TEST_F(WebServerTest, RefusesWhatCouldBeReadInTwoWaysAndEndsTheConnection) {
  start();
  for (const BadRequest& bad : kBadRequests) {
    HttpClient client(port_);
    client.send(bad.bytes);
    EXPECT_EQ(client.receive().status, bad.status) << bad.name;
    EXPECT_TRUE(client.is_closed_within(10'000)) << bad.name;
  }
  EXPECT_EQ(exchange("GET /a HTTP/1.1\r\nHost: x\r\n\r\n").status, 200) << "and the next one is answered";
}

TEST_F(WebServerTest, RefusesAFoldedLineThatComesByteByByte) {
  start();
  HttpClient client(port_);
  for (const char c : std::string("GET / HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n")) {
    if (!client.send(std::string_view(&c, 1))) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_EQ(client.receive().status, 400);
}

TEST_F(WebServerTest, TakesABodyWhoseLinesBeginWithBlanks) {
  start();
  EXPECT_EQ(exchange("POST /take HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\na\r\n b\n").body,
            "POST /take a\r\n b\n");
}

TEST_F(WebServerTest, RefusesAFloodOfFields) {
  start();
  std::string request = "GET / HTTP/1.1\r\n" + kHost;
  for (int i = 0; i < 100; ++i) request += "X" + std::to_string(i) + ": y\r\n";
  EXPECT_EQ(exchange(request + "\r\n").status, 431);
}

TEST_F(WebServerTest, GivesUpOnWhoSendsAHeaderByteByByte) {
  WebOptions options;
  options.header_time = std::chrono::milliseconds(800);
  start(options);
  HttpClient client(port_);
  const auto begin = std::chrono::steady_clock::now();
  bool is_heard = true;
  for (int i = 0; i < 100 && is_heard; ++i) {
    is_heard = client.send(i == 0 ? "GET / HTTP/1.1\r\nX: " : "a") && !client.is_closed_within(100);
  }
  EXPECT_FALSE(is_heard);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(9));
  EXPECT_EQ(server_->counts().timed_out, 1U);
}

TEST_F(WebServerTest, TakesTheRestOfAHeaderForNoRequestOnceItsTimeIsOver) {
  WebOptions options;
  options.header_time = std::chrono::milliseconds(400);
  start(options);
  for (int i = 0; i < 20; ++i) {
    HttpClient client(port_);
    client.send("GET /a HTTP/1.1\r\nHost: x\r\nX: ");
    std::this_thread::sleep_for(std::chrono::milliseconds(390 + 10 * (i % 12)));
    client.send("y\r\n\r\n");
    const HttpReply reply = client.receive();
    EXPECT_TRUE(reply.status == 0 || reply.body == "GET /a ") << reply.status << reply.body;
    if (reply.status == 0) {
      EXPECT_TRUE(client.is_closed_within(10'000));
    }
  }
  HttpClient late(port_);
  late.send("GET /a HTTP/1.1\r\nHost: x\r\nX: ");
  EXPECT_EQ(late.receive_for(5'000), "") << "nothing is said to it";
  EXPECT_GE(server_->counts().timed_out, 1U);
}

TEST_F(WebServerTest, GivesUpOnABodyThatDoesNotCome) {
  WebOptions options;
  options.read_time = std::chrono::milliseconds(500);
  start(options);
  HttpClient client(port_);
  client.send("POST /take HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nabc");
  EXPECT_TRUE(client.is_closed_within(10'000));
}

TEST_F(WebServerTest, ClosesWhatIsIdleForLong) {
  WebOptions options;
  options.idle_time = std::chrono::milliseconds(300);
  start(options);
  HttpClient client(port_);
  client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_TRUE(client.is_closed_within(10'000));
}

TEST_F(WebServerTest, TakesNoMoreConnectionsThanItMay) {
  WebOptions options;
  options.most_connections = 2;
  start(options);
  HttpClient first(port_), second(port_);
  first.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  second.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(first.receive().status, 200);
  EXPECT_EQ(second.receive().status, 200);
  HttpClient third(port_);
  EXPECT_TRUE(third.is_closed_within(10'000));
}

TEST_F(WebServerTest, TakesNoMoreConnectionsOfOneAddressThanItMay) {
  WebOptions options;
  options.most_connections_of_peer = 1;
  start(options);
  HttpClient first(port_);
  first.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(first.receive().status, 200);
  HttpClient second(port_);
  EXPECT_TRUE(second.is_closed_within(10'000));
}

TEST_F(WebServerTest, EndsAStreamInItsTimeAndKeepsNoMoreOfOneAddressThanItMay) {
  WebOptions options;
  options.stream_time = std::chrono::milliseconds(1500);
  options.most_streams_of_peer = 1;
  start(options);
  const std::string request = "GET /events HTTP/1.1\r\nHost: x\r\n\r\n";
  HttpClient client(port_);
  client.send(request);
  EXPECT_THAT(client.receive_for(10'000, "retry: 1\n\n"), HasSubstr("text/event-stream"));
  for (int i = 0; i < 100 && server_->counts().streams < 1; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(exchange(request).status, 503);
  EXPECT_TRUE(client.is_closed_within(10'000));
  EXPECT_EQ(server_->counts().timed_out, 0U) << "its time is no fault of its own";
}

TEST_F(WebServerTest, NamesAStatusAsTheTitleOfAProblemDoes) {
  start();
  HttpClient client(port_);
  client.send("POST /none HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx");
  EXPECT_THAT(client.receive_for(10'000, "\r\n\r\n"), ::testing::StartsWith("HTTP/1.1 413 Content Too Large\r\n"));
}

TEST_F(WebServerTest, KeepsNoStreamForWhoAsksForItsHeadAlone) {
  WebOptions options;
  options.most_streams = 1;
  start(options);
  for (int i = 0; i < 3; ++i) {
    HttpClient client(port_);
    client.send("HEAD /events HTTP/1.1\r\nHost: x\r\n\r\n");
    const HttpReply reply = client.receive(true);
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.fields.at("content-type"), "text/event-stream");
    EXPECT_FALSE(reply.fields.contains("content-length")) << "a stream has none";
    client.send("GET /after HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(client.receive().body, "GET /after ") << "the connection goes on";
  }
  EXPECT_EQ(server_->counts().streams, 0U);
}

TEST(LimitedAddress, OfIpv6IsTheNetworkOfOneCustomer) {
  EXPECT_EQ(limited_address("192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(limited_address("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  EXPECT_EQ(limited_address("2001:db8:1:2::1"), "2001:db8:1:2::/64");
  EXPECT_EQ(limited_address("2001:db8:1:3::1"), "2001:db8:1:3::/64");
  EXPECT_EQ(limited_address("fe80::1%1"), "fe80::/64");
  EXPECT_EQ(limited_address("::ffff:192.0.2.7"), "192.0.2.7") << "as a socket of both kinds names it";
}

TEST_F(WebServerTest, TellsWhoComesToAFullQueueToComeAgain) {
  WebOptions options;
  options.workers = 1;
  options.most_queued = 1;
  start(options);
  HttpClient slow(port_), queued(port_), refused(port_);
  const std::string request = "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n";
  slow.send(request);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  queued.send(request);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  refused.send(request);
  const HttpReply reply = refused.receive();
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.fields.at("retry-after"), "1");
  EXPECT_EQ(slow.receive().status, 200);
  EXPECT_EQ(queued.receive().status, 200);
}

TEST(Workers, LetAReaderOfMuchWaitForOneWriterAtMost) {
  std::promise<void> begun, released;
  std::vector<char> order;  // one long one at a time: no two write it at once
  {
    Workers workers(2, 10);
    const auto note = [&order](char name) { return [&order, name](std::size_t) { order.push_back(name); }; };
    workers.add(
        [&](std::size_t) {
          begun.set_value();
          released.get_future().wait();
        },
        Workers::Length::large_put);
    begun.get_future().wait();
    for (const char name : {'b', 'c', 'd'}) workers.add(note(name), Workers::Length::large_put);
    for (const char name : {'1', '2'}) workers.add(note(name), Workers::Length::large);
    released.set_value();
  }
  EXPECT_EQ(std::string(order.begin(), order.end()), "1b2cd");
}

TEST_F(WebServerTest, LeavesHalfOfItsThreadsToWhatIsShort) {
  WebOptions options;
  options.workers = 2;
  start(options);
  std::vector<std::unique_ptr<HttpClient>> held;
  for (int i = 0; i < 3; ++i) {
    held.push_back(std::make_unique<HttpClient>(port_));
    held.back()->send("GET /held HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  EXPECT_EQ(held[2]->receive_for(100), "");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(exchange("GET /a HTTP/1.1\r\nHost: x\r\n\r\n").status, 200);
  echo_.release();
  for (const auto& client : held) EXPECT_EQ(client->receive().status, 200);
}

TEST_F(WebServerTest, EndsInItsTimeHoweverMuchWaits) {
  WebOptions options;
  options.workers = 1;
  options.stop_time = std::chrono::milliseconds(200);
  start(options);
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<HttpClient>(port_));
    clients.back()->send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  const auto begin = std::chrono::steady_clock::now();
  stop_ = true;
  thread_.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10)) << "all of it would take 30";
}

TEST_F(WebServerTest, FinishesWhatWasBegunWhenItIsToEnd) {
  start();
  HttpClient busy(port_), idle(port_);
  busy.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  stop_ = true;
  const HttpReply reply = busy.receive();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.fields.at("connection"), "close");
  EXPECT_TRUE(idle.is_closed_within(10'000));
  thread_.join();
  EXPECT_THROW(HttpClient(port_).receive(), std::runtime_error);
}

TEST_F(WebServerTest, SendsEventsToWhoListensAndDropsWhoDoesNotRead) {
  start();
  HttpClient client(port_), lazy(port_);
  for (HttpClient* one : {&client, &lazy}) one->send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.receive_for(10'000, "retry: 1\n\n"), HasSubstr("text/event-stream"));
  for (int i = 0; i < 100 && server_->counts().streams < 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  server_->publish({"demo", "event: run\ndata: {}\n\n"});
  EXPECT_THAT(client.receive_for(10'000, "data: {}\n\n"), HasSubstr("event: run"));
  for (int i = 0; i < 400; ++i) {
    server_->publish({"", ": " + std::string(60'000, 'x') + "\n\n"});
    client.receive_for(20);
    if (server_->counts().streams < 2) break;
  }
  EXPECT_LT(server_->counts().streams, 2U);
}

TEST_F(WebServerTest, SaysWhyItCannotListen) {
  start();
  WebOptions taken;
  taken.port = port_;
  const auto listening = WebServer::listen(taken, echo_);
  ASSERT_FALSE(listening);
  EXPECT_THAT(listening.error().text(), HasSubstr("--listen 127.0.0.1:" + std::to_string(port_)));
  WebOptions without_key;
  without_key.certificate = "/nonexistent";
  EXPECT_THAT(WebServer::listen(without_key, echo_).error().text(),
              HasSubstr("--tls-certificate: found /nonexistent: No such file"));
  without_key.certificate = "/dev/null";
  EXPECT_THAT(WebServer::listen(without_key, echo_).error().text(),
              AllOf(HasSubstr("found /dev/null: "), Not(HasSubstr("No such file"))));
}

}  // namespace
}  // namespace steelyard::ci::web_server_test
