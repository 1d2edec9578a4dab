// What the API takes: runs, as archives or as the results of a tool, what people say of alerts, tokens. What is new
// leaves a line in the audit trail, in the transaction of the act.
#include <algorithm>
#include <memory>
#include <mutex>

#include "bench/formats/google_benchmark_context.hpp"
#include "bench/formats/import_formats.hpp"
#include "bench/model/elapsed.hpp"
#include "bench/model/text.hpp"
#include "ci/config/configuration.hpp"
#include "ci/config/written_value.hpp"
#include "ci/report/alerts.hpp"
#include "ci/report/exports.hpp"
#include "ci/service/call.hpp"
#include "ci/service/sent_body.hpp"
#include "storage/access_store.hpp"
#include "storage/alert_store.hpp"
#include "storage/archive/archive.hpp"
#include "storage/document/json.hpp"
#include "storage/run_store.hpp"

namespace steelyard::ci {
namespace {

using storage::JsonDocument;
using storage::JsonValue;
using storage::JsonWriter;

constexpr std::int64_t kMaxJsonBytes = 64 * 1024;
constexpr std::size_t kMaxNoteBytes = 2000;
constexpr std::size_t kMaxWhoBytes = 200;
constexpr std::size_t kMaxScopes = 4;

// Error (input): no object, or one with another member than these.
Result<JsonDocument> read_body(const Call& call, const std::vector<std::string>& members) {
  const std::string_view body = call.request.body;
  STEELYARD_TRY(JsonDocument document, JsonDocument::parse(body.empty() ? "{}" : body, "body"));
  const JsonValue root = document.root();
  for (const std::string& name : root.names()) {
    if (std::find(members.begin(), members.end(), name) == members.end()) {
      return input_error("body", '"' + name.substr(0, 100) + '"', "a member that openapi.json names");
    }
    // A database would keep what stands before it.
    const JsonValue member = root.at(name);
    if (member.is_text() && member.text().find('\0') != std::string::npos) {
      return input_error(name, "a text with a zero byte", "none");
    }
  }
  STEELYARD_CHECK(document.check());
  return document;
}

constexpr const char* kSubmission = "submission";  // in place of a file's name

bool is_json(const Call& call) { return call.request.field("content-type").starts_with("application/json"); }

bool is_commit(const std::string& text) { return text.size() >= 7 && text.size() <= 64 && is_hex(text); }

// Of what was measured, as git writes it. With fewer digits it would be another commit than the one it stands for.
Result<std::string> whole_hash(const Call& call, const char* name) {
  std::string hash = lower_case(call[name]);
  if (is_full_commit_hash(hash)) return hash;
  return input_error(name, call[name].substr(0, 100), "a whole hash: 40 or 64 hexadecimal digits",
                     "git rev-parse gives it");
}

// Many tools write no date, and a run without one would stand before every other for ever.
Result<void> date_by_commit(RunHeader& run, const std::string& committed_at) {
  constexpr std::int64_t kNanosecondsASecond = 1'000'000'000;
  const char* const fix = "committed_at: git show -s --format=%cI, with + as %2B";
  if (!committed_at.empty()) {
    const std::optional<std::int64_t> time = bench::parse_timestamp(committed_at);
    if (!time || *time <= 0) return input_error("committed_at", committed_at, "2026-11-21T08:51:57Z", fix);
    run.commit.committed_at_unix_s = *time / kNanosecondsASecond;
    if (run.created_at_unix_ns <= 0) run.created_at_unix_ns = *time;
  }
  if (run.created_at_unix_ns > 0) return {};
  return input_error(kSubmission, "results that say no time", "when their commit was made", fix);
}

// By its content, unless the parameter names one. Error (input): none of them, or it looks like none.
Result<const bench::ImportFormat*> sent_format(const Call& call, const std::string& file) {
  if (call["format"].empty()) {
    return bench::recognise_format(file, [](std::string_view format, const std::string&) {
      return "the parameter format=" + std::string(format);
    });
  }
  std::vector<std::string> names;
  for (const bench::ImportFormat& format : bench::import_formats()) names.emplace_back(format.name);
  STEELYARD_TRY(const std::size_t index, read_word(WrittenValue{call["format"], true}, "format", names));
  return &bench::import_formats()[index];
}

struct SubmittedRun {
  Run run;
  std::vector<std::string> warnings{};  // of the reading of results
};

// What a sender has to know of what is kept: that a gate will not pass with bad records, too.
std::vector<std::string> told_warnings(const SubmittedRun& submitted) {
  constexpr std::size_t kMaxTold = 100;
  constexpr std::size_t kMaxToldColumns = 1000;
  TakenRun taken;
  taken.path = kSubmission;
  const std::vector<Failure>& failures = submitted.run.failures;
  taken.bad_records = static_cast<std::size_t>(std::count_if(
      failures.begin(), failures.end(), [](const Failure& one) { return one.kind == FailureKind::bad_record; }));
  std::vector<std::string> told;
  if (std::string text = bad_records_text(taken); !text.empty()) told.push_back(std::move(text));
  for (const std::string& warning : submitted.warnings) {
    if (told.size() < kMaxTold) told.push_back(shortened(printable_line(warning, true), kMaxToldColumns, true));
  }
  return told;
}

// What a tool wrote, as `steelyard import` reads it: nothing of the moment goes in, so that the same results of the
// same commit are the same run, whenever they come.
Result<SubmittedRun> run_of_results(const Call& call, std::string_view bytes) {
  if (bytes.starts_with(bench::kArchiveBeginning)) {
    return input_error(kSubmission, "an archive of Steelyard's", "results of another tool",
                       "send it as application/vnd.steelyard.run");
  }
  if (bytes.starts_with("\x1f\x8b")) {
    return input_error(kSubmission, "text that gzip packed", "the text", "send the text, not packed");
  }
  const std::string file = "/proc/self/fd/" + std::to_string(call.request.body_file);
  std::vector<std::string> warnings;
  const auto load = [&]() -> Result<std::vector<Run>> {
    STEELYARD_TRY(const bench::ImportFormat* const format, sent_format(call, file));
    return bench::load_imported(*format, file, warnings);
  };
  Result<std::vector<Run>> runs = load();
  // The file has no name that means anything, here or at the next try.
  const auto unnamed = [&file](std::string& text) {
    for (std::size_t at = 0; (at = text.find(file, at)) != text.npos;) text.replace(at, file.size(), kSubmission);
  };
  if (!runs) {
    Error error = std::move(runs).error();
    for (std::string* const text : {&error.where, &error.found, &error.wanted, &error.fix}) unnamed(*text);
    return error;
  }
  if (runs->size() != 1) return input_error(kSubmission, std::to_string(runs->size()) + " runs", "one run");
  for (std::string& warning : warnings) unnamed(warning);
  Run run = std::move(runs->front());
  if (run.header.program == std::to_string(call.request.body_file)) run.header.program = kSubmission;
  run.header.project = call["project"].empty() ? call.caller.project : call["project"];
  if (run.header.project.empty()) return input_error("project", "nothing", "the project that the results are of");
  if (!call["commit"].empty()) {
    run.header.commit = {};
    STEELYARD_TRY(run.header.commit.sha, whole_hash(call, "commit"));
  }
  if (!call["parent"].empty()) {
    if (call["commit"].empty()) return input_error("parent", "it without a commit", "the commit that it is before");
    STEELYARD_TRY(run.header.commit.parent, whole_hash(call, "parent"));
  }
  for (const std::string& branch : {call.caller.branch, call["branch"]}) {
    if (!branch.empty()) run.header.commit.branch = branch;
  }
  STEELYARD_CHECK(date_by_commit(run.header, call["committed_at"]));
  storage::seal(run);
  return SubmittedRun{std::move(run), std::move(warnings)};
}

Result<SubmittedRun> submitted_run(const Call& call, std::string_view bytes) {
  if (is_json(call)) return run_of_results(call, bytes);
  for (const char* name : {"project", "commit", "parent", "branch", "committed_at", "format"}) {
    if (!call[name].empty()) return input_error(name, "it beside an archive", "it with JSON alone");
  }
  STEELYARD_TRY(Run run, storage::decode_sealed_run(bytes, kSubmission));
  return SubmittedRun{std::move(run)};
}

Result<Reply> submit_run(const Call& call, std::mutex& large) {
  const SentBody file(call.request.body_file);
  if (file.is_empty()) {
    return input_error("body", "nothing", is_json(call) ? "the results of a tool" : "an archive",
                       "curl --data-binary @FILE sends one");
  }
  if (file.bytes().empty()) return store_error(kSubmission, "no room for its bytes", "", "give the service memory");
  const bool is_large = file.bytes().size() > kLargeBody || storage::unpacked_length(file.bytes()) > kLargeArchive;
  const std::unique_lock<std::mutex> turn = turn_of(large, is_large);
  Result<SubmittedRun> read = submitted_run(call, file.bytes());
  // Another service may take it: one of a newer version, or with more memory.
  if (!read && storage::may_be_read_elsewhere(file.bytes(), read.error())) return not_here(read.error());
  STEELYARD_TRY(const SubmittedRun submitted, std::move(read));
  const Run& run = submitted.run;
  if (!call.caller.project.empty() && run.header.project != call.caller.project) {
    Reply refused{"", "", 403};
    refused.body = "a run of another project than the token's";
    return refused;
  }
  const bool is_of_its_branch = call.caller.branch.empty() || run.header.commit.branch == call.caller.branch;
  if (!call.caller.is_request && !is_of_its_branch) {
    return Reply{"a run of branch " + run.header.commit.branch + ", where the job is of branch " + call.caller.branch,
                 "", 403};
  }
  const storage::RunStore::Submission submission{
      {call.caller.who(), "run submitted", "run:" + run.header.id, run.header.project}, call.caller.is_request};
  const Result<bool> is_new = storage::RunStore(call.store).put(run, submission);
  if (!is_new) return is_new.error();
  JsonWriter writer;
  writer("id", run.header.id);
  writer("is_new", *is_new);
  writer("failures", static_cast<std::int64_t>(run.failures.size()));
  writer("warnings", told_warnings(submitted));
  return Reply{writer.one_line() + '\n', "application/json", *is_new ? 201 : 200};
}

Result<storage::AlertAct> read_act(const Call& call, storage::AlertAct::Kind kind) {
  STEELYARD_TRY(const JsonDocument document, read_body(call, {"who", "note", "commit", "until", "to"}));
  const JsonValue root = document.root();
  storage::AlertAct act;
  act.kind = kind;
  // Whom a program names is said beside who it is.
  const std::string person = root.at("who").text();
  act.who = person.empty() ? call.caller.who() : person + " (" + call.caller.who() + ')';
  act.note = root.at("note").text();
  act.commit = root.at("commit").text();
  act.until = root.at("until").text();
  act.assignee = root.at("to").text();
  act.at_unix_ns = now_unix_ns();
  STEELYARD_CHECK(document.check());
  if (act.note.size() > kMaxNoteBytes) {
    return input_error("note", std::to_string(act.note.size()) + " bytes", "at most " + std::to_string(kMaxNoteBytes));
  }
  if (person.size() > kMaxWhoBytes) {
    return input_error("who", std::to_string(person.size()) + " bytes", "at most " + std::to_string(kMaxWhoBytes));
  }
  const bool accepts = kind == storage::AlertAct::Kind::accept;
  if (!accepts && !(act.commit.empty() && act.until.empty())) {
    return input_error("body", "commit or until", "them with accept alone");
  }
  if (accepts && act.note.empty()) return input_error("note", "nothing", "why it is accepted");
  const bool assigns = kind == storage::AlertAct::Kind::assign;
  if (assigns == root.at("to").is_null()) {
    return assigns ? input_error("to", "nothing", "who is to see to it, or \"\": nobody any more")
                   : input_error("body", "to", "it with assign alone");
  }
  if (act.assignee.size() > storage::kMaxAssigneeBytes) {
    return input_error("to", std::to_string(act.assignee.size()) + " bytes",
                       "at most " + std::to_string(storage::kMaxAssigneeBytes));
  }
  if (!act.commit.empty() && !is_commit(act.commit))
    return input_error("commit", act.commit.substr(0, 100), "its hash");
  if (!act.until.empty()) {
    STEELYARD_TRY(act.until, read_day({act.until.substr(0, 100), true}, "until"));
    if (act.until < today()) return input_error("until", act.until, "a day that is not over");
  }
  return act;
}

Operation acting(storage::AlertAct::Kind kind) {
  const auto act = [kind](const Call& call) -> Result<Reply> {
    Result<storage::AlertAct> read = read_act(call, kind);
    if (!read) return not_here(read.error());
    storage::AlertAct wanted = std::move(read).value();
    storage::AlertStore alerts(call.store);
    storage::AlertQuery query;
    query.id = call["id"];
    query.resolved_too = true;
    query.limit = 2;
    STEELYARD_TRY(const std::vector<storage::Alert> found, alerts.list(query));
    if (found.size() != 1) {
      return Reply{"alert:" + query.id + (found.empty() ? ": no such alert" : ": several alerts"), "", 404};
    }
    wanted.alert = found.front().id;
    if (kind == storage::AlertAct::Kind::accept && wanted.commit.empty()) wanted.commit = found.front().commit;
    STEELYARD_TRY(const storage::Alert after, alerts.act(wanted));
    return Reply{json_alert(after) + '\n'};
  };
  return {act, 409, kMaxJsonBytes};
}

Reply no_owner() {
  return {"the service's login of the store is no owner, and issues and revokes no tokens: steelyard serve token", "",
          403};
}

Reply issued_reply(const storage::IssuedToken& issued) {
  JsonWriter token;
  token("id", issued.token.id);
  token("name", issued.token.name);
  token("project", issued.token.project, {.null = Null::written});
  token("scopes", issued.token.scopes);
  token("expires_at", issued.token.expires_at);
  token("last_used", std::string(), {.null = Null::written});
  JsonWriter writer;
  writer.add("token", std::move(token));
  writer("secret", issued.secret);
  writer("old_expires_at", issued.old_expires_at, {.omitted = true});
  return Reply{writer.one_line() + '\n', "application/json", 201};
}

Result<Reply> issue_token(const Call& call) {
  STEELYARD_TRY(const JsonDocument document, read_body(call, {"name", "project", "scopes", "days"}));
  const JsonValue root = document.root();
  storage::TokenRequest wanted;
  wanted.name = root.at("name").text();
  wanted.project = root.at("project").text();
  wanted.scopes = root.at("scopes").texts(kMaxScopes);
  if (!root.at("days").is_null()) wanted.days = static_cast<int>(root.at("days").integer(1, storage::kMaxTokenDays));
  wanted.who = call.caller.who();
  STEELYARD_CHECK(document.check());
  // Who sees one project makes nobody who sees more.
  if (!call.caller.project.empty() && wanted.project != call.caller.project) {
    return Reply{"a token of another project than one's own", "", 403};
  }
  storage::AccessStore access(call.store);
  STEELYARD_TRY(const bool is_owner, access.may_issue_tokens());
  if (!is_owner) return no_owner();
  STEELYARD_TRY(const storage::IssuedToken issued, access.issue_token(wanted));
  return issued_reply(issued);
}

// Whoever sees one project's tokens alone: that it is one of them.
Result<bool> is_own_token(const Call& call) {
  if (call.caller.project.empty()) return true;
  STEELYARD_TRY(const std::vector<storage::Token> all, storage::AccessStore(call.store).tokens());
  return std::any_of(all.begin(), all.end(), [&](const storage::Token& one) {
    return one.id == call["id"] && one.project == call.caller.project;
  });
}

Result<Reply> rotate_token(const Call& call) {
  STEELYARD_TRY(const JsonDocument document, read_body(call, {"days", "grace_hours"}));
  const JsonValue root = document.root();
  storage::TokenRotation rotation;
  rotation.id = call["id"];
  if (!root.at("days").is_null()) rotation.days = static_cast<int>(root.at("days").integer(1, storage::kMaxTokenDays));
  if (!root.at("grace_hours").is_null()) {
    rotation.grace_hours = static_cast<int>(root.at("grace_hours").integer(0, storage::kMaxGraceHours));
  }
  rotation.who = call.caller.who();
  STEELYARD_CHECK(document.check());
  STEELYARD_TRY(const bool is_own, is_own_token(call));
  if (!is_own) return Reply{"token:" + call["id"] + ": no such token", "", 404};
  storage::AccessStore access(call.store);
  STEELYARD_TRY(const bool is_owner, access.may_issue_tokens());
  if (!is_owner) return no_owner();
  STEELYARD_TRY(const storage::IssuedToken issued, access.rotate_token(rotation));
  return issued_reply(issued);
}

Result<Reply> revoke_token(const Call& call) {
  storage::AccessStore access(call.store);
  STEELYARD_TRY(const bool is_own, is_own_token(call));
  if (!is_own) return Reply{"token:" + call["id"] + ": no such token", "", 404};
  STEELYARD_TRY(const bool is_owner, access.may_issue_tokens());
  if (!is_owner) return no_owner();
  STEELYARD_TRY(const bool done, access.revoke_token(call["id"], call.caller.who()));
  static_cast<void>(done);  // twice is as good as once
  return Reply{"", "", 204};
}

}  // namespace

Reply not_here(const Error& error) {
  constexpr int kNotAsWanted = 422;
  return {"", "", kNotAsWanted, error};
}

void add_writing(Operations& operations, const std::shared_ptr<std::mutex>& large) {
  constexpr int kNotAsWanted = 422;
  const auto submit = [large](const Call& call) { return submit_run(call, *large); };
  operations["submitRun"] = {submit, kNotAsWanted, kMaxSubmittedJsonBytes, kMaxSubmittedArchiveBytes, true};
  operations["acknowledgeAlert"] = acting(storage::AlertAct::Kind::acknowledge);
  operations["acceptAlert"] = acting(storage::AlertAct::Kind::accept);
  operations["resolveAlert"] = acting(storage::AlertAct::Kind::resolve);
  operations["reopenAlert"] = acting(storage::AlertAct::Kind::reopen);
  operations["assignAlert"] = acting(storage::AlertAct::Kind::assign);
  operations["issueToken"] = {issue_token, kNotAsWanted, kMaxJsonBytes};
  operations["rotateToken"] = {rotate_token, kNotAsWanted, kMaxJsonBytes};
  operations["revokeToken"] = {revoke_token, 404};
}

}  // namespace steelyard::ci
