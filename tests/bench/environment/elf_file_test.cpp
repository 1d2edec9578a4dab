#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "bench/environment/elf_file.hpp"
#include "tests/bench/environment/elf_builder.hpp"

namespace steelyard::bench::elf_file_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testkit::build_elf;
using testkit::little_endian;

class ElfFiles : public ::testing::TestWithParam<bool> {};

TEST_P(ElfFiles, AreTakenApartIntoNamedSections) {
  const std::string bytes = build_elf(GetParam(), {{"a", "first"}, {"b", "second", 1, 0x800}});
  const Result<ElfFile> file = read_elf(bytes);
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(file->is_64, GetParam());
  ASSERT_NE(file->find("a"), nullptr);
  EXPECT_EQ(file->find("a")->content, "first");
  EXPECT_FALSE(file->find("a")->is_compressed());
  ASSERT_NE(file->find("b"), nullptr);
  EXPECT_EQ(file->find("b")->content, "second");
  EXPECT_TRUE(file->find("b")->is_compressed());
  EXPECT_EQ(file->find("c"), nullptr);
}

TEST_P(ElfFiles, NameTheirSymbolsAndLibraries) {
  const bool is_64 = GetParam();
  const std::size_t word = is_64 ? 8 : 4;
  const std::string names("\0malloc\0puts\0libx.so\0", 21);
  const auto symbol = [&](std::uint64_t name, std::uint64_t section) {
    if (is_64) return little_endian(name, 4) + little_endian(0, 2) + little_endian(section, 2) + little_endian(0, 16);
    return little_endian(name, 4) + little_endian(0, 10) + little_endian(section, 2);
  };
  const std::string bytes = build_elf(
      is_64, {{".dynstr", names, 3},
              {".dynsym", symbol(0, 0) + symbol(1, 4) + symbol(8, 0), 11, 0, ".dynstr"},
              {".dynamic", little_endian(1, word) + little_endian(13, word) + std::string(2 * word, '\0') + "rest", 6,
               0, ".dynstr"}});
  const Result<ElfFile> file = read_elf(bytes);
  ASSERT_TRUE(file);
  const std::vector<ElfSymbol> symbols = file->symbols();
  ASSERT_EQ(symbols.size(), 2U);
  EXPECT_EQ(symbols[0].name, "malloc");
  EXPECT_TRUE(symbols[0].defined);
  EXPECT_EQ(symbols[1].name, "puts");
  EXPECT_FALSE(symbols[1].defined);
  EXPECT_THAT(file->needed(), ElementsAre("libx.so"));
}

INSTANTIATE_TEST_SUITE_P(BothSizes, ElfFiles, ::testing::Bool(),
                         [](const auto& tested) { return tested.param ? "Of64Bits" : "Of32Bits"; });

TEST(ReadElf, RefusesWhatItCannotReadAndSaysWhat) {
  EXPECT_THAT(read_elf("").error().text(), HasSubstr("no ELF"));
  EXPECT_THAT(read_elf("#!/bin/sh\nexit 0\n").error().text(), HasSubstr("no ELF"));
  std::string bytes = build_elf(true, {{"a", "first"}});
  EXPECT_THAT(read_elf(bytes.substr(0, 40)).error().text(), HasSubstr("ends within its header"));
  bytes[5] = 2;
  EXPECT_THAT(read_elf(bytes).error().text(), HasSubstr("not little-endian"));
  bytes[4] = 7;
  EXPECT_THAT(read_elf(bytes).error().text(), HasSubstr("unknown class"));
}

TEST(ReadElf, RefusesAForgedNumberOfSections) {
  std::string bytes = build_elf(true, {{"a", "first"}});
  bytes.replace(60, 2, little_endian(0, 2));  // then the size of the first section counts
  const std::size_t first = bytes.size() - 3 * 64;
  bytes.replace(first + 32, 8, little_endian(std::uint64_t{1} << 40, 8));
  EXPECT_THAT(read_elf(bytes).error().text(), HasSubstr("65,536 sections"));
}

TEST(ReadElf, TakesContentOutsideTheFileForEmpty) {
  std::string bytes = build_elf(true, {{"a", "first"}});
  // The table stands at the end: three records of 64 bytes; the size of the second begins at its byte 32.
  const std::size_t size = bytes.size() - 2 * 64 + 32;
  bytes.replace(size, 8, little_endian(0xffffffffffffffffU, 8));
  const Result<ElfFile> file = read_elf(bytes);
  ASSERT_TRUE(file);
  ASSERT_NE(file->find("a"), nullptr);
  EXPECT_EQ(file->find("a")->content, "");
  EXPECT_TRUE(file->find("a")->outside);
}

std::string fixture(const std::string& name) {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::ifstream file(folder / ("environment_fixture_" + name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Flips a bit of the section's byte in the middle.
std::string with_change_in(std::string bytes, std::string_view name) {
  const Result<ElfFile> file = read_elf(bytes);
  const ElfSection* section = file ? file->find(name) : nullptr;
  if (section == nullptr || section->content.empty()) return "";
  const auto at = static_cast<std::size_t>(section->content.data() - bytes.data()) + section->content.size() / 2;
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  return bytes;
}

std::string hash_of(const std::string& bytes) {
  const Result<LoadedSections> loaded = read_loaded_sections(bytes);
  return loaded ? loaded->sha256 : loaded.error().text();
}

TEST(LoadedSections, AreEqualWhereOnlyWhatIsNeverLoadedDiffers) {
  const std::string bytes = fixture("plain");
  const std::string hash = hash_of(bytes);
  ASSERT_EQ(hash.size(), 64U) << hash;
  for (const char* name : {".debug_info", ".comment", ".symtab", ".strtab"}) {
    ASSERT_NE(with_change_in(bytes, name), "") << name;
    EXPECT_EQ(hash_of(with_change_in(bytes, name)), hash) << name;
  }
  EXPECT_EQ(hash_of(bytes + "appended"), hash);
}

TEST(LoadedSections, AreEqualWhereOnlyTheNameOfTheBuildDiffers) {
  const std::string bytes = fixture("plain");
  const std::string other = with_change_in(bytes, ".note.gnu.build-id");
  ASSERT_NE(other, "");
  EXPECT_EQ(hash_of(other), hash_of(bytes));
}

TEST(LoadedSections, DifferInEveryOtherByteThatAProcessHas) {
  const std::string bytes = fixture("plain");
  for (const char* name :
       {".interp", ".text", ".rodata", ".data", ".rela.dyn", ".dynamic", ".eh_frame", ".init_array"}) {
    ASSERT_NE(with_change_in(bytes, name), "") << name;
    EXPECT_NE(hash_of(with_change_in(bytes, name)), hash_of(bytes)) << name;
  }
  std::string other_entry = bytes;
  other_entry[24] = static_cast<char>(other_entry[24] ^ 1);
  EXPECT_NE(hash_of(other_entry), hash_of(bytes));
}

TEST(LoadedSections, OfATruncatedFileAreAnErrorOrTheSame) {
  const std::string bytes = fixture("plain");
  const std::string hash = hash_of(bytes);
  for (std::size_t length = 0; length < bytes.size(); length += 97) {
    const Result<LoadedSections> loaded = read_loaded_sections(std::string_view(bytes).substr(0, length));
    if (loaded) {
      EXPECT_EQ(loaded->sha256, hash) << length;
    }
  }
  EXPECT_FALSE(read_loaded_sections("#!/bin/sh"));
  EXPECT_FALSE(read_loaded_sections(""));
}

}  // namespace

}  // namespace steelyard::bench::elf_file_test
