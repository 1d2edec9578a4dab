#include "bench/counting/collection_files.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <system_error>

namespace steelyard {
namespace {

std::string read_some(std::istream& stream) {
  std::string text(kMaximumTextBytes, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

}  // namespace

CollectionFiles::CollectionFiles(const std::filesystem::path& folder, int number) : folder_(folder) {
  std::array<char, 16> digits{};
  std::snprintf(digits.data(), digits.size(), "%08d", number);
  digits_ = digits.data();
}

CollectionFiles::~CollectionFiles() {
  std::error_code ignored;
  for (const std::filesystem::path& file : {report(), log(), results()}) std::filesystem::remove(file, ignored);
  // Not a range-for: that throws where the folder cannot be read on.
  for (std::filesystem::directory_iterator entry(folder_, ignored), end; entry != end; entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with("profile" + digits_ + ".")) std::filesystem::remove(entry->path(), ignored);
  }
}

std::filesystem::path CollectionFiles::report() const { return folder_ / ("report" + digits_); }
std::filesystem::path CollectionFiles::log() const { return folder_ / ("valgrind" + digits_); }
std::filesystem::path CollectionFiles::results() const { return folder_ / ("results" + digits_); }

std::string CollectionFiles::profile(const std::string& process) const {
  return (folder_ / ("profile" + digits_ + "." + process)).string();
}

std::string read_beginning(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return read_some(stream);
}

std::string read_ending(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  const std::streamoff size = stream.tellg();
  stream.seekg(std::max<std::streamoff>(0, size - static_cast<std::streamoff>(kMaximumTextBytes)));
  return read_some(stream);
}

}  // namespace steelyard
