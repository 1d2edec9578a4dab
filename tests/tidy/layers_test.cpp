// Walks the include lines of the tree and fails on an arrow that points up, and on a heavy header outside its fence.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "tests/tidy/source_tree.hpp"

namespace steelyard::tidy::layers_test {
namespace {

TEST(Layers, ArrowsThatPointUpAreFaults) {
  EXPECT_NE(arrow_fault("bench/model/run.hpp", "bench/runner/measure.hpp"), "");
  EXPECT_NE(arrow_fault("bench/runner/measure.hpp", "regress/compare_runs.hpp"), "");
  EXPECT_NE(arrow_fault("regress/compare_runs.hpp", "bench/runner/measure.hpp"), "");
  EXPECT_NE(arrow_fault("storage/store.hpp", "ci/run_program.hpp"), "");
  EXPECT_NE(arrow_fault("bench/runner/measure.hpp", "tests/studies/median_study.hpp"), "");
  EXPECT_NE(arrow_fault("storage/store.hpp", "bench/formats/google_benchmark.hpp"), "");
  EXPECT_NE(arrow_fault("ci/judging/judge.hpp", "ci/verbs/verbs.hpp"), "");
  EXPECT_NE(arrow_fault("ci/judging/judge.hpp", "ci/grammar/verb.hpp"), "");
  EXPECT_NE(arrow_fault("ci/verbs/ab.cpp", "ci/run_program.hpp"), "");
  EXPECT_NE(arrow_fault("ci/app/store_client.hpp", "ci/publish/github.hpp"), "");
  EXPECT_NE(arrow_fault("ci/no_such_floor/file.cpp", "ci/app/app.hpp"), "");
}

TEST(Layers, ArrowsThatPointDownAreNone) {
  EXPECT_EQ(arrow_fault("ci/run_program.cpp", "storage/store.hpp"), "");
  EXPECT_EQ(arrow_fault("storage/store.hpp", "bench/model/run.hpp"), "");
  EXPECT_EQ(arrow_fault("regress/compare_runs.cpp", "regress/ab/verdict.hpp"), "");
  EXPECT_EQ(arrow_fault("ci/verbs/ab.cpp", "ci/judging/judge.hpp"), "");
  EXPECT_EQ(arrow_fault("bench/runner/measure.cpp", "vector"), "");
}

TEST(Layers, ArrowsThatPointUpWithinALayerAreFaults) {
  EXPECT_NE(arrow_fault("storage/spool/spool.hpp", "storage/store.hpp"), "");
  EXPECT_NE(arrow_fault("storage/postgres/runs/run_writer.cpp", "storage/postgres/history/commit_graph.hpp"), "");
  EXPECT_NE(arrow_fault("storage/archive/archive.cpp", "storage/comparison/comparison_document.hpp"), "");
  EXPECT_NE(arrow_fault("storage/no_such_floor/file.cpp", "storage/place/files.hpp"), "");
  EXPECT_EQ(arrow_fault("storage/store.cpp", "storage/spool/spool.hpp"), "");
  EXPECT_EQ(arrow_fault("storage/store.cpp", "storage/run_store.hpp"), "");
  EXPECT_EQ(arrow_fault("storage/postgres/upkeep/prune.cpp", "storage/postgres/runs/partitions.hpp"), "");
}

TEST(Layers, BenchAndRegressHaveFloorsToo) {
  EXPECT_NE(arrow_fault("regress/ab/row.hpp", "regress/compare_runs.hpp"), "");
  EXPECT_NE(arrow_fault("regress/ab/verdict.cpp", "regress/history/noise.hpp"), "");
  EXPECT_NE(arrow_fault("regress/policy/pattern_policy.cpp", "regress/targets/declared_target.hpp"), "");
  EXPECT_EQ(arrow_fault("regress/judge_looks.cpp", "regress/compare_runs.hpp"), "");
  EXPECT_EQ(arrow_fault("regress/history/judge_history.cpp", "regress/compare_runs.hpp"), "");
  EXPECT_NE(arrow_fault("bench/runner/measure.cpp", "bench/counting/count.hpp"), "");
  EXPECT_NE(arrow_fault("bench/environment/core_clock.cpp", "bench/runner/child_process.hpp"), "");
  EXPECT_NE(arrow_fault("bench/harness/timer.hpp", "bench/cuda/event_clock.hpp"), "");
  EXPECT_NE(arrow_fault("bench/no_such_floor/file.cpp", "bench/runner/child_process.hpp"), "");
  EXPECT_EQ(arrow_fault("bench/runner/settings.hpp", "bench/counting/counters/counter_choice.hpp"), "");
  EXPECT_EQ(arrow_fault("bench/counting/count.cpp", "bench/runner/child_process.hpp"), "");
}

TEST(Layers, ArrowsBetweenFoldersOfOneFloorAreFaults) {
  EXPECT_NE(arrow_fault("storage/postgres/history/ranges.cpp", "storage/postgres/comparisons/comparison_reader.hpp"),
            "");
  EXPECT_EQ(arrow_fault("storage/postgres/history/commit_graph.cpp", "storage/postgres/history/commit_order.hpp"), "");
  EXPECT_NE(arrow_fault("ci/git/repository.hpp", "ci/config/configuration.hpp"), "");
  EXPECT_EQ(arrow_fault("ci/git/repository.cpp", "ci/git/repository.hpp"), "");
}

using Arrows = std::map<std::string, std::set<std::string>>;  // by folder, those that its files include

// Whether files of `to` are included, also by what `from` includes.
bool leads_to(const Arrows& arrows, const std::string& from, const std::string& to) {
  std::set<std::string> reached;
  std::vector<std::string> left{from};
  while (!left.empty()) {
    const auto out = arrows.find(left.back());
    left.pop_back();
    if (out == arrows.end()) continue;
    for (const std::string& folder : out->second) {
      if (reached.insert(folder).second) left.push_back(folder);
    }
  }
  return reached.contains(to);
}

TEST(Layers, ACircleOfFoldersIsSeen) {
  const Arrows arrows{{"a", {"b"}}, {"b", {"c"}}, {"c", {"b", "d"}}};
  EXPECT_TRUE(leads_to(arrows, "a", "d"));
  EXPECT_FALSE(leads_to(arrows, "d", "a"));
  EXPECT_TRUE(leads_to(arrows, "b", "b"));
  EXPECT_FALSE(leads_to(arrows, "a", "a"));
}

// Whole folders, whatever the floors say of single files.
TEST(Layers, NoTwoFoldersOfCiIncludeEachOther) {
  const std::regex first_folder("^ci/([^/]+)/.*");
  Arrows arrows;
  std::smatch from, to;
  for (const SourceFile& file : read_source_files({".hpp", ".cpp", ".in"})) {
    if (!std::regex_match(file.path, from, first_folder)) continue;
    for (const std::string& line : file.lines) {
      const std::string included = included_path(line);
      if (!std::regex_match(included, to, first_folder) || from[1] == to[1]) continue;
      arrows[from[1]].insert(to[1]);
    }
  }
  EXPECT_GT(arrows.size(), 5U);
  for (const auto& [folder, included] : arrows) {
    for (const std::string& other : included) {
      EXPECT_FALSE(leads_to(arrows, other, folder))
          << "ci/" << folder << " includes ci/" << other << ", and that leads "
          << "back to it: move what both need to a floor below";
    }
  }
}

TEST(Layers, IncludeLinesAreRecognized) {
  EXPECT_EQ(included_path("#include \"ci/run_program.hpp\""), "ci/run_program.hpp");
  EXPECT_EQ(included_path("  #  include <vector>  // why"), "vector");
  EXPECT_EQ(included_path("// #include <vector>"), "");
}

TEST(Layers, NoIncludeOfTheTreePointsUp) {
  const auto files = read_source_files({".hpp", ".cpp", ".cu", ".cuh"});
  ASSERT_GT(files.size(), 20U);
  for (const SourceFile& file : files) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string fault = arrow_fault(file.path, included_path(file.lines[i]));
      EXPECT_EQ(fault, "") << file.path << ":" << i + 1 << ": include a lower layer, or move the code up";
    }
  }
}

// What people link is steelyard itself; the suites and device code have namespaces of their own below it.
std::string namespace_of(const std::string& path) {
  if (path.starts_with("ci/demo/")) return "";
  for (const char* layer : {"regress", "storage", "ci"}) {
    if (path.starts_with(std::string(layer) + '/')) return std::string("steelyard::") + layer;
  }
  for (const char* other :
       {"bench/model/", "bench/harness/", "bench/main/", "bench/profile/spans/", "bench/suites/", "bench/cuda/"}) {
    if (path.starts_with(other)) return "";
  }
  return path.starts_with("bench/") ? "steelyard::bench" : "";
}

TEST(Layers, EachIsANamespaceOfItsName) {
  constexpr std::string_view kOpens = "namespace steelyard";
  std::size_t opened = 0;
  for (const SourceFile& file : read_source_files({".hpp", ".cpp"})) {
    const std::string wanted = namespace_of(file.path);
    if (wanted.empty()) continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      if (!file.lines[i].starts_with(kOpens)) continue;
      ++opened;
      EXPECT_TRUE(file.lines[i].starts_with("namespace " + wanted))
          << file.path << ":" << i + 1 << ": found \"" << file.lines[i] << "\", wanted namespace " << wanted;
    }
  }
  EXPECT_GT(opened, 300U);
}

// That a header compiles alone is shown by the source of the same name, which reads it before anything else; headers
// without one have a generated source (CMakeLists.txt beside this file).
TEST(Layers, ASourceIncludesItsOwnHeaderFirst) {
  std::set<std::string> headers;
  for (const SourceFile& file : read_source_files({".hpp"})) headers.insert(file.path);
  std::size_t pairs = 0;
  for (const SourceFile& file : read_source_files({".cpp"})) {
    if (file.path.starts_with("tests/") || file.path.starts_with("ci/demo/")) continue;
    const std::string header = file.path.substr(0, file.path.size() - 3) + "hpp";
    if (headers.count(header) == 0) continue;
    const auto first = std::find_if(file.lines.begin(), file.lines.end(),
                                    [](const std::string& line) { return !included_path(line).empty(); });
    ASSERT_NE(first, file.lines.end()) << file.path << ": include " << header;
    EXPECT_EQ(included_path(*first), header) << file.path << ": include its own header before all others";
    ++pairs;
  }
  EXPECT_GT(pairs, 50U);
}

TEST(Layers, HeadersCanBeIncludedTwice) {
  for (const SourceFile& file : read_source_files({".hpp", ".cuh"})) {
    EXPECT_EQ(std::count(file.lines.begin(), file.lines.end(), "#pragma once"), 1) << file.path;
  }
}

// Who may include what is heavy to compile or must stay in one place. `files`: exactly these may (by prefix).
struct Fence {
  std::string header;                // prefix of the included path
  std::vector<std::string> folders;  // that may include it
  std::size_t max_files;
  bool in_headers = false;  // of those folders, where the header is itself a part of what they are
};

TEST(Layers, HeavyHeadersStayInsideTheirFences) {
  const std::vector<Fence> fences{
      {"CLI/", {"ci/grammar/"}, 1},
      {"curl/", {"ci/http/"}, 1},
      {"boost/asio/", {"ci/service/web_server.cpp"}, 1},
      {"boost/beast/", {"ci/service/web_server.cpp"}, 1},
      {"toml++/", {"ci/config/"}, 1},
      {"pqxx/", {"storage/postgres/"}, 1},
      {"boost/archive/", {"storage/archive/", "bench/harness/measurement_archive.cpp"}, 3},
      {"boost/serialization/", {"storage/archive/", "bench/harness/measurement_records.hpp"}, 5, true},
      {"boost/math/", {"regress/"}, 1},
      {"elfutils/",
       {"bench/counting/lines/", "bench/environment/dwarf_producers.cpp", "bench/profile/sample_stacks.cpp"},
       5},
      {"gelf.h", {"bench/environment/elf_file.cpp"}, 1},
      // Names out of files are demangled within bounds; a device program names its own kernels.
      {"libiberty/", {"bench/environment/readable_symbol.cpp"}, 1},
      {"cxxabi.h", {"bench/cuda/kernel_symbol.cpp"}, 1},
      {"nlohmann/json.hpp",
       {"bench/formats/", "bench/profile/", "ci/judging/", "ci/report/", "storage/document/", "storage/calibration/",
        "storage/comparison/", "storage/backup/"},
       22},
      {"cuda", {"bench/cuda/", "bench/suites/cuda/"}, 100, true},
      {"driver_types.h", {"bench/cuda/", "bench/suites/cuda/"}, 10, true},
  };
  std::map<std::string, std::set<std::string>> users;
  for (const SourceFile& file : read_source_files({".hpp", ".cpp", ".cu", ".cuh"})) {
    if (file.path.starts_with("tests/")) continue;
    for (const std::string& line : file.lines) {
      for (const Fence& fence : fences) {
        const std::string included = included_path(line);
        if (!included.starts_with(fence.header)) continue;
        users[fence.header].insert(file.path);
        bool inside = false;
        for (const std::string& folder : fence.folders) inside = inside || file.path.starts_with(folder);
        EXPECT_TRUE(inside) << file.path << " includes <" << included << ">; it belongs behind an interface";
        EXPECT_TRUE(fence.in_headers || !file.path.ends_with(".hpp"))
            << file.path << " includes <" << included << "> in a header";
      }
    }
  }
  for (const Fence& fence : fences) {
    EXPECT_LE(users[fence.header].size(), fence.max_files) << "files that include " << fence.header;
  }
}

// Signals, descriptors and what is left behind are easy to get wrong: programs are started by child_start, and what
// cannot be started there says why where it is.
TEST(Layers, ProcessesAreStartedInTheseFilesAlone) {
  std::map<std::string, int> wanted{
      {"bench/runner/child_start.cpp", 3},  // the supervisor, its child, the foreground
      {"bench/runner/confinement.cpp", 1},       {"bench/doctor/settings_guard.cpp", 1},
      {"bench/cuda/supervise.cpp", 1},           {"storage/embedded/keeper/keeper.cpp", 1},
      {"storage/embedded/server_process.cpp", 3}};
  const std::regex start("\\b(v?fork|clone3?|posix_spawnp?|popen)\\(|(^|[^.>\\w])(std::)?system\\(");
  for (const SourceFile& file : read_source_files({".hpp", ".cpp", ".cu", ".cuh"})) {
    if (file.path.starts_with("tests/")) continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string code = file.lines[i].substr(0, file.lines[i].find("//"));
      const auto has = [&](const char* name) { return code.find(name) != std::string::npos; };
      // The regular expression takes seconds for all lines.
      if (!has("fork") && !has("clone") && !has("spawn") && !has("popen") && !has("system")) continue;
      if (!std::regex_search(code, start)) continue;
      EXPECT_GE(--wanted[file.path], 0) << file.path << ":" << i + 1
                                        << ": start it by bench/runner/child_start.hpp, or name the place here";
    }
  }
  for (const auto& [path, left] : wanted) EXPECT_LE(left, 0) << path << " starts fewer: correct this list";
}

TEST(Layers, JudgementReadsNoClockFileOrEntropy) {
  for (const SourceFile& file : read_source_files({".hpp", ".cpp"})) {
    if (!file.path.starts_with("regress/")) continue;
    for (const std::string& line : file.lines) {
      const std::string included = included_path(line);
      for (const char* impure :
           {"chrono", "ctime", "fstream", "iostream", "filesystem", "thread", "locale", "unistd.h"}) {
        EXPECT_NE(included, impure) << file.path << ": judgement is pure; pass the value in";
      }
      EXPECT_EQ(line.find("random_device"), std::string::npos) << file.path;
    }
  }
}

}  // namespace
}  // namespace steelyard::tidy::layers_test
