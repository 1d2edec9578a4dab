#include "storage/postgres/session/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "tests/promised.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::session_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto url = storage_test::fresh_database();
    STEELYARD_SKIP_WITHOUT("postgresql", url, storage_test::kNoServer);
    url_ = *url;
  }
  Session connect() {
    auto session = Session::connect(url_, "test");
    if (!session) throw std::runtime_error(session.error().text());
    return std::move(session).value();
  }
  static Transaction begin(Session& session) {
    auto transaction = Transaction::begin(session);
    if (!transaction) throw std::runtime_error(transaction.error().text());
    return std::move(transaction).value();
  }
  std::string url_;
};

TEST_F(SessionTest, CarriesEveryKindOfValueThereAndBack) {
  Session session = connect();
  Transaction transaction = begin(session);
  const std::string nasty = "'; drop table x; -- \\ \" \xFF";
  const auto rows = transaction.run(
      "select $1::text, $2::bigint, $3::float8, $4::boolean, $5::text, $6::text[], $7::float8[]",
      SqlValues().text(nasty).integer(-7).number(0.1).boolean(true).null().texts({nasty, ""}).numbers({1.0 / 3}),
      kOneRow);
  ASSERT_TRUE(rows) << rows.error().text();
  EXPECT_EQ(rows->text(0, 0), nasty);
  EXPECT_EQ(rows->integer(0, 1), -7);
  EXPECT_EQ(rows->number(0, 2), 0.1);
  EXPECT_TRUE(rows->boolean(0, 3));
  EXPECT_TRUE(rows->is_null(0, 4));
  EXPECT_FALSE(rows->is_null(0, 0));
  EXPECT_EQ(texts_of_array(rows->raw(0, 5)), (std::vector<std::string>{nasty, ""}));
  EXPECT_EQ(numbers_of_array(rows->raw(0, 6)), std::vector<double>{1.0 / 3});
}

TEST_F(SessionTest, EndsAStatementThatTakesLongerThanItMay) {
  Session session = connect();
  session.limit_statements(std::chrono::milliseconds(100));
  EXPECT_FALSE(begin(session).run("select pg_sleep(60)"));
  EXPECT_EQ(session.link(), Session::Link::up);
  session.limit_statements(std::chrono::milliseconds(0));
  EXPECT_TRUE(begin(session).run("select pg_sleep(0.3)"));
}

TEST_F(SessionTest, BeginsNoStatementLongAfterItsTransaction) {
  Session session = connect();
  session.limit_statements(std::chrono::seconds(60));
  Transaction transaction = begin(session);
  EXPECT_TRUE(transaction.run("create table public.late (x integer)"));
  session.limit_statements(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const auto late = transaction.run("select 1");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, ErrorKind::store);
  EXPECT_THAT(late.error().text(), ::testing::HasSubstr("not done after 1 ms"));
  const auto row = [](std::size_t) { return SqlValues().integer(1); };
  EXPECT_FALSE(transaction.copy({"public.late", {"x"}}, 1, row));
}

TEST_F(SessionTest, CopiesRowsWithEverySpecialCharacter) {
  Session session = connect();
  Transaction transaction = begin(session);
  ASSERT_TRUE(transaction.run("create table public.kept (position bigint, content text, numbers float8[])"));
  const std::vector<std::string> contents = {
      "", "\\N", "\\.", "a\tb\nc\rd\\e", "\b\f\v", "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x90\x98", "\xFF", "\\", "NULL"};
  const auto copied =
      transaction.copy({"public.kept", {"position", "content", "numbers"}}, contents.size() + 1, [&](std::size_t i) {
        SqlValues values;
        values.integer(static_cast<std::int64_t>(i));
        if (i == contents.size()) return values.null().null();
        return values.text(contents[i]).numbers({0.1, std::nan("")});
      });
  ASSERT_TRUE(copied) << copied.error().text();
  const auto rows =
      transaction.run("select content, numbers from public.kept order by position", {}, exactly(contents.size() + 1));
  ASSERT_TRUE(rows) << rows.error().text();
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    EXPECT_FALSE(rows->is_null(row, 0));
    EXPECT_EQ(rows->text(row, 0), contents[i]);
    EXPECT_EQ(rows->raw(row, 1), "{0.1,NaN}");
  }
  EXPECT_TRUE(rows->is_null(rows->size() - 1, 0));
}

TEST_F(SessionTest, ReportsARowThatCannotBeCopied) {
  Session session = connect();
  Transaction transaction = begin(session);
  ASSERT_TRUE(transaction.run("create table public.kept (content bigint)"));
  const auto copied =
      transaction.copy({"public.kept", {"content"}}, 2, [](std::size_t) { return SqlValues().text("word"); });
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().kind, ErrorKind::input) << "the same row would be refused for ever";
  EXPECT_THAT(copied.error().text(), HasSubstr("word"));
  EXPECT_EQ(session.link(), Session::Link::up);
}

TEST_F(SessionTest, RollsBackWhatWasNotCommitted) {
  Session session = connect();
  {
    Transaction transaction = begin(session);
    ASSERT_TRUE(transaction.run("create table public.gone (x int)"));
  }
  {
    Transaction transaction = begin(session);
    ASSERT_TRUE(transaction.run("create table public.kept (x int)"));
    ASSERT_TRUE(transaction.commit());
  }
  Transaction transaction = begin(session);
  const auto rows = transaction.run("select to_regclass('public.gone') is null, to_regclass('public.kept') is null");
  EXPECT_TRUE(rows->boolean(0, 0));
  EXPECT_FALSE(rows->boolean(0, 1));
}

TEST_F(SessionTest, RefusesAnUnexpectedNumberOfRows) {
  Session session = connect();
  Transaction transaction = begin(session);
  EXPECT_FALSE(transaction.run("select 1 where false", {}, kOneRow));
  EXPECT_FALSE(transaction.run("select generate_series(1, 2)", {}, kAtMostOneRow));
  ASSERT_TRUE(transaction.run("create table public.kept (x int)"));
  const auto touched = transaction.run("insert into public.kept values (1), (2)", {}, kOneRow);
  ASSERT_FALSE(touched);
  EXPECT_THAT(touched.error().text(), HasSubstr("2 rows"));
}

TEST_F(SessionTest, NamesTheServersComplaint) {
  Session session = connect();
  Transaction transaction = begin(session);
  const auto rows = transaction.run("select no_such_column");
  ASSERT_FALSE(rows);
  EXPECT_THAT(rows.error().text(), HasSubstr("no_such_column"));
  EXPECT_THAT(rows.error().text(), Not(HasSubstr("\n")));
  EXPECT_EQ(session.link(), Session::Link::up);
}

TEST_F(SessionTest, TellsValuesThatAreRefusedForEverFromAServerInTrouble) {
  Session session = connect();
  const auto kind_of = [&](const std::string& statement, const SqlValues& values) {
    const auto rows = begin(session).run(statement, values);
    return rows ? ErrorKind::bug : rows.error().kind;
  };
  {
    Transaction transaction = begin(session);
    ASSERT_TRUE(transaction.run("create table public.kept (x int primary key, check (x < 10))"));
    ASSERT_TRUE(transaction.run("insert into public.kept values (1)"));
    ASSERT_TRUE(transaction.commit());
  }
  EXPECT_EQ(kind_of("select $1::int", SqlValues().text("word")), ErrorKind::input);
  EXPECT_EQ(kind_of("insert into public.kept values ($1)", SqlValues().integer(1)), ErrorKind::input) << "unique";
  EXPECT_EQ(kind_of("insert into public.kept values ($1)", SqlValues().integer(10)), ErrorKind::input) << "check";
  std::string many = "select 1";
  for (int i = 0; i < 1700; ++i) many += ",1";
  EXPECT_EQ(kind_of(many, {}), ErrorKind::input) << "more columns than PostgreSQL has";
  EXPECT_EQ(kind_of("select no_such_column", {}), ErrorKind::store);
  Transaction transaction = begin(session);
  ASSERT_TRUE(transaction.run("set transaction read only"));
  const auto refused = transaction.run("insert into public.kept values (2)");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::store) << "a standby takes them after its promotion";
  EXPECT_EQ(session.link(), Session::Link::up);
}

TEST_F(SessionTest, ALinkIsLostWithTheServersLastWordThoughItStillLooksOpen) {
  const auto link_after = [&](const std::string& state) {
    Session session = connect();
    const auto raised = begin(session).run("do $$ begin raise exception using errcode = '" + state + "'; end $$");
    EXPECT_FALSE(raised) << state;
    return session.link();
  };
  for (const char* last : {"57P01", "57P02", "57P05", "25P03"})
    EXPECT_EQ(link_after(last), Session::Link::lost) << last;
  for (const char* other : {"57014", "40001", "40P01", "P0001", "42501", "53100", "25006"}) {
    EXPECT_EQ(link_after(other), Session::Link::up) << other;
  }
}

TEST_F(SessionTest, AConstraintThatIsCheckedAtCommitRefusesTheValuesToo) {
  Session session = connect();
  Transaction transaction = begin(session);
  ASSERT_TRUE(transaction.run("create table public.kept (x int unique deferrable initially deferred)"));
  ASSERT_TRUE(transaction.run("insert into public.kept values (1), (1)"));
  const auto done = transaction.commit();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::input);
  EXPECT_EQ(session.link(), Session::Link::up);
}

TEST_F(SessionTest, TellsALostLinkFromACommitWithoutAnAnswer) {
  Session killer = connect();
  const auto end = [&](Transaction& victim) {
    const auto process = victim.run("select pg_backend_pid()");
    const auto number = SqlValues().integer(process->integer(0, 0));
    ASSERT_TRUE(begin(killer).run("select pg_terminate_backend($1::int)", number));
    // Ended once it is seen no more; within one transaction the server would repeat its first answer.
    while (begin(killer).run("select count(*) from pg_stat_get_activity($1::int)", number)->integer(0, 0) > 0) {
    }
  };
  Session first = connect();
  {
    Transaction transaction = begin(first);
    end(transaction);
    EXPECT_FALSE(transaction.run("select 1"));
    EXPECT_EQ(first.link(), Session::Link::lost);
  }
  Session second = connect();
  {
    Transaction transaction = begin(second);
    end(transaction);
    EXPECT_FALSE(transaction.commit());
    EXPECT_EQ(second.link(), Session::Link::commit_unanswered);
  }
  EXPECT_FALSE(Transaction::begin(first)) << "a session does not come back behind our back";
}

TEST(SessionConnectTest, ShowsNoPasswordWhateverIsWrongWithTheAddress) {
  for (const char* url : {"postgresql://me:s3cret@127.0.0.1:1/db", "postgresql://me:s3cret@127.0.0.1:port/db",
                          "postgresql://me:s3cret%zz@127.0.0.1:1/db", "postgresql://h:1/db?nonsense&password=s3cret"}) {
    const auto session = Session::connect(url, "test");
    ASSERT_FALSE(session) << url;
    EXPECT_THAT(session.error().text(), Not(HasSubstr("s3cret"))) << url;
    EXPECT_THAT(session.error().text(), HasSubstr("cannot connect"));
  }
}

}  // namespace
}  // namespace steelyard::storage::session_test
