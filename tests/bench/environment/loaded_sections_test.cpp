#include "bench/environment/loaded_sections.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "bench/environment/elf_file.hpp"

namespace steelyard {
namespace {

using ::testing::HasSubstr;

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
  for (const char* name : {".text", ".rodata", ".data", ".rela.dyn", ".dynamic", ".eh_frame", ".init_array"}) {
    ASSERT_NE(with_change_in(bytes, name), "") << name;
    EXPECT_NE(hash_of(with_change_in(bytes, name)), hash_of(bytes)) << name;
  }
  std::string other_entry = bytes;
  other_entry[24] = static_cast<char>(other_entry[24] ^ 1);
  EXPECT_NE(hash_of(other_entry), hash_of(bytes));
}

TEST(LoadedSections, NameTheLoaderOfADynamicProgram) {
  const Result<LoadedSections> dynamic = read_loaded_sections(fixture("plain"));
  ASSERT_TRUE(dynamic);
  EXPECT_THAT(dynamic->interpreter, HasSubstr("ld-linux"));
  const Result<LoadedSections> fixed = read_loaded_sections(fixture("bare"));
  ASSERT_TRUE(fixed);
  EXPECT_EQ(fixed->interpreter, "");
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
}  // namespace steelyard
