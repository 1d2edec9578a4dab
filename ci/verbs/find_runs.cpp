#include "ci/verbs/find_runs.hpp"

#include <algorithm>
#include <optional>
#include <system_error>

#include "storage/archive/archive.hpp"
#include "storage/spool/spool.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kMostFiles = 200;   // of the comparison's folder that are opened
constexpr std::size_t kIdInName = 16;     // characters, as the spool names its files
constexpr std::size_t kMostTroubles = 3;  // told

class Finder {
 public:
  explicit Finder(const std::string& id) : id_(id) {}

  std::optional<FoundRun> try_file(const std::filesystem::path& file) {
    Result<Run> run = read_archive(file);
    if (!run) return trouble(run.error().text()), std::nullopt;
    return take(std::move(run).value(), file.string(), true);
  }

  // A run of another id is silent where many files are tried.
  std::optional<FoundRun> take(Run run, const std::string& place, bool tell) {
    if (run.header.id != id_) {
      if (tell) trouble(place + " holds run " + run.header.id.substr(0, kIdInName));
      return std::nullopt;
    }
    if (const std::string content = content_id(run); content != id_) {
      trouble(place + " says that it is run " + id_.substr(0, kIdInName) + ", but its content is that of " +
              content.substr(0, kIdInName));
      return std::nullopt;
    }
    return FoundRun{std::move(run), place};
  }

  std::optional<FoundRun> try_folder(const std::filesystem::path& folder, bool by_name) {
    std::vector<std::filesystem::path> files;
    std::error_code code;
    for (std::filesystem::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
      const std::filesystem::path& path = entry->path();
      const bool is_named = path.filename().string().find(id_.substr(0, kIdInName)) != std::string::npos;
      if (path.extension() == ".syrun" && (!by_name || is_named)) files.push_back(path);
    }
    std::sort(files.begin(), files.end());
    files.resize(std::min(files.size(), kMostFiles));
    for (const std::filesystem::path& file : files) {
      Result<Run> run = read_archive(file);
      if (!run && by_name) trouble(run.error().text());
      if (!run) continue;
      if (auto found = take(std::move(run).value(), file.string(), by_name)) return found;
    }
    return std::nullopt;
  }

  void trouble(const std::string& text) {
    if (troubles_.size() < kMostTroubles) troubles_.push_back(text);
  }

  Error nowhere(const RunSearch& search) const {
    std::string found = "no archive of it";
    for (const std::string& text : troubles_) found += "; " + text;
    std::string places = search.folder.empty() ? "" : search.folder.string() + ", ";
    places += (search.state / "spool").string() + ", " + (search.state / "runs").string();
    if (search.from_store) places += " or the store";
    return input_error("run:" + id_.substr(0, kIdInName), found, "it in " + places,
                       "name both sides with --baseline and --candidate");
  }

 private:
  const std::string& id_;
  std::vector<std::string> troubles_;
};

}  // namespace

std::string content_id(const Run& run) {
  Run copy = run;
  seal(copy);
  return copy.header.id;
}

Result<FoundRun> find_run_by_id(const std::string& id, const std::string& first, const RunSearch& search) {
  Finder finder(id);
  std::error_code ignored;
  if (!search.folder.empty()) {
    const std::filesystem::path expected = search.folder / first;
    if (std::filesystem::exists(expected, ignored)) {
      if (auto found = finder.try_file(expected)) return std::move(*found);
    }
    if (auto found = finder.try_folder(search.folder, false)) return std::move(*found);
  }
  for (const std::filesystem::path& folder : {search.state / "spool", Spool(search.state).delivered_folder()}) {
    if (auto found = finder.try_folder(folder, true)) return std::move(*found);
  }
  if (search.from_store) {
    Result<Run> run = search.from_store(id);
    if (!run) {
      finder.trouble(run.error().text());
    } else if (auto found = finder.take(std::move(run).value(), "the store", true)) {
      return std::move(*found);
    }
  }
  return finder.nowhere(search);
}

}  // namespace steelyard
