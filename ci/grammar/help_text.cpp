#include "ci/grammar/help_text.hpp"

#include <algorithm>
#include <sstream>

namespace steelyard {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kTextColumn = 30;  // where explanations begin; longer names push theirs to the next line

// Words of `text` in lines that start at `column`; the first line continues one that is `used` wide already.
std::string wrapped(const std::string& text, std::size_t column, std::size_t used) {
  std::string lines(used < column ? column - used : 0, ' ');
  std::size_t at = column;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    if (at > column && at + 1 + word.size() > kWidth) {
      lines += '\n' + std::string(column, ' ');
      at = column;
    }
    if (at > column) {
      lines += ' ';
      ++at;
    }
    lines += word;
    at += word.size();
  }
  return lines + '\n';
}

std::string entry_text(const HelpEntry& entry) {
  const std::string names = "  " + entry.names;
  if (names.size() + 2 > kTextColumn) return names + '\n' + wrapped(entry.text, kTextColumn, 0);
  return names + wrapped(entry.text, kTextColumn, names.size());
}

}  // namespace

std::string help_text(const HelpPage& page) {
  std::string text = "Usage: " + page.usage + "\n\n" + wrapped(page.description, 0, 0);
  std::vector<std::string> groups;
  for (const HelpEntry& entry : page.entries) {
    if (std::find(groups.begin(), groups.end(), entry.group) == groups.end()) groups.push_back(entry.group);
  }
  for (const std::string& group : groups) {
    text += '\n' + group + ":\n";
    for (const HelpEntry& entry : page.entries) {
      if (entry.group == group) text += entry_text(entry);
    }
  }
  if (!page.footer.empty()) text += '\n' + page.footer + '\n';
  return text;
}

}  // namespace steelyard
