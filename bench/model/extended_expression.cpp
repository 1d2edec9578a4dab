#include "bench/model/extended_expression.hpp"

#include <array>

namespace steelyard {

void ExtendedExpression::Free::operator()(regex_t* compiled) const {
  ::regfree(compiled);
  delete compiled;
}

Result<ExtendedExpression> ExtendedExpression::compile(const std::string& expression, const std::string& where) {
  // Freed by regfree only once it was compiled.
  auto compiled = std::make_unique<regex_t>();
  const int fault = ::regcomp(compiled.get(), expression.c_str(), REG_EXTENDED | REG_NOSUB);
  if (fault == 0) return ExtendedExpression(std::unique_ptr<regex_t, Free>(compiled.release()));
  std::array<char, 200> text{};
  ::regerror(fault, compiled.get(), text.data(), text.size());
  return input_error(where, '"' + expression + "\", which is no regular expression (" + text.data() + ')',
                     "an extended one of POSIX");
}

bool ExtendedExpression::finds_in(const std::string& text) const {
  return ::regexec(compiled_.get(), text.c_str(), 0, nullptr, 0) == 0;
}

}  // namespace steelyard
