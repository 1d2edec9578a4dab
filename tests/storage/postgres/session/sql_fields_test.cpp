#include "storage/postgres/session/sql_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/model/comparison.hpp"

namespace steelyard::storage::sql_fields_test {
namespace {

using ::testing::ElementsAre;

struct Part {
  std::string name;
  bool decisive = false;
  static void fields(auto& visit, auto& self) {
    visit("name", self.name);
    visit("decisive", self.decisive, {.column = "is_decisive"});
  }
};

struct Whole {
  Metric metric{"real_time", "ns", Better::lower, MetricKind::noisy};
  std::optional<double> level;
  std::optional<Interval> interval = Interval{1, 2};
  std::map<std::string, std::string> settings = {{"a", "b"}};
  std::optional<std::int32_t> rounds = 5;
  CountScope scope = CountScope::whole_program;
  Part flat{"one", true};
  Part nested{"two", false};
  std::vector<Part> list = {{"x\\", true}, {"y\"", false}};
  std::vector<Part> apart = {{}};
  static void fields(auto& visit, auto& self) {
    Metric::fields(visit, self.metric, "metric");
    visit("level", self.level);
    visit("interval", self.interval);
    visit("settings", self.settings, {.column = "setting"});
    visit("rounds", self.rounds);
    visit("scope", self.scope, {.applies = false});
    visit("flat", self.flat, {.column = ""});
    visit("nested", self.nested);
    visit("list", self.list, {.column = "item"});
    visit("apart", self.apart, OwnTable{});
  }
};

TEST(SqlFields, AreColumnsWithAsManyValues) {
  EXPECT_THAT(
      columns_of<Whole>({"key"}),
      ElementsAre("key", "level", "interval_low", "interval_high", "setting_names", "setting_texts", "rounds", "scope",
                  "name", "is_decisive", "nested_name", "nested_is_decisive", "item_name", "item_is_decisive"));
  EXPECT_EQ(selected<Whole>("w"),
            "metrics.name, metrics.unit, metrics.better, metrics.kind, w.level, w.interval_low, w.interval_high, "
            "w.setting_names, w.setting_texts, w.rounds, w.scope, w.name, w.is_decisive, w.nested_name, "
            "w.nested_is_decisive, w.item_name, w.item_is_decisive");
  using Cells = std::vector<std::optional<std::string>>;
  EXPECT_EQ(append_fields(SqlValues().integer(3), Whole{}).cells(),
            (Cells{"3", std::nullopt, "1", "2", "{\"a\"}", "{\"b\"}", "5", std::nullopt, "one", "t", "two", "f",
                   "{\"x\\\\\",\"y\\\"\"}", "{\"t\",\"f\"}"}));
}

TEST(SqlFields, OfAnEmptyListAreArraysAllTheSame) {
  Whole whole;
  whole.list.clear();
  const auto cells = append_fields({}, whole).cells();
  ASSERT_EQ(cells.size() + 1, columns_of<Whole>({"key"}).size());
  EXPECT_EQ(cells.back(), "{}");
}

}  // namespace
}  // namespace steelyard::storage::sql_fields_test
