// A store on an empty database, and questions to that database, for tests of what is kept.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "storage/postgres/session/session.hpp"
#include "storage/store.hpp"
#include "tests/promised.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage_test {

class KeptStore : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto url = migrated_database();
    STEELYARD_SKIP_WITHOUT("postgresql", url, kNoServer);
    address_ = {false, *url};
    state_ = fresh_state_folder();
  }
  storage::Store open() { return open_at(address_); }
  storage::Store open_at(const storage::StoreAddress& address) {
    auto store = storage::Store::open(address, state_);
    if (!store) throw std::runtime_error(store.error().text());
    return std::move(store).value();
  }
  storage::Session session() { return storage::Session::connect(address_.url, "test").value(); }
  // The only cell of the answer to a query of ours; what the query changed is kept.
  std::string ask(const std::string& query) {
    storage::Session asking = session();
    auto transaction = storage::Transaction::begin(asking);
    const auto rows = transaction->run(query, {}, storage::kOneRow);
    if (!rows) return rows.error().text();
    const auto done = transaction->commit();
    return done ? rows->text(0, 0) : done.error().text();
  }
  void tell(const std::string& script) {
    storage::Session telling = session();
    auto transaction = storage::Transaction::begin(telling);
    const auto done = transaction->run_script(script);
    if (!done) throw std::runtime_error(done.error().text());
    if (const auto committed = transaction->commit(); !committed) throw std::runtime_error(committed.error().text());
  }
  storage::StoreAddress address_;
  std::filesystem::path state_;
};

}  // namespace steelyard::storage_test
