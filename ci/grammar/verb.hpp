// A verb as data: what it is called, what it takes, where each option's value goes. The command line is read by this
// table and its help is printed from it; adding an option is adding a row here.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "ci/app/options.hpp"

namespace steelyard {

struct VerbOption {
  std::string name;   // "--output"
  std::string value;  // how help names it: "FILE"; empty: a flag; in brackets: it may be left out, and is empty then
  std::string help;
  std::string group;     // of the help: "General", "Measuring", "Judging", "Building"
  bool is_list = false;  // several are joined by commas; of others the last one holds
  std::function<Result<void>(const std::string& text)> set;  // a flag's text is "true"
  bool is_repeated = false;                                  // `set` is called for each that is given
};

struct Verb {
  std::string name;
  std::string description;
  std::vector<std::string> names;  // of the positional arguments, for usage and messages; "..." in the last: any number
  std::size_t least_names = 0;
  bool takes_rest = false;  // arguments after a lone --
  std::string example;      // lines, indented by two blanks
  std::vector<VerbOption> options;

  VerbOptions result;  // what the setters fill
  // Takes the positional arguments (as many as declared) and what followed the --.
  std::function<Result<void>(std::vector<std::string> given, std::vector<std::string> rest)> finish;
};

// In the order of the help. By pointer: the setters hold addresses into `result`.
std::vector<std::unique_ptr<Verb>> make_verbs();

}  // namespace steelyard
