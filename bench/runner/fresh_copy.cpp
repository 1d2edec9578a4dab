#include "bench/runner/fresh_copy.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "bench/model/elapsed.hpp"
#include "bench/model/random.hpp"
#include "bench/runner/child_process.hpp"
#include "bench/runner/program_facts.hpp"
#include "bench/runner/round_plan.hpp"

namespace steelyard::bench {

Result<PrivateFolder> PrivateFolder::create() {
  STEELYARD_TRY(RunFolder made, RunFolder::create());
  PrivateFolder folder(std::move(made));
  std::error_code failure;
  for (const Side side : {Side::baseline, Side::candidate}) {
    std::filesystem::create_directory(folder.of(side), failure);
    if (failure) return input_error(folder.of(side).string(), failure.message(), "a new folder", "free space there");
  }
  return folder;
}

// Names of equal length.
std::filesystem::path PrivateFolder::of(Side side) const {
  return folder_.path() / (side == Side::baseline ? "base" : "cand");
}

std::filesystem::path PrivateFolder::output_file(Side side) const { return of(side) / "out.json"; }

Result<std::filesystem::path> PrivateFolder::place(Side side, const std::filesystem::path& executable) const {
  std::error_code failure;
  const std::filesystem::path absolute = std::filesystem::absolute(executable, failure);
  if (failure) return input_error(executable.string(), failure.message(), "the path of a program");
  // What cannot be linked to sensibly is refused later, under the name the user gave.
  if (is_script(absolute) || !std::filesystem::is_regular_file(absolute, failure)) return absolute;
  const std::filesystem::path link = of(side) / "program";
  std::filesystem::create_symlink(absolute, link, failure);
  if (failure) return input_error(link.string(), failure.message(), "a link to " + absolute.string());
  return link;
}

bool is_script(const std::filesystem::path& file) {
  std::array<char, 2> start{};
  std::ifstream(file, std::ios::binary).read(start.data(), start.size());
  return start[0] == '#' && start[1] == '!';
}

namespace {

using Clock = std::chrono::steady_clock;

// A copy of so much takes a few percent of a round of many benchmarks.
constexpr std::int64_t kLargestCopy = std::int64_t{64} << 20;
// Pages are dropped one by one; where more than this part stays, nothing was gained.
constexpr double kMaxLeft = 0.1;
// Reading page by page from a disk would take longer than measuring.
constexpr std::size_t kMaxReads = 4096;
constexpr const char* kSearchPath = "LD_LIBRARY_PATH";

std::size_t page_bytes() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

bool may_execute_in(const std::filesystem::path& folder) {
  struct statvfs status = {};
  return ::statvfs(folder.c_str(), &status) != 0 || (status.f_flag & ST_NOEXEC) == 0;
}

std::int64_t changed_at_ns(const struct stat& status) {
  return static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
}

// Each file of a round has an order of its own.
std::uint64_t stream_of(std::uint64_t seed, const std::filesystem::path& target) {
  return fnv1a(target.filename().string(), seed);
}

bool transfer(int from, int to, std::vector<char>& page, off_t at) {
  const ssize_t got = ::pread(from, page.data(), page.size(), at);
  return got > 0 && ::pwrite(to, page.data(), static_cast<std::size_t>(got), at) == got;
}

// A shared mapping of a file, for asking about its pages; empty where it cannot be had.
class Mapping {
 public:
  Mapping(const Descriptor& file, std::size_t bytes) : bytes_(bytes) {
    start_ = bytes == 0 ? MAP_FAILED : ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.number(), 0);
  }
  ~Mapping() {
    if (start_ != MAP_FAILED) ::munmap(start_, bytes_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  // Numbers of the pages in memory, ascending; absent: the system does not tell.
  std::optional<std::vector<std::size_t>> resident() const {
    std::vector<std::size_t> pages;
    if (start_ == MAP_FAILED) return std::nullopt;
    std::vector<unsigned char> state((bytes_ + page_bytes() - 1) / page_bytes());
    if (::mincore(start_, bytes_, state.data()) != 0) return std::nullopt;
    for (std::size_t i = 0; i < state.size(); ++i) {
      if ((state[i] & 1U) != 0) pages.push_back(i);
    }
    return pages;
  }

 private:
  void* start_;
  std::size_t bytes_;
};

std::optional<std::vector<std::size_t>> resident_pages(const Descriptor& file, std::size_t bytes) {
  return Mapping(file, bytes).resident();
}

// Whether it was found where the program has it, or, if it was copied, in the folder that the copy searches first.
bool is_found(const std::vector<LoadedLibrary>& found, const LoadedLibrary& wanted,
              const std::filesystem::path& folder) {
  const auto at = std::find_if(found.begin(), found.end(),
                               [&](const LoadedLibrary& library) { return library.name == wanted.name; });
  if (at == found.end()) return false;
  std::error_code failure;
  const bool is_copied =
      std::filesystem::is_regular_file(std::filesystem::symlink_status(folder / wanted.name, failure));
  return at->path.parent_path() == folder || (at->path == wanted.path && !is_copied);
}

// Whether it lies where every program searches.
bool is_in_system_folder(const std::filesystem::path& library) {
  const std::string text = library.string();
  return text.starts_with("/lib") || text.starts_with("/usr/lib");
}

}  // namespace

std::string_view to_text(PagesOf pages) {
  switch (pages) {
    case PagesOf::copied:
      return "copied";
    case PagesOf::reread:
      return "reread";
    case PagesOf::kept:
      return "kept";
  }
  return "";
}

namespace {

// Under its own name, which some programs go by, in a folder whose name is as much longer as the other's is.
std::string place_name(const Program& program, const Program* other) {
  const std::size_t own = program.executable.filename().string().size();
  const std::size_t others = other == nullptr ? 0 : other->executable.filename().string().size();
  return std::string(1 + std::max(own, others) - own, 'p');
}

Descriptor folder_as_it_is(const std::filesystem::path& folder) {
  return Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}
std::filesystem::path path_of(const Descriptor& folder) { return "/proc/self/fd/" + std::to_string(folder.number()); }
Descriptor new_folder_in(const Descriptor& folder, const std::string& name) {
  std::error_code failure;
  std::filesystem::create_directory(path_of(folder) / name, failure);
  return folder_as_it_is(path_of(folder) / name);
}

}  // namespace

bool reread_pages(const std::filesystem::path& path, std::uint64_t seed, int round) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status = {};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0 || status.st_size <= 0) return false;
  const auto bytes = static_cast<std::size_t>(status.st_size);
  const auto resident = resident_pages(file, bytes);
  if (!resident) return false;
  const std::vector<std::size_t>& before = *resident;
  ::fdatasync(file.number());  // a page that is not written out yet cannot be dropped
  if (::posix_fadvise(file.number(), 0, 0, POSIX_FADV_DONTNEED) != 0) return false;
  const auto after = resident_pages(file, bytes);
  if (!after) return false;
  const std::size_t left = after->size();
  if (static_cast<double>(left) > kMaxLeft * static_cast<double>(before.size())) return false;
  ::posix_fadvise(file.number(), 0, 0, POSIX_FADV_RANDOM);  // no reading ahead, which would undo the order
  const std::size_t together = before.size() / kMaxReads + 1;
  std::vector<char> block(together * page_bytes());
  for (const std::size_t i : shuffled_order((before.size() + together - 1) / together, seed, round)) {
    const std::size_t first = before[i * together];
    if (::pread(file.number(), block.data(), block.size(), static_cast<off_t>(first * page_bytes())) < 0) break;
  }
  return true;
}

Result<FreshCopy::Source> FreshCopy::opened(const std::filesystem::path& path,
                                            const std::filesystem::path& target) const {
  Source source;
  source.path = path;
  source.target = target;
  source.file = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status = {};
  if (!source.file.is_open() || ::fstat(source.file.number(), &status) != 0) {
    return input_error(path.string(), std::strerror(errno), "a file that can be read");
  }
  // A stranger's program may be a link, and its loader may name any file: the copy would show it what it may not see.
  const bool is_out_of_sight = confinement_ && is_hidden(*confinement_, source.file);
  if (!S_ISREG(status.st_mode) || is_out_of_sight) {
    return input_error(path.string(), is_out_of_sight ? "a file that the program does not see" : "no regular file",
                       "one that it can load");
  }
  source.bytes = status.st_size;
  source.changed_at_ns = changed_at_ns(status);
  return source;
}

Result<void> FreshCopy::add(const std::filesystem::path& path, const std::filesystem::path& target) {
  STEELYARD_TRY(Source source, opened(path, target));
  size_ += Bytes(source.bytes);
  sources_.push_back(std::move(source));
  return {};
}

// Adds libraries that the other side has elsewhere: with one set of pages each, their luck would be a side's.
Result<void> FreshCopy::add_libraries(const Program& program, const Program& other,
                                      const std::atomic<bool>* cancelled) {
  STEELYARD_TRY(const auto own, libraries_of(program.executable, child_environment(program), program.working_directory,
                                             cancelled, program.confinement));
  STEELYARD_TRY(const auto others, libraries_of(other.executable, child_environment(other), other.working_directory,
                                                cancelled, other.confinement));
  for (const LoadedLibrary& library : own) {
    // Whatever its name: that of a release may differ from the next one's.
    const bool shared = std::any_of(others.begin(), others.end(), [&](const LoadedLibrary& theirs) {
      std::error_code failure;
      return std::filesystem::equivalent(theirs.path, library.path, failure);
    });
    // One whose name is a path is the loader.
    if (shared || library.path.empty() || library.name.find('/') != std::string::npos) continue;
    STEELYARD_CHECK(add(library.path, folder_ / "lib" / library.name));
  }
  return {};
}

// The copy must load what the program loads where it lies. What it finds elsewhere, or not at all ($ORIGIN), is linked
// to from the folder that it searches first.
Result<void> FreshCopy::check_libraries(const Program& program, const std::atomic<bool>* cancelled) {
  std::map<std::string, std::string> environment = child_environment(program);
  STEELYARD_TRY(const auto wanted, libraries_of(program.executable, environment, program.working_directory, cancelled,
                                                program.confinement));
  const std::filesystem::path folder = folder_ / "lib";
  const auto add_search_path = [&] {
    const auto own = environment.find(kSearchPath);
    const std::string rest = own == environment.end() || own->second.empty() ? "" : ':' + own->second;
    if (!environment_.contains(kSearchPath)) environment_[kSearchPath] = folder.string() + rest;
    environment[kSearchPath] = environment_[kSearchPath];
  };
  std::error_code failure;
  if (sources_.size() > 1) add_search_path();
  for (const bool last : {false, true}) {
    // A loader that misses one of them lists none.
    const auto found =
        libraries_of(executable_, environment, program.working_directory, cancelled, program.confinement);
    bool all_found = true;
    for (const LoadedLibrary& library : wanted) {
      if (found ? is_found(*found, library, folder) : is_in_system_folder(library.path)) continue;
      all_found = false;
      const std::filesystem::path name = std::filesystem::path(library.name).filename();
      std::filesystem::create_symlink(library.path, libraries_folder() / name, failure);
    }
    if (all_found) return {};
    if (last) break;
    add_search_path();
  }
  return input_error(program.executable.string(), "libraries that are found only from where it lies", "");
}

Result<FreshCopy> FreshCopy::prepare(const Program& program, const Program* other, const std::filesystem::path& folder,
                                     const std::atomic<bool>* cancelled) {
  FreshCopy fresh;
  fresh.folder_ = folder;
  std::error_code failure;
  const std::filesystem::path file = fresh.file_ = std::filesystem::absolute(program.executable, failure);
  if (failure) return input_error(program.executable.string(), failure.message(), "the path of a program");
  // What cannot be copied sensibly is refused later, under the name the user gave. A script may look for files beside
  // itself, and what it starts is not known.
  if (!std::filesystem::is_regular_file(file, failure) || is_script(file)) {
    fresh.executable_ = file;
    fresh.pages_ = PagesOf::kept;
    fresh.why_ = "a script, and what it starts is not known";
    return fresh;
  }
  // A command may find by its own path what it needs: only its pages are renewed.
  if (program.command) {
    fresh.executable_ = file;
    fresh.confinement_ = program.confinement;
    const bool is_shared = other == nullptr || std::filesystem::equivalent(file, other->executable, failure);
    fresh.is_of_both_sides_ = is_shared;
    const bool is_renewed = !is_shared && fresh.add(file, file);
    fresh.pages_ = is_renewed ? PagesOf::reread : PagesOf::kept;
    fresh.why_ = is_shared ? "a command that both sides run where it lies" : "a command, which runs where it lies";
    return fresh;
  }
  const std::string place = place_name(program, other);
  fresh.executable_ = folder / place / program.executable.filename();
  fresh.confinement_ = program.confinement;
  fresh.opened_folder_ = folder_as_it_is(folder);
  fresh.opened_place_ = new_folder_in(fresh.opened_folder_, place);
  const auto found = [&]() -> Result<void> {
    STEELYARD_CHECK(fresh.add(file, fresh.executable_));
    return other == nullptr ? Result<void>() : fresh.add_libraries(program, *other, cancelled);
  }();
  for (const LinkedLayout& layout : program.layouts) {
    STEELYARD_TRY(Source source, fresh.opened(layout.executable, fresh.executable_));
    fresh.layouts_.push_back(std::move(source));
  }
  const Result<void> made = found ? fresh.make_copies(program, cancelled) : found;
  if (!made) fresh.run_in_place(made.error().text());
  return fresh;
}

Result<void> FreshCopy::make_copies(const Program& program, const std::atomic<bool>* cancelled) {
  if (size_.count() > kLargestCopy) {
    return input_error(file_.string(), to_text(size_), "at most " + to_text(Bytes(kLargestCopy)) + " to be copied");
  }
  if (!may_execute_in(folder_)) return input_error(folder_.string(), "a file system without execution", "");
  if (sources_.size() > 1) libraries_folder();
  for (const Source& source : sources_) STEELYARD_CHECK(copy(source, 0, 0));
  return check_libraries(program, cancelled);
}

void FreshCopy::link_to(const std::filesystem::path& program) const {
  std::error_code failure;
  std::filesystem::remove(place_of(executable_), failure);
  std::filesystem::create_symlink(program, place_of(executable_), failure);
}

// Programs that run here may move a folder of ours away and put a link in its place: by its descriptor it is ours.
std::filesystem::path FreshCopy::place_of(const std::filesystem::path& target) const {
  const bool is_program = target.parent_path() == executable_.parent_path();
  return path_of(is_program ? opened_place_ : opened_libraries_) / target.filename();
}

std::filesystem::path FreshCopy::libraries_folder() {
  if (!opened_libraries_.is_open()) opened_libraries_ = new_folder_in(opened_folder_, "lib");
  return path_of(opened_libraries_);
}

// A program's $ORIGIN and /proc/self/exe lead to the real place through a link.
void FreshCopy::run_in_place(std::string why) {
  if (pages_ != PagesOf::copied) return;
  std::error_code failure;
  std::filesystem::remove_all(path_of(opened_folder_) / "lib", failure);
  link_to(file_);
  pages_ = PagesOf::reread;
  why_ = std::move(why);
  environment_.clear();
}

Result<void> FreshCopy::copy(const Source& source, std::uint64_t seed, int round) const {
  struct stat status = {};
  if (::fstat(source.file.number(), &status) != 0 || status.st_size != source.bytes ||
      changed_at_ns(status) != source.changed_at_ns) {
    return input_error(source.path.string(), "a file that changed while it was measured", "the same all the while",
                       "measure again, and build elsewhere meanwhile");
  }
  const std::filesystem::path target = place_of(source.target);
  const std::filesystem::path next = target.string() + ".next";
  std::error_code failure;
  std::filesystem::remove(next, failure);
  const Descriptor to(::open(next.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700));
  if (!to.is_open() || ::ftruncate(to.number(), source.bytes) != 0) {
    return input_error(source.target.string(), std::strerror(errno), "a new file");
  }
  std::vector<char> page(page_bytes());
  const std::size_t pages = (static_cast<std::size_t>(source.bytes) + page.size() - 1) / page.size();
  for (const std::size_t i : shuffled_order(pages, stream_of(seed, source.target), round)) {
    errno = 0;
    if (transfer(source.file.number(), to.number(), page, static_cast<off_t>(i * page.size()))) continue;
    const std::string found = errno == 0 ? "a file that ended early" : std::strerror(errno);
    std::filesystem::remove(next, failure);  // results need the space
    return input_error(source.target.string(), found, "space for a copy of " + source.path.string());
  }
  // Removed before the new one takes the name: to replace a file makes some file systems write it out at once.
  std::filesystem::remove(target, failure);
  std::filesystem::rename(next, target, failure);
  if (failure) return input_error(source.target.string(), failure.message(), "a new file");
  return {};
}

void FreshCopy::renew(std::uint64_t seed, int round, std::optional<std::size_t> layout) {
  if (pages_ == PagesOf::kept && layouts_.empty()) return;
  const Clock::time_point begun = Clock::now();
  const Source* const linked = layout && *layout < layouts_.size() ? &layouts_[*layout] : nullptr;
  for (const Source& usual : sources_) {
    const bool is_program = &usual == &sources_.front();
    const Source& source = is_program && linked != nullptr ? *linked : usual;
    if (pages_ == PagesOf::copied) {
      if (const Result<void> copied = copy(source, seed, round); !copied) {
        pages_ = PagesOf::kept;
        why_ = "no new copy from round " + std::to_string(round) + " on: " + copied.error().text();
      }
    } else if (pages_ == PagesOf::reread && !reread_pages(source.path, seed, round)) {
      pages_ = PagesOf::kept;
      why_ += ", and pages of " + source.path.filename().string() + " stay in memory";
    }
    // Whatever becomes of its pages, a round runs the layout that is said of it.
    if (is_program && pages_ != PagesOf::copied && has_layouts()) link_to(source.path);
    if (pages_ == PagesOf::kept) break;
  }
  spent_ += since(begun);
  ++renewals_;
}

Result<PageRenewal> try_renewal(const Program& program, const std::atomic<bool>* cancelled) {
  STEELYARD_TRY(const PrivateFolder folder, PrivateFolder::create());
  STEELYARD_TRY(FreshCopy copy, FreshCopy::prepare(program, nullptr, folder.of(Side::baseline), cancelled));
  copy.renew(0, 1);
  return PageRenewal{copy.pages(), copy.why(), copy.size(), copy.spent()};
}

Result<CopyPlace> find_copy_place() {
  STEELYARD_TRY(const PrivateFolder folder, PrivateFolder::create());
  const std::filesystem::path side = folder.of(Side::baseline);
  return CopyPlace{side.parent_path().parent_path(), may_execute_in(side)};
}

}  // namespace steelyard::bench
