// A connection to a store's database, whatever schema it has: the embedded cluster is started when needed. Store::open
// is this and what make_ready() does (storage/postgres/access/login.hpp).
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "bench/model/result.hpp"
#include "storage/embedded/cluster.hpp"
#include "storage/place/store_address.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

struct StoreLink {
  Session session;
  std::string url;                         // may hold a password: never printed
  std::optional<EmbeddedServer> server{};  // absent: a server of someone else's
};

// Error (store): no answer.
Result<StoreLink> link_to_store(const StoreAddress& address, const std::filesystem::path& state);

}  // namespace steelyard
