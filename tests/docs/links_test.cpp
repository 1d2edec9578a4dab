// Pages and the tree: who reads the README reaches every page, links lead somewhere, and what pages and sources name of
// each other is there.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include "ci/grammar/command_line.hpp"
#include "ci/verbs/verbs.hpp"
#include "tests/docs/markdown_page.hpp"
#include "tests/tidy/source_tree.hpp"

namespace steelyard::documentation::links_test {
namespace {

namespace fs = std::filesystem;

struct Target {
  std::string path;    // relative to the source folder
  std::string anchor;  // empty: the page itself
};

// Where a link of the page leads; the path is empty for an address elsewhere.
Target target_of(const MarkdownPage& page, const std::string& link) {
  if (link.find("://") != std::string::npos) return {};
  const std::size_t mark = link.find('#');
  const std::string path = link.substr(0, mark);
  const fs::path full = path.empty() ? fs::path(page.path) : fs::path(page.path).parent_path() / path;
  return {full.lexically_normal().generic_string(), mark == std::string::npos ? "" : link.substr(mark + 1)};
}

// Why the link leads nowhere; empty where it leads somewhere.
std::string link_fault(const MarkdownPage& page, const std::string& link, const std::vector<MarkdownPage>& pages) {
  const Target target = target_of(page, link);
  if (target.path.empty()) return "";
  if (!fs::exists(fs::path(STEELYARD_SOURCE_FOLDER) / target.path)) return "there is no " + target.path;
  if (target.anchor.empty()) return "";
  const auto found = std::find_if(pages.begin(), pages.end(), [&](const auto& p) { return p.path == target.path; });
  if (found == pages.end()) return target.path + " is no page";
  const bool known = std::count(found->anchors.begin(), found->anchors.end(), target.anchor) > 0;
  return known ? "" : target.path + " has no heading " + target.anchor;
}

std::set<std::string> reached_from(const std::string& first, const std::vector<MarkdownPage>& pages) {
  std::map<std::string, const MarkdownPage*> by_path;
  for (const MarkdownPage& page : pages) by_path[page.path] = &page;
  std::set<std::string> reached;
  std::vector<std::string> next{first};
  while (!next.empty()) {
    const std::string path = next.back();
    next.pop_back();
    if (by_path.count(path) == 0 || !reached.insert(path).second) continue;
    for (const PageLine& link : by_path[path]->links) next.push_back(target_of(*by_path[path], link.text).path);
  }
  return reached;
}

// Files that the line names by their path from the source folder: "bench/harness/timer.hpp".
std::vector<std::string> named_files(const std::string& line) {
  constexpr std::array kFolders{"bench/", "regress/", "storage/", "ci/", "tests/", "cmake/", "docs/"};
  constexpr std::array kEndings{".hpp", ".cpp", ".cu", ".cuh", ".py", ".sh", ".sql", ".cmake", ".toml", ".md", ".dict"};
  const auto in_path = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; };
  std::vector<std::string> files;
  for (std::size_t begin = 0; begin < line.size();) {
    std::size_t end = begin;
    while (end < line.size() && (in_path(line[end]) || line[end] == '/' || line[end] == '.' || line[end] == '*')) ++end;
    std::string word = line.substr(begin, end - begin);
    while (word.ends_with('.')) word.pop_back();  // of the sentence
    const auto starts = [&](const char* folder) { return word.starts_with(folder); };
    const auto ends = [&](const char* ending) { return word.ends_with(ending); };
    if (word.find('*') == std::string::npos && std::any_of(kFolders.begin(), kFolders.end(), starts) &&
        std::any_of(kEndings.begin(), kEndings.end(), ends)) {
      files.push_back(word);
    }
    begin = std::max(end, begin + 1);
  }
  return files;
}

TEST(Links, LeadSomewhere) {
  const std::vector<MarkdownPage> pages = read_pages();
  std::size_t links = 0;
  for (const MarkdownPage& page : pages) {
    for (const PageLine& link : page.links) {
      EXPECT_EQ(link_fault(page, link.text, pages), "") << page.path << ":" << link.number << ": " << link.text;
      ++links;
    }
  }
  EXPECT_GT(links, 200U);
}

TEST(Links, ReachEveryPageFromTheReadme) {
  const std::vector<MarkdownPage> pages = read_pages();
  const std::set<std::string> reached = reached_from("README.md", pages);
  for (const MarkdownPage& page : pages) {
    EXPECT_EQ(reached.count(page.path), 1U) << page.path << ": no page that is reached links to it";
  }
  EXPECT_GT(pages.size(), 40U);
}

TEST(Links, EveryPageOfTheFoldersStandsInTheIndex) {
  const std::vector<MarkdownPage> pages = read_pages();
  const auto index = std::find_if(pages.begin(), pages.end(), [](const auto& p) { return p.path == "docs/README.md"; });
  ASSERT_NE(index, pages.end());
  std::set<std::string> listed{index->path};
  for (const PageLine& link : index->links) listed.insert(target_of(*index, link.text).path);
  for (const MarkdownPage& page : pages) {
    if (!page.path.starts_with("docs/")) continue;
    EXPECT_EQ(listed.count(page.path), 1U) << page.path << ": add its row to docs/README.md";
  }
}

TEST(Links, HeadingsOfAPageHaveAnchorsOfTheirOwn) {
  for (const MarkdownPage& page : read_pages()) {
    std::set<std::string> seen;
    for (const std::string& anchor : page.anchors) {
      EXPECT_TRUE(seen.insert(anchor).second) << page.path << ": two headings are #" << anchor;
    }
  }
}

std::string text_of(const std::string& file) {
  std::ifstream stream(fs::path(STEELYARD_SOURCE_FOLDER) / file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// What the block of code behind line `mark` of the page shows, as it was before it was indented.
std::string block_behind(const MarkdownPage& page, std::size_t mark) {
  std::string text;
  std::string blanks;
  for (std::size_t i = mark + 1; i < page.lines.size(); ++i) {
    const std::string& line = page.lines[i].text;
    if (line.empty()) {
      if (!text.empty()) blanks += '\n';
      continue;
    }
    if (!line.starts_with("    ")) break;
    text += blanks + line.substr(4) + '\n';
    blanks.clear();
  }
  return text;
}

// "<!-- example: FILE -->" above a block of code: it is that golden file, so that it is what the program prints today.
TEST(Pages, ShowExamplesThatTestsHold) {
  constexpr std::string_view kMark = "<!-- example: ";
  std::size_t examples = 0;
  for (const MarkdownPage& page : read_pages()) {
    for (std::size_t i = 0; i < page.lines.size(); ++i) {
      const std::string& line = page.lines[i].text;
      if (!line.starts_with(kMark)) continue;
      const std::string file = line.substr(kMark.size(), line.find(" -->") - kMark.size());
      EXPECT_EQ(block_behind(page, i), text_of(file))
          << page.path << ":" << page.lines[i].number << ": show " << file << ", each line behind four blanks";
      ++examples;
    }
  }
  EXPECT_GE(examples, 1U);
}

// Who changes the judgement knows by it which figures of the pages tests/studies/publish_scores.py makes anew.
TEST(Pages, EachTableOfScoresSaysWhatMakesIt) {
  constexpr std::array kMarks{"<!-- scores: ", "<!-- published scores: begin -->", "<!-- measured once -->",
                              "<!-- by hand -->"};
  std::size_t tables = 0;
  for (const MarkdownPage& page : read_pages()) {
    if (page.path != "docs/measured/judging_scores.md" && page.path != "docs/measured/history_scores.md") continue;
    std::string above;  // the last line that is not empty
    bool is_within = false;
    for (const PageLine& line : page.lines) {
      if (line.text.starts_with("|") && !is_within) {
        const auto stands = [&above](const char* mark) { return above.starts_with(mark); };
        EXPECT_TRUE(std::any_of(kMarks.begin(), kMarks.end(), stands)) << page.path << ":" << line.number;
        ++tables;
      }
      is_within = line.text.starts_with("|");
      if (!line.text.empty()) above = line.text;
    }
  }
  EXPECT_GT(tables, 20U);
}

TEST(Pages, NameFilesThatAreThere) {
  std::size_t files = 0;
  for (const MarkdownPage& page : read_pages()) {
    for (const PageLine& line : page.lines) {
      for (const std::string& file : named_files(line.text)) {
        EXPECT_TRUE(fs::exists(fs::path(STEELYARD_SOURCE_FOLDER) / file))
            << page.path << ":" << line.number << ": there is no " << file;
        ++files;
      }
    }
  }
  EXPECT_GT(files, 50U);
}

struct NamedTests {
  std::set<std::string> all;       // "Suite.Test", and "Suite.*"
  std::vector<std::string> ctest;  // where it holds a variable, what stands before that
};

NamedTests tests_of_the_tree() {
  NamedTests tests;
  static const std::regex kTest(R"(\bTEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\))");
  static const std::regex kCtest(R"((?:add_test\(NAME |steelyard_test\()(\w+))");
  for (const tidy::SourceFile& file : tidy::read_source_files({".cpp", ".txt"})) {
    if (!file.path.starts_with("tests/")) continue;
    const bool is_source = file.path.ends_with(".cpp");
    // Of all lines, the regular expressions take seconds: those that have one, each with the line into which it may go
    // on.
    std::string text;
    bool goes_on = false;
    for (const std::string& line : file.lines) {
      const bool has_one = line.find(is_source ? "TEST" : "test(") != std::string::npos;
      if (has_one || goes_on) text += line + '\n';
      goes_on = has_one;
    }
    for (std::sregex_iterator at(text.begin(), text.end(), is_source ? kTest : kCtest), end; at != end; ++at) {
      if (!is_source) {
        tests.ctest.push_back((*at)[1]);
        continue;
      }
      tests.all.insert((*at)[1].str() + '.' + (*at)[2].str());
      tests.all.insert((*at)[1].str() + ".*");
    }
  }
  return tests;
}

// A CTest test, or an input that a test replays.
bool is_ctest(const std::string& name, const NamedTests& tests) {
  for (const std::string& test : tests.ctest) {
    if (test == name || (test.ends_with('_') && name.starts_with(test))) return true;
  }
  const fs::path corpus = fs::path(STEELYARD_SOURCE_FOLDER) / "tests/fuzz/corpus";
  return std::any_of(fs::directory_iterator(corpus), fs::directory_iterator(),
                     [&](const fs::directory_entry& target) { return fs::exists(target.path() / name); });
}

TEST(Pages, NameTestsThatAreThere) {
  const NamedTests tests = tests_of_the_tree();
  static const std::regex kName(R"((?:\w+/)?([A-Z]\w*\.(?:[A-Z]\w*|\*)))");
  std::size_t names = 0;
  for (const MarkdownPage& page : read_pages()) {
    for (const PageLine& span : page.spans) {
      std::smatch name;
      if (!std::regex_match(span.text, name, kName)) continue;
      EXPECT_TRUE(tests.all.contains(name[1])) << page.path << ":" << span.number << ": there is no " << span.text;
      ++names;
    }
  }
  EXPECT_GT(names, 60U);
}

// In the last column of what stands against strangers.
TEST(Pages, NameCtestTestsThatAreThere) {
  const NamedTests tests = tests_of_the_tree();
  static const std::regex kName("`([a-z]+_[a-z_]+)`");
  std::size_t names = 0;
  for (const MarkdownPage& page : read_pages()) {
    if (page.path != "docs/operations/security.md") continue;
    for (const PageLine& line : page.lines) {
      const std::size_t last = line.text.rfind(" | ");
      if (!line.text.starts_with("| ") || last == std::string::npos) continue;
      const std::string cell = line.text.substr(last);
      for (std::sregex_iterator at(cell.begin(), cell.end(), kName), end; at != end; ++at, ++names) {
        EXPECT_TRUE(is_ctest((*at)[1], tests)) << page.path << ":" << line.number << ": there is no " << (*at)[1];
      }
    }
  }
  EXPECT_GT(names, 10U);
}

// A comment, a message or a test that says where something is explained: docs/FOLDER/PAGE.md, or with "Heading".
TEST(Sources, NamePagesAndHeadingsThatAreThere) {
  const std::vector<MarkdownPage> pages = read_pages();
  std::size_t names = 0;
  for (const tidy::SourceFile& file : tidy::read_source_files({".hpp", ".cpp", ".cu", ".cuh", ".py", ".sh", ".txt"})) {
    if (file.path.starts_with("tests/docs/") || file.path.starts_with("tests/golden/")) continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      for (const std::string& name : named_files(file.lines[i])) {
        if (!name.starts_with("docs/")) continue;
        ++names;
        std::string link = name;
        const std::string& line = file.lines[i];
        const std::string before = name + ", \"";
        if (const std::size_t at = line.find(before); at != std::string::npos) {
          const std::size_t begin = at + before.size();
          const std::string heading = line.substr(begin, line.find('"', begin) - begin);
          link += '#' + parse_page("", "# " + heading).anchors.at(0);
        }
        EXPECT_EQ(link_fault(MarkdownPage{}, link, pages), "") << file.path << ":" << i + 1;
      }
    }
  }
  EXPECT_GT(names, 60U);
}

// As the program prints it: a page may stand in two literals of a source.
TEST(HelpTexts, NamePagesThatAreThere) {
  std::size_t names = 0;
  for (const ci::Verb& verb : ci::all_verbs()) {
    const auto help = ci::parse_command_line(ci::all_verbs(), {verb.name, "--help"});
    ASSERT_TRUE(help) << verb.name;
    ASSERT_NE(help->text, "") << verb.name;
    for (const std::string& name : named_files(help->text)) {
      EXPECT_EQ(link_fault(MarkdownPage{}, name, {}), "") << "steelyard " << verb.name << " --help";
      ++names;
    }
  }
  EXPECT_GT(names, 2U);
}

// The checks themselves.
TEST(LinkFault, TellsWhatIsMissing) {
  const MarkdownPage page = parse_page("docs/README.md",
                                       "# One\n## Its `own` part\n[up](../README.md) [gone](gone.md)\n"
                                       "[own](#its-own-part) [none](#none) `[no](link)` [far](https://example.org/)\n"
                                       "    [in](code.md)\n");
  std::vector<std::string> faults;
  for (const PageLine& link : page.links) faults.push_back(link_fault(page, link.text, {page}));
  EXPECT_EQ(faults,
            (std::vector<std::string>{"", "there is no docs/gone.md", "", "docs/README.md has no heading none", ""}));
}

TEST(NamedFiles, AreThoseOfTheTree) {
  EXPECT_EQ(named_files("see bench/model/run.hpp, and `ci/verbs`; regress/ab/*.cpp, docs/README.md."),
            (std::vector<std::string>{"bench/model/run.hpp", "docs/README.md"}));
}

}  // namespace
}  // namespace steelyard::documentation::links_test
