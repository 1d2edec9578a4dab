#include "storage/postgres/upkeep/upkeep_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/postgres/sql/migrations.hpp"

namespace steelyard::storage::upgrade_plan_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ScriptEffectsTest, TellsWhatIsCreatedRewrittenFilledAndDropped) {
  const ScriptEffects effects = effects_of_script(R"sql(
create table if not exists steelyard.a (x int, y text default 'drop table b;');
CREATE TABLE steelyard.b as select 1;
alter table only steelyard.runs add column z int, alter column x type integer;
alter table steelyard.kept add column type text not null default '';
alter table kept alter column x set not null;
update steelyard.c set x = 1; update steelyard.c set y = 2;
insert into steelyard.d (x) select 1;
drop table if exists steelyard.old;
)sql");
  EXPECT_THAT(effects.creates, ElementsAre("a", "b"));
  EXPECT_THAT(effects.rewrites, ElementsAre("runs", "c"));
  EXPECT_THAT(effects.fills, ElementsAre("d"));
  EXPECT_THAT(effects.drops, ElementsAre("old"));
}

TEST(ScriptEffectsTest, SeesNothingInCommentsQuotesAndFunctions) {
  const ScriptEffects effects = effects_of_script(
      "-- drop table a;\ncomment on table b is 'it''s; drop table c;';\n"
      "create function f() returns int language sql as $$ select 1; drop table d; $$;\n"
      "do $body$ begin drop table e; end $body$; -- drop table f");
  EXPECT_THAT(effects.drops, IsEmpty());
  EXPECT_THAT(effects.creates, IsEmpty());
  EXPECT_THAT(effects_of_script("select '").drops, IsEmpty()) << "a text without an end";
  EXPECT_THAT(effects_of_script("$").drops, IsEmpty());
  EXPECT_THAT(effects_of_script("").drops, IsEmpty());
}

TEST(ScriptEffectsTest, KnowsThatPackingSamplesWritesTheRunsAgain) {
  const ScriptEffects effects = effects_of_script(known_migrations()[9].script);
  EXPECT_THAT(effects.creates, Contains("series"));
  EXPECT_THAT(effects.rewrites, Contains("runs"));
  EXPECT_THAT(effects.fills, Contains("measurements"));
  EXPECT_THAT(effects.drops, Contains("old_measurements"));
}

}  // namespace
}  // namespace steelyard::storage::upgrade_plan_test
