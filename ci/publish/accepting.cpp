#include "ci/publish/accepting.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "bench/formats/google_benchmark_context.hpp"
#include "bench/model/text.hpp"
#include "storage/document/json.hpp"

namespace steelyard::ci {
namespace {

using storage::JsonDocument;
using storage::JsonValue;

constexpr std::string_view kAcceptedSchema = "steelyard.accepted/1";
constexpr std::string_view kWord = "perf-accept";
constexpr std::string_view kOwnMark = "<!-- steelyard ";
constexpr std::size_t kMaxSayings = 100;
constexpr std::size_t kMaxPeople = 20;
constexpr std::size_t kMaxBytesOfALine = 1000;
constexpr std::size_t kShownText = 60;
constexpr std::size_t kMaxLabels = 1000;
constexpr std::int64_t kLargestPersonId = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMayPush = 30;  // GitLab's access levels ("Roles and permissions"): Developer
// "GraphQL API resources", Query.mergeRequest. It lies beside the REST API: .../api/v4, .../api/graphql.
constexpr const char* kGraphql = "/../graphql";
constexpr std::string_view kLabelsQuery =
    "query($id: MergeRequestID!) { mergeRequest(id: $id) { labels { nodes { id title description updatedAt } } } }";
constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

// What stands behind "Perf-accept:"; absent: the line begins otherwise.
std::optional<std::string> behind_word(std::string_view line) {
  if (lower_case(line.substr(0, kWord.size())) != kWord) return std::nullopt;
  line.remove_prefix(kWord.size());
  if (!line.starts_with(':')) return std::nullopt;
  return std::string(trimmed(line.substr(1, kMaxBytesOfALine)));
}

// The backticks or tildes that open or close a code block; empty: the line does neither. "```a```" is code within a
// line (CommonMark, 4.5: no backtick stands behind those that open a block).
std::string_view fence_of(std::string_view line) {
  const std::string_view text = trimmed(line);
  const char mark = text.empty() ? ' ' : text.front();
  const std::size_t length = std::min(text.find_first_not_of(mark), text.size());
  if (mark == '`' && text.find('`', length) != std::string_view::npos) return {};
  return (mark == '`' || mark == '~') && length >= 3 ? text.substr(0, length) : std::string_view();
}

// Accounts that GitLab makes for tokens of projects and groups, and for services.
bool is_program_on_gitlab(std::string_view name) {
  const bool is_token = name.starts_with("project_") || name.starts_with("group_");
  return (is_token && name.find("_bot") != std::string_view::npos) || name.starts_with("service_account");
}

// What somebody said, before it is known whether it counts.
struct Saying {
  std::string text;
  std::string person;      // the service's name
  std::string person_key;  // as the service is asked of the rights
  bool is_person = true;   // no program
  std::string where;
  std::string doubt = {};  // not empty: why it counts for nothing, whoever says it
};

// Those of a request that accept something, by their names.
using Labels = std::map<std::string, Saying>;

struct Right {
  bool may_write = false;
  std::string trouble;  // not empty: it is not known
};

std::string member(const JsonValue& object, std::string_view name) {
  if (object.is_null()) return "";
  const JsonValue value = object.at(name);
  return value.is_text() ? value.text() : "";
}

// Collects what was said, and asks of each person once.
class Accepting {
 public:
  struct Service {
    std::string project;  // path
    std::string permission;
    std::string (*path_of_right)(const std::string& project, const std::string& person_key);
    bool (*may_write)(const JsonValue& answer);
  };

  Accepting(ServiceApi& api, Service service) : api_(api), service_(std::move(service)) {}

  // True: all of it was read.
  bool list(const std::string& path, const std::string& query, const std::function<void(const JsonValue&)>& take) {
    const ApiListing listing = list_items(api_, path, query, take);
    if (!listing.outcome.is_done()) {
      note_trouble(part_not_written("accepted", listing.outcome, service_.permission));
    } else if (!listing.is_whole) {
      found_.notes.push_back("of what is listed by " + path + " only the first " + std::to_string(kMaxListedItems) +
                             " were read");
    }
    return listing.outcome.is_done() && listing.is_whole;
  }

  // One object that the service has.
  void read(const std::string& path, const std::function<void(const JsonValue&)>& take) {
    read(ApiCall{"GET", path}, take);
  }
  void read(const ApiCall& call, const std::function<void(const JsonValue&)>& take) {
    ApiOutcome outcome = api_.call(call);
    read_answer(outcome, call.method + ' ' + call.path, take);
    if (!outcome.is_done()) note_trouble(part_not_written("accepted", outcome, service_.permission));
  }

  void add(Saying saying) { sayings_.push_back(std::move(saying)); }
  // Of labels whose events were not all read it is not known who has set them last.
  void add(const Labels& labels, bool is_known) {
    for (const auto& [name, saying] : labels) {
      add(saying);
      sayings_.back().is_person = saying.is_person && is_known;
    }
  }

  RequestAcceptances found() {
    for (std::size_t i = 0; i < sayings_.size(); ++i) {
      if (i == kMaxSayings) {
        found_.notes.push_back("only the first " + std::to_string(kMaxSayings) + " lines were looked at");
        break;
      }
      judge(sayings_[i]);
    }
    return std::move(found_);
  }

 private:
  void judge(const Saying& saying) {
    const std::string said = '"' + shortened(printable_line(saying.text, true), kShownText, true) + "\" (" +
                             saying.where + (saying.person.empty() ? "" : " by ") +
                             printable_line(saying.person, true) + ')';
    if (!saying.doubt.empty()) return found_.notes.push_back("accepts nothing, as " + saying.doubt + ": " + said);
    if (!saying.is_person) return found_.notes.push_back("accepts nothing, as no person says it: " + said);
    const auto known = rights_.find(saying.person_key);
    if (known == rights_.end() && rights_.size() == kMaxPeople) {
      return found_.notes.push_back("accepts nothing, as more than " + std::to_string(kMaxPeople) +
                                    " people accept something: " + said);
    }
    const Right right = known == rights_.end() ? ask(saying.person_key) : known->second;
    if (!right.trouble.empty()) {
      return found_.notes.push_back("accepts nothing, as rights are not known (" + right.trouble + "): " + said);
    }
    if (!right.may_write) {
      return found_.notes.push_back("accepts nothing, as its author may not write to the repository: " + said);
    }
    found_.accepted.push_back({saying.text, saying.person, saying.where});
  }

  Right ask(const std::string& person_key) { return rights_[person_key] = asked(person_key); }

  // 404: the service knows of no right.
  Right asked(const std::string& person_key) {
    const std::string path = service_.path_of_right(service_.project, person_key);
    ApiOutcome outcome = api_.call({"GET", path});
    if (outcome.status == 404) return {};
    if (!outcome.is_done()) {
      const WrittenPart part = part_not_written("accepted", outcome, service_.permission);
      worsen(part.state);
      return {false, part.text};
    }
    bool may_write = false;
    read_answer(outcome, "GET " + path, [&](const JsonValue& person) { may_write = service_.may_write(person); });
    if (outcome.is_done()) return {may_write, ""};
    worsen(WrittenPart::State::failed);
    return {false, outcome.why};
  }

  // What a token may never read is no news of each report.
  void note_trouble(const WrittenPart& part) {
    worsen(part.state);
    const std::string text = "what was accepted on the request could not be read: " + part.text;
    if (part.state == WrittenPart::State::failed) {
      found_.refused = text;
    } else {
      found_.notes.push_back(text);
    }
  }

  void worsen(WrittenPart::State state) {
    if (found_.state != WrittenPart::State::failed) found_.state = state;
  }

  ServiceApi& api_;
  Service service_;
  std::vector<Saying> sayings_;
  std::map<std::string, Right> rights_;
  RequestAcceptances found_;
};

// "Get repository permissions for a user": "maintain" is told as "write", "triage" as "read".
Accepting::Service github_service(const std::string& repository) {
  return {repository, "the job needs `permissions: {pull-requests: read}`",
          [](const std::string& project, const std::string& login) {
            return project + "/collaborators/" + url_part(login) + "/permission";
          },
          [](const JsonValue& answer) {
            const std::string permission = member(answer, "permission");
            return permission == "write" || permission == "admin";
          }};
}

// "Retrieve a member of a project, including inherited and invited members".
Accepting::Service gitlab_service(const std::string& project) {
  return {project, "a project access token with the scope api or read_api and the role Reporter, as a masked variable",
          [](const std::string& of, const std::string& user) { return of + "/members/all/" + user; },
          [](const JsonValue& answer) { return answer.at("access_level").integer(0, 1000) >= kMayPush; }};
}

}  // namespace

std::vector<std::string> accepted_in_comment(std::string_view body) {
  std::vector<std::string> lines;
  if (body.starts_with(kOwnMark)) return lines;
  std::string_view fence;  // that opened the code block: backticks or tildes, three or more (CommonMark 4.5)
  while (!body.empty() && lines.size() < kMaxSayings) {
    const std::size_t end = std::min(body.find('\n'), body.size());
    std::string_view line = body.substr(0, end);
    body.remove_prefix(std::min(end + 1, body.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::string_view fenced = fence_of(line);
    if (fence.empty()) {
      fence = fenced;
    } else if (fenced.starts_with(fence) && trimmed(line) == fenced) {
      fence = {};
      continue;
    }
    if (!fence.empty()) continue;
    if (std::optional<std::string> text = behind_word(line)) lines.push_back(std::move(*text));
  }
  return lines;
}

std::string accepted_by_label(std::string_view name, std::string_view description) {
  std::string pattern = "*";
  if (lower_case(trimmed(name)) != kWord) {
    const std::optional<std::string> text = behind_word(trimmed(name));
    if (!text || text->empty() || text->find('"') != std::string::npos) return "";
    pattern = *text;
  }
  const std::string_view reason = trimmed(description);
  return '"' + pattern + "\" " +
         (reason.empty() ? "as the label says" : std::string(reason.substr(0, kMaxBytesOfALine)));
}

RequestAcceptances accepted_on_github(ServiceApi& api, const GithubPlace& place) {
  const std::string repository = "/repos/" + place.repository;
  const std::string number = std::to_string(*place.pull);
  const std::string issue = repository + "/issues/" + number;
  Accepting accepting(api, github_service(repository));
  const auto said_by = [](const JsonValue& user, Saying saying) {
    saying.person = saying.person_key = member(user, "login");
    saying.is_person = member(user, "type") == "User";
    return saying;
  };
  accepting.list(issue + "/comments", "", [&](const JsonValue& comment) {
    for (std::string& text : accepted_in_comment(member(comment, "body"))) {
      accepting.add(said_by(comment.at("user"), {std::move(text), "", "", true, "comment of #" + number}));
    }
  });
  Labels labels;
  accepting.read(repository + "/pulls/" + number, [&](const JsonValue& pull) {
    for (const JsonValue& label : pull.at("labels").items(kMaxLabels)) {
      const std::string name = member(label, "name");
      if (std::string text = accepted_by_label(name, member(label, "description")); !text.empty()) {
        labels[name] = {std::move(text), "", "", false, "label of #" + number};
      }
    }
  });
  if (labels.empty()) return accepting.found();
  // Who has set it last is the one who says it.
  const bool is_known = accepting.list(issue + "/events", "", [&](const JsonValue& event) {
    if (member(event, "event") != "labeled") return;
    const auto label = labels.find(member(event.at("label"), "name"));
    if (label != labels.end()) label->second = said_by(event.at("actor"), std::move(label->second));
  });
  accepting.add(labels, is_known);
  return accepting.found();
}

namespace {

struct GitlabLabel {
  Saying saying;
  std::int64_t edited_s = std::numeric_limits<std::int64_t>::max();  // since 1970; until it is known, later than any
  std::int64_t event = 0;                                            // the newest by which it was set; 0: none is known
  std::int64_t set_s = 0;
};

std::int64_t second_of(const JsonValue& time) {
  const std::optional<std::int64_t> ns = bench::parse_timestamp(time.text());
  if (!ns) time.refuse("a date and a time");
  return ns.value_or(0) / kNanosecondsPerSecond;
}

// "gid://gitlab/ProjectLabel/12"
std::string number_of_label(const std::string& global_id) { return global_id.substr(global_id.rfind('/') + 1); }

std::string labels_question(std::int64_t merge_request) {
  storage::JsonWriter object;
  object("query", kLabelsQuery);
  object("variables",
         std::map<std::string, std::string>{{"id", "gid://gitlab/MergeRequest/" + std::to_string(merge_request)}});
  return object.text();
}

using SaidBy = std::function<Saying(const JsonValue& user, Saying saying)>;

// Who may not write may rename labels, and an event of today tells the name of today: one that was edited when it was
// set or since says nothing, to the second, as the service tells it.
void add_labels_of_gitlab(Accepting& accepting, const std::string& request, const std::string& number,
                          const SaidBy& said_by) {
  std::int64_t id = 0;
  std::set<std::string> names;
  accepting.read(request, [&](const JsonValue& merge) {
    id = merge.at("id").integer(1, kLargestPersonId);
    for (const std::string& name : merge.at("labels").texts(kMaxLabels)) {
      if (!accepted_by_label(name, "").empty()) names.insert(name);
    }
  });
  if (names.empty()) return;
  const std::string where = "label of !" + number;
  std::map<std::string, GitlabLabel> labels;  // by their numbers
  accepting.read(ApiCall{"POST", kGraphql, labels_question(id)}, [&](const JsonValue& answer) {
    const JsonValue nodes = answer.at("data").at("mergeRequest").at("labels").at("nodes");
    for (const JsonValue& label : nodes.items(kMaxLabels)) {
      const std::string name = member(label, "title");
      if (names.erase(name) == 0) continue;
      GitlabLabel& one = labels[number_of_label(member(label, "id"))];
      one.saying = {accepted_by_label(name, member(label, "description")), "", "", false, where};
      one.edited_s = second_of(label.at("updatedAt"));
    }
  });
  for (const std::string& name : names) {
    accepting.add({accepted_by_label(name, ""), "", "", false, where, "it is not known when the label was edited"});
  }
  if (labels.empty()) return;
  const bool is_known = accepting.list(request + "/resource_label_events", "", [&](const JsonValue& event) {
    if (member(event, "action") != "add" || event.at("label").is_null()) return;
    const auto label = labels.find(std::to_string(event.at("label").at("id").integer(1, kLargestPersonId)));
    const std::int64_t event_id = event.at("id").integer(1, kLargestPersonId);
    if (label == labels.end() || event_id < label->second.event) return;
    label->second.event = event_id;
    label->second.set_s = second_of(event.at("created_at"));
    label->second.saying = said_by(event.at("user"), std::move(label->second.saying));
  });
  for (auto& [key, label] : labels) {
    label.saying.is_person = label.saying.is_person && is_known;
    if (label.event != 0 && label.edited_s >= label.set_s) {
      label.saying.doubt = "the label was edited when it was set or since (set it again)";
    }
    accepting.add(std::move(label.saying));
  }
}

}  // namespace

RequestAcceptances accepted_on_gitlab(ServiceApi& api, const GitlabPlace& place) {
  const std::string project = "/projects/" + url_part(place.project);
  const std::string number = std::to_string(*place.request);
  const std::string request = project + "/merge_requests/" + number;
  Accepting accepting(api, gitlab_service(project));
  const auto said_by = [](const JsonValue& user, Saying saying) {
    saying.is_person = !user.is_null();
    if (!saying.is_person) return saying;
    saying.person = member(user, "username");
    saying.is_person = !is_program_on_gitlab(saying.person);
    saying.person_key = std::to_string(user.at("id").integer(1, kLargestPersonId));
    return saying;
  };
  accepting.list(request + "/notes", "&order_by=created_at&sort=asc&activity_filter=only_comments",
                 [&](const JsonValue& note) {
                   for (std::string& text : accepted_in_comment(member(note, "body"))) {
                     accepting.add(said_by(note.at("author"), {std::move(text), "", "", true, "note of !" + number}));
                   }
                 });
  add_labels_of_gitlab(accepting, request, number, said_by);
  return accepting.found();
}

std::optional<std::int64_t> merged_on_github(ServiceApi& api, const GithubPlace& place) {
  std::optional<std::int64_t> number;
  const auto take = [&](const JsonValue& pull) {
    const bool is_merged = member(pull, "merge_commit_sha") == place.head && !pull.at("merged_at").is_null();
    if (is_merged) number = pull.at("number").integer(1, kLargestPersonId);
  };
  const std::string path = "/repos/" + place.repository + "/commits/" + place.head + "/pulls";
  return list_items(api, path, "", take).outcome.is_done() ? number : std::nullopt;
}

std::optional<std::int64_t> merged_on_gitlab(ServiceApi& api, const GitlabPlace& place) {
  std::optional<std::int64_t> number;
  const auto take = [&](const JsonValue& merge) {
    const bool is_it =
        member(merge, "merge_commit_sha") == place.head || member(merge, "squash_commit_sha") == place.head;
    if (is_it && member(merge, "state") == "merged") number = merge.at("iid").integer(1, kLargestPersonId);
  };
  const std::string path = "/projects/" + url_part(place.project) + "/repository/commits/" + place.head;
  return list_items(api, path + "/merge_requests", "", take).outcome.is_done() ? number : std::nullopt;
}

std::string accepted_document(const RequestAcceptances& accepted) {
  storage::JsonWriter object;
  object("schema", kAcceptedSchema);
  object("accepted", accepted.accepted);
  object("notes", accepted.notes);
  return object.text();
}

Result<RequestAcceptances> read_accepted_document(std::string_view text, const std::string& name) {
  STEELYARD_TRY(const JsonDocument document, JsonDocument::parse(text, name, kAcceptedSchema));
  RequestAcceptances read;
  storage::JsonReader reader(document.root());
  reader("accepted", read.accepted, {.most = kMaxSayings});
  reader("notes", read.notes);
  STEELYARD_CHECK(document.check());
  return read;
}

}  // namespace steelyard::ci
