#include "bench/counting/count_key.hpp"

namespace steelyard {
namespace {

// Libraries of the system are a condition; those that a project builds are what is measured, and differ in every build.
bool is_of_the_system(const std::string& file) { return file.starts_with("/usr/") || file.starts_with("/lib"); }

std::string with_build(const std::string& name, const std::string& build) {
  return build.empty() || build == "-" ? name : name + " " + build;
}

std::string allocator_text(const ShimReport& report, const std::filesystem::path& link) {
  const std::filesystem::path file = report.allocator;
  if (file == link) return "malloc of the program";
  const std::string name = "malloc " + file.filename().string();
  return is_of_the_system(report.allocator) ? with_build(name, report.allocator_build) : name;
}

}  // namespace

std::string count_key(const std::string& valgrind_version, const Collection& collection,
                      const std::filesystem::path& link) {
  const ShimReport& report = collection.report;
  std::string key = valgrind_version;
  if (!report.libc.empty()) key += ";" + with_build("glibc " + report.libc, report.libc_build);
  if (!report.allocator.empty()) key += ";" + allocator_text(report, link);
  if (!report.cpu.empty()) key += ";cpu " + report.cpu;
  // Which are plain x86-64's, whatever the host (counting_environment).
  if (!report.dispatch.empty()) key += ";libc routines " + report.dispatch;
  if (!collection.openblas_core.empty()) key += ";OpenBLAS " + collection.openblas_core;
  return key;
}

}  // namespace steelyard
