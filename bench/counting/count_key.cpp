#include "bench/counting/count_key.hpp"

namespace steelyard {

std::string count_key(const std::string& valgrind_version, const Collection& collection,
                      const std::filesystem::path& link) {
  const ShimReport& report = collection.report;
  std::string key = valgrind_version;
  if (!report.libc.empty()) key += ";glibc " + report.libc;
  if (!report.allocator.empty()) {
    const std::filesystem::path file = report.allocator;
    key += file == link ? std::string(";malloc of the program") : ";malloc " + file.filename().string();
  }
  if (!report.cpu.empty()) key += ";cpu " + report.cpu;
  key += ";tunables pinned";
  if (!collection.openblas_core.empty()) key += ";OpenBLAS " + collection.openblas_core;
  return key;
}

}  // namespace steelyard
