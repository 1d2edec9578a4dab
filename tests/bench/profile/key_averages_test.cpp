#include "bench/profile/key_averages.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace steelyard::bench::key_averages_test {
namespace {

// Two steps of one thread: each a product with a copy in it, called once more by itself.
class KeyAveragesTest : public testing::Test {
 protected:
  KeyAveragesTest() {
    trace_.tracks = {{1, 1, "main"}, {0, 7, "stream 7"}};
    for (const std::int64_t at : {0, 1000}) {
      add(at == 0 ? "step 0" : "step 1", at, 900);
      add("mm", at + 100, 500, at == 0 ? "[[2, 2]]" : "[[4, 4]]");
      trace_.events.back().flops = 16;
      trace_.events.back().kind = TraceKind::operation;
      trace_.events.back().external_id = static_cast<std::uint64_t>(at + 1);
      trace_.events.back().allocated_bytes = 64;
      add("copy", at + 200, 100);
      trace_.events.back().allocated_bytes = 24;
      add("mm", at + 310, 50, "[[2, 2]]");
    }
    for (const std::int64_t at : {0, 1000}) {
      add("sgemm", at + 400, 300);
      trace_.events.back().track = 1;
      trace_.events.back().kind = TraceKind::kernel;
      trace_.events.back().external_id = static_cast<std::uint64_t>(at + 1);
    }
    sort_events(trace_);
    tree_ = tree_of(trace_);
  }

  void add(const char* name, std::int64_t begin, std::int64_t duration, const char* shapes = "") {
    trace_.events.push_back({.name_text = trace_.texts.id_of(name),
                             .begin_ns = begin,
                             .duration_ns = duration,
                             .shapes_text = trace_.texts.id_of(shapes)});
  }
  KeyAverages averages(const KeyGrouping& grouping = {}) const { return key_averages(trace_, tree_, grouping); }

  Trace trace_;
  TraceTree tree_;
};

const KeyAverage& row(const KeyAverages& averages, const std::string& name, const std::string& shapes = "") {
  for (const KeyAverage& row : averages.rows) {
    if (row.name == name && row.shapes == shapes) return row;
  }
  ADD_FAILURE() << name << " " << shapes;
  static const KeyAverage none;
  return none;
}

TEST_F(KeyAveragesTest, AddUpSelfAndTotalTimesByName) {
  const KeyAverages all = averages();
  EXPECT_EQ(row(all, "step *").calls, 2);
  EXPECT_EQ(row(all, "step *").self_ns, 2 * 400);
  EXPECT_EQ(row(all, "step *").total_ns, 2 * 900);
  EXPECT_EQ(row(all, "mm").calls, 4);
  EXPECT_EQ(row(all, "mm").self_ns, 2 * (350 + 50));
  EXPECT_EQ(row(all, "mm").total_ns, 2 * 500) << "one in another of its name counts once";
  EXPECT_EQ(row(all, "mm").flops, 32);
  EXPECT_EQ(row(all, "copy").self_ns, 200);
}

TEST_F(KeyAveragesTest, OfAThreadsSelfTimesAreTheTimeOfItsRoots) {
  const KeyAverages all = averages();
  EXPECT_EQ(all.self_ns, 2 * 900);
  const std::int64_t sum =
      std::accumulate(all.rows.begin(), all.rows.end(), std::int64_t{0},
                      [](std::int64_t so_far, const KeyAverage& row) { return so_far + row.self_ns; });
  EXPECT_EQ(sum, all.self_ns);
}

TEST_F(KeyAveragesTest, GiveADevicesTimeToTheOperationThatStartedIt) {
  const KeyAverages all = averages();
  EXPECT_EQ(row(all, "sgemm").self_device_ns, 600);
  EXPECT_TRUE(row(all, "sgemm").is_on_device);
  EXPECT_EQ(row(all, "mm").self_device_ns, 600);
  EXPECT_EQ(row(all, "step *").device_ns, 600);
  EXPECT_EQ(row(all, "step *").self_device_ns, 0);
  EXPECT_EQ(all.self_device_ns, 600);
}

TEST_F(KeyAveragesTest, TakeWhatChildrenAllocatedOffSelf) {
  EXPECT_EQ(row(averages(), "mm").allocated_bytes, 128);
  EXPECT_EQ(row(averages(), "mm").self_allocated_bytes, 128 - 48);
  EXPECT_EQ(row(averages(), "step *").allocated_bytes, std::nullopt);
}

TEST_F(KeyAveragesTest, GroupByShapesAndRootsWhereAsked) {
  EXPECT_EQ(row(averages({.by_shapes = true}), "mm", "[[4, 4]]").calls, 1);
  EXPECT_EQ(row(averages({.by_shapes = true}), "mm", "[[2, 2]]").calls, 3);
  const KeyAverages roots = averages({.only_roots = true});
  EXPECT_EQ(roots.rows.size(), 2U) << "the step and, on the device, the kernel";
}

TEST_F(KeyAveragesTest, SortByWhatIsAskedFor) {
  KeyAverages all = averages();
  ASSERT_TRUE(sort_rows(all, "calls"));
  EXPECT_EQ(all.rows.front().name, "mm");
  ASSERT_TRUE(sort_rows(all, "total"));
  EXPECT_EQ(all.rows.front().name, "step *");
  const auto unknown = sort_rows(all, "color");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().text().find("self_device"), std::string::npos);
}

}  // namespace
}  // namespace steelyard::bench::key_averages_test
