#include <iostream>

#include "ci/run.hpp"

int main(int argc, char** argv) {
  return steelyard::run_program({argv + 1, argv + argc}, std::cin, std::cout, std::cerr);
}
