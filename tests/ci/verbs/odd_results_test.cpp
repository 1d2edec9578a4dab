// Folders of Google Benchmark files as they are found in the wild: a defined answer each, end to end.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::odd_results_test {
namespace {

using testing::HasSubstr;

struct FileOptions {
  std::string layout = "interleaved";  // empty: the file does not say
  int round = -1;                      // -1: the file does not say
  int order = -1;
  int minute = 0;  // of its date
  std::string unit = "ns";
};

// One process: three samples of each named value.
std::string file_of(const std::vector<std::pair<std::string, std::string>>& times, const FileOptions& options) {
  std::string records;
  for (const auto& [name, time] : times) {
    for (int i = 0; i < 3; ++i) {
      records += std::string(records.empty() ? "" : ",") + R"({"name":")" + name + R"(","run_name":")" + name +
                 R"(","run_type":"iteration","repetitions":3,"repetition_index":)" + std::to_string(i) +
                 R"(,"threads":1,"iterations":1000,"real_time":)" + time + R"(,"cpu_time":1,"time_unit":")" +
                 options.unit + R"("})";
    }
  }
  std::string keys;
  if (!options.layout.empty()) keys += R"("steelyard_layout":")" + options.layout + R"(",)";
  if (options.round >= 0) keys += R"("steelyard_round":")" + std::to_string(options.round) + R"(",)";
  if (options.order >= 0) keys += R"("steelyard_order":")" + std::to_string(options.order) + R"(",)";
  const std::string minute = (options.minute < 10 ? "0" : "") + std::to_string(options.minute);
  return R"({"context":{"date":"2026-01-02T03:)" + minute + R"(:05+00:00",)" + keys +
         R"("host_name":"h","executable":"./b","num_cpus":2,"mhz_per_cpu":2000,"caches":[],)"
         R"("library_build_type":"release"},"benchmarks":[)" +
         records + "]}\n";
}

class OddResults : public ProgramUnderTest {
 protected:
  static std::string level(int round, double factor) {
    return std::to_string(100 * factor * (1 + 0.002 * ((round * 7) % 5)));
  }
  static std::string name_of(const char* side, int round) {
    return std::string(side) + "/" + std::to_string(100 + round) + ".json";
  }
  // Both sides' files of the rounds; `change` may alter a file's options.
  static void write_rounds(int rounds, double ratio, const FileOptions& options = {}) {
    for (int round = 0; round < rounds; ++round) {
      write(name_of("base", round), file_of({{"BM_x", level(round, 1)}, {"BM_y", level(round, 1)}}, options));
      write(name_of("head", round), file_of({{"BM_x", level(round, ratio)}, {"BM_y", level(round, 1)}}, options));
    }
  }
  struct Compared {
    int status = 0;
    nlohmann::json json;
    nlohmann::json row(const std::string& benchmark) const {
      for (const auto& row : json["comparisons"]) {
        if (row["benchmark"] == benchmark) return row;
      }
      ADD_FAILURE() << "no row of " << benchmark;
      return nlohmann::json::object();
    }
    std::string verdict(const std::string& benchmark) const { return row(benchmark).value("verdict", ""); }
    std::string reason(const std::string& benchmark) const { return row(benchmark).value("reason", ""); }
  };
  static Compared compare(const std::string& base = "base", const std::string& head = "head") {
    const Outcome outcome = run({"compare", base, head, "--json"});
    Compared compared;
    compared.status = outcome.status;
    compared.json = nlohmann::json::parse(outcome.out, nullptr, false);
    EXPECT_TRUE(compared.json.is_object()) << outcome.err;
    if (!compared.json.is_object()) compared.json = {{"comparisons", nlohmann::json::array()}};
    return compared;
  }
};

TEST_F(OddResults, FilesOfOneNameAreARoundThoughTheirOrderIsNotKnown) {
  write_rounds(12, 1.1);
  const Compared compared = compare();
  EXPECT_EQ(compared.status, 1);
  EXPECT_EQ(compared.verdict("BM_x"), "regression");
  EXPECT_EQ(compared.row("BM_x")["rounds"], 12);
  EXPECT_EQ(compared.verdict("BM_y"), "unchanged");
}

TEST_F(OddResults, FilesThatLackTheirPartnerAreCountedAndTakeNoPart) {
  write_rounds(16, 1.1);
  for (const int round : {3, 7}) std::filesystem::remove(name_of("head", round));
  std::filesystem::remove(name_of("base", 11));
  const Compared compared = compare();
  EXPECT_EQ(compared.row("BM_x")["rounds"], 13);
  EXPECT_THAT(compared.reason("BM_x"), HasSubstr("(3 rounds lacked a side)"));
}

TEST_F(OddResults, ABenchmarkThatSomeFilesLackIsJudgedByTheRoundsThatHaveIt) {
  write_rounds(16, 1.1);
  for (const int round : {0, 5, 9, 12}) write(name_of("head", round), file_of({{"BM_x", level(round, 1.1)}}, {}));
  const Compared compared = compare();
  EXPECT_EQ(compared.row("BM_y")["rounds"], 12);
  EXPECT_EQ(compared.row("BM_x")["rounds"], 16);
}

TEST_F(OddResults, ABenchmarkThatNoFileOfTheCandidateHasIsMissingAndNoPass) {
  write_rounds(12, 1);
  for (int round = 0; round < 12; ++round) write(name_of("head", round), file_of({{"BM_x", level(round, 1)}}, {}));
  const Compared compared = compare();
  EXPECT_EQ(compared.status, 2);
  EXPECT_EQ(compared.verdict("BM_y"), "missing");
  EXPECT_EQ(compare("head", "base").verdict("BM_y"), "new");
}

TEST_F(OddResults, ValuesThatAreNoTimeFailTheirRowAndAreNoPass) {
  for (const char* bad : {"0", "-5", "NaN", "Infinity"}) {
    write_rounds(12, 1);
    write(name_of("head", 4), file_of({{"BM_x", level(4, 1)}, {"BM_y", bad}}, {}));
    const Compared compared = compare();
    EXPECT_EQ(compared.status, 2) << bad;
    EXPECT_EQ(compared.verdict("BM_y"), "failed") << bad;
    EXPECT_EQ(compared.verdict("BM_x"), "unchanged") << bad;
  }
}

TEST_F(OddResults, SidesInDifferentUnitsOfTimeAreComparedInOne) {
  write_rounds(12, 1);
  for (int round = 0; round < 12; ++round) {
    FileOptions options;
    options.unit = "us";
    write(name_of("head", round), file_of({{"BM_x", level(round, 0.0011)}, {"BM_y", level(round, 0.001)}}, options));
  }
  const Compared compared = compare();
  EXPECT_EQ(compared.verdict("BM_x"), "regression");
  EXPECT_EQ(compared.verdict("BM_y"), "unchanged");
  EXPECT_EQ(compared.row("BM_x")["unit"], "ns");
}

TEST_F(OddResults, OneFileASideIsInconclusiveHoweverFarApart) {
  write_rounds(1, 3);
  const Compared compared = compare("base/100.json", "head/100.json");
  EXPECT_EQ(compared.status, 0);
  EXPECT_EQ(compared.verdict("BM_x"), "inconclusive");
  EXPECT_TRUE(compared.row("BM_x")["p"].is_null());
  EXPECT_THAT(compared.reason("BM_x"), HasSubstr("process-to-process variation is not in the data"));
}

TEST_F(OddResults, AFileThatEndsInTheMiddleIsNamed) {
  write_rounds(12, 1);
  const std::string whole = text_of(name_of("head", 6));
  write(name_of("head", 6), whole.substr(0, whole.size() / 2));
  const Outcome outcome = run({"compare", "base", "head", "--json"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("106.json"));
}

TEST_F(OddResults, AFileWithoutBenchmarksIsNamed) {
  write_rounds(12, 1);
  write(name_of("head", 6), file_of({}, {}));
  const Outcome outcome = run({"compare", "base", "head", "--json"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("head/106.json: found no benchmark"));
}

TEST_F(OddResults, SidesWithoutALayoutThatLieApartInTimeAreSequential) {
  FileOptions options;
  options.layout = "";
  write_rounds(12, 1.1, options);
  options.minute = 30;
  for (int round = 0; round < 12; ++round) {
    write(name_of("head", round), file_of({{"BM_x", level(round, 1.1)}, {"BM_y", level(round, 1)}}, options));
  }
  const Compared compared = compare();
  EXPECT_EQ(compared.row("BM_x")["layout"], "sequential");
  EXPECT_NE(compared.verdict("BM_y"), "unchanged");
}

TEST_F(OddResults, AClockOfWholeNanosecondsIsATieAndNoError) {
  for (int round = 0; round < 12; ++round) {
    const std::string tied = (round % 3 == 0) ? "3" : "2";
    write(name_of("base", round), file_of({{"BM_x", tied}}, {}));
    write(name_of("head", round), file_of({{"BM_x", tied}}, {}));
  }
  const Compared compared = compare();
  EXPECT_EQ(compared.row("BM_x")["p"], 1);
  EXPECT_EQ(compared.row("BM_x")["ratio"], 1);
  EXPECT_EQ(compared.status, 0);
}

}  // namespace
}  // namespace steelyard::ci::odd_results_test
