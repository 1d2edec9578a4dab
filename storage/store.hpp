// Keeps runs, comparisons and what became of them in PostgreSQL: the embedded cluster or a server. A Store is the open
// connection; each question has a class of its own, made from it, and no caller sees SQL or libpqxx.
//
//     STEELYARD_TRY(Store store, Store::open(parse_store_address("embedded"), state_folder()));
//     STEELYARD_TRY(const bool is_new, RunStore(store).put(run));
//
//     run_store.hpp, comparison_store.hpp   what was measured and how it was judged
//     history_store.hpp                     series, baselines, ranges of commits, change points
//     alert_store.hpp                       what got worse and who took it on
//     access_store.hpp                      logins, tokens, the audit trail
//     upkeep.hpp                            sizes, retention, derived data, distribution
//     delivery.hpp                          what waits in the spool
//
// Where the link is lost a new one is made, once for each call. What is put is put once, however often it is sent: of a
// commit whose answer got lost the second try tells whether it arrived.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/place/store_address.hpp"

namespace steelyard::storage {

class StoreConnection;
class StoreService;

class Store {
 public:
  // Connects, starting the embedded cluster when needed, and brings the schema up to date. Errors: kind store.
  static Result<Store> open(const StoreAddress& address, const std::filesystem::path& state);
  // On a service in place of a database (store_service.hpp), which is asked when something is: what that does not
  // answer is an error (input) of the question. `state`: where the spool is.
  static Store over(std::unique_ptr<StoreService> service, const std::filesystem::path& state);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  // What opening has done that someone should know, such as an upgrade of the embedded cluster: a line each, once.
  std::vector<std::string> take_notices();
  // From now on as somebody who may see, or see and add to, that project alone: by the database's own policies,
  // whatever is asked. Empty: as the login again. Error (store): nothing would limit it, and nothing has changed.
  Result<void> see_only(const std::string& project, bool may_write = false);
  // From now on no statement of the daily work takes longer, nor begins later than that after its transaction; zero:
  // however long it takes. One that would is an error (store), and its transaction is rolled back.
  void limit_statements(std::chrono::milliseconds most);
  // So many bytes of values that HistoryStore::lines() read; 0, as it begins: none. Runs that come later are read.
  // Which series are seen is asked of the database each time; which runs, where the branch's row has changed or others
  // are seen.
  void remember_values(std::size_t most_bytes);
  // Of the last error of putting a run or a comparison: this login, of some projects, may not write that one, and
  // another may.
  bool refused_login() const;
  // For the classes by question. Stays where it is when the Store moves, and ends with it.
  StoreConnection& connection() { return *connection_; }

 private:
  explicit Store(std::unique_ptr<StoreConnection> connection);
  std::unique_ptr<StoreConnection> connection_;
};

}  // namespace steelyard::storage
