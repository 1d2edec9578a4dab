#include "tests/tidy/source_tree.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

namespace steelyard::tidy {
namespace {

struct Layer {
  const char* folder;
  std::vector<const char*> may_include;
};

// The architecture's table: each row names all of ours that it may include. The first match wins.
const std::array<Layer, 6> kLayers{
    Layer{"bench/model/", {"bench/model/"}},
    Layer{"bench/", {"bench/"}},
    Layer{"regress/", {"regress/", "bench/model/"}},
    Layer{"storage/", {"storage/", "regress/", "bench/model/"}},
    Layer{"ci/demo/", {"ci/demo/"}},  // a stranger's library: nothing of ours
    Layer{"ci/", {"ci/", "storage/", "regress/", "bench/"}},
};

// The floors of a layer from the ground up; a file may include its own folder and the floors below. Files of the
// layer's own folder, its doors, stand on top. A file of a folder may have a floor of its own, below the rest of it.
struct Floors {
  const char* layer;
  std::vector<std::vector<const char*>> folders;
};
const std::array<Floors, 4> kFloors{
    Floors{"bench/",
           {{"bench/model/"},
            {"bench/counting/counters/counter_choice", "bench/counting/reader/", "bench/counting/shim/",
             "bench/environment/", "bench/harness/"},
            {"bench/counting/algebra/", "bench/counting/lines/", "bench/formats/", "bench/profile/"},
            {"bench/runner/"},
            {"bench/ceilings/", "bench/counting/equal/", "bench/doctor/"},
            {"bench/counting/"},
            {"bench/cuda/", "bench/main/"},
            {"bench/suites/"}}},
    Floors{"regress/",
           {{"regress/policy/"},
            {"regress/ab/"},
            {"regress/calibration/", "regress/compare_runs", "regress/scaling/", "regress/targets/"},
            {"regress/history/"}}},
    Floors{"storage/",
           {{"storage/document/", "storage/model/", "storage/packing/", "storage/place/"},
            {"storage/archive/", "storage/calibration/", "storage/postgres/session/"},
            {"storage/comparison/", "storage/postgres/distributed/", "storage/postgres/sql/"},
            {"storage/postgres/access/", "storage/postgres/runs/", "storage/spool/"},
            {"storage/postgres/alerts/"},
            {"storage/postgres/comparisons/", "storage/postgres/history/"},
            {"storage/archived/", "storage/postgres/catalog/", "storage/postgres/upkeep/"},
            {"storage/embedded/"},
            {"storage/backup/"}}},
    Floors{"ci/",
           {{"ci/attribution/", "ci/config/", "ci/git/", "ci/http/"},
            {"ci/app/"},
            {"ci/report/"},
            {"ci/measuring/", "ci/publish/"},
            {"ci/judging/"},
            {"ci/grammar/", "ci/service/"},
            {"ci/verbs/"}}},
};

bool starts_with(const std::string& text, const char* prefix) { return text.rfind(prefix, 0) == 0; }

bool ends_with_any(const std::string& text, const std::vector<std::string>& endings) {
  return std::any_of(endings.begin(), endings.end(), [&](const std::string& ending) { return text.ends_with(ending); });
}

struct Floor {
  std::size_t height = 0;
  std::string folder;
};

Floor floor_of(const std::string& path, const Floors& floors) {
  for (std::size_t height = 0; height < floors.folders.size(); ++height) {
    for (const char* folder : floors.folders[height]) {
      if (starts_with(path, folder)) return {height, folder};
    }
  }
  return {floors.folders.size(), floors.layer};
}

// Empty where the include is allowed, as far as floors go.
std::string floor_fault(const std::string& from, const std::string& to) {
  for (const Floors& floors : kFloors) {
    if (!starts_with(from, floors.layer) || !starts_with(to, floors.layer)) continue;
    const Floor of_from = floor_of(from, floors);
    const Floor of_to = floor_of(to, floors);
    const bool is_door = from.find('/', std::string(floors.layer).size()) == std::string::npos;
    if (of_from.folder == floors.layer && !is_door) return from + " belongs to no floor";
    const bool allowed = of_to.height < of_from.height || of_to.folder == of_from.folder;
    if (!allowed) return of_from.folder + " may not include " + to;
  }
  return "";
}

}  // namespace

std::vector<SourceFile> read_source_files(const std::vector<std::string>& endings) {
  const std::filesystem::path root = STEELYARD_SOURCE_FOLDER;
  std::vector<SourceFile> files;
  for (const char* folder : {"bench", "regress", "storage", "ci", "tests"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file() || !ends_with_any(entry.path().filename().string(), endings)) continue;
      SourceFile file{std::filesystem::relative(entry.path(), root).generic_string(), {}};
      std::ifstream stream(entry.path());
      for (std::string line; std::getline(stream, line);) file.lines.push_back(line);
      files.push_back(std::move(file));
    }
  }
  std::sort(files.begin(), files.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::vector<std::string> top_level_entries() {
  const std::filesystem::path root = STEELYARD_SOURCE_FOLDER;
  std::set<std::string> names;
  if (std::FILE* git = popen(("git -C '" + root.string() + "' ls-files -z 2>/dev/null").c_str(), "r")) {
    std::string path;
    for (int c = std::fgetc(git); c != EOF; c = std::fgetc(git)) {
      if (c != 0) {
        path += static_cast<char>(c);
        continue;
      }
      names.insert(path.substr(0, path.find('/')));
      path.clear();
    }
    pclose(git);
  }
  if (names.empty()) {
    for (const auto& entry : std::filesystem::directory_iterator(root)) names.insert(entry.path().filename().string());
    for (const char* made : {".git", "build"}) names.erase(made);
  }
  return {names.begin(), names.end()};
}

std::string included_path(const std::string& line) {
  const std::size_t hash = line.find_first_not_of(" \t");
  if (hash == std::string::npos || line[hash] != '#') return "";
  const std::size_t word = line.find_first_not_of(" \t", hash + 1);
  if (word == std::string::npos || line.compare(word, 7, "include") != 0) return "";
  const std::size_t open = line.find_first_of("<\"", word + 7);
  if (open == std::string::npos) return "";
  const std::size_t close = line.find(line[open] == '<' ? '>' : '"', open + 1);
  return close == std::string::npos ? "" : line.substr(open + 1, close - open - 1);
}

std::string arrow_fault(const std::string& from, const std::string& to) {
  const bool ours = starts_with(to, "tests/") || std::any_of(kLayers.begin(), kLayers.end(),
                                                             [&](const Layer& l) { return starts_with(to, l.folder); });
  if (!ours || starts_with(from, "tests/")) return "";
  for (const Layer& layer : kLayers) {
    if (!starts_with(from, layer.folder)) continue;
    const bool allowed = std::any_of(layer.may_include.begin(), layer.may_include.end(),
                                     [&](const char* folder) { return starts_with(to, folder); });
    return allowed ? floor_fault(from, to) : std::string(layer.folder) + " may not include " + to;
  }
  return from + " belongs to no layer";
}

}  // namespace steelyard::tidy
