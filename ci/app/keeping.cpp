#include "ci/app/keeping.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/model/number_text.hpp"
#include "bench/model/run.hpp"
#include "ci/app/settings.hpp"
#include "ci/app/store_client.hpp"
#include "ci/git/repository.hpp"
#include "storage/archive/archive.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "storage/comparison/comparison_identity.hpp"
#include "storage/delivery.hpp"
#include "storage/history_store.hpp"
#include "storage/run_store.hpp"
#include "storage/spool/spool.hpp"
#include "storage/store.hpp"
#include "storage/store_service.hpp"

namespace steelyard::ci {
namespace {

// Tells the store what the repository of the current folder knows of the history of the runs' commits, so that it can
// put them in order. Outside of a repository, and of commits that it does not have, nothing is told; what was told
// before is not written again. Error: the store's.
Result<void> keep_commit_graph(storage::Store& store, const std::vector<const Run*>& runs,
                               const std::vector<RunHeader>& in_spool) {
  std::set<std::pair<std::string, std::string>> wanted;  // project and commit
  const auto add = [&wanted](const RunHeader& run) {
    if (!run.commit.sha.empty()) wanted.emplace(run.project, run.commit.sha);
  };
  for (const Run* run : runs) add(run->header);
  for (const RunHeader& run : in_spool) add(run);
  if (wanted.empty()) return {};
  std::error_code trouble;
  const std::filesystem::path folder = std::filesystem::current_path(trouble);
  if (trouble) return {};
  const Result<GitRepository> repository = GitRepository::find(folder);
  if (!repository) return {};
  for (const auto& [project, sha] : wanted) {
    const Result<std::string> known = repository->resolve(sha);
    if (!known || *known != sha) continue;
    Result<std::vector<storage::CommitParents>> history = repository->recent_history(sha);
    if (!history) continue;
    STEELYARD_CHECK(storage::HistoryStore(store).put_commit_graph({project, std::move(history).value()}));
  }
  return {};
}

// "2 runs and 1 comparison"; empty: neither.
std::string files_text(const storage::Spool::Count& count) {
  std::string text = count.runs > 0 ? plural_text(count.runs, "run") : "";
  if (count.comparisons == 0) return text;
  return text + (text.empty() ? "" : " and ") + plural_text(count.comparisons, "comparison");
}

constexpr std::size_t kShownIdCharacters = 12;  // of a comparison, for verify
constexpr std::size_t kIdCharacters = 16;       // of a file's name, as in the spool

// By which verify takes it.
std::string name_for_verify(const storage::SpooledComparison& kept) {
  return "comparison:" + kept.id.substr(0, kShownIdCharacters);
}

// The folders to fall back on, best first.
std::vector<std::filesystem::path> folders_besides_the_state() {
  std::vector<std::filesystem::path> folders;
  const char* const temporary = std::getenv("TMPDIR");
  if (temporary != nullptr && *temporary != '\0') folders.emplace_back(temporary);
  std::error_code code;
  const std::filesystem::path current = std::filesystem::current_path(code);
  if (!code) folders.push_back(current);
  return folders;
}

// `name`: "run" or "comparison"; `write` makes the file.
void keep_outside(const storage::Spool& spool, const std::string& name, const std::string& file_name, const App& app,
                  const std::function<Result<void>(const std::filesystem::path&)>& write) {
  for (const std::filesystem::path& folder : folders_besides_the_state()) {
    const std::filesystem::path file = folder / file_name;
    const Result<void> written = write(file);
    if (!written) {
      app.report(written.error());
      continue;
    }
    app.warn("the " + name + " is kept in " + file.string() + "; move it to " + spool.waiting_folder().string() +
             " when that can be written, and the next command that reaches the store delivers it");
    return;
  }
  app.warn(file_name + " could not be kept anywhere: " + (name == "run" ? "measure again" : "judge again"));
}

void keep_outside(const storage::Spool& spool, const Run& run, const App& app) {
  keep_outside(spool, "run", "steelyard-" + run.header.id.substr(0, kIdCharacters) + ".syrun", app,
               [&run](const std::filesystem::path& file) { return storage::write_archive(file, run); });
}

void keep_outside(const storage::Spool& spool, const storage::SpooledComparison& kept, const App& app) {
  const std::string document = storage::comparison_document(kept.comparison);
  keep_outside(spool, "comparison", "steelyard-" + kept.id.substr(0, kIdCharacters) + ".json", app,
               [&document](const std::filesystem::path& file) { return write_text_file(file, document); });
}

storage::Spool spool_of(const storage::StoreAddress& address) {
  return storage::Spool(storage::state_folder(), address.place());
}

// For what the store did not take. What the spool has already stays one file there.
void keep_on_disk(const storage::StoreAddress& address, const storage::AtHand& own, const App& app) {
  storage::Spool spool = spool_of(address);
  for (const Run* run : own.runs) {
    if (!spool.keep(*run)) keep_outside(spool, *run, app);
  }
  if (own.comparison != nullptr && !spool.keep(own.comparison->comparison)) keep_outside(spool, *own.comparison, app);
}

void report_waiting(const storage::StoreAddress& address, const App& app) {
  const storage::Spool::Count waiting = spool_of(address).count_waiting();
  const std::size_t count = waiting.runs + waiting.comparisons;
  if (count == 0) return;
  app.warn(files_text(waiting) + (count == 1 ? " waits" : " wait") + " in the spool at " +
           (storage::state_folder() / "spool").string() + " for " + address.place() +
           "; the next command that reaches the store delivers " + (count == 1 ? "it" : "them"));
}

// What this command cannot deliver, whatever becomes of its store.
void note_waiting_for_others(const storage::Spool& spool, const App& app) {
  std::string text;
  for (const storage::Spool::ForAnother& other : spool.waiting_for_others()) {
    text += (text.empty() ? "" : ", ") + files_text(other.count) + " for " + other.store;
  }
  if (!text.empty())
    app.note("in the spool for other stores: " + text +
             "; a command that names the store delivers them; what none is to have may be removed from " +
             (storage::state_folder() / "spool").string());
}

ExitCode keep_without_store(const storage::StoreAddress& address, const Error& error, const storage::AtHand& own,
                            const App& app) {
  app.report(error);
  keep_on_disk(address, own, app);
  report_waiting(address, app);
  if (own.comparison != nullptr) app.warn("the verdict is " + name_for_verify(*own.comparison));
  return ExitCode::store_away;
}

// Brings into the store what waits in the spool, and then what is left of this command's own, each thing once.
class OwnDelivery {
 public:
  // `own`: runs, sealed, and the comparison as the spool keeps it, if any. `in_spool`: of those that lie there alone.
  OwnDelivery(storage::Store& store, const storage::StoreAddress& address, const storage::AtHand& own,
              const std::vector<RunHeader>& in_spool, const App& app)
      : store_(store), address_(address), to_(storage::destination(store)), own_(own), app_(app) {
    for (const RunHeader& run : in_spool) waiting_[run.id] = &run;
  }

  // All that goes wrong is reported; an error of the store or of the spool ends it.
  ExitCode deliver_spool() {
    const storage::Spool::Destination noting{
        [this](const Run& run) {
          Result<bool> put = noted(&run, put_run(run));
          const bool is_own = (put || is_refused(put)) && waiting_.erase(run.header.id) > 0;
          if (is_own && !put) has_refused_ = true;
          return put;
        },
        [this](const Comparison& comparison) { return noted(&comparison, to_.put_comparison(comparison)); },
        to_.is_for_another};
    const Result<storage::Spool::Delivery> delivery = spool_of(address_).deliver(noting, own_);
    if (!delivery) {
      report_once(delivery.error());
      return ExitCode::store_away;
    }
    for (const Error& bad : delivery->bad) report_once(bad);
    return ExitCode::success;
  }

  // Offers the store what the spool could not hand on: it was not kept there, another process was faster, or something
  // else ended the delivery. Putting what is there already changes nothing.
  ExitCode put_rest() {
    storage::AtHand left;
    ExitCode code = ExitCode::success;
    for (const Run* run : own_.runs) {
      if (is_left(
              run, [&] { return put_run(*run); }, code))
        left.runs.push_back(run);
    }
    const storage::SpooledComparison* const kept = own_.comparison;
    if (kept != nullptr && is_left(
                               &kept->comparison, [&] { return to_.put_comparison(kept->comparison); }, code)) {
      left.comparison = kept;
    }
    keep_on_disk(address_, left, app_);
    // Of these the store has not answered to us: another process may have handed on what it found waiting.
    const storage::Spool spool = spool_of(address_);
    const bool has_waiting = std::any_of(waiting_.begin(), waiting_.end(),
                                         [&](const auto& one) { return !spool.has_delivered(*one.second); });
    return has_waiting || has_refused_ ? ExitCode::store_away : code;
  }

  NewRuns take_new() { return std::move(are_new_); }

 private:
  Result<bool> put_run(const Run& run) {
    Result<bool> is_new = to_.put_run(run);
    // What is offered twice was there the second time because of the first.
    if (is_new) are_new_.try_emplace(run.header.id, *is_new);
    return is_new;
  }

  bool is_refused(const Result<bool>& put) {
    return !put && (put.error().kind != ErrorKind::store || store_.refused_login());
  }

  Result<bool> noted(const void* one, Result<bool> put) {
    if (put || is_refused(put)) is_taken_[one] = bool{put};
    return put;
  }

  // Whether one of the own is still to be kept. What the store refused out of the spool stays where that put it.
  template <class Put>
  bool is_left(const void* one, Put put, ExitCode& code) {
    if (const auto known = is_taken_.find(one); known != is_taken_.end()) {
      if (!known->second) code = ExitCode::store_away;
      return false;
    }
    const Result<bool> is_new = put();
    if (is_new) return false;
    report_once(is_new.error());
    code = ExitCode::store_away;
    return true;
  }

  // Reports an error once, however often it comes.
  void report_once(const Error& error) {
    const bool is_reported = std::any_of(reported_.begin(), reported_.end(), [&](const Error& other) {
      return other.where == error.where && other.found == error.found;
    });
    if (is_reported) return;
    app_.report(error);
    reported_.push_back(error);
  }

  storage::Store& store_;
  const storage::StoreAddress& address_;
  storage::Spool::Destination to_;
  const storage::AtHand& own_;
  const App& app_;
  std::map<std::string, const RunHeader*> waiting_;  // of in_spool, by their ids: the store has not answered
  bool has_refused_ = false;                         // one of those
  std::map<const void*, bool> is_taken_;             // of what the spool handed on; absent: the store has not answered
  std::vector<Error> reported_;
  NewRuns are_new_;
};

// What becomes of it the store decides.
void say_unspooled(Error why, const App& app) {
  why.fix = "the store is asked all the same";
  app.report(why);
}

// The comparison as the spool has it; as it was given where it could not be kept there, which is reported.
std::optional<storage::SpooledComparison> keep_comparison_in_spool(const storage::StoreAddress& address,
                                                                   const Comparison* comparison, const App& app) {
  if (comparison == nullptr) return std::nullopt;
  Result<storage::SpooledComparison> spooled = spool_of(address).keep(*comparison);
  if (spooled) return std::move(spooled).value();
  say_unspooled(spooled.error(), app);
  Result<Comparison> kept = storage::as_kept(*comparison);
  storage::SpooledComparison unspooled{{}, "", kept ? std::move(kept).value() : *comparison};
  unspooled.id = storage::comparison_id(unspooled.comparison);
  return unspooled;
}

}  // namespace

Result<storage::StoreAddress> store_address(const Configuration& configuration) {
  const std::string where = configuration.store_where.empty() ? "--store" : configuration.store_where;
  STEELYARD_TRY(storage::StoreAddress address, storage::parse_store_address(configuration.store, where));
  if (address.is_service()) {
    STEELYARD_TRY(address.url,
                  check_api_address(address.url, where, "the address of a service, such as https://perf.example.org"));
    // A file of the work tree may be a stranger's, who would be sent the token.
    const bool is_of_file = where != "--store" && where != "STEELYARD_STORE";
    if (is_of_file && has_store_token()) {
      return input_error(where, "the address of a service that a file alone names, and a token",
                         "the one that the token goes to named beside it",
                         "STEELYARD_STORE=" + address.url + " or --store, where that is the service you mean");
    }
  }
  return address;
}

Result<storage::StoreAddress> database_address(const Configuration& configuration) {
  STEELYARD_TRY(storage::StoreAddress address, store_address(configuration));
  if (address.is_service()) return storage::needs_database(address.safe_text());
  return address;
}

Result<storage::Store> connect(const storage::StoreAddress& address) {
  if (!address.is_service()) return storage::Store::open(address, storage::state_folder());
  STEELYARD_TRY(std::unique_ptr<storage::StoreService> service, connect_to_service(address.url));
  return storage::Store::over(std::move(service), storage::state_folder());
}

Result<storage::Store> open_store(const Configuration& configuration, const App& app) {
  STEELYARD_TRY(const storage::StoreAddress address, store_address(configuration));
  STEELYARD_TRY(storage::Store store, connect(address));
  app.notes(store.take_notices());
  storage::Spool spool = spool_of(address);
  note_waiting_for_others(spool, app);
  const Result<storage::Spool::Delivery> delivery = spool.deliver(storage::destination(store));
  if (!delivery) {
    app.report(delivery.error());
    return store;
  }
  for (const Error& bad : delivery->bad) app.report(bad);
  const storage::Spool::Count delivered{static_cast<std::size_t>(delivery->delivered),
                                        static_cast<std::size_t>(delivery->comparisons)};
  if (delivered != storage::Spool::Count{}) app.note("delivered from the spool: " + files_text(delivered));
  return store;
}

Result<std::string> project_in_store(storage::Store& store, const Configuration& configuration) {
  STEELYARD_TRY(const std::vector<std::string> known,
                storage::HistoryStore(store).projects(project_name(configuration)));
  return project_to_read(configuration, known, "the store");
}

Result<Run> stored_run(storage::Store& store, const std::string& id, const App& app) {
  Result<Run> run = storage::RunStore(store).get(id);
  if (run || run.error().kind != ErrorKind::input) return run;
  std::optional<storage::SpooledRun> kept = storage::Spool(storage::state_folder()).find_run(id);
  if (!kept) return run;
  app.note("run:" + id.substr(0, kShownIdCharacters) + " is taken from its archive " + kept->path.string());
  return std::move(kept->run);
}

storage::Spool spool_for(const Configuration& configuration) {
  const Result<storage::StoreAddress> address = store_address(configuration);
  return address ? spool_of(*address) : storage::Spool(storage::state_folder());
}

void keep_in_spool(const Configuration& configuration, const std::vector<const Run*>& runs, const App& app) {
  storage::Spool spool = spool_for(configuration);
  for (const Run* run : runs) {
    const Result<std::filesystem::path> kept = spool.keep(*run);
    if (!kept) say_unspooled(kept.error(), app);
  }
}

ExitCode deliver_to_store(const Configuration& configuration, const Comparison* comparison, const App& app,
                          const std::vector<const Run*>& runs, const std::vector<RunHeader>& in_spool,
                          NewRuns* are_new) {
  const Result<storage::StoreAddress> address = store_address(configuration);
  if (!address) return app.report(address.error());
  const std::optional<storage::SpooledComparison> kept = keep_comparison_in_spool(*address, comparison, app);
  const storage::AtHand own{runs, kept ? &*kept : nullptr};
  Result<storage::Store> store = connect(*address);
  if (!store) return keep_without_store(*address, store.error(), own, app);
  app.notes(store->take_notices());
  // First, so that each commit finds its place at once. The runs are kept all the same, and the next one tells it
  // again.
  if (const Result<void> told_graph = keep_commit_graph(*store, runs, in_spool); !told_graph) {
    app.note("the order of the commits was not kept: " + told_graph.error().text());
  }
  note_waiting_for_others(spool_of(*address), app);
  OwnDelivery delivery(*store, *address, own, in_spool, app);
  const ExitCode code = delivery.deliver_spool();
  // A spool that could not be delivered may be the store's trouble or the spool's: our own way in tells.
  const bool has_own = !runs.empty() || !in_spool.empty() || kept;
  const ExitCode own_code = delivery.put_rest();
  if (are_new != nullptr) *are_new = delivery.take_new();
  if (own_code != ExitCode::success || (!has_own && code != ExitCode::success)) {
    return report_waiting(*address, app), ExitCode::store_away;
  }
  std::string text = "kept in the store: " + address->safe_text();
  if (kept) text += ", as " + name_for_verify(*kept);
  app.note(text);
  const storage::Spool spool = spool_of(*address);
  const bool has_archives = std::ranges::all_of(runs, [&](const Run* run) { return spool.has_archive(run->header); }) &&
                            !(kept && kept->path.empty());
  if (!has_archives) {
    app.warn(
        "the store has it all, but no archive could be kept of some of it: steelyard db rebuild will not have that");
  }
  if (code != ExitCode::success) report_waiting(*address, app);
  return code;
}

}  // namespace steelyard::ci
