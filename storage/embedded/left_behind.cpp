#include "storage/embedded/left_behind.hpp"

#include <chrono>
#include <optional>
#include <system_error>

#include "storage/embedded/cluster_files.hpp"
#include "storage/place/files.hpp"
#include "storage/postgres/comparisons/comparison_writer.hpp"
#include "storage/postgres/history/commit_graph.hpp"
#include "storage/postgres/runs/run_writer.hpp"
#include "storage/spool/rebuild.hpp"

namespace steelyard {
namespace {

namespace fs = std::filesystem;

// Thousands of archives take minutes.
constexpr std::chrono::minutes kLockPatience{30};

std::string count_text(std::int64_t count, const char* what) {
  return std::to_string(count) + what + (count == 1 ? "" : "s");
}

Result<Rebuild> refill(Session& session, const fs::path& state) {
  const Spool spool(state);
  Rebuild done;
  KeyCache keys;
  std::error_code trouble;  // no such folder: nothing was ever delivered
  if (fs::exists(spool.delivered_folder(), trouble)) {
    const auto put = [&](const Run& run) -> Result<bool> {
      STEELYARD_TRY(const bool is_new, write_run(session, run, keys));
      STEELYARD_CHECK(place_commit_of(session, run.header));
      return is_new;
    };
    STEELYARD_TRY(done, rebuild_from_archives(spool.delivered_folder(), put, {}));
  }
  if (fs::exists(spool.delivered_comparisons(), trouble)) {
    const auto put = [&session](const Comparison& comparison) { return write_comparison(session, comparison); };
    STEELYARD_CHECK(rebuild_comparisons(spool.delivered_comparisons(), put, done));
  }
  return done;
}

std::string what_was_done(int from, int to, const Rebuild& done, const fs::path& aside) {
  const std::string version = "PostgreSQL " + std::to_string(from);
  std::string text = "the embedded store has moved from " + version + " to PostgreSQL " + std::to_string(to) + ": " +
                     count_text(done.runs, " run") + " and " + count_text(done.comparisons, " comparison") +
                     " from their archives";
  if (!done.bad.empty()) {
    text += ", " + count_text(static_cast<std::int64_t>(done.bad.size()), " file") +
            " could not be read (steelyard db rebuild names them)";
  }
  if (!aside.empty()) {
    text += "; what has none is in the old cluster alone, kept in " + aside.string() + " and readable with " + version;
  }
  return text;
}

}  // namespace

Result<std::vector<std::string>> bring_over(Session& session, const EmbeddedServer& server, const fs::path& state) {
  std::vector<std::string> news;
  if (server.left_behind.empty()) return news;
  STEELYARD_TRY(const auto lock, FileLock::take(server.home / "refill.lock", kLockPatience));
  if (!lock) {
    return store_error("embedded store " + server.home.string(),
                       "another steelyard that has been filling it from the archives for long",
                       "the lock on " + (server.home / "refill.lock").string(), "try again when it is done");
  }
  std::optional<Rebuild> done;
  for (const int major : server.left_behind) {
    std::error_code trouble;
    // Another process may have done it while we waited.
    if (!fs::exists(ClusterLayout{server.home, major}.data(), trouble)) continue;
    if (!done) {
      STEELYARD_TRY(done, refill(session, state));
    }
    STEELYARD_TRY(const fs::path aside, set_cluster_aside(server.home, major));
    if (!aside.empty()) news.push_back(what_was_done(major, server.major, *done, aside));
  }
  return news;
}

}  // namespace steelyard
