// Every SQL example of docs/reference/queries.md runs on a store.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "storage/postgres/session/session.hpp"
#include "storage/run_store.hpp"
#include "tests/promised.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard {
namespace {

std::vector<std::string> examples_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> examples;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "```sql") {
      inside = true;
      examples.emplace_back();
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      examples.back() += line + '\n';
    }
  }
  return examples;
}

TEST(DocumentedQueries, EveryExampleRuns) {
  const auto url = storage_test::fresh_database();
  STEELYARD_SKIP_WITHOUT("postgresql", url, storage_test::kNoServer);
  Result<Store> store = Store::open({false, *url}, storage_test::fresh_state_folder());
  ASSERT_TRUE(store) << store.error().text();
  ASSERT_TRUE(RunStore(*store).put(storage_test::example_run()));
  const std::vector<std::string> examples = examples_of(STEELYARD_SOURCES "/docs/reference/queries.md");
  ASSERT_GE(examples.size(), 6U);
  auto session = Session::connect(*url, "test");
  ASSERT_TRUE(session);
  for (const std::string& example : examples) {
    auto transaction = Transaction::begin(*session);
    ASSERT_TRUE(transaction);
    const auto rows = transaction->run(example);
    EXPECT_TRUE(rows) << example << rows.error().text();
  }
}

}  // namespace
}  // namespace steelyard
