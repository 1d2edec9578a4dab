#include "bench/environment/dwarf_producers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/bench/environment/elf_builder.hpp"

namespace steelyard::bench::dwarf_producers_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using testkit::build_abbreviation;
using testkit::build_elf;
using testkit::build_unit;
using testkit::BuiltSection;
using testkit::little_endian;

constexpr std::uint64_t kProducer = 0x25;
constexpr std::uint64_t kLanguage = 0x13;

DwarfProducers producers_of(const std::vector<BuiltSection>& sections, bool is_64 = true) {
  const std::string bytes = build_elf(is_64, sections);
  const Result<ElfFile> file = read_elf(bytes);
  EXPECT_TRUE(file);
  return read_producers(*file);
}

TEST(ReadProducers, FindsTheTextInPlaceAndByPointerInEveryVersion) {
  for (const int version : {2, 3, 4, 5}) {
    for (const bool long_format : {false, true}) {
      const std::size_t offset = long_format ? 8 : 4;
      const std::string info = build_unit(version, "\x21" + little_endian(4, offset), long_format) +
                               build_unit(version, "\x21" + little_endian(0, offset), long_format) +
                               build_unit(version, "\x21" + little_endian(4, offset), long_format);
      const DwarfProducers found =
          producers_of({{".debug_info", info},
                        {".debug_abbrev", build_abbreviation({{kLanguage, 0x0b}, {kProducer, 0x0e}})},
                        {".debug_str", std::string("one\0two\0", 8)}});
      EXPECT_EQ(found.state, DebugInfo::present);
      EXPECT_THAT(found.units, ElementsAre(Pair("one", 1), Pair("two", 2))) << version;
    }
  }
  const DwarfProducers in_place = producers_of({{".debug_info", build_unit(4, std::string("here\0", 5))},
                                                {".debug_abbrev", build_abbreviation({{kProducer, 0x08}})}},
                                               false);
  EXPECT_THAT(in_place.units, ElementsAre(Pair("here", 1)));
}

TEST(ReadProducers, FollowsLineStringsAndIndexedStrings) {
  const DwarfProducers by_line = producers_of({{".debug_info", build_unit(5, little_endian(2, 4))},
                                               {".debug_abbrev", build_abbreviation({{kProducer, 0x1f}})},
                                               {".debug_line_str", std::string("x\0line\0", 7)}});
  EXPECT_THAT(by_line.units, ElementsAre(Pair("line", 1)));
  // Clang: the base of the indices follows the index in the same entry.
  const DwarfProducers by_index =
      producers_of({{".debug_info", build_unit(5, "\1" + little_endian(8, 4))},
                    {".debug_abbrev", build_abbreviation({{kProducer, 0x25}, {0x72, 0x17}})},
                    {".debug_str_offsets", std::string(8, '\0') + little_endian(0, 4) + little_endian(2, 4)},
                    {".debug_str", std::string("x\0clang\0", 8)}});
  EXPECT_THAT(by_index.units, ElementsAre(Pair("clang", 1)));
}

TEST(ReadProducers, StepsOverValuesOfEveryForm) {
  struct Case {
    std::uint64_t form;
    std::string value;
  };
  const std::vector<Case> cases{{0x01, std::string(8, 'a')},
                                {0x03, little_endian(3, 2) + "abc"},
                                {0x04, little_endian(3, 4) + "abc"},
                                {0x05, "ab"},
                                {0x06, "abcd"},
                                {0x07, "abcdefgh"},
                                {0x09,
                                 "\3"
                                 "abc"},
                                {0x0a,
                                 "\3"
                                 "abc"},
                                {0x0c, "\1"},
                                {0x0d, "\x80\x7f"},
                                {0x0f, "\x80\1"},
                                {0x10, "abcd"},
                                {0x18,
                                 "\2"
                                 "ab"},
                                {0x19, ""},
                                {0x1b, "\5"},
                                {0x1e, std::string(16, 'x')},
                                {0x20, "abcdefgh"},
                                {0x2b, "abc"},
                                {0x16,
                                 "\x0b"
                                 "z"}};
  for (const Case& tested : cases) {
    const DwarfProducers found =
        producers_of({{".debug_info", build_unit(5, tested.value + std::string("after\0", 6))},
                      {".debug_abbrev", build_abbreviation({{kLanguage, tested.form}, {kProducer, 0x08}})}});
    EXPECT_THAT(found.units, ElementsAre(Pair("after", 1))) << "form " << tested.form;
  }
}

TEST(ReadProducers, SaysWhatItDoesNotRead) {
  const std::string abbreviation = build_abbreviation({{kProducer, 0x08}});
  const std::string info = build_unit(4, std::string("here\0", 5));
  EXPECT_EQ(producers_of({{".text", "x"}}).state, DebugInfo::none);
  EXPECT_EQ(producers_of({{".gnu_debuglink", "x.debug"}}).state, DebugInfo::separate);
  EXPECT_EQ(producers_of({{".zdebug_info", info}}).state, DebugInfo::compressed);
  EXPECT_EQ(producers_of({{".debug_info", info, 1, 0x800}, {".debug_abbrev", abbreviation}}).state,
            DebugInfo::compressed);
  // libdw would unpack it, read or not, to the size that it claims.
  EXPECT_EQ(
      producers_of({{".debug_info", info}, {".debug_abbrev", abbreviation}, {".debug_line", "x", 1, 0x800}}).state,
      DebugInfo::compressed);
  const DwarfProducers skeleton = producers_of({{".debug_info", build_unit(4, std::string("x.dwo\0", 6))},
                                                {".debug_abbrev", build_abbreviation({{0x2130, 0x08}})}});
  EXPECT_EQ(skeleton.state, DebugInfo::split);
  const DwarfProducers elsewhere = producers_of({{".debug_info", build_unit(4, little_endian(7, 4))},
                                                 {".debug_abbrev", build_abbreviation({{kProducer, 0x1f21}})}});
  EXPECT_EQ(elsewhere.state, DebugInfo::separate);
  EXPECT_THAT(elsewhere.units, IsEmpty());
}

TEST(ReadProducers, KeepsWhatStandsBeforeTheDamage) {
  const std::string abbreviation = build_abbreviation({{kProducer, 0x08}});
  const std::string info = build_unit(4, std::string("here\0", 5));
  const auto state_of = [&](const std::string& rest) {
    const DwarfProducers found = producers_of({{".debug_info", info + rest}, {".debug_abbrev", abbreviation}});
    EXPECT_THAT(found.units, ElementsAre(Pair("here", 1)));
    return found.state;
  };
  EXPECT_EQ(state_of(""), DebugInfo::present);
  EXPECT_EQ(state_of("xy"), DebugInfo::damaged);
  EXPECT_EQ(state_of(little_endian(0xfffffff1, 4)), DebugInfo::damaged);
  EXPECT_EQ(state_of(build_unit(6, std::string("x\0", 2))), DebugInfo::damaged);
  EXPECT_EQ(state_of(build_unit(4, "no zero byte")), DebugInfo::damaged);
}

TEST(ReadProducers, WalksNoForgedTableForEachOfManyUnits) {
  // 100,000 attributes that take no byte of the unit (DW_FORM_flag_present), before or in the abbreviation asked for.
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> many(100000, {kLanguage, 0x19});
  const std::string info = build_unit(4, "");
  EXPECT_EQ(producers_of({{".debug_info", info}, {".debug_abbrev", build_abbreviation(many)}}).state,
            DebugInfo::damaged);
  const std::string other = "\2" + build_abbreviation(many).substr(1);  // with the code 2
  const std::string before = other.substr(0, other.size() - 1) + build_abbreviation({{kProducer, 0x08}});
  EXPECT_EQ(producers_of({{".debug_info", build_unit(4, std::string("x\0", 2))}, {".debug_abbrev", before}}).state,
            DebugInfo::damaged);
}

}  // namespace
}  // namespace steelyard::bench::dwarf_producers_test
