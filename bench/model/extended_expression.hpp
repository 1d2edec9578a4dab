// An extended regular expression of POSIX, as the C library takes it: what a program of Google Benchmark chooses by,
// and what a user gives to choose names. The one place that compiles such. Not std::regex, which recurses once a
// character and ends the program on the longest names of templates.
//
//     STEELYARD_TRY(const ExtendedExpression filter, ExtendedExpression::compile("sum/[0-9]+", "--filter"));
//     filter.finds_in("BM_sum/64") == true
#pragma once

#include <regex.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "bench/model/result.hpp"

namespace steelyard {

class ExtendedExpression {
 public:
  // Error (input): `where` names the option; what is wrong with the expression, which is shown as `written`.
  static Result<ExtendedExpression> compile(const std::string& expression, const std::string& where,
                                            const std::string& written);
  static Result<ExtendedExpression> compile(const std::string& expression, const std::string& where) {
    return compile(expression, where, expression);
  }

  bool finds_in(const std::string& text) const;  // anywhere

 private:
  struct Free {
    void operator()(regex_t* compiled) const;
  };
  explicit ExtendedExpression(std::unique_ptr<regex_t, Free> compiled) : compiled_(std::move(compiled)) {}
  std::unique_ptr<regex_t, Free> compiled_;
};

// What is open at the end of an expression in every dialect: '(', '[' or a backslash; 0: nothing is for certain.
char left_open(std::string_view expression);
// What to write where that sign itself is meant; empty of 0.
std::string fix_of_open(char sign);

}  // namespace steelyard
