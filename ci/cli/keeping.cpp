#include "ci/cli/keeping.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <system_error>

#include "ci/cli/messages.hpp"
#include "storage/archive/archive.hpp"
#include "storage/spool/spool.hpp"

namespace steelyard {
namespace {

std::string runs_text(std::size_t count) { return count == 1 ? "1 run" : std::to_string(count) + " runs"; }

constexpr std::size_t kShownIdCharacters = 12;  // of a comparison, for verify
constexpr std::size_t kIdCharacters = 16;       // of a file's name, as in the spool

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

void keep_outside(const Run& run, Streams& streams) {
  for (const std::filesystem::path& folder : folders_besides_the_state()) {
    const std::filesystem::path file = folder / ("steelyard-" + run.header.id.substr(0, kIdCharacters) + ".syrun");
    const Result<void> written = write_archive(file, run);
    if (!written) {
      report_error(written.error(), streams);
      continue;
    }
    streams.err << "steelyard: the run is kept in " << file.string() << "; move it to "
                << (state_folder() / "spool").string()
                << " when that can be written, and the next command that reaches the store delivers it\n";
    return;
  }
  streams.err << "steelyard: run:" << run.header.id << " could not be kept anywhere: measure again\n";
}

// For runs that the store did not take. What the spool has already stays one file there.
void keep_on_disk(const std::vector<const Run*>& runs, Streams& streams) {
  Spool spool(state_folder());
  for (const Run* run : runs) {
    if (!spool.keep(*run)) keep_outside(*run, streams);
  }
}

void say_what_waits(Streams& streams) {
  const std::size_t waiting = Spool(state_folder()).waiting().size();
  if (waiting == 0) return;
  streams.err << "steelyard: " << runs_text(waiting) << (waiting == 1 ? " waits" : " wait") << " in the spool at "
              << (state_folder() / "spool").string() << "; the next command that reaches the store delivers "
              << (waiting == 1 ? "it" : "them") << '\n';
}

ExitCode keep_without_store(const Error& error, const std::vector<const Run*>& runs, Streams& streams) {
  report_error(error, streams);
  keep_on_disk(runs, streams);
  say_what_waits(streams);
  return ExitCode::store_away;
}

// What waits. All that goes wrong is reported and added to `told`; an error of the store or of the spool ends it.
ExitCode deliver_spool(Store& store, std::vector<Error>& told, Streams& streams) {
  const Result<Spool::Delivery> delivery = Spool(state_folder()).deliver(store);
  if (!delivery) {
    report_error(delivery.error(), streams);
    told.push_back(delivery.error());
    return ExitCode::store_away;
  }
  for (const Error& bad : delivery->bad) {
    report_error(bad, streams);
    told.push_back(bad);
  }
  return ExitCode::success;
}

// Asks the store for each of this command's runs, whatever became of the spool: putting a run that is there already
// changes nothing. One that the store refused out of the spool lies in spool/bad and stays there.
ExitCode put_own_runs(Store& store, const std::vector<const Run*>& runs, const std::vector<Error>& told,
                      Streams& streams) {
  std::vector<const Run*> left;
  ExitCode code = ExitCode::success;
  for (const Run* run : runs) {
    const Result<bool> put = store.put_run(*run);
    if (put) continue;
    code = ExitCode::store_away;
    const Error& error = put.error();
    const bool is_told = std::any_of(told.begin(), told.end(), [&](const Error& other) {
      return other.where == error.where && other.found == error.found;
    });
    if (!is_told) report_error(error, streams);
    if (!is_told || error.kind == ErrorKind::store) left.push_back(run);
  }
  keep_on_disk(left, streams);
  return code;
}

}  // namespace

Result<StoreAddress> store_address(const Configuration& configuration) {
  return parse_store_address(configuration.store,
                             configuration.store_where.empty() ? "--store" : configuration.store_where);
}

Result<Store> open_store(const Configuration& configuration, const CommonOptions& common, Streams& streams) {
  STEELYARD_TRY(const StoreAddress address, store_address(configuration));
  STEELYARD_TRY(Store store, Store::open(address, state_folder()));
  Spool spool(state_folder());
  const std::size_t waiting = spool.waiting().size();
  if (waiting == 0) return store;
  const Result<Spool::Delivery> delivery = spool.deliver(store);
  if (!delivery) {
    report_error(delivery.error(), streams);
    return store;
  }
  for (const Error& bad : delivery->bad) report_error(bad, streams);
  if (delivery->delivered > 0) {
    note("delivered from the spool: " + runs_text(static_cast<std::size_t>(delivery->delivered)), common, streams);
  }
  return store;
}

ExitCode keep_in_spool(const std::vector<const Run*>& runs, Streams& streams) {
  Spool spool(state_folder());
  ExitCode code = ExitCode::success;
  for (const Run* run : runs) {
    const Result<std::filesystem::path> kept = spool.keep(*run);
    if (kept) continue;
    report_error(kept.error(), streams);
    code = ExitCode::store_away;
  }
  return code;
}

ExitCode deliver_to_store(const Configuration& configuration, const Comparison* comparison, const CommonOptions& common,
                          Streams& streams, const std::vector<const Run*>& runs) {
  const Result<StoreAddress> address = store_address(configuration);
  if (!address) return report_error(address.error(), streams);
  Result<Store> store = Store::open(*address, state_folder());
  if (!store) return keep_without_store(store.error(), runs, streams);
  std::vector<Error> told;
  const ExitCode code = deliver_spool(*store, told, streams);
  // A spool that could not be delivered may be the store's trouble or the spool's: the runs' own way in tells.
  const ExitCode own = put_own_runs(*store, runs, told, streams);
  if (own != ExitCode::success || (runs.empty() && code != ExitCode::success)) {
    return say_what_waits(streams), ExitCode::store_away;
  }
  if (comparison != nullptr) {
    const Result<bool> put = store->put_comparison(*comparison);
    if (!put) return report_error(put.error(), streams), ExitCode::store_away;
  }
  std::string kept = "kept in the store: " + address->safe_text();
  if (comparison != nullptr) kept += ", as comparison:" + comparison_id(*comparison).substr(0, kShownIdCharacters);
  note(kept, common, streams);
  if (code != ExitCode::success) say_what_waits(streams);
  return code;
}

}  // namespace steelyard
