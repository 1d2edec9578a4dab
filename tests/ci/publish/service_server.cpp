#include "tests/ci/publish/service_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <sstream>

namespace steelyard::ci_test {
namespace {

using Json = nlohmann::json;

// Of a comment: by GitHub's page "Issue comments"; its description does not say it.
constexpr std::size_t kMaxCharacters = 65535;
constexpr std::size_t kMaxCharactersOfATitle = 255;  // of a note; its description does not say it either

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

bool is_gitlabs(const ReceivedRequest& request) {
  return request.path.starts_with("/projects/") || request.headers.contains("private-token");
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

ServiceServer::ServiceServer() : descriptions_(std::make_unique<Descriptions>()) {
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
    const std::size_t faults_before = faults_.size();
    hold_against_description(*request);
    const bool is_allowed = faults_.size() == faults_before;
    for (Trouble& one : troubles_) {
      const bool is_met = one.times > 0 && (one.method.empty() || one.method == request->method) &&
                          request->path.find(one.path) != std::string::npos;
      if (!is_met || trouble) continue;
      --one.times;
      trouble = one;
    }
    const bool is_done = !trouble || trouble->how == Trouble::How::cut_after || trouble->how == Trouble::How::trickle;
    if (!is_allowed) {
      answer = {422, {{"message", faults_.back()}}};
    } else if (is_done) {
      answer = answer_to(*request);
      hold_against_description(*request, answer);
    }
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

namespace {

// What a value lacks of a schema, which is a part of JSON Schema as OpenAPI 3.0 has it; empty: nothing. `knows_all`:
// members that the schema does not have are faults as well.
std::string trouble_with(const Json& value, const Json& schema, bool knows_all, const std::string& where) {
  if (value.is_null()) return schema.value("nullable", false) ? "" : where + " is null";
  const std::string type = schema.value("type", "");
  const bool is_of_type = type == "object"    ? value.is_object()
                          : type == "array"   ? value.is_array()
                          : type == "integer" ? value.is_number_integer()
                          : type == "string"  ? value.is_string()
                          : type == "boolean" ? value.is_boolean()
                                              : true;
  if (!is_of_type) return where + " is no " + type;
  if (schema.contains("enum") && std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
    return where + " is " + value.dump() + ", which is none of " + schema["enum"].dump();
  if (value.is_string() && characters(value.get<std::string>()) > schema.value("maxLength", std::string::npos))
    return where + " is above the limit";
  if (value.is_array() && value.size() > schema.value("maxItems", std::string::npos)) return where + " has too many";
  for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
    const std::string trouble =
        trouble_with(value[i], schema.value("items", Json::object()), knows_all, where + '[' + std::to_string(i) + ']');
    if (!trouble.empty()) return trouble;
  }
  if (!value.is_object()) return "";
  for (const Json& name : schema.value("required", Json::array())) {
    if (!value.contains(name.get<std::string>())) return where + " lacks " + name.get<std::string>();
  }
  for (const auto& [name, member] : value.items()) {
    const bool is_known = schema.contains("properties") && schema["properties"].contains(name);
    if (!is_known && knows_all) return where + '.' + name + " is described nowhere";
    if (!is_known) continue;
    const std::string trouble = trouble_with(member, schema["properties"][name], knows_all, where + '.' + name);
    if (!trouble.empty()) return trouble;
  }
  return "";
}

// Of a path, or a query, where numbers are text.
bool is_described(const std::string& text, const Json& schema) {
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (schema.value("type", "") == "integer") {
    return is_number && text.size() < 19 && std::stoll(text) <= schema.value("maximum", std::int64_t{1} << 60U);
  }
  return !schema.contains("enum") ||
         std::find(schema["enum"].begin(), schema["enum"].end(), Json(text)) != schema["enum"].end();
}

bool is_path_of(const std::string& path, const Json& operation) {
  std::istringstream given(path);
  std::istringstream wanted(operation["path"].get<std::string>());
  std::string part;
  std::string pattern;
  while (std::getline(wanted, pattern, '/')) {
    if (!std::getline(given, part, '/')) return false;
    const bool is_any = pattern.starts_with('{');
    if (is_any ? part.empty() || !is_described(part, operation["parameters"][pattern.substr(1, pattern.size() - 2)])
               : part != pattern) {
      return false;
    }
  }
  return !std::getline(given, part, '/');
}

}  // namespace

struct ServiceServer::Descriptions {
  Json github = read("github_api.json");
  Json gitlab = read("gitlab_api.json");

  static Json read(const std::string& name) {
    std::ifstream stream(std::string(STEELYARD_SOURCE_FOLDER) + "/tests/ci/publish/" + name);
    return Json::parse(stream)["operations"];
  }
  const Json* of(const ReceivedRequest& request) const {
    const Json& all = is_gitlabs(request) ? gitlab : github;
    const auto found = std::find_if(all.begin(), all.end(), [&](const Json& one) {
      return one["method"] == request.method && is_path_of(path_alone(request.path), one);
    });
    return found == all.end() ? nullptr : &*found;
  }
};

void ServiceServer::hold_against_description(const ReceivedRequest& request) {
  if (request.path.starts_with("/hooks/")) return;  // an incoming webhook takes what it is sent
  const bool has_token =
      is_gitlabs(request)
          ? request.headers.contains("private-token") && request.headers.at("private-token") == token
          : request.headers.contains("authorization") && request.headers.at("authorization") == "Bearer " + token;
  if (!has_token) fault(request, "no token, or another one");
  if (!request.headers.contains("user-agent")) fault(request, "GitHub refuses requests without a user agent");
  const Json* const described = descriptions_->of(request);
  if (described == nullptr) return fault(request, "is described nowhere");
  const std::size_t mark = request.path.find('?');
  std::string query = mark == std::string::npos ? "" : request.path.substr(mark + 1);
  while (!query.empty()) {
    const std::string part = query.substr(0, query.find('&'));
    const std::string name = part.substr(0, part.find('='));
    const Json schema = (*described)["parameters"].value(name, Json::object());
    if (schema.value("in", "") != "query") fault(request, name + " is described nowhere");
    if (!is_described(part.substr(std::min(part.size(), name.size() + 1)), schema)) fault(request, part);
    query.erase(0, part.size() + 1);
  }
  if (!described->contains("body")) {
    if (!request.body.empty()) fault(request, "has a body");
    return;
  }
  const Json body = Json::parse(request.body, nullptr, false);
  const std::string trouble = trouble_with(body, (*described)["body"], true, "the body");
  if (!trouble.empty()) return fault(request, trouble);
  if (body.contains("body") && characters(body["body"].get<std::string>()) > kMaxCharacters) {
    fault(request, "a comment above the limit");
  }
  for (const Json& note : body.value("output", Json::object()).value("annotations", Json::array())) {
    if (note["start_line"] < 1) fault(request, "an annotation at no line");
    if (characters(note.value("title", "")) > kMaxCharactersOfATitle) fault(request, "a note's title above the limit");
  }
}

// This server's own: what it says is to be what the services say.
void ServiceServer::hold_against_description(const ReceivedRequest& request, const Answer& answer) {
  const Json* const described = descriptions_->of(request);
  if (described == nullptr || answer.status >= 300) return;
  const Json schema = (*described)["responses"].value(std::to_string(answer.status), Json("none"));
  if (schema == "none") return fault(request, "answered by " + std::to_string(answer.status));
  const std::string trouble = schema.is_null() ? "" : trouble_with(answer.body, schema, false, "the answer");
  if (!trouble.empty()) fault(request, trouble);
}

ServiceServer::Answer ServiceServer::answer_to(const ReceivedRequest& request) {
  if (request.path.starts_with("/hooks/")) return {};
  if (request.path == "/graphql") return graphql_answer(request.body);
  return request.path.starts_with("/projects/") ? gitlab(request) : github(request);
}

ServiceServer::Answer ServiceServer::comment_answer(const ReceivedRequest& request, const std::string& list,
                                                    const std::string& one, bool is_github) {
  const auto object = [&](const StoredComment& comment) {
    return Json{{"id", comment.id},
                {"body", comment.body},
                {"html_url", "https://service.example/comment/" + std::to_string(comment.id)},
                {is_github ? "user" : "author", comment.author.empty() ? Json() : user(comment.author, is_github)}};
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
    found->notes.push_back(note["title"].get<std::string>() + ": " + note["message"].get<std::string>());
  }
  return {request.method == "POST" ? 201 : 200, object(*found)};
}

Json ServiceServer::user(const std::string& person, bool is_github) {
  if (is_github) return {{"login", person}, {"type", person.ends_with("[bot]") ? "Bot" : "User"}};
  const auto known = std::find(people_.begin(), people_.end(), person);
  const auto id = known - people_.begin() + 1;
  if (known == people_.end()) people_.push_back(person);
  return {{"id", id}, {"username", person}};
}

namespace {

// Of a merge request, whose number is one of its project's alone; and of a label, by its place among all.
constexpr std::int64_t kFirstMergeRequest = 1000;
std::int64_t label_number(const std::map<std::string, std::string>& labels, const std::string& name) {
  return std::distance(labels.begin(), labels.find(name)) + 1;
}

}  // namespace

// The labels of a merge request: the one question that is described.
ServiceServer::Answer ServiceServer::graphql_answer(const std::string& body) {
  const std::string id = Json::parse(body)["variables"]["id"];
  const auto pull = pulls.find(last_number(id) - kFirstMergeRequest);
  Json merge;
  if (id.starts_with("gid://gitlab/MergeRequest/") && pull != pulls.end()) {
    merge["labels"]["nodes"] = Json::array();
    for (const auto& [name, description] : labels) {
      merge["labels"]["nodes"].push_back(
          {{"id", "gid://gitlab/ProjectLabel/" + std::to_string(label_number(labels, name))},
           {"title", name},
           {"description", description.empty() ? Json() : Json(description)},
           {"updatedAt", labels_edited_at}});
    }
  }
  return {200, {{"data", {{"mergeRequest", merge}}}}};
}

ServiceServer::Answer ServiceServer::label_events_answer(bool is_github) {
  Answer answer{200, Json::array()};
  for (const StoredLabelEvent& event : label_events) {
    Json object{{"id", ++next_id_}, {"label", {{"name", event.label}}}};
    object[is_github ? "actor" : "user"] = user(event.person, is_github);
    if (is_github) {
      object["event"] = event.is_added ? "labeled" : "unlabeled";
    } else {
      object["action"] = event.is_added ? "add" : "remove";
      object["created_at"] = event.at;
      object["label"]["id"] = label_number(labels, event.label);
    }
    answer.body.push_back(object);
  }
  return answer;
}

ServiceServer::Answer ServiceServer::rights_answer(const std::string& path, bool is_github) {
  std::string person;
  if (is_github) {
    const std::size_t begin = path.find("/collaborators/") + 15;
    person = path.substr(begin, path.rfind('/') - begin);
  } else if (const auto id = static_cast<std::size_t>(last_number(path)); id > 0 && id <= people_.size()) {
    person = people_[id - 1];
  }
  const auto right = rights.find(person);
  if (right == rights.end()) return {404, {{"message", "Not Found"}}};
  if (is_github) return {200, {{"permission", right->second}, {"role_name", right->second}}};
  return {200, {{"id", last_number(path)}, {"username", person}, {"access_level", std::stoi(right->second)}}};
}

ServiceServer::Answer ServiceServer::github(const ReceivedRequest& request) {
  const std::string path = path_alone(request.path);
  if (path == "/user") {
    if (user_status != 200) return {user_status, {{"message", "Resource not accessible by integration"}}};
    return {200, {{"login", login}, {"username", login}}};
  }
  if (path.find("/check-runs") != std::string::npos) return check_answer(request);
  if (path.ends_with("/events")) return label_events_answer(true);
  if (path.ends_with("/permission")) return rights_answer(path, true);
  if (path.find("/issues/") != std::string::npos) {
    const std::string repository = path.substr(0, path.find("/issues/"));
    return comment_answer(request, path, repository + "/issues/comments/", true);
  }
  if (path.ends_with("/pulls")) {
    Answer answer{200, Json::array()};
    for (const auto& [commit, number] : pull_of_merge) {
      if (path.find("/commits/" + commit + "/") == std::string::npos) continue;
      answer.body.push_back({{"number", number}, {"merged_at", "2026-01-02T03:04:05Z"}, {"merge_commit_sha", commit}});
    }
    if (path.find("/commits/") != std::string::npos) return answer;
    for (const auto& [branch, number] : pull_of_branch) {
      if (request.path.find("head=" + branch) == std::string::npos) continue;
      answer.body.push_back({{"number", number}, {"head", {{"sha", pulls[number]}}}});
    }
    return answer;
  }
  const auto pull = pulls.find(last_number(path));
  if (pull == pulls.end()) return {404, {{"message", "Not Found"}}};
  Json described = Json::array();
  for (const auto& [name, description] : labels) described.push_back({{"name", name}, {"description", description}});
  return {200, {{"number", pull->first}, {"head", {{"sha", pull->second}}}, {"labels", described}}};
}

ServiceServer::Answer ServiceServer::gitlab(const ReceivedRequest& request) {
  const std::string path = path_alone(request.path);
  const std::size_t notes = path.find("/notes");
  if (notes != std::string::npos) return comment_answer(request, path, path.substr(0, notes) + "/notes/", false);
  if (path.find("/repository/commits/") != std::string::npos) {
    Answer answer{200, Json::array()};
    for (const auto& [commit, number] : pull_of_merge) {
      if (path.find("/commits/" + commit + "/") == std::string::npos) continue;
      answer.body.push_back({{"iid", number}, {"state", "merged"}, {"merge_commit_sha", commit}});
    }
    return answer;
  }
  if (path.ends_with("/resource_label_events")) return label_events_answer(false);
  if (path.find("/members/") != std::string::npos) return rights_answer(path, false);
  const auto pull = pulls.find(last_number(path));
  if (pull == pulls.end()) return {404, {{"message", "404 Not found"}}};
  Json names = Json::array();
  for (const auto& [name, description] : labels) names.push_back(name);
  return {200,
          {{"id", kFirstMergeRequest + pull->first}, {"iid", pull->first}, {"sha", pull->second}, {"labels", names}}};
}

}  // namespace steelyard::ci_test
