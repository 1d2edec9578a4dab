#include "tests/docs/markdown_page.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

namespace steelyard::documentation {
namespace {

// "What is *noise*, and `p`?" is "what-is-noise-and-p".
std::string anchor_of(std::string_view heading) {
  std::string anchor;
  for (const unsigned char c : heading) {
    if (std::isalnum(c) != 0 || c == '-' || c == '_' || c >= 0x80) anchor += static_cast<char>(std::tolower(c));
    if (c == ' ') anchor += '-';
  }
  return anchor;
}

std::string heading_of(const std::string& line) {
  const std::size_t level = line.find_first_not_of('#');
  if (level == 0 || level == std::string::npos || line[level] != ' ') return "";
  return line.substr(level + 1);
}

void add_code(MarkdownPage& page, std::size_t number, const std::string& line, bool& is_continued) {
  std::string text = line;
  const bool continues = text.ends_with('\\');
  if (continues) text.back() = ' ';
  if (is_continued) {
    page.code.back().text += text;
  } else {
    page.code.push_back({number, text});
  }
  is_continued = continues;
}

// Links and code spans of the text that is no block of code; a span ends in its own paragraph.
void add_inline(MarkdownPage& page, const std::string& prose) {
  std::size_t number = 1;
  for (std::size_t at = 0; at < prose.size(); ++at) {
    if (prose[at] == '\n') ++number;
    if (prose[at] == '`') {
      const std::size_t begin = prose.find_first_not_of('`', at);
      if (begin == std::string::npos) return;
      const std::size_t end = prose.find(prose.substr(at, begin - at), begin);
      if (end == std::string::npos || prose.substr(begin, end - begin).find("\n\n") != std::string::npos) continue;
      std::string span = prose.substr(begin, end - begin);
      page.spans.push_back({number, span});
      number += static_cast<std::size_t>(std::count(span.begin(), span.end(), '\n'));
      std::string& kept = page.spans.back().text;
      std::replace(kept.begin(), kept.end(), '\n', ' ');
      at = end + (begin - at) - 1;
    } else if (prose.compare(at, 2, "](") == 0) {
      const std::size_t end = prose.find_first_of(") \n", at + 2);
      if (end == std::string::npos || prose[end] != ')') continue;
      page.links.push_back({number, prose.substr(at + 2, end - at - 2)});
    }
  }
}

bool is_page(const std::string& path) {
  return path.ends_with(".md") && !path.starts_with("tests/golden/") && !path.starts_with("ci/demo/");
}

}  // namespace

MarkdownPage parse_page(const std::string& path, const std::string& text) {
  MarkdownPage page;
  page.path = path;
  std::string prose;  // the text with empty lines for those of code
  bool is_fenced = false;
  bool is_continued = false;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    page.lines.push_back({page.lines.size() + 1, line});
    const bool is_fence = line.starts_with("```");
    const bool is_code = !is_fence && (is_fenced || line.starts_with("    "));
    if (is_fence) is_fenced = !is_fenced;
    if (is_code) add_code(page, page.lines.size(), line, is_continued);
    if (!is_code) is_continued = false;
    if (!is_code && !is_fence) {
      prose += line;
      if (const std::string heading = heading_of(line); !heading.empty()) page.anchors.push_back(anchor_of(heading));
    }
    prose += '\n';
  }
  add_inline(page, prose);
  return page;
}

std::vector<MarkdownPage> read_pages() {
  const std::filesystem::path root = STEELYARD_SOURCE_FOLDER;
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    if (entry.is_regular_file()) paths.push_back(entry.path().filename().string());
  }
  for (const char* folder : {"docs", "bench", "regress", "storage", "ci", "tests"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (entry.is_regular_file()) paths.push_back(std::filesystem::relative(entry.path(), root).generic_string());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<MarkdownPage> pages;
  for (const std::string& path : paths) {
    if (!is_page(path)) continue;
    std::ifstream stream(root / path);
    std::stringstream text;
    text << stream.rdbuf();
    pages.push_back(parse_page(path, text.str()));
  }
  return pages;
}

}  // namespace steelyard::documentation
