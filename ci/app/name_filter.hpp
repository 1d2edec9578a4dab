// A pattern that a user gives to choose names: a POSIX extended regular expression, found anywhere in the text. Not
// std::regex, which recurses once a character and ends the program on the longest names of templates.
#pragma once

#include <regex.h>

#include <memory>
#include <string>

#include "bench/model/result.hpp"

namespace steelyard {

class NameFilter {
 public:
  // Error (input): `where` names the option; what is wrong with the pattern.
  static Result<NameFilter> of(const std::string& pattern, const std::string& where);

  bool matches(const std::string& text) const;

 private:
  struct Free {
    void operator()(regex_t* compiled) const;
  };
  explicit NameFilter(std::unique_ptr<regex_t, Free> compiled) : compiled_(std::move(compiled)) {}
  std::unique_ptr<regex_t, Free> compiled_;
};

}  // namespace steelyard
