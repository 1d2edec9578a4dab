// steelyard alerts: what got worse, what became of it, what people say of it, and who is told.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/elapsed.hpp"
#include "bench/model/sha256.hpp"
#include "bench/model/text.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/settings.hpp"
#include "ci/config/written_value.hpp"
#include "ci/git/ci_job.hpp"
#include "ci/git/repository.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/judging/creep.hpp"
#include "ci/judging/stored_series.hpp"
#include "ci/publish/notifying.hpp"
#include "ci/report/alerts.hpp"
#include "ci/report/bisect.hpp"
#include "regress/policy/pattern_policy.hpp"
#include "storage/alert_store.hpp"
#include "storage/comparison_store.hpp"
#include "storage/history_store.hpp"

namespace steelyard::ci {
namespace {

struct AlertsOptions {
  enum class Action { list, show, acknowledge, accept, resolve, reopen, assign, unassign, notify };
  Action action = Action::list;
  std::string alert;  // id or its beginning; with list: empty
  // With list, and but for --all with notify:
  std::string branch;
  std::string benchmark;  // a part of the name
  bool resolved_too = false;
  int limit = 0;  // 0: none was given
  // With what is done to one:
  std::string commit;  // accept: by which
  std::string until;   // accept: its last day
  std::string to;      // assign: whom
  std::string note;
  std::string who;  // empty: the login name
};
using Action = AlertsOptions::Action;

constexpr std::size_t kShortestCommit = 7;
constexpr std::size_t kLongestCommit = 64;
constexpr std::size_t kLongestNote = 2000;

constexpr std::string_view kMailChannel = "mail:";

// In a repository what git says it means; elsewhere it has to be a hash.
Result<std::string> named_commit(const std::string& name) {
  std::string sha = commit_named_here(name);
  if (sha.size() >= kShortestCommit && sha.size() <= kLongestCommit && is_hex(sha)) return sha;
  return input_error("--commit", '"' + name + '"', "a commit of this folder's repository, or its hash");
}

// By today's names.
Result<std::vector<storage::Alert>> listed_alerts(storage::Store& store, const storage::AlertQuery& query,
                                                  const Configuration& configuration) {
  const ReadAlerts read = [&store](const storage::AlertQuery& asked) { return storage::AlertStore(store).list(asked); };
  return alerts_by_current_names(configuration.renames, query, read);
}

Result<std::vector<storage::Alert>> chosen(storage::Store& store, const AlertsOptions& options,
                                           const Configuration& configuration) {
  if (options.action == Action::list) {
    storage::AlertQuery query;
    STEELYARD_TRY(query.project, project_in_store(store, configuration));
    query.branch = options.branch;
    query.benchmark = canonical_as_typed(options.benchmark);
    query.resolved_too = options.resolved_too;
    if (options.limit > 0) query.limit = options.limit;
    return listed_alerts(store, query, configuration);
  }
  storage::AlertQuery one;  // of whatever project
  one.id = options.alert;
  one.resolved_too = true;
  one.limit = 2;
  STEELYARD_TRY(std::vector<storage::Alert> found, listed_alerts(store, one, configuration));
  if (found.size() == 1) return found;
  return input_error("alert:" + options.alert, found.empty() ? "no such alert" : "several alerts", "one alert",
                     found.empty() ? "`steelyard alerts --all` shows what there is" : "write more of its id");
}

storage::AlertAct::Kind kind_of(Action action) {
  switch (action) {
    case Action::accept:
      return storage::AlertAct::Kind::accept;
    case Action::resolve:
      return storage::AlertAct::Kind::resolve;
    case Action::reopen:
      return storage::AlertAct::Kind::reopen;
    case Action::assign:
    case Action::unassign:
      return storage::AlertAct::Kind::assign;
    default:
      return storage::AlertAct::Kind::acknowledge;
  }
}

Result<std::vector<storage::Alert>> act(storage::Store& store, const AlertsOptions& options,
                                        const Configuration& configuration) {
  if (options.to.size() > storage::kMaxAssigneeBytes) {
    return input_error("--to", std::to_string(options.to.size()) + " bytes",
                       "at most " + std::to_string(storage::kMaxAssigneeBytes));
  }
  if (options.note.size() > kLongestNote) {
    return input_error("--note", std::to_string(options.note.size()) + " bytes",
                       "at most " + std::to_string(kLongestNote));
  }
  storage::AlertAct act;
  act.kind = kind_of(options.action);
  act.alert = options.alert;
  act.who = person_or_login(options.who);
  act.note = options.note;
  act.assignee = options.to;
  if (!options.commit.empty()) {
    STEELYARD_TRY(act.commit, named_commit(options.commit));
  }
  act.at_unix_ns = now_unix_ns();
  if (!options.until.empty()) {
    STEELYARD_TRY(act.until, read_day({options.until, true}, "--until"));
    if (act.until < today()) return input_error("--until", act.until, "a day that is not over");
  }
  STEELYARD_TRY(storage::Alert after, storage::AlertStore(store).act(act));
  after.subject.benchmark = current_name(configuration.renames, std::move(after.subject.benchmark));
  return std::vector<storage::Alert>{std::move(after)};
}

// What `changes` took for the machine's: nobody is alarmed by it, and nobody should have to guess that it is there.
Result<std::vector<storage::KeptChangePoint>> aside_of(storage::Store& store, const AlertsOptions& options,
                                                       const Configuration& configuration) {
  if (options.action != Action::list) return std::vector<storage::KeptChangePoint>{};
  STEELYARD_TRY(const std::string project, project_in_store(store, configuration));
  STEELYARD_TRY(std::vector<storage::KeptChangePoint> kept,
                storage::HistoryStore(store).change_points(
                    project, options.branch.empty() ? storage::kAnyBranch : options.branch));
  const std::string part = canonical_as_typed(options.benchmark);
  for (storage::KeptChangePoint& one : kept) one.benchmark = current_name(configuration.renames, one.benchmark);
  std::erase_if(kept,
                [&](const storage::KeptChangePoint& one) { return one.benchmark.find(part) == one.benchmark.npos; });
  return blamed_on_the_machine(kept);
}

// Before anybody reads how alerts stand. Who may only read is told what was accepted until when.
void end_what_is_over(storage::Store& store, const std::string& project) {
  (void)storage::AlertStore(store).end_accepted(project, today(), now_unix_ns());
}

// Telling people.

constexpr int kMaxNotified = 1000;  // of the alerts whose state changed last
constexpr Nanoseconds kNoticePatience = seconds(60);

// A request's code is not merged, and whoever asks for it is told on the request. The events that GitHub names are
// those of requests whose jobs do not say which; a comment's author may be anybody.
bool is_request_job(const std::map<std::string, std::string>& variables) {
  const CiJob job = ci_job(variables);
  const auto event = variables.find("GITHUB_EVENT_NAME");
  const std::string name = event == variables.end() ? "" : event->second;
  return !job.base_branch.empty() || !job.request.empty() || name.starts_with("pull_request") ||
         name == "workflow_run" || name == "issue_comment";
}

// A table for machines owns an alert where it names the fingerprint: nothing else of the machine is kept with it.
std::string owner_of(const ComparisonPolicy& policy, const storage::Alert& alert) {
  ComparisonRow row;
  row.benchmark = alert.subject.benchmark;
  regress::set_policy(regress::on_machine(policy, {alert.fingerprint}), row);
  return row.owner;
}

// Whom each alert might be told: who is told already is the store's to know.
std::vector<storage::AlertNotice> possible_notices(const std::vector<NoticedAlert>& alerts,
                                                   const NoticePlaces& places) {
  std::vector<storage::AlertNotice> notices;
  for (const NoticedAlert& one : alerts) {
    const auto add = [&](const std::string& channel) {
      notices.push_back({one.alert.id, channel, one.alert.state, {}});
    };
    if (!places.webhook.empty()) add("webhook");
    if (!places.chat.empty()) add("slack");
    if (places.mail_server.empty()) continue;
    for (const std::string& address : mail_addresses(one.owner)) add(std::string(kMailChannel) + address);
  }
  return notices;
}

Telling tell(const NoticePlaces& places, const std::string& channel, const Notice& notice,
             const ApiPatience& patience) {
  if (channel == "webhook") return tell_webhook(places, notice, patience);
  if (channel == "slack") return tell_chat(places, notice, patience);
  return tell_by_mail(places, notice, channel.substr(kMailChannel.size()), patience);
}

struct Announcement {
  std::string project;
  std::vector<NoticedAlert> alerts;
  storage::NoticeClaim claim;
};

// One notice for each channel, of what was claimed for it.
Result<std::vector<WrittenPart>> announce(storage::Store& store, const NoticePlaces& places,
                                          const Announcement& announcement, const ApiPatience& patience) {
  std::map<std::string, const NoticedAlert*> by_id;
  for (const NoticedAlert& one : announcement.alerts) by_id[one.alert.id] = &one;
  STEELYARD_TRY(const std::vector<storage::AlertNotice> claimed,
                storage::AlertStore(store).claim(possible_notices(announcement.alerts, places), announcement.claim));
  std::map<std::string, std::vector<storage::AlertNotice>> by_channel;
  for (const storage::AlertNotice& one : claimed) by_channel[one.channel].push_back(one);
  std::vector<WrittenPart> parts;
  for (const auto& [channel, notices] : by_channel) {
    Notice notice{announcement.claim.id + '-' + std::to_string(parts.size()),
                  announcement.project,
                  announcement.claim.at_unix_ns / 1'000'000'000,
                  {}};
    for (const storage::AlertNotice& one : notices) {
      notice.alerts.push_back(*by_id.at(one.alert));
      notice.alerts.back().before = one.told_before;
    }
    Telling telling = tell(places, channel, notice, patience);
    if (telling.part.text.empty()) telling.part.text = notice_headline(notice);
    parts.push_back(std::move(telling.part));
    STEELYARD_CHECK(storage::AlertStore(store).settle(notices, telling.is_told, announcement.claim));
  }
  return parts;
}

Result<storage::NoticeClaim> new_claim() {
  std::array<char, 16> entropy{};
  if (::getentropy(entropy.data(), entropy.size()) != 0) {
    return input_error("the system's entropy", std::strerror(errno), "random bytes for a notice's name");
  }
  return storage::NoticeClaim{sha256_hex({entropy.data(), entropy.size()}).substr(0, 32), now_unix_ns()};
}

Result<ExitCode> notify(const AlertsOptions& options, const Configuration& configuration, const App& app) {
  // Taken first, whatever follows: nothing that is started from here on has them.
  STEELYARD_TRY(const NoticePlaces places, take_notice_places());
  const std::map<std::string, std::string> variables = caller_environment();
  std::vector<WrittenPart> parts;
  if (is_request_job(variables)) {
    parts = {{"notices", WrittenPart::State::left, "this is a job of a pull or merge request"}};
  } else if (places.is_empty()) {
    return input_error("steelyard alerts notify", "nobody to tell", "a place in the environment",
                       "set STEELYARD_WEBHOOK_URL, STEELYARD_SLACK_WEBHOOK_URL or STEELYARD_SMTP_URL "
                       "(docs/guide/alerts.md)");
  } else {
    STEELYARD_TRY(storage::Store store, open_store(configuration, app));
    storage::AlertQuery query;
    STEELYARD_TRY(query.project, project_in_store(store, configuration));
    end_what_is_over(store, query.project);
    query.branch = options.branch.empty() ? ci_job(variables).branch : options.branch;
    query.benchmark = canonical_as_typed(options.benchmark);
    query.resolved_too = true;
    query.limit = kMaxNotified;
    Announcement announcement{query.project, {}, {}};
    STEELYARD_TRY(std::vector<storage::Alert> alerts, listed_alerts(store, query, configuration));
    const ComparisonPolicy policy = comparison_policy(configuration.policy);
    for (storage::Alert& alert : alerts) {
      std::string owner = owner_of(policy, alert);
      announcement.alerts.push_back({std::move(alert), {}, std::move(owner)});
    }
    STEELYARD_TRY(announcement.claim, new_claim());
    ApiPatience patience;
    patience.total = kNoticePatience;
    patience.seed = static_cast<std::uint64_t>(announcement.claim.at_unix_ns);
    STEELYARD_TRY(parts, announce(store, places, announcement, patience));
    if (parts.empty()) parts = {{"notices", WrittenPart::State::unchanged, "nothing that was not told before"}};
  }
  ExitCode code = ExitCode::success;
  for (const WrittenPart& part : parts) {
    const bool is_away = part.state == WrittenPart::State::away;
    if (!is_away && part.state != WrittenPart::State::failed) continue;
    app.warn(part.what + " was not told: " + part.text);
    code = worse(code, is_away ? ExitCode::store_away : ExitCode::bad_input);
  }
  app.print(app.common.json ? json_parts("notices", parts) : terminal_parts(parts));
  return code;
}

// What finds the commit of an alert: between those that it was seen at, the last at the old level first. Empty where
// the store does not know both, or the repository at hand has no other commit between them.
std::string search_of(storage::Store& store, const storage::Alert& alert) {
  BisectRange range{{}, alert.commit, alert.subject.benchmark, alert.subject.metric};
  if (!alert.subject.change_point.empty()) {
    const auto points = storage::HistoryStore(store).change_points(alert.subject.project, alert.subject.branch);
    if (!points) return "";
    for (const storage::KeptChangePoint& point : *points) {
      const bool is_its = point.id == alert.subject.change_point && point.fingerprint == alert.subject.fingerprint;
      if (!is_its) continue;
      range.good = point.last_good;
      range.bad = point.commit;
    }
  } else if (!alert.comparison.empty()) {
    const Result<Comparison> comparison = storage::ComparisonStore(store).get(alert.comparison);
    if (comparison) range.good = comparison->baseline.commit.sha;
  }
  const std::optional<GitRepository> repository = repository_here();
  if (!repository || range.good.empty()) return "";
  const Result<std::string> good = repository->resolve(range.good);
  const Result<std::string> bad = repository->resolve(range.bad);
  if (!good || !bad) return "";
  const Result<std::vector<std::string>> line = repository->line_between(*good, *bad);
  range.good = *good;  // a tag would be cut as if it were a hash
  range.bad = *bad;
  const bool is_several = line && line->front() == *good && line->size() > 2;
  return is_several ? bisect_command(range) : "";
}

Result<ExitCode> run_alerts(const AlertsOptions& options, const App& app) {
  STEELYARD_TRY(const Configuration configuration, effective_configuration(app));
  if (options.action == Action::notify) return notify(options, configuration, app);
  STEELYARD_TRY(storage::Store store, open_store(configuration, app));
  if (const auto project = project_in_store(store, configuration)) end_what_is_over(store, *project);
  const bool reads = options.action == Action::list || options.action == Action::show;
  STEELYARD_TRY(const std::vector<storage::Alert> alerts,
                reads ? chosen(store, options, configuration) : act(store, options, configuration));
  STEELYARD_TRY(const std::vector<storage::KeptChangePoint> aside, aside_of(store, options, configuration));
  app.print(app.common.json ? json_alerts(alerts, aside)
            : options.action == Action::list
                ? terminal_alerts(alerts, aside, app.style())
                : terminal_alert(alerts.front(), search_of(store, alerts.front()), app.style()));
  return ExitCode::success;
}

Result<void> check_alerts(const AlertsOptions& alerts) {
  const bool notifies = alerts.action == Action::notify;
  const bool lists = alerts.action == Action::list || notifies;
  const bool acts = !lists && alerts.action != Action::show;
  const std::string where = "steelyard alerts";
  if (lists != alerts.alert.empty()) {
    return input_error(where, lists ? '"' + alerts.alert + '"' : "no ID",
                       lists ? (notifies ? "notify alone" : "list alone") : "the id of an alert",
                       lists ? "" : "`steelyard alerts` shows them");
  }
  if (!lists && (alerts.resolved_too || !alerts.branch.empty() || !alerts.benchmark.empty())) {
    return input_error(where, alerts.resolved_too ? "--all" : "--branch or --benchmark", "them with list only");
  }
  if (alerts.action != Action::list && alerts.limit > 0) return input_error(where, "--limit", "it with list only");
  if (notifies && alerts.resolved_too) return input_error(where, "--all", "it with list only");
  if (!acts && (!alerts.note.empty() || !alerts.who.empty())) {
    return input_error(where, alerts.note.empty() ? "--who" : "--note", "it with what is done to an alert");
  }
  if (alerts.action != Action::accept && !alerts.until.empty()) {
    return input_error("--until", "it without accept", "steelyard alerts accept",
                       "leave it out: only what is accepted has a last day");
  }
  if ((alerts.action == Action::assign) == alerts.to.empty()) {
    return alerts.to.empty() ? input_error("steelyard alerts assign", "no --to", "who is to see to it",
                                           "--to NAME, or `steelyard alerts unassign` for nobody")
                             : input_error("--to", "it without assign", "steelyard alerts assign");
  }
  if ((alerts.action == Action::accept) == alerts.commit.empty()) {
    return alerts.commit.empty()
               ? input_error("steelyard alerts accept", "no --commit", "the commit that accepts it", "--commit HEAD")
               : input_error("--commit", "it without accept", "steelyard alerts accept");
  }
  return {};
}

}  // namespace

Verb alerts_verb() {
  const auto options = std::make_shared<AlertsOptions>();
  Verb verb = make_verb(
      options, run_alerts, "alerts",
      "Shows what got worse and what became of it, and keeps what people say of it. ACTION: list, show, acknowledge, "
      "accept (by a commit that is named), resolve, reopen, assign, unassign, notify (tells whom the environment and "
      "the policy's owners "
      "name, each change of a state once). ID: of an alert, or its first 6 characters.",
      "  steelyard alerts\n"
      "  steelyard alerts accept 3f9c2a81d0b7 --commit HEAD --note \"the checks cost that\"");
  verb.names = {"[ACTION]", "[ID]"};
  verb.first_names = {"list", "show", "acknowledge", "accept", "resolve", "reopen", "assign", "unassign", "notify"};
  verb.take = [options, actions = verb.first_names](Words words) -> Result<void> {
    if (!words.names.empty()) {
      STEELYARD_TRY(const std::size_t index,
                    read_word(WrittenValue{words.names[0], true}, "steelyard alerts", actions));
      options->action = static_cast<Action>(index);
    }
    if (words.names.size() > 1) options->alert = std::move(words.names[1]);
    return check_alerts(*options);
  };
  verb.add(flag_option("--all", options->resolved_too, "with list: those that are resolved as well"));
  verb.add(text_option("--branch", "NAME", options->branch,
                       "with list and notify: of this branch only (notify in a CI job: its own)"));
  verb.add(text_option("--benchmark", "PART", options->benchmark, "with list and notify: whose name contains it"));
  verb.add(number_option("--limit", options->limit, "with list: so many, newest first (default: 200)"));
  verb.add(text_option("--commit", "COMMIT", options->commit, "with accept: that accepts it"));
  verb.add(text_option("--until", "DAY", options->until,
                       "with accept: the last day, as 2026-12-31 in UTC; then it is open again (default: for good)"));
  verb.add(text_option("--to", "NAME", options->to, "with assign: who is to see to it; changes no state"));
  verb.add(text_option("--note", "TEXT", options->note, "why; kept with what is done"));
  verb.add(
      text_option("--who", "NAME", options->who, "who does it (default: the CI system's user, else the login name)"));
  add_key_options(verb, {{"store", "project"}});
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci
