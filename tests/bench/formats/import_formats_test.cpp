#include "bench/formats/import_formats.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

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
  for (const char* text : {"", "{", "]]]", "name,time\nBM_a,1\n", R"({"inner": {"context": 1, "benchmarks": 2}})",
                           R"(["context", "benchmarks"])"}) {
    EXPECT_THAT(name_of(file("x.json", text)),
                ::testing::AllOf(::testing::HasSubstr("google-benchmark, nvbench"),
                                 ::testing::HasSubstr("steelyard import --format FORMAT")))
        << text;
  }
  EXPECT_THAT(name_of(folder_ / "nothing.json"), ::testing::HasSubstr("no such file"));
}

}  // namespace
}  // namespace steelyard::bench::import_formats_test
