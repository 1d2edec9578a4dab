#include "ci/judging/pictures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/ci/report/flame/sample_profiles.hpp"

namespace steelyard::ci::changed_pictures_test {
namespace {

using ::testing::HasSubstr;

class ChangedPictures : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "steelyard-pictures-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void add(const std::string& benchmark, Verdict verdict, bool has_profile = true) {
    ComparisonRow& row = comparison_.rows.emplace_back();
    row.benchmark = benchmark;
    row.metric.name = std::string(kInstructions);
    row.metric.kind = MetricKind::counted;
    row.verdict = verdict;
    if (!has_profile) return;
    for (steelyard::Run* run : {&baseline_, &candidate_}) {
      CountedProfile& profile = run->profiles.emplace_back(testkit::diamond());
      profile.benchmark = parse_google_benchmark_name(benchmark);
      profile.functions.front().self.front() += run == &candidate_ ? 5 : 0;
    }
  }

  std::filesystem::path folder_;
  Comparison comparison_;
  steelyard::Run baseline_;
  steelyard::Run candidate_;
};

TEST_F(ChangedPictures, EveryChangedCountHasAFileOfItsOwn) {
  add("BM_sort/8", Verdict::regression);
  add("BM_sort_8", Verdict::improvement);
  add("BM_same", Verdict::unchanged);
  add("BM_no_profile", Verdict::regression, false);
  ASSERT_TRUE(draw_changed_counts(comparison_, baseline_, candidate_, folder_ / "new" / "folder"));
  EXPECT_EQ(comparison_.rows[0].flame_graph, (folder_ / "new/folder/BM_sort_8.html").string());
  EXPECT_EQ(comparison_.rows[1].flame_graph, (folder_ / "new/folder/BM_sort_8-2.html").string());
  EXPECT_EQ(comparison_.rows[2].flame_graph, "");
  EXPECT_EQ(comparison_.rows[3].flame_graph, "");
  std::ifstream stream(comparison_.rows[0].flame_graph);
  const std::string html{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_THAT(html, HasSubstr("<h1>BM_sort/8</h1>"));
}

TEST_F(ChangedPictures, AFolderThatCannotBeMadeIsAnError) {
  add("BM_sort/8", Verdict::regression);
  std::ofstream(folder_ / "file") << "x";
  const Result<void> drawn = draw_changed_counts(comparison_, baseline_, candidate_, folder_ / "file" / "below");
  ASSERT_FALSE(drawn);
  EXPECT_THAT(drawn.error().text(), HasSubstr("a folder for flame graphs"));
}

TEST(FileStem, IsAPlainNameWhateverTheBenchmark) {
  EXPECT_EQ(file_stem("BM_x<a/b>/8/rows:64"), "BM_x_a_b__8_rows_64");
  EXPECT_EQ(file_stem("../../etc/passwd"), "_.._.._etc_passwd");
  EXPECT_EQ(file_stem("-rf"), "_-rf");
  EXPECT_EQ(file_stem(""), "_");
  EXPECT_EQ(file_stem(std::string(500, 'x')).size(), 100U);
}

}  // namespace
}  // namespace steelyard::ci::changed_pictures_test
