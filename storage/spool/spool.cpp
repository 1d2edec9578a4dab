#include "storage/spool/spool.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <fstream>
#include <string_view>

#include "storage/archive/archive.hpp"
#include "storage/archive/archive_file.hpp"
#include "storage/spool/delivery_lock.hpp"

namespace steelyard {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".syrun";
// 64-bit nanoseconds have at most 19 digits: filled up to that, the order of names is that of times.
constexpr std::size_t kTimeDigits = 19;
// Enough of the id to tell runs of one nanosecond apart; the store compares whole ids.
constexpr std::size_t kIdCharacters = 16;
constexpr int kMostBadOfOneName = 1000;
// A process that was killed while it wrote leaves a hidden part of a file. No write takes a day.
constexpr std::chrono::hours kPartIsAbandoned{24};

std::string name_of(const Run& run) {
  const std::string time = std::to_string(std::max<std::int64_t>(run.header.created_at_unix_ns, 0));
  return std::string(kTimeDigits - time.size(), '0') + time + '-' + run.header.id.substr(0, kIdCharacters) +
         std::string(kExtension);
}

Result<void> make_folder(const fs::path& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (!code) return {};
  return input_error(folder.string(), code.message(), "a folder that can be written",
                     "name another with STEELYARD_STATE");
}

void remove_abandoned_parts(const fs::path& folder) {
  std::error_code code;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator entry(folder, code); !code && entry != fs::directory_iterator(); entry.increment(code)) {
    if (entry->path().extension() != ".part") continue;
    std::error_code own;
    const auto written = entry->last_write_time(own);
    if (!own && now - written > kPartIsAbandoned) fs::remove(entry->path(), own);
  }
}

}  // namespace

Spool::Spool(fs::path state) : folder_(state / "spool"), delivered_(state / "runs") {}

Result<fs::path> Spool::keep(const Run& run) {
  assert(!run.header.id.empty() && "seal the run first");
  STEELYARD_CHECK(make_folder(folder_));
  fs::path path = folder_ / name_of(run);
  STEELYARD_CHECK(write_archive(path, run));
  return path;
}

std::vector<fs::path> Spool::waiting() const {
  std::vector<fs::path> paths;
  std::error_code code;
  for (fs::directory_iterator entry(folder_, code); !code && entry != fs::directory_iterator(); entry.increment(code)) {
    std::error_code own;
    if (entry->path().extension() == kExtension && entry->is_regular_file(own)) paths.push_back(entry->path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<Spool::Delivery> Spool::deliver(Store& store) {
  return deliver([&store](const Run& run) { return store.put_run(run); });
}

Result<Spool::Delivery> Spool::deliver(const PutRun& put, Nanoseconds longest_wait) {
  Delivery delivery;
  if (waiting().empty()) return delivery;
  STEELYARD_TRY(const DeliveryLock lock, DeliveryLock::take(folder_, longest_wait));
  STEELYARD_CHECK(make_folder(delivered_));
  remove_abandoned_parts(folder_);
  // Listed again under the lock: what another process has delivered meanwhile is gone.
  for (const fs::path& path : waiting()) STEELYARD_CHECK(deliver_one(path, put, delivery));
  return delivery;
}

Result<void> Spool::deliver_one(const fs::path& path, const PutRun& put, Delivery& delivery) {
  const auto bytes = read_file(path, ArchiveLimits{}.file_bytes);
  if (!bytes) {
    // The disk or the permissions, not the archive: it keeps waiting.
    delivery.bad.push_back(bytes.error());
    return {};
  }
  if (is_from_newer_version(*bytes)) {
    delivery.bad.push_back(decode_run(*bytes, path.string()).error());
    return {};
  }
  Result<Run> run = decode_run(*bytes, path.string());
  if (!run) {
    set_aside(path, std::move(run).error(), delivery);
    return {};
  }
  Result<bool> is_new = put(*run);
  if (!is_new && is_new.error().kind == ErrorKind::store) return std::move(is_new).error();
  if (!is_new) {
    // Not the store's state but this run: it would be refused for ever, and hold up all that come after it.
    Error why = std::move(is_new).error();
    why.where = path.string() + ": " + why.where;
    set_aside(path, std::move(why), delivery);
    return {};
  }
  *is_new ? ++delivery.delivered : ++delivery.already_there;
  std::error_code code;
  fs::rename(path, delivered_ / path.filename(), code);
  // Left where it is it will be offered again, and found to be there already.
  if (code) delivery.bad.push_back(store_error(path.string(), code.message(), "a place in " + delivered_.string()));
  return {};
}

void Spool::set_aside(const fs::path& path, Error why, Delivery& delivery) {
  const fs::path bad = folder_ / "bad";
  std::error_code code;
  fs::create_directories(bad, code);
  fs::path target = bad / path.filename();
  for (int i = 2; !code && fs::exists(target) && i < kMostBadOfOneName; ++i) {
    target = bad / (path.filename().string() + '.' + std::to_string(i));
  }
  if (!code) fs::rename(path, target, code);
  why.mend +=
      (why.mend.empty() ? "" : "; ") +
      (code ? "it could not be moved to " + bad.string() + ": " + code.message() : "moved to " + target.string());
  // For whoever finds the archive there when the message has long scrolled away; lost where it cannot be written.
  if (!code) std::ofstream(target.string() + ".reason") << why.text() << '\n';
  delivery.bad.push_back(std::move(why));
}

}  // namespace steelyard
