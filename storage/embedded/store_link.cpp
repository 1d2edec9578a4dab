#include "storage/embedded/store_link.hpp"

#include <utility>

#include "storage/embedded/cluster.hpp"

namespace steelyard {
namespace {

// An embedded server that was there when we looked may end before we connect: it is unused, or was stopped by hand.
Result<StoreLink> connect_embedded(const StoreAddress& address, const std::filesystem::path& state) {
  constexpr int kTries = 3;
  for (int left = kTries;; --left) {
    STEELYARD_TRY(EmbeddedServer server, ensure_embedded_running(state));
    Result<Session> session = Session::connect(server.url, address.safe_text());
    if (session) return StoreLink{std::move(session).value(), server.url, std::move(server)};
    if (left == 1) return std::move(session).error();
  }
}

}  // namespace

Result<StoreLink> link_to_store(const StoreAddress& address, const std::filesystem::path& state) {
  if (address.embedded) return connect_embedded(address, state);
  STEELYARD_TRY(Session session, Session::connect(address.url, address.safe_text()));
  return StoreLink{std::move(session), address.url, {}};
}

}  // namespace steelyard
