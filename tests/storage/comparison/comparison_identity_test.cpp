// The identity of a comparison: of every field, and the same in every version of the program.
#include <gtest/gtest.h>

#include "bench/model/sha256.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "storage/comparison/comparison_identity.hpp"
#include "tests/storage/comparison/random_comparison.hpp"

namespace steelyard::storage::comparison_identity_test {
namespace {

using storage_test::RandomComparison;

// What the program yielded when it hashed and wrote the fields one by one; of rows' notes it wrote nothing.
TEST(ComparisonId, IsWhatItWasForAnyContent) {
  const std::string no_notes = "   \"notes\": [],\n";
  std::string ids;
  std::string documents;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Comparison comparison = RandomComparison(seed).draw(seed % 2 == 0);
    ids += comparison_id(comparison);
    std::string document = comparison_document(comparison);
    for (std::size_t at = 0; (at = document.find(no_notes, at)) != std::string::npos;)
      document.erase(at, no_notes.size());
    documents += document;
  }
  EXPECT_EQ(sha256_hex(ids), "0aa5653d5c90a8994c02357387f300bb7cc64ffaf781698ae71dfa64146652f9");
  EXPECT_EQ(sha256_hex(documents), "26bd32d22f3e09d2bce3212bd32a62d7f474688e7290af696fb4884a051aab65");
}

// Changes the field that is visited as the n-th.
class Changer {
 public:
  explicit Changer(int wanted) : left_(wanted) {}
  const std::string& changed() const { return changed_; }  // its name; empty: there are fewer

  void operator()(const char* name, std::string& text, const FieldRule& = {}) {
    if (is_wanted(name)) text += "x";
  }
  void operator()(const char* name, bool& value, const FieldRule& = {}) {
    if (is_wanted(name)) value = !value;
  }
  void operator()(const char* name, double& number, const FieldRule& = {}) {
    if (is_wanted(name)) number = number == 0.25 ? 0.75 : 0.25;
  }
  void operator()(const char* name, std::optional<Interval>& interval, const FieldRule& = {}) {
    if (is_wanted(name)) interval = interval ? std::nullopt : std::optional(Interval{1, 2});
  }
  void operator()(const char* name, std::vector<std::string>& texts, const FieldRule& = {}) {
    if (is_wanted(name)) texts.emplace_back("more");
  }
  void operator()(const char* name, std::map<std::string, std::string>& texts, const FieldRule& = {}) {
    if (is_wanted(name)) texts["another"] = "setting";
  }
  void operator()(const char* name, std::optional<JudgedHistory>& history, const FieldRule& = {}) {
    if (is_wanted(name)) history.emplace().branch = "another";
  }
  template <std::integral I>
  void operator()(const char* name, I& number, const FieldRule& = {}) {
    if (is_wanted(name)) number = number == 3 ? 4 : 3;
  }
  template <Word E>
  void operator()(const char* name, E& value, const FieldRule& = {}) {
    if (is_wanted(name)) value = static_cast<E>((static_cast<std::size_t>(value) + 1) % words_of(value).size());
  }
  template <Word E>
  void operator()(const char* name, WordSet<E>& words, const FieldRule& = {}) {
    if (is_wanted(name)) words.has(E{}) ? void(words = {}) : words.add(E{});
  }
  template <class T>
  void operator()(const char* name, std::optional<T>& value, const FieldRule& rule = {}) {
    if (value) (*this)(name, *value, rule);
    if (is_wanted(name)) value = value ? std::nullopt : std::optional<T>(T{});
  }
  template <Described T>
  void operator()(const char*, T& value, const FieldRule& = {}) {
    T::fields(*this, value);
  }
  template <Described T>
  void operator()(const char* name, std::vector<T>& list, const FieldRule& = {}) {
    if (!list.empty()) T::fields(*this, list.back());
    if (is_wanted(name)) list.push_back(list.empty() ? T{} : T{list.front()});
  }
  void operator()(const char*, Interval&, const FieldRule& = {}) {}

 private:
  bool is_wanted(const char* name) {
    if (left_-- != 0) return false;
    changed_ = name;
    return true;
  }
  int left_;
  std::string changed_;
};

Comparison with_everything() {
  for (std::uint64_t seed = 1;; ++seed) {
    Comparison comparison = RandomComparison(seed).draw(false);
    const bool is_full = !comparison.rows.empty() && !comparison.drifts.empty() && comparison.calibration &&
                         !comparison.environment_differences.empty();
    if (!is_full) continue;
    ComparisonRow& row = comparison.rows.back();
    comparison.calibration->false_alarms = {3, 80, {0.0077, 0.10570}};
    row.metric.kind = MetricKind::counted;
    row.count_scope = CountScope::timed_region;
    row.gates = false;
    row.looks = {{8, 0.5, 0.5}};
    row.solo = SoloCheck{1.5, Interval{1, 2}, 10, true};
    row.policies = {"f/*"};
    row.owner = "somebody";
    comparison.policy.patterns = {{"f/*", 0.5, 0.5, 0.5, std::vector<std::string>{"m"}, 5, "somebody", "file:3",
                                   "2026-12-31", "why", "Jane", "abc", "*EPYC*"}};
    row.creep = Creep{};
    row.creep->steps.emplace_back();
    row.functions = {{"f", "f.cpp", 1, 1, 1, 1, 1, true, 1.0, 1.0, "old", "outer", "caller"}};
    return comparison;
  }
}

TEST(ComparisonId, AndDocumentAreOfEveryField) {
  const Comparison comparison = with_everything();
  const std::string id = comparison_id(comparison);
  const std::string document = comparison_document(comparison);
  int count = 0;
  for (;; ++count) {
    Comparison other = comparison;
    Changer changer(count);
    RunHeader::fields(changer, other.baseline);
    RunHeader::fields(changer, other.candidate);
    Comparison::fields(changer, other);
    if (changer.changed().empty()) break;
    EXPECT_FALSE(other == comparison) << changer.changed();
    // The reason of a row tells its notes too, and alone in what was kept before there were any.
    EXPECT_EQ(comparison_id(other) == id, changer.changed() == "notes") << changer.changed();
    EXPECT_NE(comparison_document(other), document) << changer.changed();
    const auto kept = as_kept(other);
    ASSERT_TRUE(kept) << changer.changed() << ' ' << kept.error().text();
    EXPECT_TRUE(*kept == other) << changer.changed();
  }
  EXPECT_GT(count, 100);
}

}  // namespace
}  // namespace steelyard::storage::comparison_identity_test
