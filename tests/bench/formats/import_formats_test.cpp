#include "bench/formats/import_formats.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace steelyard::bench::import_formats_test {
namespace {

TEST(ImportFormats, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const ImportFormat& format : import_formats()) EXPECT_TRUE(names.insert(format.name).second) << format.name;
  EXPECT_TRUE(names.contains("google-benchmark"));
}

class RecogniseFormat : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) / ("steelyard-formats-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  static std::string name_of(const std::filesystem::path& path) {
    const auto format = recognise_format(path);
    return format ? std::string((*format)->name) : format.error().text();
  }
  // The first of a file or folder.
  static steelyard::Run first_run_of(const std::filesystem::path& path, std::vector<std::string>& warnings) {
    const auto format = recognise_format(path);
    EXPECT_TRUE(format) << format.error().text();
    if (!format) return {};
    auto runs = load_imported(**format, path, warnings);
    EXPECT_TRUE(runs) << runs.error().text();
    return runs ? std::move(runs->at(0)) : steelyard::Run();
  }
  steelyard::Run first_run_in(const std::string& text) const {
    std::vector<std::string> warnings;
    return first_run_of(file("in", text), warnings);
  }
  std::filesystem::path folder_;
};

TEST_F(RecogniseFormat, GoesByTheOutermostMembersInWhateverOrder) {
  EXPECT_EQ(name_of(file("a.json", R"({"context": {"results": 1}, "benchmarks": []})")), "google-benchmark");
  EXPECT_EQ(name_of(file("b.json", R"( {"benchmarks":[{"name":"\"context\":{"}],"context":{}})")), "google-benchmark");
  EXPECT_EQ(name_of(file("c.json", R"({"results": [{"command": "context benchmarks"}]})")), "hyperfine");
}

TEST_F(RecogniseFormat, OfAFolderLooksAtItsFirstFile) {
  file("notes.txt", "results");
  file("1.json", R"({"context": {}, "benchmarks": []})");
  EXPECT_EQ(name_of(folder_), "google-benchmark");
}

TEST_F(RecogniseFormat, NamesTheKnownOnesWhereItIsNoneOfThem) {
  for (const char* text : {"{", "]]]", "name,time\nBM_a,1\n", R"({"inner": {"context": 1, "benchmarks": 2}})",
                           R"(["context", "benchmarks"])"}) {
    EXPECT_THAT(name_of(file("x.json", text)),
                ::testing::AllOf(::testing::HasSubstr("google-benchmark, nvbench"),
                                 ::testing::HasSubstr("steelyard import --format FORMAT")))
        << text;
  }
  EXPECT_THAT(name_of(folder_ / "nothing.json"), ::testing::HasSubstr("no such file"));
  std::filesystem::create_symlink("loop.json", folder_ / "loop.json");
  EXPECT_THAT(name_of(folder_ / "loop.json"), ::testing::HasSubstr("found Too many levels of symbolic links"));
}

TEST_F(RecogniseFormat, SaysOfWhatCanBeNoResultsWhatItIsAndWhatToDo) {
  const auto said_of = [&](const std::string& text, const char* found, const char* fix) {
    const std::filesystem::path path = file("x.out", text);
    EXPECT_THAT(name_of(path), ::testing::AllOf(::testing::HasSubstr(found), ::testing::HasSubstr(fix),
                                                ::testing::Not(::testing::HasSubstr("--format FORMAT"))));
  };
  said_of("", "an empty file", "run it again");
  said_of(" \r\n", "an empty file", "run it again");
  said_of(std::string("\xff\xfe{\0", 4), "UTF-16", "Out-File -Encoding utf8");
  said_of("\x1f\x8b\x08 packed", "gzip", "gunzip ");
  said_of("SYRUN\r\n\x1a", "an archive of Steelyard's", "steelyard db rebuild --from ");
  std::vector<std::string> warnings;
  for (const std::string text : {"\x1f\x8b\x08 packed", "SYRUN\r\n\x1a"}) {
    const auto named = load_imported(import_formats().front(), file("x.out", text), warnings);
    ASSERT_FALSE(named);
    EXPECT_THAT(named.error().text(), ::testing::AnyOf(::testing::HasSubstr("gunzip"), ::testing::HasSubstr("rebuild")))
        << "where the format is named";
  }
}

TEST_F(RecogniseFormat, APipeIsNoFileThatIsReadTwice) {
  const std::filesystem::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(name_of(pipe), ::testing::HasSubstr("found a pipe or a device, which can be read once alone"));
  std::vector<std::string> warnings;
  const auto named = load_imported(import_formats().front(), pipe, warnings);
  ASSERT_FALSE(named);
  EXPECT_THAT(named.error().text(), ::testing::HasSubstr("write it into a file"));
}

using FolderOfResults = RecogniseFormat;

TEST_F(FolderOfResults, HasEachFileOfItsKindAndNamesWhatIsBeside) {
  const std::string google =
      R"({"context": {}, "benchmarks": [
          {"name": "a", "iterations": 1, "real_time": 1, "cpu_time": 1, "time_unit": "ns"}]})";
  std::filesystem::create_directories(folder_ / "google");
  for (const char* name : {"0.json", "1.out", "2.JSON", "3.log", ".hidden", ".4.json"}) {
    file(std::string("google/") + name, google);
  }
  std::vector<std::string> warnings;
  EXPECT_EQ(first_run_of(folder_ / "google", warnings).invocations.size(), 2U) << "0.json and 2.JSON";
  EXPECT_THAT(warnings, ::testing::Contains(::testing::HasSubstr("2 files beside those in .json were not read, the "
                                                                 "first 1.out")));

  std::filesystem::create_directories(folder_ / "go");
  for (const char* name : {"1.txt", "2.TXT", ".DS_Store"}) {
    file(std::string("go/") + name, "goos: linux\nBenchmarkA 1 5 ns/op\n");
  }
  warnings.clear();
  EXPECT_EQ(first_run_of(folder_ / "go", warnings).invocations.size(), 2U);
  EXPECT_THAT(warnings, ::testing::Not(::testing::Contains(::testing::HasSubstr("not read"))));
  file("go/hf.json", R"({"results": [{"command": "sort", "times": [1, 2]}]})");
  first_run_of(folder_ / "go", warnings);
  EXPECT_THAT(warnings, ::testing::Contains(::testing::HasSubstr("2 files beside those in .json were not read, the "
                                                                 "first 1.txt")));
}

using ImportedDate = RecogniseFormat;

TEST_F(ImportedDate, ThatIsNoneIsABadRecordAndTheRestIsRead) {
  const auto pytest = [](const std::string& date) {
    return R"({"machine_info": {}, "benchmarks": [{"fullname": "a", "stats": {"data": [1, 2]}}], "datetime": )" + date +
           '}';
  };
  const auto action = [](const std::string& date) {
    return R"({"repoUrl": "", "entries": {"Benchmark": [{"commit": {"id": "1111111"}, "tool": "go", "date": )" + date +
           R"(, "benches": [{"name": "a", "unit": "ns/op", "value": 5}]}]}})";
  };
  for (const auto& [text, found] :
       {std::pair(pytest("\"9999-01-01T00:00:00\""), "datetime: found \"9999-01-01T00:00:00\""),
        std::pair(action("-5"), "date: found \"-5\"")}) {
    const steelyard::Run run = first_run_in(text);
    EXPECT_EQ(run.measurements.size(), 1U) << text;
    ASSERT_EQ(run.failures.size(), 1U) << text;
    EXPECT_EQ(run.failures[0].kind, FailureKind::bad_record);
    EXPECT_THAT(run.failures[0].said,
                ::testing::AllOf(::testing::HasSubstr(found), ::testing::HasSubstr("a time from 1970 to 2261")));
  }
  EXPECT_TRUE(first_run_in(pytest("null")).failures.empty()) << "no date is none that is wrong";
  constexpr std::int64_t kLastSecond = 9'214'646'399'000'000'000;
  EXPECT_EQ(first_run_in(pytest("\"2261-12-31T23:59:59Z\"")).header.created_at_unix_ns, kLastSecond);
  EXPECT_EQ(first_run_in(action("9214646399")).header.created_at_unix_ns, kLastSecond);
}

}  // namespace
}  // namespace steelyard::bench::import_formats_test
