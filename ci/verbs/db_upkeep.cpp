// steelyard db prune, backup and restore: what is thrown away, and what is put elsewhere.
#include <algorithm>
#include <chrono>
#include <system_error>

#include "bench/model/elapsed.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/run.hpp"
#include "bench/model/text.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/settings.hpp"
#include "ci/verbs/db.hpp"
#include "storage/backup/backup.hpp"
#include "storage/model/upkeep.hpp"
#include "storage/spool/spool.hpp"
#include "storage/upkeep.hpp"

namespace steelyard::ci {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kDaySeconds = 86'400;
constexpr std::int64_t kNanoseconds = 1'000'000'000;

std::optional<std::int64_t> seconds_of(const std::optional<int>& days) {
  return days ? std::optional(*days * kDaySeconds) : std::nullopt;
}

// The time that the spool writes in front of an archive's name; of a run without a date, which is not of 1970, when the
// file was written. Absent where the name is another.
std::optional<std::int64_t> time_of_archive(const fs::path& path) {
  const bool is_archive = path.extension() == ".syrun";
  const std::optional<std::int64_t> time = is_archive ? storage::Spool::time_in_name(path) : std::nullopt;
  if (!time || *time > 0) return time;
  std::error_code own;
  const fs::file_time_type written = fs::last_write_time(path, own);
  if (own) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::file_clock::to_sys(written).time_since_epoch())
      .count();
}

// The files of a folder of which `goes(path)` says so; without the folder none.
template <class Goes>
Result<storage::Pruned::Part> prune_files(const fs::path& folder, const storage::PruneOptions& options, Goes goes) {
  storage::Pruned::Part part;
  std::error_code none_yet;
  if (!fs::exists(folder, none_yet)) return part;
  std::error_code trouble;
  for (fs::directory_iterator entry(folder, trouble), end; !trouble && entry != end; entry.increment(trouble)) {
    if (!goes(entry->path())) continue;
    std::error_code own;
    const std::uintmax_t bytes = entry->file_size(own);
    if (!own && !options.dry_run) fs::remove(entry->path(), own);
    if (own) return store_error(entry->path().string(), own.message(), "the right to remove it");
    ++part.runs;
    ++part.rows;
    part.bytes += static_cast<std::int64_t>(bytes);
  }
  if (trouble) return store_error(folder.string(), trouble.message(), "a folder of archives");
  return part;
}

// Archives hold samples: what is said of samples, or else of whole runs, holds for them.
Result<storage::Pruned::Part> prune_old_archives(const storage::PruneOptions& options) {
  const std::optional<std::int64_t> keep = options.policy.samples_s ? options.policy.samples_s : options.policy.runs_s;
  if (!keep) return storage::Pruned::Part{};
  const std::int64_t before = options.now_unix_ns - *keep * kNanoseconds;
  return prune_files(storage::Spool(storage::state_folder()).delivered_folder(), options,
                     [before](const fs::path& path) {
                       const auto time = time_of_archive(path);
                       return time && *time < before;
                     });
}

// Of the runs that were named, and the documents of their comparisons.
Result<storage::Pruned::Part> prune_named_archives(const std::vector<storage::NamedRun>& named,
                                                   const storage::PruneOptions& options) {
  std::vector<std::string> ids;
  for (const storage::NamedRun& run : named) {
    ids.push_back(run.id);
    ids.insert(ids.end(), run.comparisons.begin(), run.comparisons.end());
  }
  const auto is_one = [&ids](const fs::path& path) {
    return std::any_of(ids.begin(), ids.end(),
                       [&](const std::string& id) { return storage::Spool::is_named(path, id); });
  };
  const storage::Spool spool(storage::state_folder());
  STEELYARD_TRY(storage::Pruned::Part part, prune_files(spool.delivered_folder(), options, is_one));
  STEELYARD_TRY(const storage::Pruned::Part documents, prune_files(spool.delivered_comparisons(), options, is_one));
  part.rows += documents.rows;
  part.bytes += documents.bytes;
  return part;
}

std::string line_of(const std::string& what, const storage::Pruned::Part& part, const std::string& rows) {
  return what + ": " + grouped_text(part.runs) + (part.runs == 1 ? " run, " : " runs, ") + grouped_text(part.rows) +
         ' ' + rows + ", " + to_text(Bytes(part.bytes)) + '\n';
}

// "run:3f2a91c04b7e of 1a2b3c4d5 on main, project shop, taken 2026-01-02T03:04:05Z, with 2 comparisons"
std::string named_text(const storage::NamedRun& run, bool unicode) {
  constexpr std::size_t kShownId = 12;
  std::string text = "run:" + run.id.substr(0, kShownId);
  if (!run.commit.empty()) text += " of " + shown_sha(run.commit);
  if (!run.branch.empty()) text += " on " + run.branch;
  text += ", project " + run.project;
  if (run.created_at_unix_ns > 0) text += ", taken " + time_text(run.created_at_unix_ns);
  text += ", with " + plural_text(run.comparisons.size(), "comparison");
  return printable_line(text, unicode);
}

std::string pruned_text(const storage::Pruned& pruned, const storage::RetentionPolicy& policy, const DbOptions& options,
                        const App& app) {
  std::string text;
  for (const storage::NamedRun& run : pruned.named) text += named_text(run, app.style().unicode) + '\n';
  if (policy.runs_s || !options.runs.empty()) text += line_of("whole runs", pruned.whole, "measurements");
  if (policy.samples_s) text += line_of("samples", pruned.samples, "measurements; their summaries stay");
  if (policy.profiles_s) text += line_of("profiles", pruned.profiles, "profiles");
  if (options.archives) text += line_of("archives", pruned.archives, "files");
  if (pruned.partitions_rewritten > 0) {
    text += "partitions written anew: " + grouped_text(pruned.partitions_rewritten) + '\n';
  }
  if (pruned.partitions_dropped > 0) text += "partitions dropped: " + grouped_text(pruned.partitions_dropped) + '\n';
  if (pruned.closed.partitions > 0) text += "partitions closed: " + grouped_text(pruned.closed.partitions) + '\n';
  return (options.dry_run ? "would go, nothing is changed:\n" : "dropped:\n") + text;
}

storage::RetentionPolicy policy_of(const Configuration& configuration) {
  return {seconds_of(configuration.retention.samples_days), seconds_of(configuration.retention.profiles_days),
          seconds_of(configuration.retention.runs_days)};
}

std::string json_named(const storage::NamedRun& run) {
  return "{\"run\": " + json_quoted(run.id) + ", \"project\": " + json_quoted(run.project) +
         ", \"branch\": " + json_quoted(run.branch) + ", \"commit\": " + json_quoted(run.commit) +
         ", \"at\": " + (run.created_at_unix_ns > 0 ? json_quoted(time_text(run.created_at_unix_ns)) : "null") +
         ", \"comparisons\": " + json_list(run.comparisons) + '}';
}

// Schema steelyard.prune/1.
std::string json_pruned(const storage::Pruned& pruned, bool dry_run) {
  const auto part = [](const std::string& name, const storage::Pruned::Part& of) {
    return ",\n  \"" + name + "\": {\"runs\": " + std::to_string(of.runs) + ", \"rows\": " + std::to_string(of.rows) +
           ", \"bytes\": " + std::to_string(of.bytes) + '}';
  };
  std::string named = joined_text(pruned.named, ", ", json_named);
  if (!named.empty()) named = ",\n  \"named\": [" + named + ']';
  return std::string("{\n  \"schema\": \"steelyard.prune/1\",\n  \"dry_run\": ") + (dry_run ? "true" : "false") +
         named + part("samples", pruned.samples) + part("profiles", pruned.profiles) + part("runs", pruned.whole) +
         part("archives", pruned.archives) +
         ",\n  \"partitions_rewritten\": " + std::to_string(pruned.partitions_rewritten) +
         ",\n  \"partitions_dropped\": " + std::to_string(pruned.partitions_dropped) +
         ",\n  \"partitions_closed\": " + std::to_string(pruned.closed.partitions) + "\n}\n";
}

std::int64_t rows_in(const storage::BackupManifest& manifest, const std::string& table) {
  for (const storage::TableContent& content : manifest.tables) {
    if (content.table == table) return content.rows;
  }
  return 0;
}

std::string holdings(const storage::BackupManifest& manifest) {
  return grouped_text(rows_in(manifest, "runs")) + " runs, " + grouped_text(rows_in(manifest, "measurements")) +
         " measurements, " + grouped_text(rows_in(manifest, "comparisons")) + " comparisons";
}

using Act = Result<storage::BackupManifest> (*)(const storage::StoreAddress&, const std::filesystem::path&,
                                                const std::filesystem::path&, const storage::BackupOptions&);

Result<ExitCode> carry_out(Act act, const std::string& said, const DbOptions& options,
                           const Configuration& configuration, const App& app) {
  STEELYARD_TRY(const storage::StoreAddress address, database_address(configuration));
  ProgressLine progress = app.progress();
  storage::BackupOptions how;
  how.tool = std::string(kToolName);
  how.who = person_or_login("");
  how.progress = [&progress](const std::string& what, double part) { progress.show(what, part, Nanoseconds()); };
  const Result<storage::BackupManifest> done = act(address, storage::state_folder(), options.folder, how);
  progress.clear();
  if (!done) return done.error();
  app.print(app.common.json ? storage::manifest_text(*done) : holdings(*done) + said + options.folder.string() + '\n');
  return ExitCode::success;
}

}  // namespace

Result<ExitCode> prune_store(const DbOptions& options, const Configuration& configuration, const App& app) {
  storage::PruneOptions how;
  for (const std::string& run : options.runs) how.runs.push_back(run.starts_with("run:") ? run.substr(4) : run);
  if (how.runs.empty()) how.policy = policy_of(configuration);
  if (how.runs.empty() && how.policy.keeps_everything()) {
    return input_error("steelyard db prune", "nothing that may go: everything is kept for ever", "a policy",
                       "--keep-samples 6months, or [retention] in steelyard.toml; or name a run: --run ID");
  }
  STEELYARD_TRY(storage::Store store, open_store(configuration, app));
  how.now_unix_ns = now_unix_ns();
  how.dry_run = options.dry_run;
  how.who = person_or_login("");
  ProgressLine progress = app.progress();
  how.progress = [&progress](double part) { progress.show("prune", part, Nanoseconds()); };
  Result<storage::Pruned> pruned = storage::Upkeep(store).prune(how);
  progress.clear();
  if (!pruned) return pruned.error();
  if (options.archives) {
    STEELYARD_TRY(pruned->archives,
                  how.runs.empty() ? prune_old_archives(how) : prune_named_archives(pruned->named, how));
  }
  app.print(app.common.json ? json_pruned(*pruned, options.dry_run) : pruned_text(*pruned, how.policy, options, app));
  return ExitCode::success;
}

Result<ExitCode> back_store_up(const DbOptions& options, const Configuration& configuration, const App& app) {
  return carry_out(storage::backup_store, " are backed up in ", options, configuration, app);
}

Result<ExitCode> restore_from_backup(const DbOptions& options, const Configuration& configuration, const App& app) {
  return carry_out(storage::restore_store, " are restored, every table with the content hash of ", options,
                   configuration, app);
}

}  // namespace steelyard::ci
