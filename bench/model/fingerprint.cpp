// Apart from the rest of an environment: it needs libcrypto, which programs that measure devices go without.
#include <algorithm>
#include <iterator>

#include "bench/model/environment.hpp"
#include "bench/model/sha256.hpp"

namespace steelyard {

std::string Environment::fingerprint() const {
  std::vector<Fact> decisive;
  std::copy_if(facts.begin(), facts.end(), std::back_inserter(decisive), [](const Fact& f) { return f.decisive; });
  if (decisive.empty()) return "";
  std::sort(decisive.begin(), decisive.end());
  std::string text;
  // Lengths keep "a=b" + "c" apart from "a" + "b=c".
  for (const Fact& fact : decisive) {
    text += std::to_string(fact.name.size()) + ':' + fact.name + std::to_string(fact.value.size()) + ':' + fact.value;
  }
  return sha256_hex(text).substr(0, 16);
}

}  // namespace steelyard
