#include "storage/spool/spool.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "bench/model/sha256.hpp"
#include "bench/model/text.hpp"
#include "storage/archive/archive.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "storage/comparison/comparison_identity.hpp"
#include "storage/place/files.hpp"
#include "storage/place/store_address.hpp"

namespace steelyard::storage {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRun = ".syrun";
constexpr std::string_view kComparison = ".json";
constexpr std::string_view kDraft = ".draft.";
constexpr std::string_view kBad = "bad";
// 64-bit nanoseconds have at most 19 digits: filled up to that, the order of names is that of times.
constexpr std::size_t kTimeDigits = 19;
// Enough of the id to tell runs of one nanosecond apart; the store compares whole ids.
constexpr std::size_t kIdCharacters = 16;
constexpr int kMaxBadOfOneName = 1000;
// A process that was killed while it wrote leaves a hidden part of a file. No write takes a day, and who has drafts is
// alive as long as it needs them, which is asked where its number is known.
constexpr std::chrono::hours kPartIsAbandoned{24};

std::string name_of(std::int64_t created_at_unix_ns, const std::string& id, std::string_view extension) {
  const std::string time = std::to_string(std::max<std::int64_t>(created_at_unix_ns, 0));
  return std::string(kTimeDigits - time.size(), '0') + time + '-' + id.substr(0, kIdCharacters) +
         std::string(extension);
}

std::string name_of(const RunHeader& run) { return name_of(run.created_at_unix_ns, run.id, kRun); }
std::string name_of(const Run& run) { return name_of(run.header); }
std::string name_of(const SpooledComparison& kept) {
  return name_of(kept.comparison.candidate.created_at_unix_ns, kept.id, kComparison);
}

// By time; what a comparison is of comes before it.
auto order_of(const fs::path& path) {
  std::string name = path.filename().string();
  return std::tuple(name.substr(0, kTimeDigits), path.extension() == kComparison, std::move(name));
}

// A store's folder in the spool. What is too long for a file system ends in its hash.
std::string folder_name(const std::string& store) {
  constexpr std::size_t kMaxFolderName = 200;
  constexpr std::size_t kHashCharacters = 16;
  std::string name = percent_encode(store);
  if (name.size() <= kMaxFolderName) return name;
  name.resize(kMaxFolderName);
  name.resize(name.find_last_not_of("%0123456789ABCDEF") + 1);  // no part of a code
  return name + "..." + sha256_hex(store).substr(0, kHashCharacters);
}

void add_waiting(const fs::path& folder, std::vector<fs::path>& paths) {
  std::error_code code;
  for (fs::directory_iterator entry(folder, code); !code && entry != fs::directory_iterator(); entry.increment(code)) {
    std::error_code own;
    const fs::path extension = entry->path().extension();
    if ((extension == kRun || extension == kComparison) && entry->is_regular_file(own)) paths.push_back(entry->path());
  }
}

Spool::Count count_files(const std::vector<fs::path>& paths) {
  Spool::Count count;
  for (const fs::path& path : paths) ++(path.extension() == kRun ? count.runs : count.comparisons);
  return count;
}

// What waits and what was kept is for its user alone, also where an older version made the folder for all to read.
Result<void> make_folder(const fs::path& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (!code) {
    std::error_code not_ours;  // then its owner has decided who may read it
    fs::permissions(folder, fs::perms::owner_all, not_ours);
    return {};
  }
  return input_error(folder.string(), code.message(), "a folder that can be written",
                     "name another with STEELYARD_STATE");
}

// Where numbers of processes are those that we know: this boot of this machine, this container. It stands in the names
// of drafts, since the folder may be shared with others. Empty: the system does not tell.
std::string place_of_processes() {
  constexpr std::size_t kPlaceCharacters = 12;
  std::string boot;
  std::ifstream told("/proc/sys/kernel/random/boot_id");
  std::getline(told, boot);
  std::error_code code;
  const std::string container = fs::read_symlink("/proc/self/ns/pid", code).string();
  if (boot.empty() || container.empty()) return "";
  return sha256_hex(boot + ' ' + container).substr(0, kPlaceCharacters);
}

// Whether the process still runs that has this draft. Absent: it is none, or of a process elsewhere.
std::optional<bool> is_draft_in_use(const std::string& name, const std::string& place) {
  const std::string mark = '.' + place + '.';
  const std::size_t at = name.find(mark);
  if (place.empty() || at == std::string::npos || name.find(kDraft) == std::string::npos) return std::nullopt;
  pid_t process = 0;
  const char* const end = name.data() + name.size();
  if (std::from_chars(name.data() + at + mark.size(), end, process).ec != std::errc() || process <= 0) {
    return std::nullopt;
  }
  return ::kill(process, 0) == 0 || errno != ESRCH;
}

void remove_abandoned_parts(const fs::path& folder) {
  std::error_code code;
  const std::string place = place_of_processes();
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator entry(folder, code); !code && entry != fs::directory_iterator(); entry.increment(code)) {
    if (entry->path().extension() != ".part") continue;
    std::error_code own;
    const auto written = entry->last_write_time(own);
    const bool is_in_use = is_draft_in_use(entry->path().filename().string(), place)
                               .value_or(static_cast<bool>(own) || now - written <= kPartIsAbandoned);
    if (!is_in_use) fs::remove(entry->path(), own);
  }
}

void close_to_others(const fs::path& file) {
  std::error_code ignored;
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write, ignored);
}

}  // namespace

Spool::Spool(fs::path state, const std::string& store)
    : folder_(state / "spool"),
      own_(store.empty() ? folder_ : folder_ / folder_name(store)),
      delivered_(state / "runs"),
      delivered_comparisons_(state / "comparisons") {}

std::vector<fs::path> Spool::folders() const {
  std::vector<fs::path> all{folder_};
  std::error_code code;
  for (fs::directory_iterator entry(folder_, code); !code && entry != fs::directory_iterator(); entry.increment(code)) {
    std::error_code own;
    if (entry->is_directory(own) && entry->path().filename() != kBad) all.push_back(entry->path());
  }
  std::sort(all.begin() + 1, all.end());
  return all;
}

Result<fs::path> Spool::keep(const Run& run) {
  assert(!run.header.id.empty() && "seal the run first");
  for (const fs::path& folder : {folder_, own_}) STEELYARD_CHECK(make_folder(folder));
  fs::path path = own_ / name_of(run);
  STEELYARD_CHECK(write_archive(path, run));
  close_to_others(path);
  return path;
}

SpoolDraft::~SpoolDraft() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove(path_, ignored);
}

Result<SpoolDraft> Spool::draft(const Run& run) {
  assert(!run.header.id.empty() && "seal the run first");
  STEELYARD_CHECK(make_folder(folder_));
  if (!std::exchange(has_drafted_, true)) {
    for (const fs::path& folder : folders()) remove_abandoned_parts(folder);
  }
  static std::atomic<int> count{0};
  const std::string name = name_of(run);
  const std::string part = '.' + name + '.' + place_of_processes() + '.' + std::to_string(::getpid()) + '.' +
                           std::to_string(++count) + std::string(kDraft) + "part";
  SpoolDraft draft(folder_ / part, own_ / name);
  STEELYARD_CHECK(write_archive(draft.path_, run));
  close_to_others(draft.path_);
  return draft;
}

Result<void> Spool::keep(SpoolDraft draft) {
  const fs::path path = std::exchange(draft.path_, {});
  Result<void> renamed = make_folder(draft.kept_.parent_path());
  if (renamed) renamed = rename_file(path, draft.kept_);
  if (renamed) return {};
  Error why = std::move(renamed).error();
  std::error_code code;
  if (fs::exists(path, code)) {
    why.fix = "the run is in " + path.string() + " until the next command that delivers or imports; " + why.fix;
  } else if (fs::is_regular_file(draft.kept_, code)) {  // only that its name lasts is not sure
    why.fix = "the run is there; " + why.fix;
  }
  return why;
}

Result<SpooledComparison> Spool::keep(const Comparison& comparison) {
  for (const fs::path& folder : {folder_, own_}) STEELYARD_CHECK(make_folder(folder));
  SpooledComparison kept;
  STEELYARD_TRY(kept.comparison, as_kept(comparison));
  kept.id = comparison_id(kept.comparison);
  kept.path = own_ / name_of(kept);
  STEELYARD_CHECK(write_file(kept.path, comparison_document(kept.comparison)));
  close_to_others(kept.path);
  return kept;
}

std::vector<fs::path> Spool::waiting() const {
  std::vector<fs::path> paths;
  add_waiting(folder_, paths);
  if (own_ != folder_) add_waiting(own_, paths);
  std::sort(paths.begin(), paths.end(), [](const fs::path& a, const fs::path& b) { return order_of(a) < order_of(b); });
  return paths;
}

std::optional<SpooledRun> Spool::find_run(const std::string& id) const {
  constexpr std::size_t kShortestId = 6;
  constexpr std::size_t kMaxOpened = 100;
  if (id.size() < kShortestId) return std::nullopt;
  std::optional<SpooledRun> found;
  std::size_t opened = 0;
  std::vector<fs::path> all = folders();
  all.push_back(delivered_);
  for (const fs::path& folder : all) {
    std::error_code code;
    for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
      const std::string name = entry->path().filename().string();
      if (entry->path().extension() != kRun || name.find('-' + id.substr(0, kIdCharacters)) == name.npos) continue;
      if (++opened > kMaxOpened) return std::nullopt;
      Result<Run> run = read_archive(entry->path());
      if (!run || !run->header.id.starts_with(id)) continue;
      Run sealed = *run;
      seal(sealed);
      if (sealed.header.id != run->header.id) continue;
      if (found && found->run.header.id != run->header.id) return std::nullopt;
      found = SpooledRun{entry->path(), std::move(run).value()};
    }
  }
  return found;
}

std::optional<std::int64_t> Spool::time_in_name(const fs::path& file) {
  const std::string stem = file.stem().string();
  std::int64_t time = 0;
  const auto [end, code] = std::from_chars(stem.data(), stem.data() + std::min(stem.size(), kTimeDigits), time);
  const bool is_ours = stem.size() == kTimeDigits + 1 + kIdCharacters && code == std::errc() &&
                       end == stem.data() + kTimeDigits && *end == '-' &&
                       is_hex(std::string_view(stem).substr(kTimeDigits + 1));
  return is_ours ? std::optional(time) : std::nullopt;
}

bool Spool::is_named(const fs::path& file, const std::string& id) {
  return time_in_name(file) && file.stem().string().substr(kTimeDigits + 1) == id.substr(0, kIdCharacters);
}

bool Spool::has_delivered(const RunHeader& run) const {
  // What was delivered before, to another store perhaps, and waits again is delivered no longer.
  std::error_code code;
  const std::string name = name_of(run);
  return !fs::exists(folder_ / name, code) && !fs::exists(own_ / name, code) && fs::exists(delivered_ / name, code);
}

bool Spool::has_archive(const RunHeader& run) const {
  const std::string name = name_of(run);
  const auto has = [&name](const fs::path& folder) {
    std::error_code code;
    return fs::exists(folder / name, code);
  };
  return has(folder_) || has(own_) || has(delivered_);
}

Spool::Count Spool::count_waiting() const { return count_files(waiting()); }

std::vector<Spool::ForAnother> Spool::waiting_for_others() const {
  std::vector<ForAnother> others;
  for (const fs::path& folder : folders()) {
    if (folder == folder_ || folder == own_) continue;
    std::vector<fs::path> paths;
    add_waiting(folder, paths);
    if (!paths.empty()) others.push_back({percent_decode(folder.filename().string()), count_files(paths)});
  }
  return others;
}

Result<Spool::Delivery> Spool::deliver(const Destination& to, const AtHand& at_hand, Nanoseconds longest_wait) {
  Delivery delivery;
  for (const fs::path& folder : folders()) remove_abandoned_parts(folder);
  if (waiting().empty()) return delivery;
  STEELYARD_TRY(const DeliveryLock lock, DeliveryLock::take(folder_, longest_wait));
  for (const fs::path& folder : {delivered_, delivered_comparisons_}) STEELYARD_CHECK(make_folder(folder));
  std::map<std::string, const Run*> runs;  // by the names of their files
  for (const Run* run : at_hand.runs) runs[name_of(*run)] = run;
  const std::string comparison_name = at_hand.comparison == nullptr ? "" : name_of(*at_hand.comparison);
  // Listed again under the lock: what another process has delivered meanwhile is gone.
  for (const fs::path& path : waiting()) {
    const std::string name = path.filename().string();
    if (const auto own = runs.find(name); own != runs.end()) {
      STEELYARD_CHECK(hand_on(path, *own->second, to, delivery));
    } else if (path.extension() == kRun) {
      if (const auto run = read_waiting_run(path, delivery)) STEELYARD_CHECK(hand_on(path, *run, to, delivery));
    } else if (!to.put_comparison) {
      continue;
    } else if (name == comparison_name) {
      STEELYARD_CHECK(hand_on(path, at_hand.comparison->comparison, to, delivery));
    } else if (const auto comparison = read_waiting_comparison(path, delivery)) {
      STEELYARD_CHECK(hand_on(path, *comparison, to, delivery));
    }
  }
  return delivery;
}

std::optional<Run> Spool::read_waiting_run(const fs::path& path, Delivery& delivery) {
  const auto bytes = read_archive_bytes(path);
  if (!bytes) {
    // The disk, the permissions or what memory is allowed, not the archive: it keeps waiting.
    delivery.bad.push_back(bytes.error());
    return std::nullopt;
  }
  Result<Run> run = decode_sealed_run(*bytes, path.string());
  if (run) return std::move(*run);
  if (may_be_read_elsewhere(*bytes, run.error())) {
    delivery.bad.push_back(std::move(run).error());
  } else {
    move_aside(path, std::move(run).error(), delivery);
  }
  return std::nullopt;
}

std::optional<Comparison> Spool::read_waiting_comparison(const fs::path& path, Delivery& delivery) {
  const auto text = read_file(path, kMaxComparisonBytes);
  if (!text) {
    delivery.bad.push_back(text.error());
    return std::nullopt;
  }
  Result<Comparison> comparison = parse_comparison(*text, path.string());
  if (comparison) return std::move(*comparison);
  if (comparison_version(*text) > kComparisonVersion) {
    delivery.bad.push_back(std::move(comparison).error());
  } else {
    move_aside(path, std::move(comparison).error(), delivery);
  }
  return std::nullopt;
}

Result<void> Spool::hand_on(const fs::path& path, const Run& run, const Destination& to, Delivery& delivery) {
  Result<bool> taken = to.put_run(run);
  if (!taken && to.is_for_another && to.is_for_another()) return leave(path, std::move(taken).error(), delivery);
  STEELYARD_TRY(const std::optional<bool> is_new, settle(path, std::move(taken), delivered_, delivery));
  if (is_new) ++(*is_new ? delivery.delivered : delivery.already_there);
  return {};
}

Result<void> Spool::hand_on(const fs::path& path, const Comparison& comparison, const Destination& to,
                            Delivery& delivery) {
  Result<bool> taken = to.put_comparison(comparison);
  if (!taken && to.is_for_another && to.is_for_another()) return leave(path, std::move(taken).error(), delivery);
  STEELYARD_TRY(const std::optional<bool> is_new, settle(path, std::move(taken), delivered_comparisons_, delivery));
  if (is_new) ++(*is_new ? delivery.comparisons : delivery.comparisons_already_there);
  return {};
}

Result<void> Spool::leave(const fs::path& path, Error why, Delivery& delivery) {
  // One of them is told, however many wait.
  if (delivery.left_for_another_login++ > 0) return {};
  why.where = path.string() + ": " + why.where;
  delivery.bad.push_back(std::move(why));
  return {};
}

Result<std::optional<bool>> Spool::settle(const fs::path& path, Result<bool> is_new, const fs::path& folder,
                                          Delivery& delivery) {
  if (!is_new && is_new.error().kind == ErrorKind::store) return std::move(is_new).error();
  if (!is_new) {
    // This file is at fault, not the store: it would be refused for ever, and hold up all that come after it.
    Error why = std::move(is_new).error();
    why.where = path.string() + ": " + why.where;
    move_aside(path, std::move(why), delivery);
    return std::optional<bool>();
  }
  std::error_code code;
  fs::rename(path, folder / path.filename(), code);
  // Left where it is it will be offered again, and found to be there already.
  if (code) delivery.bad.push_back(store_error(path.string(), code.message(), "a place in " + folder.string()));
  return std::optional(*is_new);
}

void Spool::move_aside(const fs::path& path, Error why, Delivery& delivery) {
  const fs::path bad = folder_ / kBad;
  std::error_code code;
  fs::create_directories(bad, code);
  fs::path target = bad / path.filename();
  for (int i = 2; !code && fs::exists(target) && i < kMaxBadOfOneName; ++i) {
    target = bad / (path.filename().string() + '.' + std::to_string(i));
  }
  if (!code) fs::rename(path, target, code);
  why.fix += (why.fix.empty() ? "" : "; ") + (code ? "it could not be moved to " + bad.string() + ": " + code.message()
                                                   : "moved to " + target.string());
  // For whoever finds the archive there when the message has long scrolled away; lost where it cannot be written.
  if (!code) std::ofstream(target.string() + ".reason") << why.text() << '\n';
  delivery.bad.push_back(std::move(why));
}

namespace {

// Longer waits are no limit; keeps the conversion to whole nanoseconds in range.
constexpr Nanoseconds kLongestWait = seconds(86400.0 * 365);
constexpr mode_t kFileMode = 0600;

std::chrono::nanoseconds bounded(Nanoseconds wait) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(std::clamp(wait.count(), 0.0, kLongestWait.count())));
}

}  // namespace

Result<DeliveryLock> DeliveryLock::take(const std::filesystem::path& folder, Nanoseconds longest_wait) {
  const std::filesystem::path path = folder / ".lock";
  Result<std::optional<FileLock>> lock = FileLock::take(path, bounded(longest_wait), kFileMode);
  if (!lock) {
    Error why = std::move(lock).error();
    why.fix = "what waits stays where it is; " + why.fix;
    return why;
  }
  if (!lock->has_value()) {
    return store_error(path.string(), "another process that delivers, for longer than " + to_text(longest_wait),
                       "the lock", "what waits stays where it is; the next command delivers it");
  }
  return DeliveryLock(std::move(**lock));
}

}  // namespace steelyard::storage
