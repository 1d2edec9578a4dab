#include "storage/comparison/comparison_document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/storage/comparison/random_comparison.hpp"

namespace steelyard::storage::comparison_document_test {
namespace {

using storage_test::RandomComparison;
using ::testing::IsEmpty;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <Described T>
JsonWriter object_of(const T& value) {
  JsonWriter object;
  T::fields(object, value);
  return object;
}
JsonWriter object_of(const Comparison& comparison) { return comparison_object(comparison); }

// Names of the fields of T in which no value was seen to have another content than T{}.
template <Described T>
class UnseenFields {
 public:
  UnseenFields() {
    const auto add = [this](const char* name, const auto&, const FieldRule& = {}) { left_.insert(name); };
    T::fields(add, usual_);
    usual_texts_ = object_of(usual_).member_texts("absent");
  }
  void see(const T& value) {
    for (const auto& field : object_of(value).member_texts("absent")) {
      const bool is_usual = std::find(usual_texts_.begin(), usual_texts_.end(), field) != usual_texts_.end();
      if (!is_usual && field.second != "absent") left_.erase(field.first);
    }
  }
  const std::set<std::string>& left() const { return left_; }

 private:
  const T usual_{};
  std::set<std::string> left_;
  std::vector<std::pair<std::string, std::string>> usual_texts_;
};

TEST(RandomComparison, DrawsEveryFieldThatAComparisonHas) {
  UnseenFields<Comparison> whole;
  UnseenFields<ComparisonPolicy> policy;
  UnseenFields<PatternPolicy> pattern;
  UnseenFields<ComparisonRow> of_row;
  UnseenFields<NoiseParts> noise;
  UnseenFields<Creep> creep;
  EXPECT_EQ(of_row.left().count("cycles_ratio"), 1U);
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Comparison drawn = RandomComparison(seed).draw_with_later_fields(true);
    whole.see(drawn);
    policy.see(drawn.policy);
    for (const PatternPolicy& one : drawn.policy.patterns) pattern.see(one);
    for (const ComparisonRow& row : drawn.rows) {
      of_row.see(row);
      noise.see(row.noise);
      if (row.creep) creep.see(*row.creep);
    }
  }
  EXPECT_THAT(whole.left(), IsEmpty());
  EXPECT_THAT(policy.left(), IsEmpty());
  EXPECT_THAT(pattern.left(), IsEmpty());
  EXPECT_THAT(of_row.left(), IsEmpty());
  EXPECT_THAT(noise.left(), IsEmpty());
  EXPECT_THAT(creep.left(), IsEmpty());
}

TEST(ComparisonDocument, ReadsBackEveryFieldOfWhateverWasWritten) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Comparison written = RandomComparison(seed).draw_with_later_fields(seed % 2 == 0);
    const std::string text = comparison_document(written);
    const auto read = parse_comparison(text, "c.json");
    ASSERT_TRUE(read) << seed << ' ' << read.error().text();
    EXPECT_TRUE(*read == written) << seed;
    EXPECT_EQ(comparison_document(*read), text) << seed << ": written again it is the same";
  }
}

TEST(ComparisonDocument, IsReadBackWhateverNumbersAndBytesWereComputed) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Comparison odd = RandomComparison(seed).draw(true);
    for (ComparisonRow& row : odd.rows) {
      row.ratio = kNan;
      row.interval = Interval{-kInfinity, 1};
      row.looks = {{8, kNan, kInfinity}};
      row.solo = SoloCheck{kInfinity, Interval{kNan, 1}, 10, true};
      row.functions.push_back({"f\xff", "f.cpp", 1, kNan, kInfinity, kNan, -kInfinity});
      row.flame_graph = "picture.svg";
    }
    odd.drifts = {{"real_time\xff", kNan, kInfinity, 5, false}};
    for (SeriesHistory& one : odd.history->series) {
      one.usual_invocations = kNan;
      if (!one.series.points.empty()) one.series.points.front().values = {1, kNan, 2, kInfinity};
      ChangePoint& change = one.changes.emplace_back();
      change.commit = "\xff";
      change.before = change.p = kNan;
      change.ratio = change.after = kInfinity;
    }
    const auto once = as_kept(odd);
    ASSERT_TRUE(once) << once.error().text();
    const auto twice = as_kept(*once);
    ASSERT_TRUE(twice) << twice.error().text();
    EXPECT_TRUE(*once == *twice) << "read once, it stays what it is";
    EXPECT_EQ(comparison_document(*once), comparison_document(*twice));
  }
}

// A comparison with a history and at least three rows.
Comparison example() {
  for (std::uint64_t seed = 1;; ++seed) {
    Comparison comparison = RandomComparison(seed).draw(true);
    const bool has_points = !comparison.history->series.empty() && !comparison.history->series[0].series.points.empty();
    if (comparison.rows.size() < 3 || !has_points) continue;
    comparison.policy.witness = Witness::both;
    comparison.rows[0].verdict = Verdict::regression;
    comparison.rows[0].rounds = 12;
    comparison.rows[1].looks = {{12, 0.5, 0.5}};
    comparison.history->series[0].changes.emplace_back().status = ChangeStatus::confirmed;
    return comparison;
  }
}

TEST(ComparisonDocument, RefusesWhatIsDamagedOrNewer) {
  const std::string good = comparison_document(example());
  ASSERT_TRUE(parse_comparison(good, "c.json"));
  const auto error_with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
    const auto read = parse_comparison(text, "c.json");
    return read ? std::string("none") : read.error().text();
  };
  EXPECT_NE(error_with("comparison/1", "comparison/2").find("a newer steelyard wrote it"), std::string::npos);
  EXPECT_NE(error_with("\"verdict\": \"regression\"", "\"verdict\": \"worse\"").find("verdict"), std::string::npos);
  EXPECT_NE(error_with("\"witness\": \"both\"", "\"witness\": 1").find("policy.witness"), std::string::npos);
  EXPECT_NE(error_with("\"witness\"", "\"wittness\"").find("policy.witness"), std::string::npos)
      << "no policy is taken for today's default";
  EXPECT_NE(error_with("\"counted_minimum_effect\"", "\"x\"").find("policy.counted_minimum_effect"), std::string::npos);
  EXPECT_NE(error_with("\"comparisons\": [", "\"comparisons\": 7, \"x\": [").find("comparisons"), std::string::npos);
  EXPECT_NE(error_with("\"rounds\": 12", "\"rounds\": -12").find("rounds"), std::string::npos);
  EXPECT_NE(error_with("\"status\": \"confirmed\"", "\"status\": \"sure\"").find("confirmed or suspected"),
            std::string::npos);
  for (std::size_t length = 0; length + 2 < good.size(); length += 97) {
    EXPECT_FALSE(parse_comparison(good.substr(0, length), "c.json")) << length;
  }
}

TEST(ComparisonDocument, TakesTheNotesOfAnOlderOneFromItsReasonsAndOfANewerOneAsTheyAre) {
  Comparison comparison = example();
  comparison.rows.resize(1);
  comparison.rows[0].reason = "too noisy: in 24 rounds the interval holds no change";
  comparison.rows[0].notes = {RowNote::equal_code, RowNote::first_look_only};
  std::string document = comparison_document(comparison);
  EXPECT_EQ(parse_comparison(document, "c.json")->rows[0].notes, comparison.rows[0].notes);
  const std::size_t begin = document.find("\"notes\": [");
  ASSERT_NE(begin, std::string::npos);
  document.erase(begin, document.find("],", begin) + 2 - begin);
  EXPECT_EQ(parse_comparison(document, "c.json")->rows[0].notes, RowNotes{RowNote::too_noisy});
  document.insert(begin, "\"notes\": [\"a note of a newer program\", \"equal code\"],");
  EXPECT_EQ(parse_comparison(document, "c.json")->rows[0].notes, RowNotes{RowNote::equal_code});
}

TEST(ComparisonDocument, TakesThatNobodyAskedForACountOfAnOlderOneFromItsGateNote) {
  Comparison comparison = example();
  comparison.rows.resize(1);
  ComparisonRow& row = comparison.rows[0];
  row.metric = *well_known_metric(kInstructions);
  row.verdict = Verdict::failed;
  row.gates = false;
  row.gate_note = "nobody asked for counts, and neither side has one";
  row.notes = {RowNote::equal_code};
  const RowNotes told{RowNote::equal_code, RowNote::not_asked_for};
  EXPECT_EQ(parse_comparison(comparison_document(comparison), "c.json")->rows[0].notes, told);
  row.gate_note = "in other words";
  EXPECT_EQ(parse_comparison(comparison_document(comparison), "c.json")->rows[0].notes, row.notes);
  row.notes = told;
  EXPECT_EQ(parse_comparison(comparison_document(comparison), "c.json")->rows[0].notes, told) << "whatever the words";
}

TEST(ComparisonDocument, OfAFileThatIsNotThereNamesIt) {
  EXPECT_EQ(read_comparison("/nowhere/c.json").error().where, "/nowhere/c.json");
}

TEST(ComparisonDocument, TellsItsVersionByItsBeginning) {
  EXPECT_EQ(comparison_version(comparison_document(example()).substr(0, 100)), kComparisonVersion);
  EXPECT_EQ(comparison_version("{\"schema\": \"steelyard.comparison/12\""), 12);
  EXPECT_EQ(comparison_version("{\"schema\": \"steelyard.comparison/\""), 0);
  EXPECT_EQ(comparison_version("{\"schema\": \"steelyard.comparison/-2\""), 0);
  EXPECT_EQ(comparison_version("{\"context\": {}}"), 0);
  EXPECT_EQ(comparison_version(""), 0);
}

// Bytes changed, doubled, cut out: every text has an answer, and what is accepted is written and read again.
TEST(ComparisonDocument, HasAnAnswerForWhateverBytesCome) {
  std::mt19937_64 engine(20);
  const auto below = [&engine](std::size_t limit) { return static_cast<std::size_t>(engine() % limit); };
  const std::string interesting = "{}[]\",:0123456789-+.eEnull\\ \0\xff";
  int accepted = 0;
  for (int round = 0; round < 1500; ++round) {
    std::string text = comparison_document(RandomComparison(static_cast<std::uint64_t>(round % 10)).draw(true));
    for (std::size_t left = 1 + below(3); left > 0; --left) {
      const std::size_t at = below(text.size());
      switch (below(3)) {
        case 0:
          text[at] = interesting[below(interesting.size())];
          break;
        case 1:
          text.erase(at, 1 + below(8));
          break;
        default:
          text.insert(at, text.substr(below(text.size()), 1 + below(8)));
      }
    }
    const auto read = parse_comparison(text, "c.json");
    if (!read) {
      EXPECT_EQ(read.error().kind, ErrorKind::input);
      continue;
    }
    ++accepted;
    const auto again = as_kept(*read);
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_TRUE(*again == *read);
  }
  EXPECT_GT(accepted, 100) << "most changes are to hit a number or a name";
}

}  // namespace
}  // namespace steelyard::storage::comparison_document_test
