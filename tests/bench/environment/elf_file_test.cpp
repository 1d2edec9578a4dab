#include "bench/environment/elf_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/bench/environment/elf_builder.hpp"

namespace steelyard {
namespace {

using testing::build_elf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::little_endian;

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

}  // namespace
}  // namespace steelyard
