#include "ci/measuring/count_cache.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include "bench/counting/count.hpp"
#include "bench/environment/system_file.hpp"
#include "bench/model/sha256.hpp"
#include "ci/report/warning_text.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard::ci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInputs = storage::kKeptCountSetting;  // lines of hash, blank, name
constexpr const char* kFolder = "count_cache.folder";
constexpr const char* kSuffix = ".syrun";

// What stays with a count wherever it is taken over: which reader told its lines.
RunHeader header_of_part(const RunHeader& header) {
  RunHeader kept;
  const auto reader = header.settings.find(std::string(bench::kCountReaderSetting));
  if (reader != header.settings.end()) kept.settings.insert(*reader);
  return kept;
}

std::string text_of(const bench::InputHashes& hashes) {
  std::string text;
  for (const auto& [name, hash] : hashes) text += hash + ' ' + name + '\n';
  return text;
}

bench::InputHashes parse_inputs(std::string_view text) {
  bench::InputHashes hashes;
  for (const std::string_view line : bench::lines_of(text)) {
    const std::size_t blank = line.find(' ');
    if (blank != std::string_view::npos) hashes.emplace(line.substr(blank + 1), line.substr(0, blank));
  }
  return hashes;
}

}  // namespace

std::string name_of(const CountIdentity& identity) {
  Sha256 hash;
  for (const std::string* text :
       {&identity.loaded, &identity.suite, &identity.benchmark, &identity.method, &identity.machine}) {
    hash.add_text(*text);
  }
  hash.add_text(std::to_string(identity.arguments.size()));
  for (const std::string& argument : identity.arguments) hash.add_text(argument);
  for (const auto& [name, value] : identity.environment) {
    hash.add_text(name);
    hash.add_text(value);
  }
  return hash.hex();
}

CountCache::CountCache(fs::path folder, CacheLimits limits) : folder_(std::move(folder)), limits_(limits) {}

std::optional<CountCache::Kept> CountCache::find(const std::string& name, const HashInputs& hash_now,
                                                 std::vector<std::string>& warnings) {
  const fs::path path = folder_ / (name + kSuffix);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::nullopt;
  Result<Run> read = storage::read_archive(path);
  if (!read) {
    warnings.push_back(warning::kept_count_damaged(read.error()));
    fs::remove(path, ignored);
    return std::nullopt;
  }
  Kept kept;
  const auto setting = [&](const char* key) {
    const auto at = read->header.settings.find(key);
    return at == read->header.settings.end() ? std::string() : at->second;
  };
  kept.inputs = parse_inputs(setting(kInputs));
  kept.folder = setting(kFolder);
  bench::CountedInputs inputs;
  inputs.unknown.clear();
  for (const auto& [file, hash] : kept.inputs) inputs.files.push_back(file);
  const Result<bench::InputHashes> now = hash_now(inputs);
  if (!now || *now != kept.inputs || read->measurements.empty()) return std::nullopt;
  // Used today: the oldest are those that nobody asked for.
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  read->header = header_of_part(read->header);
  kept.part = std::move(read).value();
  return kept;
}

void CountCache::keep(const std::string& name, Kept kept, std::vector<std::string>& warnings) {
  std::error_code failure;
  fs::create_directories(folder_, failure);
  Run& part = kept.part;
  part.header = header_of_part(part.header);
  part.header.tool = "steelyard";
  part.header.settings[kInputs] = text_of(kept.inputs);
  if (!kept.folder.empty()) part.header.settings[kFolder] = kept.folder;
  storage::seal(part);
  if (const Result<void> written = storage::write_archive(folder_ / (name + kSuffix), part); !written) {
    warnings.push_back(warning::counts_not_kept(written.error()));
    return;
  }
  remove_oldest();
}

void CountCache::remove_oldest() const {
  struct Entry {
    fs::file_time_type at;
    std::uint64_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uint64_t bytes = 0;
  std::error_code ignored;
  for (const fs::directory_entry& file : fs::directory_iterator(folder_, ignored)) {
    if (file.path().extension() != kSuffix) continue;
    std::error_code gone;  // another process may have removed it since
    const Entry entry{file.last_write_time(gone), file.file_size(gone), file.path()};
    if (gone) continue;
    bytes += entry.bytes;
    entries.push_back(entry);
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.at < b.at; });
  std::size_t left = entries.size();
  for (const Entry& entry : entries) {
    if (bytes <= limits_.bytes && left <= limits_.entries) break;
    fs::remove(entry.path, ignored);
    bytes -= entry.bytes;
    --left;
  }
}

}  // namespace steelyard::ci
