#include "bench/runner/private_folder.hpp"

#include <stdlib.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

namespace steelyard {
Result<PrivateFolder> PrivateFolder::create() {
  std::error_code failure;
  std::filesystem::path parent = std::filesystem::temp_directory_path(failure);
  if (failure) parent = "/tmp";
  std::string pattern = (parent / "steelyard-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    return input_error(parent.string(), std::strerror(errno), "a folder for temporary files",
                       "free space there, or set TMPDIR");
  }
  PrivateFolder folder{std::filesystem::path(pattern)};
  for (const Side side : {Side::baseline, Side::candidate}) {
    std::filesystem::create_directory(folder.of(side), failure);
    if (failure) return input_error(folder.of(side).string(), failure.message(), "a new folder", "free space there");
  }
  return folder;
}

PrivateFolder::PrivateFolder(PrivateFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

// Names of equal length.
std::filesystem::path PrivateFolder::of(Side side) const { return path_ / (side == Side::baseline ? "base" : "cand"); }

std::filesystem::path PrivateFolder::output_file(Side side) const { return of(side) / "out.json"; }

Result<std::filesystem::path> PrivateFolder::place(Side side, const std::filesystem::path& executable) const {
  std::error_code failure;
  const std::filesystem::path absolute = std::filesystem::absolute(executable, failure);
  if (failure) return input_error(executable.string(), failure.message(), "the path of a program");
  // What cannot be linked to sensibly is refused later, under the name the user gave.
  if (is_script(absolute) || !std::filesystem::is_regular_file(absolute, failure)) return absolute;
  const std::filesystem::path link = of(side) / "program";
  std::filesystem::create_symlink(absolute, link, failure);
  if (failure) return input_error(link.string(), failure.message(), "a link to " + absolute.string());
  return link;
}

bool is_script(const std::filesystem::path& file) {
  std::array<char, 2> start{};
  std::ifstream(file, std::ios::binary).read(start.data(), start.size());
  return start[0] == '#' && start[1] == '!';
}

}  // namespace steelyard
