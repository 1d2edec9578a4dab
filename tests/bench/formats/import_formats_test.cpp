#include "bench/formats/import_formats.hpp"

#include <gtest/gtest.h>

#include <set>

namespace steelyard {
namespace {

TEST(ImportFormats, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const ImportFormat& format : import_formats()) EXPECT_TRUE(names.insert(format.name).second) << format.name;
  EXPECT_TRUE(names.contains("google-benchmark"));
}

}  // namespace
}  // namespace steelyard
