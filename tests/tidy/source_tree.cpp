#include "tests/tidy/source_tree.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

namespace steelyard::tidy {
namespace {

struct Layer {
  const char* folder;
  std::vector<const char*> may_include;
};

// The architecture's table: each row names all of ours that it may include. The first match wins.
const std::array<Layer, 8> kLayers{
    Layer{"bench/model/", {"bench/model/"}},
    Layer{"bench/self/judging/", {"bench/self/judging/", "bench/model/", "regress/"}},  // studies of the judgement
    // Studies of keeping.
    Layer{"bench/self/storage/", {"bench/self/storage/", "bench/model/", "regress/", "storage/"}},
    Layer{"bench/", {"bench/"}},
    Layer{"regress/", {"regress/", "bench/model/"}},
    Layer{"storage/", {"storage/", "regress/", "bench/model/"}},
    Layer{"ci/demo/", {"ci/demo/"}},  // a stranger's library: nothing of ours
    Layer{"ci/", {"ci/", "storage/", "regress/", "bench/"}},
};

// The floors of ci/ from the ground up; a file may include its own folder and the floors below. Files of ci/ itself
// stand on top.
const std::vector<std::vector<const char*>> kFloors{
    {"ci/attribution/", "ci/config/", "ci/git/"},
    {"ci/app/"},
    {"ci/grammar/"},
    {"ci/report/"},
    {"ci/measuring/"},
    {"ci/judging/"},
    {"ci/verbs/"},
};

bool starts_with(const std::string& text, const char* prefix) { return text.rfind(prefix, 0) == 0; }

bool ends_with_any(const std::string& text, const std::vector<std::string>& endings) {
  return std::any_of(endings.begin(), endings.end(), [&](const std::string& ending) { return text.ends_with(ending); });
}

struct Floor {
  std::size_t height = kFloors.size();
  std::string folder = "ci/";
};

Floor floor_of(const std::string& path) {
  for (std::size_t height = 0; height < kFloors.size(); ++height) {
    for (const char* folder : kFloors[height]) {
      if (starts_with(path, folder)) return {height, folder};
    }
  }
  return {};
}

std::string floor_fault(const std::string& from, const std::string& to) {
  if (!starts_with(from, "ci/") || !starts_with(to, "ci/")) return "";
  const Floor of_from = floor_of(from), of_to = floor_of(to);
  if (of_from.folder == "ci/" && from.find('/', 3) != std::string::npos) return from + " belongs to no floor";
  const bool allowed = of_to.height < of_from.height || of_to.folder == of_from.folder;
  return allowed ? "" : of_from.folder + " may not include " + to;
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
  const bool ours =
      std::any_of(kLayers.begin(), kLayers.end(), [&](const Layer& l) { return starts_with(to, l.folder); });
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
