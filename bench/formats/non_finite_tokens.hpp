// Google Benchmark writes a counter or time that is not finite as a bare NaN or Infinity, which is not JSON: a strict
// parser refuses the whole file. These tokens are rewritten to strings of the same length, so that the rest of the file
// can be read, offsets stay true, and the one bad value can be named.
#pragma once

#include <string>
#include <string_view>

namespace steelyard::bench {

// Every bare NaN, nan, Infinity, inf (with or without a sign) outside of strings becomes a string: NaN -> "N", or of
// `filler` where one is given, so that no string of the file's own looks the same. The text keeps its length. Linear; a
// text that holds none comes back as it was.
std::string mask_non_finite_tokens(std::string json, char filler = '\0');

// What stood in the file where a masked string was found where a number was wanted; empty where it is no such string.
std::string_view unmask_non_finite(std::string_view masked);

// True where the text breaks off inside of such a token: "Na" is not masked, and refused where it begins.
bool ends_in_cut_non_finite_token(std::string_view json);

}  // namespace steelyard::bench
