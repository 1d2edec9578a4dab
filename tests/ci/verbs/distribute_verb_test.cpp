// steelyard db distribute, as a person types it.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "storage/postgres/session/session.hpp"
#include "tests/ci/verbs/program_under_test.hpp"
#include "tests/promised.hpp"
#include "tests/storage/postgres/test_cluster.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::ci::distribute_verb_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class DistributeVerb : public ProgramUnderTest {
 protected:
  void SetUp() override {
    ProgramUnderTest::SetUp();
    use_state(storage_test::fresh_state_folder());
  }
};

TEST_F(DistributeVerb, TheEmbeddedStoreStaysOnItsMachine) {
  const Outcome outcome = run({"db", "distribute", "--store", "embedded"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("found the embedded store"), HasSubstr("--store")));
}

TEST_F(DistributeVerb, WorkersBelongToDistribute) {
  const Outcome outcome = run({"db", "rebuild", "--workers", "db1:5432"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("wanted steelyard db distribute"));
}

TEST_F(DistributeVerb, SaysWhatTheServerLacksAfterThePlan) {
  const auto url = storage_test::migrated_database();
  STEELYARD_SKIP_WITHOUT("postgresql", url, storage_test::kNoServer);
  for (const bool dry : {true, false}) {
    std::vector<std::string> words{"db", "distribute", "--store", *url};
    if (dry) words.emplace_back("--dry-run");
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.status, 3);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("citus"), HasSubstr("shared_preload_libraries")));
    EXPECT_EQ(outcome.out.find("to be moved") != std::string::npos, dry) << outcome.out;
  }
}

TEST_F(DistributeVerb, MovesTheTablesAndShowsWhereTheyAre) {
  const auto programs = storage_test::citus_programs();
  STEELYARD_SKIP_WITHOUT("citus", programs, storage_test::kNoCitus);
  const storage_test::TestCluster node(*programs, storage_test::kCitusSettings);
  const std::string url = node.url("postgres");
  const Outcome plan = run({"db", "distribute", "--dry-run", "--store", url});
  EXPECT_EQ(plan.status, 0) << plan.err;
  EXPECT_THAT(plan.out, AllOf(HasSubstr("shards by run_key"), HasSubstr("to be moved"), Not(HasSubstr("node holds"))));
  const Outcome done =
      run({"db", "distribute", "--shards", "4", "--coordinator", node.node(), "--json", "--store", url});
  EXPECT_EQ(done.status, 0) << done.err;
  const auto document = nlohmann::json::parse(done.out);
  EXPECT_EQ(document["schema"], "steelyard.distribution/1");
  EXPECT_EQ(document["nodes"], 1);
  for (const auto& table : document["tables"]) EXPECT_TRUE(table["done"]) << table;
  EXPECT_THAT(run({"db", "distribute", "--dry-run", "--store", url}).out,
              AllOf(HasSubstr("1 node holds the shards"), Not(HasSubstr("to be moved"))));
}

}  // namespace
}  // namespace steelyard::ci::distribute_verb_test
