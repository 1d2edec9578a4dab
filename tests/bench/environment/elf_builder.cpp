#include "tests/bench/environment/elf_builder.hpp"

namespace steelyard::testkit {
namespace {

std::string unsigned_leb(std::uint64_t value) {
  std::string text;
  do {
    const auto low = static_cast<char>(value & 0x7f);
    value >>= 7;
    text += static_cast<char>(value != 0 ? low | 0x80 : low);
  } while (value != 0);
  return text;
}

}  // namespace

std::string little_endian(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(i < 8 ? value >> (8 * i) & 0xff : 0);
  return text;
}

std::string build_elf(bool is_64, std::vector<BuiltSection> sections) {
  const std::size_t word = is_64 ? 8 : 4;
  const std::size_t header_size = is_64 ? 64 : 52;
  sections.insert(sections.begin(), BuiltSection{"", "", 0, 0, ""});
  sections.push_back({".shstrtab", "", 3, 0, ""});
  std::string names;
  std::vector<std::size_t> name_offsets;
  for (const BuiltSection& section : sections) {
    name_offsets.push_back(names.size());
    names += section.name + '\0';
  }
  sections.back().content = names;
  std::string contents;
  std::string table;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    std::size_t link = 0;
    for (std::size_t k = 0; k < sections.size(); ++k) {
      if (!sections[i].link.empty() && sections[k].name == sections[i].link) link = k;
    }
    table += little_endian(name_offsets[i], 4) + little_endian(sections[i].type, 4) +
             little_endian(sections[i].flags, word) + little_endian(0, word) +
             little_endian(header_size + contents.size(), word) + little_endian(sections[i].content.size(), word) +
             little_endian(link, 4) + little_endian(0, 4) + little_endian(1, word) + little_endian(0, word);
    contents += sections[i].content;
  }
  const std::string identity = std::string(
                                   "\x7f"
                                   "ELF") +
                               static_cast<char>(is_64 ? 2 : 1) + "\1\1" + std::string(9, '\0');
  const std::string header =
      identity + little_endian(2, 2) + little_endian(is_64 ? 62 : 3, 2) + little_endian(1, 4) + little_endian(0, word) +
      little_endian(0, word) + little_endian(header_size + contents.size(), word) + little_endian(0, 4) +
      little_endian(header_size, 2) + little_endian(0, 2) + little_endian(0, 2) + little_endian(is_64 ? 64 : 40, 2) +
      little_endian(sections.size(), 2) + little_endian(sections.size() - 1, 2);
  return header + contents + table;
}

std::string build_unit(int version, const std::string& entry, bool long_format) {
  const std::size_t offset = long_format ? 8 : 4;
  std::string body = little_endian(static_cast<std::uint64_t>(version), 2);
  if (version == 5) {
    body += "\1\b" + little_endian(0, offset);
  } else {
    body += little_endian(0, offset) + "\b";
  }
  body += "\1" + entry;
  return (long_format ? little_endian(0xffffffff, 4) : "") + little_endian(body.size(), offset) + body;
}

std::string build_abbreviation(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& attributes) {
  std::string text = unsigned_leb(1) + unsigned_leb(0x11) + '\0';
  for (const auto& [attribute, form] : attributes) text += unsigned_leb(attribute) + unsigned_leb(form);
  return text + std::string(3, '\0');
}

}  // namespace steelyard::testkit
