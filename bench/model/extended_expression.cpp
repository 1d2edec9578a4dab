#include "bench/model/extended_expression.hpp"

#include <algorithm>
#include <array>

namespace steelyard {
namespace {

// What the C library says is open; 0: it says something else.
char open_by_fault(int fault) {
  switch (fault) {
    case REG_EPAREN:
      return '(';
    case REG_EBRACK:
      return '[';
    case REG_EESCAPE:
      return '\\';
    default:
      return 0;
  }
}

}  // namespace

// Dialects disagree on where a set, a quotation (\Q), a control character (\c() and a comment ("(?#", and "#" under the
// flag x) end: behind the first of these no group counts that opens, and any ")" there may close one that opened
// before.
char left_open(std::string_view expression) {
  const auto has = [expression](std::string_view text) { return expression.find(text) != std::string_view::npos; };
  const bool may_comment = has("(?") && has("#");
  const std::size_t last_other = expression.find_last_not_of('\\') + 1;  // npos + 1 is 0
  const bool is_escaping = (expression.size() - last_other) % 2 != 0;
  if (is_escaping && !has("\\Q") && !has("\\c") && !may_comment) return '\\';
  const auto is_plain = [expression, may_comment](std::size_t at) {
    if (expression[at] != '\\') return expression[at] != '[' && !(may_comment && expression[at] == '#');
    const std::string_view escaped = expression.substr(at + 1, 1);
    return escaped != "Q" && escaped != "c";
  };
  std::size_t groups = 0;
  std::size_t at = 0;
  for (; at < expression.size() && is_plain(at); ++at) {
    const char c = expression[at];
    if (c == '\\') ++at;
    if (c == '(') ++groups;
    if (c == ')' && groups > 0) --groups;
  }
  const bool is_set = at < expression.size() && expression[at] == '[';
  if (is_set && expression.find(']', at) == std::string_view::npos) return '[';
  for (; at < expression.size(); ++at) {
    if (expression[at] == ')' && groups > 0) --groups;
  }
  return groups > 0 ? '(' : '\0';
}

std::string fix_of_open(char sign) {
  if (sign == 0) return "";
  std::string fix = "write \\( where a ( itself is meant";
  std::replace(fix.begin(), fix.end(), '(', sign);
  return fix;
}

void ExtendedExpression::Free::operator()(regex_t* compiled) const {
  ::regfree(compiled);
  delete compiled;
}

Result<ExtendedExpression> ExtendedExpression::compile(const std::string& expression, const std::string& where,
                                                       const std::string& written) {
  // Freed by regfree only once it was compiled.
  auto compiled = std::make_unique<regex_t>();
  const int fault = ::regcomp(compiled.get(), expression.c_str(), REG_EXTENDED | REG_NOSUB);
  if (fault == 0) return ExtendedExpression(std::unique_ptr<regex_t, Free>(compiled.release()));
  std::array<char, 200> text{};
  ::regerror(fault, compiled.get(), text.data(), text.size());
  const char by_fault = open_by_fault(fault);
  return input_error(where, '"' + written + "\", which is no regular expression (" + text.data() + ')',
                     "an extended one of POSIX", fix_of_open(by_fault != 0 ? by_fault : left_open(expression)));
}

bool ExtendedExpression::finds_in(const std::string& text) const {
  return ::regexec(compiled_.get(), text.c_str(), 0, nullptr, 0) == 0;
}

}  // namespace steelyard
