// SHA-256 (FIPS 180-4) as lower-case hex, for fingerprints and content identities. OpenSSL's, behind one function.
#pragma once

#include <string>
#include <string_view>

namespace steelyard {

std::string sha256_hex(std::string_view bytes);  // 64 characters

}  // namespace steelyard
