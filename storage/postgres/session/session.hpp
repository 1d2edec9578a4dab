// One connection to a PostgreSQL server, its transactions and their rows. This file pair alone knows libpqxx and its
// versions; nothing in it throws. Errors name the address without its password, and leave the session's link() telling
// whether the connection survived. They are of kind store; only where the server refuses the values of a statement
// (SQLSTATE classes 22, 23 and 54), and would refuse them whenever they are sent, they are of kind input.
//
//     STEELYARD_TRY(Session session, Session::connect(url, safe_name));
//     STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
//     STEELYARD_TRY(Rows rows, transaction.run("select id from runs where branch = $1", SqlValues().text("main")));
//     STEELYARD_CHECK(transaction.commit());
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/postgres/session/sql_values.hpp"

namespace steelyard::storage {

// What a statement yielded. Cheap to copy. row: 0 to size() - 1; column: 0-based, of the type the accessor names.
class Rows {
 public:
  std::int64_t size() const;
  std::int64_t affected() const;  // rows inserted, updated or deleted
  bool is_null(std::int64_t row, int column) const;
  std::string_view raw(std::int64_t row, int column) const;  // as PostgreSQL wrote it; lives as long as these Rows
  std::string text(std::int64_t row, int column) const;
  std::int64_t integer(std::int64_t row, int column) const;
  double number(std::int64_t row, int column) const;
  bool boolean(std::int64_t row, int column) const;
  std::vector<std::string> texts(int column) const;  // of all rows
  std::vector<std::int64_t> integers(int column) const;

 private:
  friend class Session;
  friend class Transaction;
  struct Content;
  std::shared_ptr<const Content> content_;
};

// The roles of a store, which transactions take on; storage/postgres/access/roles.hpp gives them their rights.
inline constexpr std::string_view kReaderRole = "steelyard_reader";
inline constexpr std::string_view kWriterRole = "steelyard_writer";
inline constexpr std::string_view kOwnerRole = "steelyard_owner";
// Roles for logins that see some projects only: these read and write under policies.
inline constexpr std::string_view kProjectReaderRole = "steelyard_project_reader";
inline constexpr std::string_view kProjectWriterRole = "steelyard_project_writer";

class Session {
 public:
  enum class Link {
    up,
    lost,               // nothing that was not committed is in the database
    commit_unanswered,  // lost between COMMIT and its answer: ask before sending again, or send what is idempotent
  };

  // Waits at most kConnectSeconds unless the url says otherwise.
  static Result<Session> connect(const std::string& url, const std::string& safe_name);
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  // For the few statements that PostgreSQL refuses inside a transaction (create database).
  Result<void> run_alone(const std::string& statement);
  Link link() const;
  // Of the last error: a login of some projects may not write what it was to write, and another login may.
  bool refused_login() const;
  const std::string& name() const;  // safe to print
  // The role that every transaction from now on takes on; empty: the login itself. Set for the
  // transaction alone, so that it holds behind a pooler. Returns the one before.
  std::string act_as(std::string role);
  // The project that every transaction from now on sees alone, where its role is one of projects and the login sees all
  // of them; empty: those that were granted to the login.
  void see_only(std::string project);
  // Of every transaction from now on no statement takes longer, and none begins later than that after the transaction;
  // zero: however long it takes.
  void limit_statements(std::chrono::milliseconds most);

 private:
  friend class Transaction;
  struct Connection;
  explicit Session(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

// A role for the length of a scope.
class ActingAs {
 public:
  ActingAs(Session& session, std::string role) : session_(session), before_(session.act_as(std::move(role))) {}
  ~ActingAs() { session_.act_as(std::move(before_)); }
  ActingAs(const ActingAs&) = delete;
  ActingAs& operator=(const ActingAs&) = delete;

 private:
  Session& session_;
  std::string before_;
};

// How many rows a statement must yield or touch; anything else is an error, since then our picture of the database is
// wrong.
struct RowCount {
  std::int64_t least = 0;
  std::int64_t most = INT64_MAX;
};
inline constexpr RowCount kAnyRows{};
inline constexpr RowCount kOneRow{1, 1};
inline constexpr RowCount kAtMostOneRow{0, 1};
constexpr RowCount exactly(std::size_t count) {
  return {static_cast<std::int64_t>(count), static_cast<std::int64_t>(count)};
}

struct CopyTarget {
  std::string table;  // with its schema
  std::vector<std::string> columns;
};

// Rolled back when it goes out of scope without a commit. After an error nothing but that is possible.
class Transaction {
 public:
  static Result<Transaction> begin(Session& session);
  Transaction(Transaction&&) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  Result<Rows> run(const std::string& statement, const SqlValues& values = {}, RowCount expected = kAnyRows);
  // Several statements, no values: a migration.
  Result<void> run_script(const std::string& statements);
  // Streams `count` rows into the table; row(i) gives the values of the i-th, in the order of the columns.
  Result<void> copy(const CopyTarget& target, std::size_t count, const std::function<SqlValues(std::size_t)>& row);
  // copy() of many rows of numbers and bytes: row(i, cells) adds the cells of the i-th.
  Result<void> copy_rows(const CopyTarget& target, std::size_t count,
                         const std::function<void(std::size_t, CopyRow&)>& row);
  Result<void> commit();

 private:
  struct Work;
  explicit Transaction(std::unique_ptr<Work> work);
  std::unique_ptr<Work> work_;
};

}  // namespace steelyard::storage
