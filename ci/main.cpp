// Where the program begins: passwords go out of the list of processes, all else is ci/run_program.hpp.
#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/runner/secrets.hpp"
#include "ci/run_program.hpp"

namespace {

// A store's address on the command line may hold a password: out of the list of processes with it.
void hide_addresses(int argc, char** argv) {
  constexpr std::string_view kSign = "://";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const std::size_t at = word.find("postgres");
    const std::size_t sign = at == std::string_view::npos ? at : word.find(kSign, at);
    if (sign == std::string_view::npos) continue;
    std::fill(argv[i] + sign + kSign.size(), argv[i] + word.size(), '*');
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments{argv + 1, argv + argc};
  hide_addresses(argc, argv);
  steelyard::bench::hide_own_secrets();
  return steelyard::ci::run_program(arguments, std::cin, std::cout, std::cerr);
}
