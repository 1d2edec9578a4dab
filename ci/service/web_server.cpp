#include "ci/service/web_server.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>
#include <set>

#include "bench/model/text.hpp"
#include "ci/service/peer_address.hpp"
#include "ci/service/status_phrase.hpp"

namespace steelyard::ci {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick{100};        // how closely times are kept
constexpr std::chrono::seconds kHeartbeat{15};         // of streams: proxies close what says nothing
constexpr std::size_t kReadBytes = 16 * 1024;          // at once
constexpr std::size_t kWriteBytes = 256 * 1024;        // at once
constexpr std::size_t kMaxStreamLagBytes = 64 * 1024;  // that a stream lags behind
constexpr std::chrono::seconds kLinger{2};             // for a refusal to arrive before the connection goes
constexpr std::size_t kMaxDrained = 1024 * 1024;       // of what still comes in then

// What of a request is wrong: the status to answer with, and the words.
struct Malformed {
  int status = 400;
  std::string detail;
};

// Takes a request apart as its bytes come. Where the body goes is set once its head is whole.
class RequestParser : public http::basic_parser<true> {
 public:
  RequestParser() {
    header_limit(kMaxHeadBytes);
    body_limit(std::uint64_t{1} << 40);  // each request has its own, see take_body
    eager(false);
  }

  WebRequest request;
  int minor = 1;
  std::function<bool(std::string_view)> take_body;  // false: it is too long, or cannot be kept

  // Of the head; absent where nothing is wrong.
  std::optional<Malformed> what_is_wrong() const {
    if (request.fields.size() > kMaxFields) return Malformed{431, "more than 64 header fields"};
    if (request.target.size() > kMaxTargetBytes) return Malformed{414, "a target of more than 8192 bytes"};
    if (request.target.empty() || request.target.front() != '/') {
      return Malformed{400, "a target that does not begin with a slash"};
    }
    if (minor == 1 && count("host") != 1) return Malformed{400, "not exactly one Host"};
    // The parser takes "1, 1" for 1, as the standard allows; what stands before us may take it for something else.
    const std::string_view length = request.field("content-length");
    if (count("content-length") > 1 || !is_decimal(length)) {
      return Malformed{400, "several Content-Length, or one that is no number"};
    }
    const std::size_t codings = count("transfer-encoding");
    if (codings > 0 && count("content-length") > 0) return Malformed{400, "both Content-Length and Transfer-Encoding"};
    if (codings > 0 && (codings > 1 || minor == 0 || lower_case(request.field("transfer-encoding")) != "chunked")) {
      return Malformed{501, "a Transfer-Encoding other than chunked"};
    }
    if (count("authorization") > 1) return Malformed{400, "several Authorization"};
    const std::string expected = lower_case(request.field("expect"));
    if (!expected.empty() && expected != "100-continue") return Malformed{417, "an Expect other than 100-continue"};
    return std::nullopt;
  }
  bool expects_continue() const { return minor == 1 && !request.field("expect").empty(); }
  bool has_body() const { return chunked() || (content_length() && *content_length() > 0); }

 private:
  std::size_t count(std::string_view name) const {
    return static_cast<std::size_t>(std::count_if(request.fields.begin(), request.fields.end(),
                                                  [&](const auto& field) { return field.first == name; }));
  }

  using Text = boost::beast::string_view;
  void on_request_impl(http::verb, Text method, Text target, int version, error_code& code) override {
    if (version != 10 && version != 11) code = http::error::bad_version;
    minor = version % 10;
    request.method.assign(method.data(), method.size());
    request.target.assign(target.data(), target.size());
  }
  void on_response_impl(int, Text, int, error_code&) override {}
  void on_field_impl(http::field, Text name, Text value, error_code&) override {
    // Fields behind a body say nothing that we ask for. One more than allowed shows that there were too many.
    if (is_header_whole_ || request.fields.size() > kMaxFields) return;
    request.fields.emplace_back(lower_case({name.data(), name.size()}), std::string(value.data(), value.size()));
  }
  void on_header_impl(error_code&) override { is_header_whole_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(Text body, error_code& code) override {
    if (!take_body || !take_body({body.data(), body.size()})) code = http::error::body_limit;
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t, Text, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text body, error_code& code) override {
    return on_body_impl(body, code);
  }
  void on_finish_impl(error_code&) override {}

  bool is_header_whole_ = false;
};

}  // namespace

std::string_view WebRequest::field(std::string_view name) const {
  for (const auto& [known, value] : fields) {
    if (known == name) return value;
  }
  return {};
}

namespace {

class Connection;

}  // namespace

struct WebServer::State {
  State(const WebOptions& wanted, WebHandler& its) : options(wanted), handler(its), acceptor(io), timer(io) {
    bodies.most = options.most_body_bytes;
  }

  WebOptions options;
  WebHandler& handler;
  BodyBytes bodies;
  asio::io_context io{1};
  std::optional<asio::ssl::context> tls;
  tcp::acceptor acceptor;
  bool is_accepting = false;
  asio::steady_timer timer;
  std::set<std::shared_ptr<Connection>> connections;
  std::optional<Workers> workers;
  std::uint64_t last_id = 0;
  std::string id_begin;  // of this process
  std::atomic<bool> is_stopping{false};
  Clock::time_point stop_at = Clock::time_point::max();
  Clock::time_point heartbeat_at{};
  std::atomic<std::uint64_t> accepted{0}, refused{0}, malformed{0}, timed_out{0}, open{0}, streams{0};

  void accept();
  void tick(const std::atomic<bool>* stop);
  std::size_t connections_of(const std::string& peer) const;
  std::size_t streams_of(const std::string& peer) const;
  std::string new_id() { return id_begin + std::to_string(++last_id); }
};

namespace {

// One client. All of it happens on the server's one thread, but for what workers do with a request that stands still.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Server = WebServer::State;
  Connection(Server& server, tcp::socket socket, std::string peer)
      : server_(server), socket_(std::move(socket)), peer_(std::move(peer)) {
    if (server.tls) tls_.emplace(socket_, *server.tls);
  }

  void start() {
    extend(server_.options.header_time);
    if (!tls_) return begin_request();
    tls_->async_handshake(asio::ssl::stream_base::server, [self = shared_from_this()](const error_code& code) {
      code ? self->close() : self->begin_request();
    });
  }
  // Closes what is late, and when the server ends what does nothing.
  void look(Clock::time_point now) {
    if (server_.is_stopping && (is_idle_ || is_stream_)) return close();
    if (now < deadline_) return;
    if (!is_idle_ && !is_lingering_ && (!is_stream_ || is_writing_)) ++server_.timed_out;
    close();  // with no words: a read or a write is under way, and what it ends in may not change
  }
  void send_event(const WebEvent& event) {
    if (!is_stream_ || (!audience_.empty() && audience_ != event.audience)) return;
    add_to_stream(event.text);
  }
  void beat() {
    if (is_stream_) add_to_stream(":\n\n");
  }
  bool is_stream() const { return is_stream_; }
  const std::string& peer() const { return peer_; }
  void close() {
    if (is_closed_) return;
    is_closed_ = true;
    if (is_stream_) --server_.streams;
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_both, ignored);
    socket_.close(ignored);
    server_.connections.erase(shared_from_this());
    server_.open = server_.connections.size();
  }

 private:
  void extend(std::chrono::milliseconds time) { deadline_ = Clock::now() + time; }

  void read(void (Connection::*then)()) {
    const auto handler = [self = shared_from_this(), then](const error_code& code, std::size_t count) {
      if (code || self->is_closed_) return self->close();
      if (self->is_idle_) {
        self->is_idle_ = false;
        self->extend(self->server_.options.header_time);
      }
      self->in_.append(self->piece_.data(), count);
      (self.get()->*then)();
    };
    const auto buffer = asio::buffer(piece_);
    tls_ ? tls_->async_read_some(buffer, handler) : socket_.async_read_some(buffer, handler);
  }
  void write(std::vector<asio::const_buffer> buffers, std::function<void()> then) {
    assert(!is_writing_ && "what is written stands still until it is sent");
    is_writing_ = true;
    extend(server_.options.read_time);
    const auto handler = [self = shared_from_this(), then = std::move(then)](const error_code& code, std::size_t) {
      self->is_writing_ = false;
      code || self->is_closed_ ? self->close() : then();
    };
    tls_ ? asio::async_write(*tls_, buffers, handler) : asio::async_write(socket_, buffers, handler);
  }

  void begin_request() {
    if (server_.is_stopping) return close();
    parser_.emplace();
    body_file_.reset();
    body_bytes_ = 0;
    is_reading_head_ = true;
    is_idle_ = in_.empty();
    extend(is_idle_ ? server_.options.idle_time : server_.options.header_time);
    in_.empty() ? read(&Connection::parse_head) : parse_head();
  }
  // Whether a line of the head goes on in the next one, which the parser joins and a proxy may not. It takes a line
  // only with the byte behind it, so that both are still here.
  bool is_folded() const {
    if (!is_reading_head_ || in_.starts_with("\r\n")) return false;
    const std::string_view head = std::string_view(in_).substr(0, in_.find("\r\n\r\n"));
    return head.find("\r\n ") != head.npos || head.find("\r\n\t") != head.npos;
  }
  // Gives the parser what there is. True: go on; false: more is awaited by `then`, or the request was refused.
  bool parse(void (Connection::*then)()) {
    if (is_folded()) {
      refuse({400, "a header field that is folded over two lines"});
      return false;
    }
    while (!in_.empty()) {
      error_code code;
      const std::size_t taken = parser_->put(asio::buffer(in_), code);
      in_.erase(0, taken);
      if (code == http::error::need_more) break;
      if (code) {
        // A body within its bound that was not taken is one that there is no room for.
        const bool is_unkept = code == http::error::body_limit && body_file_ && body_bytes_ <= plan_.most_bytes;
        refuse(is_unkept ? Malformed{503, "what is sent cannot be kept now"} : malformed(code, plan_.most_bytes));
        return false;
      }
      if (parser_->is_done() || (is_reading_head_ && parser_->is_header_done())) return true;
      if (taken == 0) break;
    }
    if (in_.size() > kMaxHeadBytes + kReadBytes) {
      refuse({431, "a header of more than 16384 bytes"});
      return false;
    }
    read(then);
    return false;
  }
  static Malformed malformed(const error_code& code, std::int64_t most_bytes) {
    if (code == http::error::header_limit) return {431, "a header of more than 16384 bytes"};
    if (code == http::error::body_limit) return {413, "a body of more than " + std::to_string(most_bytes) + " bytes"};
    if (code == http::error::bad_version) return {505, "another version than HTTP/1.1 and 1.0"};
    return {400, "no request of HTTP/1.1: " + code.message()};
  }
  void parse_head() {
    if (!parse(&Connection::parse_head)) return;
    is_reading_head_ = false;
    WebRequest& request = parser_->request;
    request.id = server_.new_id();
    request.peer = peer_;
    if (const std::optional<Malformed> wrong = parser_->what_is_wrong()) return refuse(*wrong);
    deadline_ = Clock::time_point::max();
    if (!parser_->has_body()) return parser_->is_done() ? ask() : read_body();
    hand_on([self = shared_from_this()](std::size_t worker) {
      auto admitted = self->server_.handler.admit(worker, self->parser_->request);
      asio::post(self->server_.io, [self, admitted = std::move(admitted)]() mutable {
        self->begin_body(admitted.first, std::move(admitted.second));
      });
    });
  }
  void hand_on(Workers::Task task, Workers::Length length = Workers::Length::small) {
    if (server_.workers->add(std::move(task), length)) return;
    ++server_.refused;
    WebAnswer answer = server_.handler.refusal(503, "more requests than are answered at once", parser_->request.id);
    answer.fields.emplace_back("Retry-After", "1");
    send(std::move(answer), true);
  }
  void begin_body(const BodyPlan& plan, WebAnswer answer) {
    if (is_closed_) return;
    if (answer.status != 0) return send(std::move(answer), true);
    plan_ = plan;
    const auto known = parser_->content_length();
    if (known && *known > static_cast<std::uint64_t>(plan.most_bytes)) {
      return refuse({413, "a body of " + std::to_string(*known) + " bytes, where " + std::to_string(plan.most_bytes) +
                              " are allowed"});
    }
    if (plan.into_file) body_file_ = std::make_unique<BodyFile>(server_.options.folder, server_.bodies);
    parser_->take_body = [this](std::string_view bytes) { return keep_body(bytes); };
    body_until_ = Clock::now() + server_.options.body_time;
    if (!parser_->expects_continue()) return read_body();
    write({asio::buffer("HTTP/1.1 100 Continue\r\n\r\n", 25)}, [self = shared_from_this()] { self->read_body(); });
  }
  bool keep_body(std::string_view bytes) {
    body_bytes_ += static_cast<std::int64_t>(bytes.size());
    if (body_bytes_ > plan_.most_bytes) return false;
    if (body_file_) return body_file_->write(bytes);
    parser_->request.body += bytes;
    return true;
  }
  void read_body() {
    deadline_ = std::min(Clock::now() + server_.options.read_time, body_until_);
    if (!parse(&Connection::read_body)) return;
    if (body_file_) parser_->request.body_file = body_file_->descriptor();
    ask();
  }
  void ask() {
    deadline_ = Clock::time_point::max();
    const auto answer = [self = shared_from_this()](std::size_t worker) {
      WebAnswer made = self->server_.handler.answer(worker, self->parser_->request);
      asio::post(self->server_.io, [self, made = std::move(made)]() mutable { self->send(std::move(made), false); });
    };
    hand_on(answer, server_.handler.length_of(parser_->request));
  }

  void refuse(const Malformed& what) {
    ++server_.malformed;
    const std::string id = parser_ && !parser_->request.id.empty() ? parser_->request.id : server_.new_id();
    if (parser_) parser_->request.id = id;
    send(server_.handler.refusal(what.status, what.detail, id), true);
  }
  // last: what still comes in is no request any more.
  void send(WebAnswer answer, bool last) {
    if (is_closed_) return;
    body_file_.reset();
    answer_ = std::move(answer);
    // Who asks for the head of a stream alone gets no stream.
    const bool is_head_of_stream = answer_.is_event_stream && parser_->request.method == "HEAD";
    if (is_head_of_stream) answer_.is_event_stream = false;
    is_last_ = last || server_.is_stopping || !parser_->is_done() || !parser_->keep_alive() || answer_.is_event_stream;
    if (answer_.is_event_stream && (server_.streams >= server_.options.most_streams ||
                                    server_.streams_of(peer_) >= server_.options.most_streams_of_peer)) {
      answer_ = server_.handler.refusal(503, "more streams of events than are kept", parser_->request.id);
    }
    const std::size_t size = answer_.body ? answer_.body->size() : 0;
    out_ = "HTTP/1.1 " + std::to_string(answer_.status) + ' ' + status_phrase(answer_.status) + "\r\n";
    for (const auto& [name, value] : answer_.fields) out_ += name + ": " + value + "\r\n";
    out_ += "X-Request-Id: " + parser_->request.id + "\r\n";
    const bool has_length =
        !answer_.is_event_stream && !is_head_of_stream && answer_.status != 304 && answer_.status != 204;
    if (has_length) out_ += "Content-Length: " + std::to_string(size) + "\r\n";
    out_ += is_last_ ? "Connection: close\r\n\r\n" : "\r\n";
    sent_ = 0;
    const bool has_body = size > 0 && parser_->request.method != "HEAD" && answer_.status != 304;
    write({asio::buffer(out_)}, [self = shared_from_this(), has_body] { has_body ? self->send_body() : self->sent(); });
  }
  void send_body() {
    const std::string& body = *answer_.body;
    const std::size_t count = std::min(kWriteBytes, body.size() - sent_);
    const char* from = body.data() + sent_;
    sent_ += count;
    write({asio::buffer(from, count)},
          [self = shared_from_this()] { self->sent_ < self->answer_.body->size() ? self->send_body() : self->sent(); });
  }
  void sent() {
    if (answer_.is_event_stream) return begin_stream();
    if (!is_last_) return begin_request();
    // With unread bytes a close would reset the connection, and the answer might not arrive.
    is_lingering_ = true;
    extend(kLinger);
    error_code ignored;
    if (!tls_) socket_.shutdown(tcp::socket::shutdown_send, ignored);
    in_.clear();
    read(&Connection::drain);
  }
  void drain() {
    drained_ += in_.size();
    in_.clear();
    drained_ > kMaxDrained ? close() : read(&Connection::drain);
  }

  void begin_stream() {
    is_stream_ = true;
    ++server_.streams;
    audience_ = answer_.audience;
    stream_until_ = Clock::now() + server_.options.stream_time;
    deadline_ = stream_until_;
    out_.clear();
    in_.clear();
    read(&Connection::close);  // a client of a stream says nothing more
  }
  void add_to_stream(std::string_view text) {
    waiting_ += text;
    if (waiting_.size() > kMaxStreamLagBytes) return close();
    if (!is_writing_stream_) write_stream();
  }
  void write_stream() {
    is_writing_stream_ = true;
    out_ = std::exchange(waiting_, {});
    write({asio::buffer(out_)}, [self = shared_from_this()] {
      self->is_writing_stream_ = false;
      self->deadline_ = self->stream_until_;
      if (!self->waiting_.empty()) self->write_stream();
    });
  }

  Server& server_;
  tcp::socket socket_;
  std::optional<asio::ssl::stream<tcp::socket&>> tls_;
  std::string peer_;
  std::array<char, kReadBytes> piece_{};
  std::string in_;  // read, and not yet parsed
  std::optional<RequestParser> parser_;
  BodyPlan plan_;
  std::unique_ptr<BodyFile> body_file_;
  std::int64_t body_bytes_ = 0;
  Clock::time_point body_until_ = Clock::time_point::max();
  WebAnswer answer_;
  std::string out_;
  std::size_t sent_ = 0;
  std::size_t drained_ = 0;
  std::string audience_;
  std::string waiting_;  // of a stream
  Clock::time_point stream_until_{};
  Clock::time_point deadline_ = Clock::time_point::max();
  bool is_idle_ = false;
  bool is_reading_head_ = false;
  bool is_last_ = false;
  bool is_lingering_ = false;
  bool is_writing_ = false;
  bool is_stream_ = false;
  bool is_writing_stream_ = false;
  bool is_closed_ = false;
};

}  // namespace

std::size_t WebServer::State::connections_of(const std::string& peer) const {
  const auto is_its = [&](const auto& one) { return one->peer() == peer; };
  return static_cast<std::size_t>(std::count_if(connections.begin(), connections.end(), is_its));
}

std::size_t WebServer::State::streams_of(const std::string& peer) const {
  const auto is_its = [&](const auto& one) { return one->is_stream() && one->peer() == peer; };
  return static_cast<std::size_t>(std::count_if(connections.begin(), connections.end(), is_its));
}

void WebServer::State::accept() {
  is_accepting = true;
  acceptor.async_accept([this](const error_code& code, tcp::socket socket) {
    is_accepting = false;
    // Trouble such as too many open files lasts: the next tick tries again, and not at once for ever.
    if (!acceptor.is_open() || code) return;
    error_code ignored;
    const std::string peer = limited_address(socket.remote_endpoint(ignored).address().to_string());
    ++accepted;
    if (connections.size() >= options.most_connections || connections_of(peer) >= options.most_connections_of_peer) {
      ++refused;  // closed with the socket: an answer would cost what there is too little of
    } else if (!ignored) {
      socket.set_option(tcp::no_delay(true), ignored);
      const auto connection = std::make_shared<Connection>(*this, std::move(socket), peer);
      connections.insert(connection);
      open = connections.size();
      connection->start();
    }
    accept();
  });
}

void WebServer::State::tick(const std::atomic<bool>* stop) {
  const auto now = Clock::now();
  if (!is_stopping && stop != nullptr && *stop) {
    is_stopping = true;
    stop_at = now + options.stop_time;
    error_code ignored;
    acceptor.close(ignored);
  }
  const std::vector<std::shared_ptr<Connection>> all(connections.begin(), connections.end());
  const bool beats = now >= heartbeat_at;
  if (beats) heartbeat_at = now + kHeartbeat;
  for (const auto& connection : all) {
    connection->look(now);
    if (beats) connection->beat();
  }
  if (is_stopping && (connections.empty() || now >= stop_at)) {
    for (const auto& connection : all) connection->close();
    return io.stop();
  }
  if (!is_accepting && !is_stopping) accept();
  timer.expires_after(kTick);
  timer.async_wait([this, stop](const error_code&) { tick(stop); });
}

namespace {

// Where the file cannot be opened, OpenSSL has no words.
Error unusable(const char* option, const std::filesystem::path& file, const error_code& code, const char* wanted) {
  const bool is_there = ::access(file.c_str(), R_OK) == 0;
  const std::string why = is_there ? code.message() : std::strerror(errno);
  return input_error(option, file.string() + ": " + why, wanted);
}

Result<void> set_up_tls(asio::ssl::context& context, const WebOptions& options) {
  error_code code;
  context.set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 |
                          asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1,
                      code);
  context.use_certificate_chain_file(options.certificate.string(), code);
  if (code) return unusable("--tls-certificate", options.certificate, code, "a file of PEM certificates, ours first");
  context.use_private_key_file(options.key.string(), asio::ssl::context::pem, code);
  if (code) return unusable("--tls-key", options.key, code, "the PEM key of that certificate, without a passphrase");
  return {};
}

}  // namespace

WebServer::WebServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
WebServer::WebServer(WebServer&&) noexcept = default;
WebServer::~WebServer() = default;

Result<WebServer> WebServer::listen(const WebOptions& options, WebHandler& handler) {
  auto state = std::make_unique<State>(options, handler);
  std::array<char, 8> entropy{};
  if (::getentropy(entropy.data(), entropy.size()) != 0) return bug_error("getentropy", std::strerror(errno));
  state->id_begin = hex_text({entropy.data(), entropy.size()}) + '-';
  if (!options.certificate.empty()) {
    state->tls.emplace(asio::ssl::context::tls_server);
    STEELYARD_CHECK(set_up_tls(*state->tls, options));
  }
  error_code code;
  tcp::resolver resolver(state->io);
  const auto found = resolver.resolve(options.host, std::to_string(options.port), tcp::resolver::passive, code);
  const std::string where = "--listen " + options.host + ':' + std::to_string(options.port);
  if (code || found.empty()) return input_error(where, code.message(), "an address of this machine");
  const tcp::endpoint endpoint = *found.begin();
  state->acceptor.open(endpoint.protocol(), code);
  if (!code) state->acceptor.set_option(tcp::acceptor::reuse_address(true), code);
  if (!code) state->acceptor.bind(endpoint, code);
  if (!code) state->acceptor.listen(asio::socket_base::max_listen_connections, code);
  if (code) return input_error(where, code.message(), "a free port of this machine", "choose another with --listen");
  return WebServer(std::move(state));
}

std::string WebServer::address() const {
  error_code ignored;
  const tcp::endpoint endpoint = state_->acceptor.local_endpoint(ignored);
  const std::string host = endpoint.address().to_string();
  return std::string(state_->tls ? "https://" : "http://") + (endpoint.address().is_v6() ? '[' + host + ']' : host) +
         ':' + std::to_string(endpoint.port());
}

Result<void> WebServer::run(const std::atomic<bool>* stop) {
  state_->workers.emplace(state_->options.workers, state_->options.most_queued);
  state_->heartbeat_at = Clock::now() + kHeartbeat;
  state_->accept();
  state_->tick(stop);
  state_->io.run();
  state_->workers->forget();
  state_->workers.reset();
  state_->connections.clear();
  return {};
}

void WebServer::publish(WebEvent event) {
  asio::post(state_->io, [state = state_.get(), event = std::move(event)] {
    const std::vector<std::shared_ptr<Connection>> all(state->connections.begin(), state->connections.end());
    for (const auto& connection : all) connection->send_event(event);
  });
}

bool WebServer::is_stopping() const { return state_->is_stopping; }

WebCounts WebServer::counts() const {
  return {state_->accepted, state_->refused, state_->malformed, state_->timed_out, state_->open, state_->streams};
}

}  // namespace steelyard::ci
