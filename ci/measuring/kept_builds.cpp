#include "ci/measuring/kept_builds.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/environment/system_file.hpp"
#include "bench/model/sha256.hpp"
#include "bench/runner/child_process.hpp"
#include "bench/runner/secrets.hpp"
#include "ci/git/repository.hpp"

namespace steelyard::ci {
namespace {

namespace fs = std::filesystem;

// A list that is as long may be cut off (ChildCommand::output_limit).
constexpr std::size_t kMaxListBytes = (std::size_t{4} << 20U) - 4096;
// What packages there are, as dpkg, apk and rpm write it down.
constexpr std::array kPackageLists{"/var/lib/dpkg/status", "/lib/apk/db/installed", "/var/lib/rpm/rpmdb.sqlite",
                                   "/usr/lib/sysimage/rpm/rpmdb.sqlite", "/etc/os-release"};
constexpr std::array<std::string_view, 14> kBuildVariables{
    "CC",    "CXX",          "CFLAGS",          "CXXFLAGS",        "CPPFLAGS", "LDFLAGS", "PATH",
    "CPATH", "LIBRARY_PATH", "LD_LIBRARY_PATH", "PKG_CONFIG_PATH", "CUDA",     "CMAKE_",  "VCPKG_"};
constexpr std::string_view kBeside = "new-";
constexpr const char* kCompilers = R"(for one in "${CC:-cc}" "${CXX:-c++}" cmake nvcc; do
  command -v $one && $one --version
done 2>&1
true)";

void add_file(const char* file, Sha256& hash) {
  std::ifstream stream(file, std::ios::binary);
  std::array<char, 65536> part{};
  hash.add_text(file);
  while (stream.read(part.data(), part.size()) || stream.gcount() > 0) {
    hash.add(std::string_view(part.data(), static_cast<std::size_t>(stream.gcount())));
  }
}

// Of the first processor: which one it is, and what it can.
void add_processor(Sha256& hash) {
  const std::string text = bench::read_system_file("/proc/cpuinfo").value_or("");
  for (const char* field : {"\nmodel name", "\nflags", "\nFeatures", "\nCPU part"}) {
    const std::size_t at = text.find(field);
    if (at != std::string::npos) hash.add_text(std::string_view(text).substr(at, text.find('\n', at + 1) - at));
  }
}

void add_toolchain(const std::atomic<bool>* cancelled, Sha256& hash) {
  std::map<std::string, std::string> variables = caller_environment();
  bench::withhold_secrets(variables);
  for (const auto& [name, value] : variables) {
    const bool is_read = std::any_of(kBuildVariables.begin(), kBuildVariables.end(), [&name = name](auto known) {
      return known.ends_with('_') ? name.starts_with(known) : name == known;
    });
    if (!is_read) continue;
    hash.add_text(name);
    hash.add_text(value);
  }
  bench::ChildCommand asks;
  asks.executable = "/bin/sh";
  asks.arguments = {"-c", kCompilers};
  asks.environment = std::move(variables);
  const Result<bench::ChildResult> told = bench::run_child(asks, cancelled);
  hash.add_text(told ? told->output : "");
}

// Files, folders and links with their times, as what is built anew is what is older than its sources.
Result<void> copy_whole(const fs::path& from, const fs::path& to) {
  std::error_code trouble;
  const fs::file_status status = fs::symlink_status(from, trouble);
  fs::create_directories(to.parent_path(), trouble);
  if (fs::is_symlink(status)) {
    fs::copy_symlink(from, to, trouble);
  } else if (fs::is_directory(status)) {
    fs::create_directories(to, trouble);
    for (fs::directory_iterator entry(from, trouble), end; !trouble && entry != end; entry.increment(trouble)) {
      STEELYARD_CHECK(copy_whole(entry->path(), to / entry->path().filename()));
    }
  } else if (fs::is_regular_file(status)) {
    fs::copy_file(from, to, trouble);
    if (!trouble) fs::last_write_time(to, fs::last_write_time(from, trouble), trouble);
  }
  if (trouble) return input_error(from.string(), trouble.message(), "a file that can be copied to " + to.string());
  return {};
}

std::uintmax_t bytes_of(const fs::path& path) {
  std::error_code trouble;
  if (fs::is_regular_file(fs::symlink_status(path, trouble))) return fs::file_size(path, trouble);
  std::uintmax_t bytes = 0;
  for (fs::recursive_directory_iterator entry(path, trouble), end; !trouble && entry != end; entry.increment(trouble)) {
    std::error_code gone;
    if (!fs::is_regular_file(entry->symlink_status(gone))) continue;
    const std::uintmax_t size = fs::file_size(entry->path(), gone);
    if (!gone) bytes += size;
  }
  return bytes;
}

Result<std::vector<std::string>> added_by_build(const fs::path& tree, const bench::SharedConfinement& confinement) {
  STEELYARD_TRY(const GitAnswer changed, run_git(tree, {"status", "--porcelain", "--untracked-files=no"}, confinement));
  if (!changed.succeeded) return input_error(tree.string(), changed.trouble);
  if (!changed.output.empty()) {
    return input_error("the build", "it changed files of the commit: " + changed.output.substr(0, 80),
                       "one that only adds files, to be kept");
  }
  STEELYARD_TRY(const GitAnswer listed, run_git(tree, {"ls-files", "--others", "-z"}, confinement));
  if (!listed.succeeded) return input_error(tree.string(), listed.trouble);
  if (listed.output.size() > kMaxListBytes) return input_error("the build", "too many files", "fewer, to be kept");
  std::vector<std::string> added;
  for (std::size_t at = 0; at < listed.output.size();) {
    const std::size_t end = std::min(listed.output.find('\0', at), listed.output.size());
    std::string one = listed.output.substr(at, end - at);
    while (one.ends_with('/')) one.pop_back();  // a repository that the build has cloned
    if (!one.empty()) added.push_back(std::move(one));
    at = end + 1;
  }
  return added;
}

Result<std::vector<std::string>> added_within(const fs::path& tree, const KeptBuildLimits& limits,
                                              const bench::SharedConfinement& confinement) {
  STEELYARD_TRY(std::vector<std::string> added, added_by_build(tree, confinement));
  std::uintmax_t bytes = 0;
  for (const std::string& one : added) bytes += bytes_of(tree / one);
  if (bytes <= limits.bytes_of_one) return added;
  return input_error("the build", std::to_string(bytes >> 20U) + " MiB",
                     "at most " + std::to_string(limits.bytes_of_one >> 20U) + " MiB, to be kept");
}

}  // namespace

std::string name_of(const BuildIdentity& identity, const std::atomic<bool>* cancelled) {
  Sha256 hash;
  for (const std::string& text : {std::string("steelyard.build/1"), identity.commit, identity.command,
                                  identity.tree.string(), std::string(identity.has_submodules ? "with" : "without")}) {
    hash.add_text(text);
  }
  for (const char* file : kPackageLists) add_file(file, hash);
  add_processor(hash);
  add_toolchain(cancelled, hash);
  return hash.hex();
}

Result<void> copy_build(const fs::path& from_tree, const fs::path& to_tree,
                        const bench::SharedConfinement& confinement) {
  STEELYARD_TRY(const std::vector<std::string> added, added_within(from_tree, KeptBuildLimits{}, confinement));
  for (const std::string& one : added) {
    const Result<void> copied = copy_whole(from_tree / one, to_tree / one);
    if (copied) continue;
    static_cast<void>(static_cast<bool>(run_git(to_tree, {"clean", "-ffdxq"})));
    return copied.error();
  }
  return {};
}

KeptBuilds::KeptBuilds(fs::path folder, KeptBuildLimits limits) : folder_(std::move(folder)), limits_(limits) {}

fs::path KeptBuilds::folder() {
  const char* const named = std::getenv("STEELYARD_BUILD_CACHE");
  if (named == nullptr || *named == '\0') return {};
  std::error_code trouble;
  return fs::absolute(named, trouble);
}

Result<bool> KeptBuilds::put_into(const fs::path& tree, const std::string& name) const {
  const fs::path entry = folder_ / name;
  std::error_code trouble;
  if (!fs::is_directory(fs::symlink_status(entry, trouble))) return false;
  if (const Result<void> copied = copy_whole(entry, tree); !copied) {
    fs::remove_all(entry, trouble);
    static_cast<void>(static_cast<bool>(run_git(tree, {"clean", "-ffdxq"})));
    return copied.error();
  }
  // Used today: the oldest are those that nobody asked for.
  fs::last_write_time(entry, fs::file_time_type::clock::now(), trouble);
  return true;
}

Result<void> KeptBuilds::keep(const fs::path& tree, const std::string& name,
                              const bench::SharedConfinement& confinement) const {
  STEELYARD_TRY(const std::vector<std::string> added, added_within(tree, limits_, confinement));
  std::error_code trouble;
  fs::create_directories(folder_, trouble);
  std::string beside = (folder_ / (std::string(kBeside) + "XXXXXX")).string();
  if (::mkdtemp(beside.data()) == nullptr) {
    return input_error("STEELYARD_BUILD_CACHE", folder_.string(), "a folder that can be written");
  }
  for (const std::string& one : added) {
    if (const Result<void> copied = copy_whole(tree / one, fs::path(beside) / one); !copied) {
      fs::remove_all(beside, trouble);
      return copied.error();
    }
  }
  fs::rename(beside, folder_ / name, trouble);
  if (trouble) fs::remove_all(beside, trouble);  // another process was first
  remove_oldest();
  return {};
}

void KeptBuilds::remove_oldest() const {
  struct Entry {
    fs::file_time_type at;
    std::uintmax_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uintmax_t bytes = 0;
  std::error_code trouble;
  for (const fs::directory_entry& one : fs::directory_iterator(folder_, trouble)) {
    constexpr std::size_t kNameLength = 64;
    std::error_code gone;
    if (one.path().filename().string().size() != kNameLength) {
      // What a killed run was about to keep.
      const bool is_old = fs::file_time_type::clock::now() - one.last_write_time(gone) > std::chrono::hours(24);
      if (is_old && !gone && one.path().filename().string().starts_with(kBeside)) fs::remove_all(one.path(), gone);
      continue;
    }
    const Entry entry{one.last_write_time(gone), bytes_of(one.path()), one.path()};
    if (gone) continue;
    bytes += entry.bytes;
    entries.push_back(entry);
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.at < b.at; });
  for (const Entry& entry : entries) {
    if (bytes <= limits_.bytes) break;
    fs::remove_all(entry.path, trouble);
    bytes -= entry.bytes;
  }
}

}  // namespace steelyard::ci
