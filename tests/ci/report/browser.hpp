// Pages in a real browser without a screen: Debian's chromium, each call a process of its own with a profile of its
// own, so that tests can run side by side.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace steelyard::testkit {

class Browser : public ::testing::Test {
 protected:
  // What `script` leaves behind with tell("EXPRESSION"), for the test to read.
  static std::string tell(const std::string& expression);
  static std::string told(const std::string& dom);

  void SetUp() override;  // skips, in words, where there is no browser
  void TearDown() override;

  // The page after its scripts ran, as the browser writes it. `script` runs after those of the page, whose
  // Content-Security-Policy is told of it. Empty, with a failure, where the browser came to no end within a minute.
  // What the page puts on the console fails the test: errors, and whatever the policy refused.
  std::string dom_of(const std::string& page, const std::string& fragment, const std::string& script = "",
                     const std::string& options = "");
  // Of an SVG file.
  std::string dom_of_svg(const std::string& svg);

 private:
  std::string dump(const std::filesystem::path& file, const std::string& fragment, const std::string& options);
  std::string console_lines() const;  // of the last dump
  std::string program_;
  std::filesystem::path folder_;
};

}  // namespace steelyard::testkit
