#include "ci/app/name_filter.hpp"

#include <array>
#include <utility>

namespace steelyard {

void NameFilter::Free::operator()(regex_t* compiled) const {
  regfree(compiled);
  delete compiled;
}

Result<NameFilter> NameFilter::of(const std::string& pattern, const std::string& where) {
  // Freed by regfree only once it was compiled.
  auto compiled = std::make_unique<regex_t>();
  const int fault = regcomp(compiled.get(), pattern.c_str(), REG_EXTENDED | REG_NOSUB);
  if (fault == 0) return NameFilter(std::unique_ptr<regex_t, Free>(compiled.release()));
  std::array<char, 200> text{};
  regerror(fault, compiled.get(), text.data(), text.size());
  return input_error(where, '"' + pattern + "\" (" + text.data() + ")", "an extended regular expression");
}

bool NameFilter::matches(const std::string& text) const {
  return regexec(compiled_.get(), text.c_str(), 0, nullptr, 0) == 0;
}

}  // namespace steelyard
