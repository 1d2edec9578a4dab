// The page about the configuration is the table of keys in prose: it cannot fall behind.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "ci/config/configuration_key.hpp"

namespace steelyard {
namespace {

std::string documented_keys() {
  std::string rows;
  for (const ConfigurationKey& key : configuration_keys()) {
    const std::string value = key.value.empty() ? "" : ' ' + std::string(key.value);
    std::string option = std::string(key.option) + value;
    for (std::size_t at = 0; (at = option.find('|', at)) != std::string::npos; at += 2) option.insert(at, "\\");
    rows += "| `[" + std::string(key.section) + "] " + std::string(key.name) + "` | `" + option + "` | " +
            std::string(key.help) + " |\n";
  }
  return rows;
}

TEST(ConfigurationPage, ListsEveryKeyWithItsOptionAndMeaning) {
  const std::string page = STEELYARD_SOURCE_FOLDER "/docs/reference/configuration.md";
  std::ifstream stream(page);
  std::stringstream text;
  text << stream.rdbuf();
  const std::string head = "|---|---|---|\n";
  const std::size_t begin = text.str().find(head);
  ASSERT_NE(begin, std::string::npos) << page;
  const std::size_t end = text.str().find("\n\n", begin);
  const std::string rows = text.str().substr(begin + head.size(), end + 1 - begin - head.size());
  if (rows != documented_keys() && std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream(page) << text.str().substr(0, begin + head.size()) << documented_keys() << text.str().substr(end + 1);
    FAIL() << page << " was rewritten";
  }
  EXPECT_EQ(rows, documented_keys()) << "UPDATE_GOLDEN=1 rewrites " << page;
}

}  // namespace
}  // namespace steelyard
