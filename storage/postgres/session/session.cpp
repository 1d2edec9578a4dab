#include "storage/postgres/session/session.hpp"

#include <pqxx/pqxx>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <string_view>
#include <tuple>
#include <typeinfo>
#include <utility>

#include "storage/place/store_address.hpp"
#include "storage/postgres/session/sql_values.hpp"

// Debian 12 ships libpqxx 6.4, Debian 13 7.10: what differs between them is in the first functions and nowhere else.

#if PQXX_VERSION_MAJOR < 7
// Its streams take tuples only, whose width is part of their type. So a row of any width is given as one element, which
// the library's own escaping writes as many; a null pointer is a null.
namespace pqxx::internal {
template <>
std::string TypedCopyEscaper::operator()(const std::vector<const char*>* const* row) const {
  std::string line;
  for (std::size_t i = 0; i < (*row)->size(); ++i) {
    const char* cell = (**row)[i];
    line.append(i > 0 ? "\t" : "").append(cell == nullptr ? "\\N" : escape(cell));
  }
  return line;
}
}  // namespace pqxx::internal
#endif

namespace steelyard::storage {
namespace {

// A server that is away must not hold a gate for the two minutes of TCP's own patience.
constexpr const char* kConnectSeconds = "10";
// For a link that dies in the middle: unacknowledged data is given up after this.
constexpr const char* kUserTimeoutMilliseconds = "60000";
// For a link that dies while the server works for us: nothing is unacknowledged then, and the system would ask whether
// it is still there after two hours. A server that works for long answers such a question all the same.
constexpr const char* kSecondsUntilAsked = "20";
// Every transaction sets its own state (SET LOCAL): behind a pooler a session is not ours for longer than that.
//   extra_float_digits: doubles are read back to the last bit.   bytea_output: the form that bytes_of_text() reads.
//   lock_timeout: no wait without end for another writer.
//   search_path: no function that somebody put into another schema is taken for the server's own.
constexpr const char* kTransactionSettings =
    "set local extra_float_digits = 1; set local bytea_output = 'hex'; set local client_min_messages = warning; "
    "set local lock_timeout = '120s'; set local search_path = pg_catalog, pg_temp";

using Cells = std::vector<std::optional<std::string>>;  // absent: null

#if PQXX_VERSION_MAJOR < 7
// Version 6 knows no std::optional; a null pointer is its null.
std::vector<const char*> pointers_of(const Cells& cells) {
  std::vector<const char*> pointers;
  pointers.reserve(cells.size());
  for (const auto& cell : cells) pointers.push_back(cell ? cell->c_str() : nullptr);
  return pointers;
}

void stream_row(pqxx::stream_to& stream, const std::vector<const char*>& cells) { stream << std::tuple(&cells); }
#endif

pqxx::result run_with_cells(pqxx::transaction_base& work, const std::string& statement, const Cells& cells) {
#if PQXX_VERSION_MAJOR >= 7
  pqxx::params parameters;
  for (const auto& cell : cells) parameters.append(cell);
#if PQXX_VERSION_MAJOR > 7 || PQXX_VERSION_MINOR >= 10
  return work.exec(statement, parameters);
#else
  return work.exec_params(statement, parameters);
#endif
#else
  return work.exec_params(statement, pqxx::prepare::make_dynamic_params(pointers_of(cells)));
#endif
}

pqxx::stream_to stream_into(pqxx::transaction_base& work, const CopyTarget& target) {
#if PQXX_VERSION_MAJOR >= 7
  return pqxx::stream_to::raw_table(work, target.table, work.conn().quote_columns(target.columns));
#else
  return {work, target.table, target.columns};
#endif
}

void stream_values(pqxx::stream_to& stream, const SqlValues& values) {
#if PQXX_VERSION_MAJOR >= 7
  stream.write_row(values.cells());
#else
  stream_row(stream, pointers_of(values.cells()));
#endif
}

void stream_cells(pqxx::stream_to& stream, const std::vector<const char*>& cells) {
#if PQXX_VERSION_MAJOR >= 7
  std::vector<std::optional<std::string_view>> views;
  for (const char* cell : cells)
    views.push_back(cell == nullptr ? std::nullopt : std::optional(std::string_view(cell)));
  stream.write_row(views);
#else
  stream_row(stream, cells);
#endif
}

// The rows of COPY by INSERT, for a role under policies, which PostgreSQL refuses COPY.
class Inserting {
 public:
  Inserting(pqxx::transaction_base& work, const CopyTarget& target) : work_(work), columns_(target.columns.size()) {
    into_ = "insert into " + target.table + " (";
    for (const std::string& column : target.columns) into_ += (&column == &target.columns[0] ? "" : ", ") + column;
    into_ += ") values ";
  }
  void add(const Cells& row) {
    cells_.insert(cells_.end(), row.begin(), row.end());
    if (cells_.size() >= kMaxRows * columns_) send();
  }
  void add(const std::vector<const char*>& row) {
    for (const char* cell : row) cells_.push_back(cell == nullptr ? std::nullopt : std::optional<std::string>(cell));
    if (cells_.size() >= kMaxRows * columns_) send();
  }
  void send() {
    if (cells_.empty()) return;
    std::string statement = into_;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      statement += (i % columns_ > 0 ? ", $" : i > 0 ? "), ($" : "($") + std::to_string(i + 1);
    }
    run_with_cells(work_, statement + ')', cells_);
    cells_.clear();
  }

 private:
  static constexpr std::size_t kMaxRows = 500;  // a statement takes at most 65535 values
  pqxx::transaction_base& work_;
  std::size_t columns_;
  std::string into_;
  Cells cells_;
};

void silence_notices(pqxx::connection& connection, [[maybe_unused]] std::shared_ptr<void>& keeper) {
#if PQXX_VERSION_MAJOR > 7 || (PQXX_VERSION_MAJOR == 7 && PQXX_VERSION_MINOR >= 10)
  connection.set_notice_handler([](pqxx::zview) noexcept {});
#else
  keeper = std::make_shared<pqxx::quiet_errorhandler>(connection);
#endif
}

void forbid_reconnecting([[maybe_unused]] pqxx::connection& connection) {
#if PQXX_VERSION_MAJOR < 7
  // Version 6 reconnects behind our back; who lost a link has to know.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  connection.inhibit_reactivation(true);
#pragma GCC diagnostic pop
#endif
}

// What whoever reads the error can do about it; empty: what it says is all we know. By type, since version 6 gives
// these two without their SQLSTATE.
std::string fix_for(const std::exception& trouble) {
  if (dynamic_cast<const pqxx::insufficient_privilege*>(&trouble) != nullptr) {
    return "the login lacks this right: an owner gives it with steelyard db grant LOGIN --as reader|writer|owner";
  }
  if (dynamic_cast<const pqxx::disk_full*>(&trouble) != nullptr) {
    return "make room on the disk of the server; what was not stored waits and is sent again";
  }
  return "";
}

// Whether the server refused the values themselves, as it would every time they are sent. Classes of PostgreSQL's
// appendix "Error Codes": 22 data exception, 23 integrity constraint violation, 54 program limit exceeded. Of 22
// without 2200H: the server has no number left for a row, whatever its values.
bool refuses_values(const std::exception& trouble) {
  const auto* refusal = dynamic_cast<const pqxx::sql_error*>(&trouble);
  if (refusal == nullptr) return false;
  const std::string_view state = refusal->sqlstate();
  return (state.starts_with("22") && state != "2200H") || state.starts_with("23") || state.starts_with("54");
}

// Whether the server ended the session with what it said, or no server said it: its last word may reach us before the
// end of the stream does, and the link looks open until then. Of the same appendix: 57P operator intervention that ends
// sessions, 25P03 and 25P04 a transaction that took too long. A coordinator may pass on a worker's last word and go on:
// then we connect once more than we had to.
bool ends_session(const std::exception& trouble) {
  if (const auto* said = dynamic_cast<const pqxx::sql_error*>(&trouble); said != nullptr) {
    const std::string_view state = said->sqlstate();
    // libpqxx 6 gives errors of types of their own without their state, libpq what it says itself.
    if (state.empty()) return typeid(trouble) == typeid(pqxx::sql_error);
    return state.starts_with("57P") || state == "25P03" || state == "25P04";
  }
  return dynamic_cast<const pqxx::failure*>(&trouble) != nullptr &&
         dynamic_cast<const pqxx::transaction_rollback*>(&trouble) == nullptr;
}

}  // namespace

struct Rows::Content {
  pqxx::result result;
};

struct Session::Connection {
  std::string url;
  std::string name;
  std::string role{};
  std::string only_project{};
  std::chrono::milliseconds most_of_a_statement{0};
  bool is_limited = false;     // the role sees some rows only
  bool refused_login = false;  // Session::refused_login()
  Link link = Link::up;
  std::optional<pqxx::connection> server;
  std::shared_ptr<void> notice_handler;  // destroyed before `server`, which it refers to

  // Runs `action` and turns what it throws into an error of kind store.
  template <class Action>
  Result<void> guard(const std::string& what, Action action) {
    bool values_refused = false;
    return guard(what, action, values_refused);
  }
  // guard() of an action that carries values: where the server refuses those, the kind is input.
  template <class Action>
  Result<void> guard_values(const std::string& what, Action action) {
    bool values_refused = false;
    Result<void> done = guard(what, action, values_refused);
    if (done || !values_refused) return done;
    Error error = std::move(done).error();
    error.kind = ErrorKind::input;
    error.wanted = "values that the server takes";
    error.fix = "sent again they would be refused again; please report this";
    return error;
  }

 private:
  template <class Action>
  Result<void> guard(const std::string& what, Action& action, bool& values_refused) {
    try {
      action();
      return {};
    } catch (const std::exception& trouble) {
      if (link == Link::up && (!server || !server->is_open() || ends_session(trouble))) link = Link::lost;
      values_refused = link == Link::up && refuses_values(trouble);
      refused_login = is_limited && dynamic_cast<const pqxx::insufficient_privilege*>(&trouble) != nullptr;
      return store_error("store " + name, what + ": " + one_line_without_secrets(trouble.what(), url), "",
                         fix_for(trouble));
    }
  }
};

std::int64_t Rows::size() const { return static_cast<std::int64_t>(content_->result.size()); }
std::int64_t Rows::affected() const { return static_cast<std::int64_t>(content_->result.affected_rows()); }
bool Rows::is_null(std::int64_t row, int column) const {
  return content_->result[static_cast<pqxx::result::size_type>(row)][static_cast<pqxx::row::size_type>(column)]
      .is_null();
}
std::string_view Rows::raw(std::int64_t row, int column) const {
  const auto field =
      content_->result[static_cast<pqxx::result::size_type>(row)][static_cast<pqxx::row::size_type>(column)];
  return {field.c_str(), static_cast<std::size_t>(field.size())};
}
std::string Rows::text(std::int64_t row, int column) const { return decode_database_text(raw(row, column)); }
std::int64_t Rows::integer(std::int64_t row, int column) const { return integer_of_text(raw(row, column)); }
double Rows::number(std::int64_t row, int column) const { return number_of_text(raw(row, column)); }
bool Rows::boolean(std::int64_t row, int column) const { return raw(row, column) == "t"; }
std::vector<std::string> Rows::texts(int column) const {
  std::vector<std::string> all;
  for (std::int64_t row = 0; row < size(); ++row) all.push_back(text(row, column));
  return all;
}
std::vector<std::int64_t> Rows::integers(int column) const {
  std::vector<std::int64_t> all;
  for (std::int64_t row = 0; row < size(); ++row) all.push_back(integer(row, column));
  return all;
}

Session::Session(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<Session> Session::connect(const std::string& url, const std::string& safe_name) {
  auto connection = std::make_unique<Connection>();
  connection->url = url;
  connection->name = safe_name;
  std::string full = with_option(url, "connect_timeout", kConnectSeconds);
  full = with_option(full, "tcp_user_timeout", kUserTimeoutMilliseconds);
  full = with_option(full, "keepalives_idle", kSecondsUntilAsked);
  full = with_option(full, "keepalives_interval", kSecondsUntilAsked);
  full = with_option(full, "client_encoding", "UTF8");
  full = with_option(full, "fallback_application_name", "steelyard");
  STEELYARD_CHECK(connection->guard("cannot connect", [&] {
    connection->server.emplace(full);
    silence_notices(*connection->server, connection->notice_handler);
    forbid_reconnecting(*connection->server);
  }));
  return Session(std::move(connection));
}

Result<void> Session::run_alone(const std::string& statement) {
  return connection_->guard("a statement failed", [&] {
    pqxx::nontransaction work(*connection_->server);
    work.exec(statement);
  });
}

Session::Link Session::link() const { return connection_->link; }
bool Session::refused_login() const { return connection_->refused_login; }
const std::string& Session::name() const { return connection_->name; }
std::string Session::act_as(std::string role) {
  connection_->is_limited = role == kProjectWriterRole;
  return std::exchange(connection_->role, std::move(role));
}

void Session::limit_statements(std::chrono::milliseconds most) { connection_->most_of_a_statement = most; }

void Session::see_only(std::string project) { connection_->only_project = std::move(project); }

struct Transaction::Work {
  Session::Connection* connection = nullptr;
  std::optional<pqxx::work> work;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();

  // Each of many statements may be in its time, and all of them not.
  Result<void> in_time() const {
    const std::chrono::milliseconds most = connection->most_of_a_statement;
    if (most.count() == 0 || std::chrono::steady_clock::now() - begin <= most) return {};
    return store_error("store " + connection->name, "not done after " + std::to_string(most.count()) + " ms", "",
                       "the transaction was rolled back; try again when the store has less to do");
  }
};

Transaction::Transaction(std::unique_ptr<Work> work) : work_(std::move(work)) {}
Transaction::Transaction(Transaction&&) noexcept = default;
Transaction::~Transaction() = default;

Result<Transaction> Transaction::begin(Session& session) {
  auto work = std::make_unique<Work>();
  work->connection = session.connection_.get();
  STEELYARD_CHECK(work->connection->guard("cannot begin a transaction", [&] {
    work->work.emplace(*session.connection_->server);
    std::string settings = kTransactionSettings;
    if (const std::string& role = work->connection->role; !role.empty()) {
      settings += "; set local role " + session.connection_->server->quote_name(role);
    }
    if (const std::string& project = work->connection->only_project; !project.empty()) {
      settings += "; select set_config('steelyard.only_project', " +
                  session.connection_->server->quote(encode_database_text(project)) + ", true)";
    }
    if (const auto most = work->connection->most_of_a_statement; most.count() > 0) {
      settings += "; set local statement_timeout = " + std::to_string(most.count());
    }
    work->work->exec(settings);
  }));
  return Transaction(std::move(work));
}

Result<Rows> Transaction::run(const std::string& statement, const SqlValues& values, RowCount expected) {
  STEELYARD_CHECK(work_->in_time());
  Rows rows;
  STEELYARD_CHECK(work_->connection->guard_values("a statement failed", [&] {
    rows.content_ =
        std::make_shared<Rows::Content>(Rows::Content{run_with_cells(*work_->work, statement, values.cells())});
  }));
  // A statement without columns (insert, update, delete) yields no rows; it touches some.
  const std::int64_t count = rows.content_->result.columns() > 0 ? rows.size() : rows.affected();
  if (count < expected.least || count > expected.most) {
    return store_error("store " + work_->connection->name,
                       std::to_string(count) + " rows for \"" + statement.substr(0, 60) + "...\"",
                       std::to_string(expected.least) + (expected.least == expected.most ? "" : " or more"),
                       "the transaction was rolled back; please report this");
  }
  return rows;
}

Result<void> Transaction::run_script(const std::string& statements) {
  STEELYARD_CHECK(work_->in_time());
  return work_->connection->guard("a script failed", [&] { work_->work->exec(statements); });
}

Result<void> Transaction::copy(const CopyTarget& target, std::size_t count,
                               const std::function<SqlValues(std::size_t)>& row) {
  if (count == 0) return {};
  STEELYARD_CHECK(work_->in_time());
  return work_->connection->guard_values("copying into " + target.table + " failed", [&] {
    if (work_->connection->is_limited) {
      Inserting inserting(*work_->work, target);
      for (std::size_t i = 0; i < count; ++i) inserting.add(row(i).cells());
      return inserting.send();
    }
    pqxx::stream_to stream = stream_into(*work_->work, target);
    for (std::size_t i = 0; i < count; ++i) stream_values(stream, row(i));
    stream.complete();
  });
}

Result<void> Transaction::copy_rows(const CopyTarget& target, std::size_t count,
                                    const std::function<void(std::size_t, CopyRow&)>& row) {
  if (count == 0) return {};
  STEELYARD_CHECK(work_->in_time());
  return work_->connection->guard_values("copying into " + target.table + " failed", [&] {
    CopyRow cells;
    const auto each = [&](auto take) {
      for (std::size_t i = 0; i < count; ++i) {
        cells.clear();
        row(i, cells);
        take(cells.cells());
      }
    };
    if (work_->connection->is_limited) {
      Inserting inserting(*work_->work, target);
      each([&](const auto& one) { inserting.add(one); });
      return inserting.send();
    }
    pqxx::stream_to stream = stream_into(*work_->work, target);
    each([&](const auto& one) { stream_cells(stream, one); });
    stream.complete();
  });
}

Result<void> Transaction::commit() {
  Session::Connection& connection = *work_->connection;
  const Result<void> done = connection.guard_values("COMMIT failed", [&] { work_->work->commit(); });
  // With the link gone, the COMMIT may have arrived all the same.
  if (!done && connection.link == Session::Link::lost) connection.link = Session::Link::commit_unanswered;
  work_->work.reset();
  return done;
}

}  // namespace steelyard::storage
