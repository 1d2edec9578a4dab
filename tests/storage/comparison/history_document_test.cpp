#include "storage/comparison/history_document.hpp"

#include <gtest/gtest.h>

#include "storage/comparison/comparison_document.hpp"
#include "tests/storage/comparison/random_comparison.hpp"

namespace steelyard::storage::history_document_test {
namespace {

using storage_test::RandomComparison;

TEST(HistoryDocument, UnpacksToWhatWasPacked) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const JudgedHistory history = RandomComparison(seed).draw_history();
    const auto packed = pack_history(history);
    ASSERT_TRUE(packed);
    const auto unpacked = unpack_history(*packed, "history");
    ASSERT_TRUE(unpacked) << unpacked.error().text();
    EXPECT_TRUE(*unpacked == history) << seed;
  }
}

TEST(HistoryDocument, NamesAnOccasionOnceHoweverManySeriesHaveIt) {
  JudgedHistory history;
  for (int i = 0; i < 200; ++i) {
    SeriesHistory one;
    one.series.name = "BM_" + std::to_string(i);
    for (int day = 0; day < 50; ++day) {
      one.series.points.push_back({{1.5 * day},
                                   std::string(40, 'c') + std::to_string(day),
                                   std::string(64, 'm'),
                                   std::string(64, 'r') + std::to_string(day)});
    }
    history.series.push_back(one);
  }
  const auto packed = pack_history(history);
  ASSERT_TRUE(packed);
  EXPECT_LT(packed->document_bytes, 200 * 50 * 12) << "the texts of a point alone are 170 bytes";
  const auto unpacked = unpack_history(*packed, "history");
  ASSERT_TRUE(unpacked);
  EXPECT_TRUE(*unpacked == history);
}

TEST(HistoryDocument, RefusesDamagedBytesAndFalseSizes) {
  const auto packed = pack_history(RandomComparison(7).draw_history());
  ASSERT_TRUE(packed);
  const auto refused = [](PackedHistory damaged) {
    const auto read = unpack_history(damaged, "comparison:abc");
    return !read && read.error().kind == ErrorKind::input && read.error().where == "comparison:abc";
  };
  EXPECT_TRUE(refused({packed->bytes, packed->document_bytes - 1}));
  EXPECT_TRUE(refused({packed->bytes, packed->document_bytes + 1}));
  EXPECT_TRUE(refused({packed->bytes, -1}));
  EXPECT_TRUE(refused({packed->bytes, INT64_MAX}));
  EXPECT_TRUE(refused({packed->bytes.substr(1), packed->document_bytes}));
  EXPECT_TRUE(refused({"", packed->document_bytes}));
}

// A comparison with the given history, as text.
Result<Comparison> with_history(const std::string& history) {
  Comparison comparison;
  comparison.history = JudgedHistory{};
  std::string text = comparison_document(comparison);
  const std::size_t at = text.find("\"history\": ");
  return parse_comparison(text.substr(0, at) + "\"history\": " + history + "}", "c.json");
}

TEST(HistoryDocument, RefusesPointsThatDoNotFitTogether) {
  const auto error_of = [](const std::string& history) {
    const auto read = with_history(history);
    return read ? std::string("none") : read.error().text();
  };
  const auto series = [](const std::string& more) {
    return R"({"branch": null, "occasions": [{"commit": "c"}], "series": [{"benchmark": "b", "metric": "m", "unit": )"
           R"("ns", "better": "lower", "changes": [], )" +
           more + "}]}";
  };
  EXPECT_EQ(error_of(series(R"("occasions": [0, 0], "values": [1, 2])")), "none");
  EXPECT_EQ(error_of(series(R"("occasions": [0, 0], "counts": [0, 2], "values": [1, 2])")), "none");
  EXPECT_NE(error_of(series(R"("occasions": [0, 1], "values": [1, 2])")).find("occasions[1]"), std::string::npos);
  EXPECT_NE(error_of(series(R"("occasions": [0, -1], "values": [1, 2])")).find("occasions[1]"), std::string::npos);
  EXPECT_NE(error_of(series(R"("occasions": [0], "values": [1, 2])")).find("values"), std::string::npos);
  EXPECT_NE(error_of(series(R"("occasions": [0], "counts": [2, 1], "values": [1, 2, 3])")).find("values"),
            std::string::npos);
  EXPECT_NE(error_of(series(R"("occasions": [0], "values": ["1"])")).find("values[0]"), std::string::npos);
  const std::string none = R"({"occasions": [], "series": [{"benchmark": "b", "metric": "m", "unit": "ns", )"
                           R"("better": "lower", "changes": [], "occasions": [0], "values": [1]}]})";
  EXPECT_NE(error_of(none).find("occasions[0]"), std::string::npos) << "there is no occasion at all";
  EXPECT_NE(error_of("7").find("history"), std::string::npos);
}

TEST(HistoryDocument, RefusesADocumentThatAsksForUnboundedMemory) {
  std::string places = "0";
  for (int i = 1; i < 500; ++i) places += ",0";
  std::string ones = "1";
  for (int i = 1; i < 500; ++i) ones += ",1";
  const std::string history = R"({"occasions": [{"commit": ")" + std::string(1 << 20, 'c') +
                              R"("}], "series": [{"benchmark": "b", "metric": "m", "unit": "ns", "better": "lower", )"
                              R"("changes": [], "occasions": [)" +
                              places + R"(], "values": [)" + ones + "]}]}";
  const auto read = with_history(history);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().text().find("256 MiB"), std::string::npos) << read.error().text();
}

}  // namespace
}  // namespace steelyard::storage::history_document_test
