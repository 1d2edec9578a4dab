// Pages in a real browser without a screen: Debian's chromium, each call a process of its own with a profile of its
// own, so that tests can run side by side.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace steelyard::testing {

class Browser : public ::testing::Test {
 protected:
  void SetUp() override;  // skips, in words, where there is no browser
  void TearDown() override;

  // The page after its scripts ran, as the browser writes it. `script` runs after those of the page. Empty, with a
  // failure, where the browser came to no end within a minute.
  std::string dom_of(const std::string& page, const std::string& fragment, const std::string& script = "",
                     const std::string& options = "");
  // Of an SVG file.
  std::string dom_of_svg(const std::string& svg);

 private:
  std::string dump(const std::filesystem::path& file, const std::string& fragment, const std::string& options);
  std::string program_;
  std::filesystem::path folder_;
};

}  // namespace steelyard::testing
