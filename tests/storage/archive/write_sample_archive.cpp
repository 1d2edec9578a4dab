// write_sample_archive FILE: the sample run as this platform archives it.
#include <iostream>

#include "storage/archive/archive.hpp"
#include "tests/storage/archive/sample_run.hpp"

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: write_sample_archive FILE\n";
    return 3;
  }
  steelyard::Run run = steelyard::storage::sample_run();
  steelyard::storage::seal(run);
  const auto written = steelyard::storage::write_archive(arguments[1], run);
  if (!written) std::cerr << written.error().text() << '\n';
  return written ? 0 : 1;
}
