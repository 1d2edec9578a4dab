// The pages of the documentation, taken apart for the tests that hold them to the tree and to the program.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace steelyard::documentation {

struct PageLine {
  std::size_t number = 0;  // from 1
  std::string text;
};

struct MarkdownPage {
  std::string path;                  // relative to the source folder, with slashes
  std::vector<PageLine> lines;       // as they stand in the file
  std::vector<std::string> anchors;  // of its headings, as GitHub and GitLab name them
  std::vector<PageLine> links;       // where links and pictures lead
  std::vector<PageLine> code;        // of fenced and indented blocks, continued lines joined
  std::vector<PageLine> spans;       // code within a sentence or a table
};

// `path` is for the page's own field; the text may be of no file.
MarkdownPage parse_page(const std::string& path, const std::string& text);

// Every page of the tree by path, but for golden files and those of the demo's library, which is a stranger's.
std::vector<MarkdownPage> read_pages();

}  // namespace steelyard::documentation
