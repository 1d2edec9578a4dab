// Pages in a real browser without a screen: Debian's chromium, started once for a program's tests and asked by its
// DevTools protocol (https://chromedevtools.github.io/devtools-protocol/). One window shows a page after the other, all
// of one profile, which is gone with the browser: what a page stores the next ones may find, and ours store nothing. A
// window and a profile for each would take three times the processor's time.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace steelyard::testkit {

class Chromium;

struct Screen {
  int width = 1300;
  bool is_dark = false;
};

class Browser : public ::testing::Test {
 protected:
  // What a script leaves behind with tell("EXPRESSION"), for the test to read.
  static std::string tell(const std::string& expression);
  static std::string told(const std::string& dom);

  void SetUp() override;     // skips, in words, where there is no browser
  void TearDown() override;  // closes the page

  // The page after its scripts and their timers ran, and then `script` and what it set off, as the browser writes it,
  // without the scripts, in which everything could be found. What the page puts on the console fails the test: errors,
  // and whatever its Content-Security-Policy refused.
  std::string dom_of(const std::string& page, const std::string& fragment, const std::string& script = "",
                     const Screen& screen = {});
  // Of an SVG file.
  std::string dom_of_svg(const std::string& svg);

  // The steps of dom_of. Each fails the test, when it ends, where the browser came to no end within a minute or what
  // wait_at_most says, or where the page's process died before the page was closed.
  void open(const std::string& page, const std::string& fragment, const Screen& screen = {});
  void run(const std::string& script);
  std::string dom();
  void expect_a_sound_page(const std::string& shown);
  void wait_at_most(std::chrono::seconds limit);  // for a step of this test
  void end_page();                                // its process dies, as unasked as any

 private:
  void open_file(const std::string& name, const std::string& text, const std::string& fragment, const Screen& screen);
  Chromium* browser_ = nullptr;
};

}  // namespace steelyard::testkit
