#include "bench/counting/algebra/standard_names.hpp"

#include <array>

namespace steelyard {
namespace {

// torch/utils/benchmark/utils/valgrind_wrapper/timer_interface.py, CallgrindStats.as_standardized. Each is kept without
// its first slash, and needs something before it. The first need not be a folder's whole name.
constexpr std::array<std::string_view, 4> kMarks{"build/../", "/build/aten/", "/Python/", "/Objects/"};

// The path from `folder` to `file`; empty where it is not below.
std::string below(const std::filesystem::path& file, const std::filesystem::path& folder) {
  if (folder.empty()) return "";
  const std::filesystem::path relative = file.lexically_relative(folder.lexically_normal());
  if (relative.empty() || relative == "." || *relative.begin() == "..") return "";
  return relative.generic_string();
}

}  // namespace

std::string standard_file(std::string_view file, const StandardNames& names) {
  if (!names.folders.empty()) {
    const std::filesystem::path normal = std::filesystem::path(file).lexically_normal();
    for (const std::filesystem::path& folder : names.folders) {
      std::string relative = below(normal, folder);
      if (!relative.empty()) return relative;
    }
  }
  for (const std::string_view mark : kMarks) {
    const std::size_t at = file.rfind(mark);
    if (at != std::string_view::npos && at > 0) file = file.substr(at + (mark.front() == '/' ? 1 : 0));
  }
  return std::string(file);
}

Result<FunctionCounts> as_standardized(const FunctionCounts& counts, const StandardNames& names) {
  return counts.transformed([&](const FunctionKey& key) {
    return FunctionKey{"", standard_file(key.file, names), key.function};
  });
}

}  // namespace steelyard
