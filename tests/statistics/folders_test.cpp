// What is scored through compare_runs is what people get from files through the command line.
#include "tests/studies/judging/folders.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <sstream>

#include "ci/run_program.hpp"
#include "tests/studies/judging/rule.hpp"

namespace steelyard::judging::folders_test {
namespace {

namespace fs = std::filesystem;

class Folders : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "steelyard_folders_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  Recording recorded(const std::string& name) {
    auto recording = read_recording(fs::path(STEELYARD_NOISE_FOLDER) / name);
    EXPECT_TRUE(recording) << recording.error().text();
    return std::move(recording).value();
  }

  // The row of the command line's JSON.
  nlohmann::json compared(const Window& window, const FolderOptions& options) {
    const fs::path place = folder_ / std::to_string(++written_);
    const auto done = write_folders(window, place, options);
    EXPECT_TRUE(done) << done.error().text();
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    ci::run_program(
        {"compare", "--json", "--metric", "real_time", (place / "baseline").string(), (place / "candidate").string()},
        in, out, err);
    const auto document = nlohmann::json::parse(out.str(), nullptr, false);
    EXPECT_FALSE(document.is_discarded()) << out.str() << err.str();
    EXPECT_EQ(document.at("comparisons").size(), window.benchmarks.size());
    return document.at("comparisons").at(0);
  }

  void expect_same(const Window& window, const OwnRuleOptions& rule, const FolderOptions& options) {
    const Finding finding = own_rule(rule).judge(window).front();
    const nlohmann::json row = compared(window, options);
    ASSERT_TRUE(finding.p);
    EXPECT_DOUBLE_EQ(row.at("p").get<double>(), *finding.p);
    EXPECT_DOUBLE_EQ(row.at("interval").at(0).get<double>(), finding.interval->low);
    EXPECT_DOUBLE_EQ(row.at("interval").at(1).get<double>(), finding.interval->high);
    EXPECT_EQ(row.at("verdict").get<std::string>(), to_text(*finding.verdict));
    EXPECT_EQ(row.at("layout").get<std::string>(), to_text(window.layout));
  }

  fs::path folder_;
  int written_ = 0;
};

TEST_F(Folders, WithAllKeysGiveTheScoredAnswer) {
  Draw draw(1);
  for (const char* name : {"interleaved", "duet"}) {
    const Window window = concurrent_window(recorded(name), {15, 1}, draw);
    for (const std::size_t benchmark : {0U, 5U, 9U, 11U}) {
      Window one = alone(window, benchmark);
      slow_down(one.benchmarks.front(), 1.02);
      expect_same(one, {}, {});
    }
  }
}

// The dates are of whole seconds: they tell the order of some rounds, and not of others.
TEST_F(Folders, WithoutOrderGiveTheAnswerThatIsScoredSo) {
  Draw draw(2);
  for (const char* name : {"interleaved", "duet"}) {
    const Window window = concurrent_window(recorded(name), {15, 1}, draw);
    for (const std::size_t benchmark : {0U, 5U, 9U}) {
      Window one = alone(window, benchmark);
      for (auto* side : {&one.benchmarks.front().baseline, &one.benchmarks.front().candidate}) {
        for (SideProcess& process : *side) {
          const bool next_second = process.slot == 1 && process.round % 3 == 0;
          process.started_unix_s = 1.8e9 + 10 * process.round + (next_second ? 1 : 0);
        }
      }
      expect_same(one, {.with_order = false}, {.with_layout = true, .with_order = false});
    }
  }
}

TEST_F(Folders, OfSidesApartInTimeGiveTheScoredAnswer) {
  Draw draw(3);
  for (const Window& window : {sequential_window(recorded("interleaved"), 15, draw),
                               separate_window(recorded("interleaved"), recorded("later"), 15, draw)}) {
    expect_same(alone(window, 3), {}, {});
  }
}

TEST_F(Folders, OfOneProcessASideGiveNoPAndNoVerdict) {
  Draw draw(5);
  Window window = alone(concurrent_window(recorded("interleaved"), {1, 0}, draw), 2);
  slow_down(window.benchmarks.front(), 2);
  for (const bool with_layout : {true, false}) {
    const nlohmann::json row = compared(window, {with_layout, with_layout});
    EXPECT_TRUE(row.at("p").is_null());
    EXPECT_EQ(row.at("verdict").get<std::string>(), "inconclusive");
  }
}

TEST_F(Folders, AreRefusedWhereOneProcessWouldHaveTwoSlots) {
  Draw draw(4);
  const Window window = concurrent_window(recorded("duet"), {6, 0}, draw);
  const auto written = write_folders(window, folder_ / "both", {});
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().text().find("benchmarks of one process"), std::string::npos) << written.error().text();
}

}  // namespace
}  // namespace steelyard::judging::folders_test
