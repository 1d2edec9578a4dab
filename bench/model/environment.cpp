#include "bench/model/environment.hpp"

#include <algorithm>
#include <map>

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

const std::string* Environment::find(std::string_view name) const {
  const auto at = std::find_if(facts.begin(), facts.end(), [&](const Fact& f) { return f.name == name; });
  return at == facts.end() ? nullptr : &at->value;
}

void Environment::set(std::string_view name, std::string value, bool decisive) {
  const auto at = std::find_if(facts.begin(), facts.end(), [&](const Fact& f) { return f.name == name; });
  if (at == facts.end()) {
    facts.push_back({std::string(name), std::move(value), decisive});
  } else {
    at->value = std::move(value);
    at->decisive = decisive;
  }
}

std::vector<FactDifference> differences(const Environment& baseline, const Environment& candidate) {
  std::map<std::string, FactDifference> by_name;
  for (const Fact& fact : baseline.facts) by_name[fact.name] = {fact.name, fact.value, "", fact.decisive};
  for (const Fact& fact : candidate.facts) {
    FactDifference& entry = by_name[fact.name];
    entry.name = fact.name;
    entry.candidate = fact.value;
    entry.decisive = entry.decisive || fact.decisive;
  }
  std::vector<FactDifference> result;
  for (auto& [name, entry] : by_name) {
    if (entry.baseline != entry.candidate) result.push_back(std::move(entry));
  }
  return result;
}

}  // namespace steelyard
