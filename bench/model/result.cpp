#include "bench/model/result.hpp"

#include <cerrno>
#include <cstring>

namespace steelyard {

std::string Error::text() const {
  std::string line = where;
  const auto append = [&line](const char* separator, const char* word, const std::string& part) {
    if (part.empty()) return;
    if (!line.empty()) line += separator;
    line += word + part;
  };
  // "found" introduces a thing that was read; a whole sentence stands by itself.
  append(": ", wanted.empty() ? "" : "found ", found);
  append(", ", "wanted ", wanted);
  append("; ", "", fix);
  return line;
}

Error input_error(std::string where, std::string found, std::string wanted, std::string fix) {
  return {ErrorKind::input, std::move(where), std::move(found), std::move(wanted), std::move(fix)};
}
Error program_error(std::string where, std::string found, std::string wanted, std::string fix) {
  return {ErrorKind::program, std::move(where), std::move(found), std::move(wanted), std::move(fix)};
}
Error budget_error(std::string where, std::string found, std::string wanted, std::string fix) {
  return {ErrorKind::budget, std::move(where), std::move(found), std::move(wanted), std::move(fix)};
}
Error store_error(std::string where, std::string found, std::string wanted, std::string fix) {
  return {ErrorKind::store, std::move(where), std::move(found), std::move(wanted), std::move(fix)};
}
Error bug_error(std::string where, std::string found) {
  return {ErrorKind::bug, std::move(where), std::move(found), "", "please report this"};
}

std::string unopened_text(int code) { return code == ENOENT ? "no such file" : std::strerror(code); }

}  // namespace steelyard
