#include "ci/service/peer_address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace steelyard::ci {

std::string limited_address(const std::string& address) {
  std::array<unsigned char, 16> bytes{};
  const std::string whole = address.substr(0, address.find('%'));  // without the interface
  if (::inet_pton(AF_INET6, whole.c_str(), bytes.data()) != 1) return address;
  constexpr std::array<unsigned char, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (std::equal(kMapped.begin(), kMapped.end(), bytes.begin())) {
    return ::inet_ntop(AF_INET, &bytes[kMapped.size()], text.data(), text.size());
  }
  std::fill(bytes.begin() + bytes.size() / 2, bytes.end(), static_cast<unsigned char>(0));
  return std::string(::inet_ntop(AF_INET6, bytes.data(), text.data(), text.size())) + "/64";
}

}  // namespace steelyard::ci
