// A postgresql:// address as text: what in it is secret, and what may be printed. Nothing here connects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace steelyard {

// The address with every password as "***". A text that cannot be taken apart with certainty shows its scheme alone.
std::string address_without_secrets(std::string_view url);

// A message of libpq or the server, fit for one line of ours: no line breaks, bounded, and no password of `url` in it,
// as written there or percent-decoded (libpq quotes parts of an address that it cannot read).
std::string one_line_without_secrets(std::string_view message, std::string_view url);

// The address with one more option, unless it has that option already.
std::string with_option(const std::string& url, std::string_view name, std::string_view value);

std::string percent_encode(std::string_view text);
std::string percent_decode(std::string_view text);  // a "%" that starts no code stands for itself

}  // namespace steelyard
