#include "tests/ci/report/browser.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "ci/report/markup.hpp"
#include "tests/promised.hpp"

namespace steelyard::testkit {
namespace {

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  std::array<char, 4096> block{};
  for (std::size_t n = 0; (n = std::fread(block.data(), 1, block.size(), pipe)) > 0;) text.append(block.data(), n);
  pclose(pipe);
  return text;
}

std::string find_browser() {
  std::string found = output_of("command -v chromium chromium-browser google-chrome 2>/dev/null | head -1");
  while (!found.empty() && found.back() == '\n') found.pop_back();
  return found;
}

}  // namespace

void Browser::SetUp() {
  program_ = find_browser();
  STEELYARD_SKIP_WITHOUT("chromium", !program_.empty(), "chromium is not installed");
  std::string name = (std::filesystem::temp_directory_path() / "steelyard-page-XXXXXX").string();
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  folder_ = name;
}

void Browser::TearDown() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

std::string Browser::dump(const std::filesystem::path& file, const std::string& fragment, const std::string& options) {
  // Virtual time: scripts and their timers have run when the page is written, however slow the machine is.
  return output_of("timeout 60 '" + program_ + "' --headless=new --no-sandbox --disable-gpu --no-first-run " +
                   "--user-data-dir='" + (folder_ / "browser").string() + "' --virtual-time-budget=2000 " +
                   "--window-size=1300,900 --enable-logging=stderr " + options + " --dump-dom 'file://" +
                   file.string() + fragment + "' 2>'" + (folder_ / "log").string() + "'");
}

std::string Browser::console_lines() const {
  std::ifstream log(folder_ / "log");
  std::string lines;
  for (std::string line; std::getline(log, line);) {
    if (line.find(":CONSOLE") != std::string::npos) lines += line + "\n";
  }
  return lines;
}

std::string Browser::tell(const std::string& expression) { return "document.body.dataset.told=" + expression + ";"; }

std::string Browser::told(const std::string& dom) {
  const std::string start = "data-told=\"";
  const std::size_t at = dom.find(start);
  if (at == std::string::npos) return "nothing";
  return dom.substr(at + start.size(), dom.find('"', at + start.size()) - at - start.size());
}

std::string Browser::dom_of(const std::string& page, const std::string& fragment, const std::string& script,
                            const std::string& options) {
  std::string text = page;
  const std::size_t end = text.rfind("</body>");
  if (!script.empty() && end != std::string::npos) {
    text.insert(end, "<script>" + script + "</script>");
    const std::string_view allowed = "script-src ";
    const std::size_t policy = text.find(allowed);
    if (policy < end) text.insert(policy + allowed.size(), ci::html::source_hash(script) + " ");
  }
  const std::filesystem::path file = folder_ / "page.html";
  std::ofstream(file, std::ios::binary) << text;
  const std::string dom = dump(file, fragment, options);
  EXPECT_NE(dom.find("data-ready=\"true\""), std::string::npos)
      << "the page's script did not end: " << dom.substr(0, 200);
  EXPECT_EQ(console_lines(), "");
  // Without the scripts and styles, in which everything could be found.
  std::string shown;
  std::size_t at = 0;
  for (std::size_t start; (start = dom.find("<script", at)) != std::string::npos;) {
    shown += dom.substr(at, start - at);
    at = dom.find("</script>", start);
    if (at == std::string::npos) return shown;
  }
  return shown + dom.substr(at);
}

std::string Browser::dom_of_svg(const std::string& svg) {
  const std::filesystem::path file = folder_ / "picture.svg";
  std::ofstream(file, std::ios::binary) << svg;
  return dump(file, "", "");
}

}  // namespace steelyard::testkit
