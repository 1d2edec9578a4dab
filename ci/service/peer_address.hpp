// Whose connections and requests count together.
#pragma once

#include <string>

namespace steelyard::ci {

// The address; of IPv6 its /64, which one customer has all of: "2001:db8:1:2::/64". An IPv4 address stays what it is in
// either notation.
std::string limited_address(const std::string& address);

}  // namespace steelyard::ci
