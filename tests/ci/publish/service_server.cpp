#include "tests/ci/publish/service_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>

namespace steelyard::ci_test {
namespace {

using Json = nlohmann::json;

// What the descriptions say of the requests that the program makes. GitHub: OpenAPI description 2022-11-28 of its REST
// API (@octokit/openapi 23.0.2; the bounds on comments, notes and their texts from its pages "Issue comments" and
// "Check runs"). GitLab: its pages "Notes API" and "Merge requests API" (18.0).
struct DescribedRequest {
  const char* method;
  const char* path;  // a pattern
  std::set<std::string> query;
  std::set<std::string> required;  // of the body
  std::set<std::string> optional;
};
const std::vector<DescribedRequest> kDescribed{
    {"GET", "/user", {}, {}, {}},
    {"GET", "/repos/[^/]+/[^/]+/pulls/[0-9]+", {}, {}, {}},
    {"GET", "/repos/[^/]+/[^/]+/pulls", {"state", "head", "per_page", "page"}, {}, {}},
    {"GET", "/repos/[^/]+/[^/]+/issues/[0-9]+/comments", {"since", "per_page", "page"}, {}, {}},
    {"POST", "/repos/[^/]+/[^/]+/issues/[0-9]+/comments", {}, {"body"}, {}},
    {"PATCH", "/repos/[^/]+/[^/]+/issues/comments/[0-9]+", {}, {"body"}, {}},
    {"DELETE", "/repos/[^/]+/[^/]+/issues/comments/[0-9]+", {}, {}, {}},
    {"GET",
     "/repos/[^/]+/[^/]+/commits/[0-9a-f]+/check-runs",
     {"check_name", "status", "filter", "per_page", "page", "app_id"},
     {},
     {}},
    {"POST",
     "/repos/[^/]+/[^/]+/check-runs",
     {},
     {"name", "head_sha"},
     {"details_url", "external_id", "status", "started_at", "conclusion", "completed_at", "output", "actions"}},
    {"PATCH",
     "/repos/[^/]+/[^/]+/check-runs/[0-9]+",
     {},
     {},
     {"name", "details_url", "external_id", "status", "started_at", "conclusion", "completed_at", "output", "actions"}},
    {"GET", "/projects/[^/]+/merge_requests/[0-9]+", {}, {}, {}},
    {"GET", "/projects/[^/]+/merge_requests/[0-9]+/notes", {"sort", "order_by", "per_page", "page"}, {}, {}},
    {"POST", "/projects/[^/]+/merge_requests/[0-9]+/notes", {}, {"body"}, {"created_at", "internal"}},
    {"PUT", "/projects/[^/]+/merge_requests/[0-9]+/notes/[0-9]+", {}, {"body"}, {}},
    {"DELETE", "/projects/[^/]+/merge_requests/[0-9]+/notes/[0-9]+", {}, {}, {}},
};
constexpr std::size_t kMaxCharacters = 65535;

std::string path_alone(const std::string& path) { return path.substr(0, path.find('?')); }

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool send_all(int connection, const std::string& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t bytes = ::send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (bytes <= 0) return false;
    sent += static_cast<std::size_t>(bytes);
  }
  return true;
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::optional<ReceivedRequest> read_request(int connection) {
  std::string text;
  std::size_t wanted = std::string::npos;
  ReceivedRequest request;
  while (wanted == std::string::npos || text.size() < wanted) {
    char buffer[65536];
    const ssize_t bytes = ::recv(connection, buffer, sizeof buffer, 0);
    if (bytes <= 0) return std::nullopt;
    text.append(buffer, static_cast<std::size_t>(bytes));
    const std::size_t end = text.find("\r\n\r\n");
    if (wanted != std::string::npos || end == std::string::npos) continue;
    const std::size_t line_end = text.find("\r\n");
    const std::string line = text.substr(0, line_end);
    request.method = line.substr(0, line.find(' '));
    request.path = line.substr(request.method.size() + 1, line.rfind(' ') - request.method.size() - 1);
    for (std::size_t at = line_end + 2; at < end + 2;) {
      const std::size_t next = text.find("\r\n", at);
      const std::string header = text.substr(at, next - at);
      const std::size_t colon = header.find(':');
      if (colon != std::string::npos) {
        request.headers[lower_case(header.substr(0, colon))] = header.substr(header.find_first_not_of(' ', colon + 1));
      }
      at = next + 2;
    }
    const auto length = request.headers.find("content-length");
    wanted = end + 4 + (length == request.headers.end() ? 0 : std::stoul(length->second));
  }
  request.body = text.substr(text.find("\r\n\r\n") + 4);
  return request;
}

int query_number(const std::string& path, const std::string& name, int usual) {
  std::smatch found;
  return std::regex_search(path, found, std::regex("[?&]" + name + "=([0-9]+)")) ? std::stoi(found[1]) : usual;
}

std::int64_t last_number(const std::string& path) {
  const std::string alone = path_alone(path);
  return std::stoll(alone.substr(alone.find_last_of('/') + 1));
}

}  // namespace

struct ServiceServer::Answer {
  int status = 200;
  Json body = Json::object();
  std::vector<std::string> headers = {};
};

ServiceServer::ServiceServer() {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
  ::listen(listener_, 16);
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

ServiceServer::~ServiceServer() {
  ends_ = true;
  thread_.join();
  ::close(listener_);
}

void ServiceServer::plan(Trouble trouble) {
  const std::lock_guard lock(mutex_);
  troubles_.push_back(std::move(trouble));
}

std::vector<ReceivedRequest> ServiceServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::vector<std::string> ServiceServer::faults() const {
  const std::lock_guard lock(mutex_);
  return faults_;
}

int ServiceServer::count(const std::string& method, const std::string& path) const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(std::count_if(requests_.begin(), requests_.end(), [&](const ReceivedRequest& request) {
    return request.method == method && request.path.find(path) != std::string::npos;
  }));
}

void ServiceServer::serve() {
  while (!ends_) {
    pollfd waiting{listener_, POLLIN, 0};
    if (::poll(&waiting, 1, 20) <= 0) continue;
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    handle(connection);
    ::close(connection);
  }
}

void ServiceServer::handle(int connection) {
  const std::optional<ReceivedRequest> request = read_request(connection);
  if (!request) return;
  std::optional<Trouble> trouble;
  Answer answer;
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(*request);
    hold_against_description(*request);
    for (Trouble& one : troubles_) {
      const bool is_met = one.times > 0 && (one.method.empty() || one.method == request->method) &&
                          request->path.find(one.path) != std::string::npos;
      if (!is_met || trouble) continue;
      --one.times;
      trouble = one;
    }
    const bool is_done = !trouble || trouble->how == Trouble::How::cut_after || trouble->how == Trouble::How::trickle;
    if (is_done) answer = answer_to(*request);
  }
  if (trouble && trouble->how == Trouble::How::slow) std::this_thread::sleep_for(std::chrono::seconds(1));
  const bool trickles = trouble && trouble->how == Trouble::How::trickle;
  if (trouble && trouble->how != Trouble::How::answer && !trickles) return;
  if (trouble && !trickles) answer = {trouble->status, {{"message", trouble->message}}, trouble->headers};
  std::string text = "HTTP/1.1 " + std::to_string(answer.status) + " Said\r\nConnection: close\r\n";
  const std::string body = answer.status == 204 ? "" : answer.body.dump();
  for (const std::string& header : answer.headers) text += header + "\r\n";
  text += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  if (!trickles) {
    send_all(connection, text);
    return;
  }
  for (const char byte : text) {
    if (ends_ || !send_all(connection, {byte})) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void ServiceServer::fault(const ReceivedRequest& request, const std::string& what) {
  faults_.push_back(request.method + ' ' + request.path + ": " + what);
}

void ServiceServer::hold_against_description(const ReceivedRequest& request) {
  const bool is_gitlab = request.path.starts_with("/projects/");
  const bool has_token =
      is_gitlab || request.headers.contains("private-token")
          ? request.headers.contains("private-token") && request.headers.at("private-token") == token
          : request.headers.contains("authorization") && request.headers.at("authorization") == "Bearer " + token;
  if (!has_token) fault(request, "no token, or another one");
  if (!request.headers.contains("user-agent")) fault(request, "GitHub refuses requests without a user agent");
  const auto described = std::find_if(kDescribed.begin(), kDescribed.end(), [&](const DescribedRequest& one) {
    return request.method == one.method && std::regex_match(path_alone(request.path), std::regex(one.path));
  });
  if (described == kDescribed.end()) return fault(request, "is described nowhere");
  const std::size_t mark = request.path.find('?');
  std::string query = mark == std::string::npos ? "" : request.path.substr(mark + 1);
  while (!query.empty()) {
    const std::string part = query.substr(0, query.find('&'));
    if (!described->query.contains(part.substr(0, part.find('=')))) fault(request, part + " is described nowhere");
    query.erase(0, part.size() + 1);
  }
  if (described->required.empty() && described->optional.empty()) return;
  const Json body = Json::parse(request.body, nullptr, false);
  if (!body.is_object()) return fault(request, "its body is no JSON object");
  for (const std::string& name : described->required) {
    if (!body.contains(name)) fault(request, "lacks " + name);
  }
  for (const auto& [name, value] : body.items()) {
    if (!described->required.contains(name) && !described->optional.contains(name)) {
      fault(request, name + " is described nowhere");
    }
  }
  if (body.contains("body") && characters(body["body"].get<std::string>()) > kMaxCharacters) {
    fault(request, "a comment above the limit");
  }
  if (!body.contains("output")) return;
  const Json& output = body["output"];
  if (!output.contains("title") || !output.contains("summary")) fault(request, "an output without title or summary");
  if (characters(output.value("summary", "")) > kMaxCharacters) fault(request, "a summary above the limit");
  const Json notes = output.value("annotations", Json::array());
  if (notes.size() > 50) fault(request, "more than 50 annotations");
  for (const Json& note : notes) {
    for (const char* name : {"path", "start_line", "end_line", "annotation_level", "message"}) {
      if (!note.contains(name)) fault(request, std::string("an annotation lacks ") + name);
    }
    if (note.value("start_line", 0) < 1) fault(request, "an annotation at no line");
    if (characters(note.value("title", "")) > 255) fault(request, "an annotation's title above the limit");
  }
}

ServiceServer::Answer ServiceServer::answer_to(const ReceivedRequest& request) {
  return request.path.starts_with("/projects/") ? gitlab(request) : github(request);
}

ServiceServer::Answer ServiceServer::comment_answer(const ReceivedRequest& request, const std::string& list,
                                                    const std::string& one, bool is_github) {
  const auto object = [&](const StoredComment& comment) {
    return Json{{"id", comment.id},
                {"body", comment.body},
                {"html_url", "https://service.example/comment/" + std::to_string(comment.id)},
                {is_github ? "user" : "author",
                 comment.author.empty() ? Json() : Json{{is_github ? "login" : "username", comment.author}}}};
  };
  if (request.method == "GET") {
    const int page = query_number(request.path, "page", 1);
    const int size = query_number(request.path, "per_page", 30);
    Answer answer{200, Json::array()};
    const int begin = (page - 1) * size;
    const int end = std::min(begin + size, static_cast<int>(comments.size()));
    const bool is_newest_first = !is_github && request.path.find("sort=asc") == std::string::npos;
    std::vector<StoredComment> listed = comments;
    if (is_newest_first) std::reverse(listed.begin(), listed.end());
    for (int i = begin; i < end; ++i) answer.body.push_back(object(listed[static_cast<std::size_t>(i)]));
    if (end < static_cast<int>(comments.size())) {
      answer.headers.push_back(is_github ? "Link: <" + address() + list + "?page=2>; rel=\"next\""
                                         : "X-Next-Page: " + std::to_string(page + 1));
    }
    return answer;
  }
  if (request.method == "POST") {
    comments.push_back({++next_id_, login, Json::parse(request.body)["body"]});
    return {201, object(comments.back())};
  }
  const std::int64_t id = last_number(request.path);
  const auto found =
      std::find_if(comments.begin(), comments.end(), [id](const StoredComment& comment) { return comment.id == id; });
  if (!request.path.starts_with(one) || found == comments.end()) return {404, {{"message", "Not Found"}}};
  if (found->author != login) return {403, {{"message", "Resource not accessible"}}};
  if (request.method == "DELETE") return comments.erase(found), Answer{204};
  found->body = Json::parse(request.body)["body"];
  return {200, object(*found)};
}

ServiceServer::Answer ServiceServer::check_answer(const ReceivedRequest& request) {
  const auto object = [](const StoredCheck& check) {
    return Json{{"id", check.id},
                {"external_id", check.external_id},
                {"html_url", "https://service.example/check/" + std::to_string(check.id)},
                {"output", {{"annotations_count", check.annotations.size()}}}};
  };
  if (request.method == "GET") {
    Answer answer{200, {{"total_count", checks.size()}, {"check_runs", Json::array()}}};
    for (const StoredCheck& check : checks) {
      const bool is_here = request.path.find("/commits/" + check.head + "/") != std::string::npos;
      if (is_here) answer.body["check_runs"].push_back(object(check));
    }
    return answer;
  }
  const Json body = Json::parse(request.body);
  if (request.method == "POST") checks.emplace_back().id = ++next_id_;
  const std::int64_t id = request.method == "POST" ? next_id_ : last_number(request.path);
  const auto found =
      std::find_if(checks.begin(), checks.end(), [id](const StoredCheck& check) { return check.id == id; });
  if (found == checks.end()) return {404, {{"message", "Not Found"}}};
  found->name = body.value("name", found->name);
  found->head = body.value("head_sha", found->head);
  found->external_id = body.value("external_id", found->external_id);
  found->conclusion = body.value("conclusion", found->conclusion);
  const Json output = body.value("output", Json::object());
  found->title = output.value("title", found->title);
  found->summary = output.value("summary", found->summary);
  for (const Json& note : output.value("annotations", Json::array())) {
    found->annotations.push_back(note["path"].get<std::string>() + ":" + std::to_string(note["start_line"].get<int>()) +
                                 " " + note["annotation_level"].get<std::string>());
  }
  return {request.method == "POST" ? 201 : 200, object(*found)};
}

ServiceServer::Answer ServiceServer::github(const ReceivedRequest& request) {
  const std::string path = path_alone(request.path);
  if (path == "/user") {
    if (user_status != 200) return {user_status, {{"message", "Resource not accessible by integration"}}};
    return {200, {{"login", login}, {"username", login}}};
  }
  if (path.find("/check-runs") != std::string::npos) return check_answer(request);
  if (path.find("/issues/") != std::string::npos) {
    const std::string repository = path.substr(0, path.find("/issues/"));
    return comment_answer(request, path, repository + "/issues/comments/", true);
  }
  if (path.ends_with("/pulls")) {
    Answer answer{200, Json::array()};
    for (const auto& [branch, number] : pull_of_branch) {
      if (request.path.find("head=" + branch) == std::string::npos) continue;
      answer.body.push_back({{"number", number}, {"head", {{"sha", pulls[number]}}}});
    }
    return answer;
  }
  const auto pull = pulls.find(last_number(path));
  if (pull == pulls.end()) return {404, {{"message", "Not Found"}}};
  return {200, {{"number", pull->first}, {"head", {{"sha", pull->second}}}}};
}

ServiceServer::Answer ServiceServer::gitlab(const ReceivedRequest& request) {
  const std::string path = path_alone(request.path);
  const std::size_t notes = path.find("/notes");
  if (notes != std::string::npos) return comment_answer(request, path, path.substr(0, notes) + "/notes/", false);
  const auto pull = pulls.find(last_number(path));
  if (pull == pulls.end()) return {404, {{"message", "404 Not found"}}};
  return {200, {{"iid", pull->first}, {"sha", pull->second}}};
}

}  // namespace steelyard::ci_test
