// GitHub's and GitLab's API as far as the program uses it, on a free port of the loopback device: real HTTP, comments
// and check runs that stay, every request and answer held against what the services' published OpenAPI descriptions say
// of it (github_api.json, gitlab_api.json: extract_api.py makes them of those), and troubles on request. A request that
// they do not allow is refused.
//
//     ServiceServer server;
//     server.pulls[7] = std::string(40, 'a');
//     server.plan({.method = "POST", .path = "/comments", .how = Trouble::How::cut_after});
//     publish(server.address());
//     EXPECT_THAT(server.faults(), IsEmpty());
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <thread>
#include <vector>

namespace steelyard::ci_test {

struct ReceivedRequest {
  std::string method;
  std::string path;  // with its query
  std::map<std::string, std::string> headers;
  std::string body;
};

struct Trouble {
  enum class How {
    answer,      // in place of the request's effect: status and headers
    cut_before,  // the connection is cut, nothing was done
    cut_after,   // it was done, and the connection is cut
    slow,        // no answer for a second
    trickle,     // it was done, and the answer comes a byte every 20 ms
  };
  std::string method;  // of the requests that meet it; empty: any
  std::string path;    // a part of theirs
  How how = How::answer;
  int status = 500;
  std::vector<std::string> headers = {};  // "Retry-After: 1"
  std::string message = "trouble";
  int times = 1;
};

struct StoredComment {
  std::int64_t id = 0;
  std::string author;
  std::string body;
};

struct StoredLabelEvent {
  bool is_added = true;
  std::string label;
  std::string person;
  std::string at = "2026-01-02T03:04:06.789Z";
};

struct StoredCheck {
  std::int64_t id = 0;
  std::string name;
  std::string head;
  std::string external_id;
  std::string conclusion;
  std::string title;
  std::string summary;
  std::vector<std::string> annotations;  // "path:line level"
  std::vector<std::string> notes;        // of each: "title: message"
};

class ServiceServer {
 public:
  ServiceServer();
  ~ServiceServer();
  ServiceServer(const ServiceServer&) = delete;
  ServiceServer& operator=(const ServiceServer&) = delete;

  std::string address() const { return "http://127.0.0.1:" + std::to_string(port_); }
  void plan(Trouble trouble);

  // What the services have; a test may change it between requests.
  std::map<std::int64_t, std::string> pulls;           // number, head
  std::map<std::string, std::int64_t> pull_of_branch;  // "owner:branch"
  std::map<std::string, std::int64_t> pull_of_merge;   // by the commit that it was merged as
  std::vector<StoredComment> comments;
  std::vector<StoredCheck> checks;
  std::map<std::string, std::string> labels;   // of every request: name, description
  std::vector<StoredLabelEvent> label_events;  // oldest first
  std::string labels_edited_at = "2026-01-02T03:04:05Z";
  // What people may do: GitHub's permission ("write"), or GitLab's access level ("30"). "name[bot]" is a program.
  std::map<std::string, std::string> rights;
  std::string login = "github-actions[bot]";  // of the token
  int user_status = 403;                      // of GET /user: an app's token may not
  std::string token = "a-secret-token";

  std::vector<ReceivedRequest> requests() const;
  int count(const std::string& method, const std::string& path) const;  // requests with that part of a path
  // What requests and this server's answers had that the services' descriptions do not have, or lacked.
  std::vector<std::string> faults() const;

 private:
  struct Answer;
  void serve();
  void handle(int connection);
  Answer answer_to(const ReceivedRequest& request);
  Answer github(const ReceivedRequest& request);
  Answer gitlab(const ReceivedRequest& request);
  Answer comment_answer(const ReceivedRequest& request, const std::string& list, const std::string& one,
                        bool is_github);
  Answer check_answer(const ReceivedRequest& request);
  Answer label_events_answer(bool is_github);
  Answer graphql_answer(const std::string& body);
  Answer rights_answer(const std::string& path, bool is_github);
  nlohmann::json user(const std::string& person, bool is_github);
  struct Descriptions;
  void hold_against_description(const ReceivedRequest& request);
  void hold_against_description(const ReceivedRequest& request, const Answer& answer);
  void fault(const ReceivedRequest& request, const std::string& what);

  std::unique_ptr<const Descriptions> descriptions_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> ends_ = false;
  mutable std::mutex mutex_;
  std::vector<Trouble> troubles_;
  std::vector<ReceivedRequest> requests_;
  std::vector<std::string> faults_;
  std::int64_t next_id_ = 1000;
  std::vector<std::string> people_;  // whose id is the place
  std::thread thread_;
};

}  // namespace steelyard::ci_test
