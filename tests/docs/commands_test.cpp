// Every `steelyard ...` that a page shows is one that the program takes: its own reader of command lines says so.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "ci/grammar/command_line.hpp"
#include "ci/verbs/verbs.hpp"
#include "tests/docs/markdown_page.hpp"

namespace steelyard::documentation::commands_test {
namespace {

using Words = std::vector<std::string>;

// The simple commands of a line of shell, as words: quotes and $(...) hold together, ; & | end a command, # the line.
std::vector<Words> commands_of(std::string_view line) {
  std::vector<Words> commands(1);
  std::string word;
  bool has_word = false;
  const auto end_word = [&] {
    if (has_word) commands.back().push_back(word);
    word.clear();
    has_word = false;
  };
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (c == '#' && !has_word) break;
    if (c == ' ') {
      end_word();
    } else if (c == ';' || c == '&' || c == '|') {
      end_word();
      commands.emplace_back();
    } else {
      has_word = true;
      const bool is_substitution = line.substr(at, 2) == "$(";
      if (c == '\'' || c == '"' || is_substitution) {
        const std::size_t end = std::min(line.size(), line.find(is_substitution ? ')' : c, at + 1));
        word += is_substitution ? line.substr(at, end + 1 - at) : line.substr(at + 1, end - at - 1);
        at = end;
      } else if (c != '\\') {
        word += c;
      }
    }
  }
  end_word();
  return commands;
}

// By its name or by its path, which is no key of a configuration file ("data_dir=/var/lib/steelyard").
bool is_program(const std::string& word) {
  return word == "steelyard" || (word.ends_with("/steelyard") && word.find('=') == std::string::npos);
}

// What the program is given by each of the line's commands that starts it, and by those that it is to start itself.
std::vector<Words> arguments_in(std::string_view line) {
  constexpr std::array<std::string_view, 8> kBefore{"$", "-", "run:", "do", "then", "sudo", "time", "exec"};
  std::vector<Words> found;
  for (const Words& words : commands_of(line)) {
    auto begin = std::find_if(words.begin(), words.end(), [&](const std::string& word) {
      return std::find(kBefore.begin(), kBefore.end(), word) == kBefore.end();
    });
    while (begin != words.end() && is_program(*begin)) {
      const bool is_command = begin + 1 == words.end() || (begin[1] != "=" && begin[1] != "─");
      if (!is_command) break;  // a key of a configuration file, a box of a drawing
      found.emplace_back(begin + 1, words.end());
      // An exit status that a script kept.
      std::replace(found.back().begin(), found.back().end(), std::string("$status"), std::string("1"));
      begin = std::find(begin, words.end(), "--");
      if (begin != words.end()) ++begin;
    }
  }
  return found;
}

std::string joined(const Words& words) {
  std::string text = "steelyard";
  for (const std::string& word : words) text += ' ' + word;
  return text;
}

// Why the program does not take it; empty where it does.
std::string command_fault(const Words& arguments) {
  const auto parsed = ci::parse_command_line(ci::all_verbs(), arguments);
  return parsed ? "" : parsed.error().text();
}

// What was printed at its time stands there as it was, commands and output.
bool is_record(const MarkdownPage& page) { return page.path.starts_with("docs/measured/"); }

TEST(DocumentedCommands, AreTakenByTheProgram) {
  std::size_t commands = 0;
  for (const MarkdownPage& page : read_pages()) {
    if (is_record(page)) continue;
    for (const PageLine& line : page.code) {
      for (const Words& arguments : arguments_in(line.text)) {
        EXPECT_EQ(command_fault(arguments), "") << page.path << ":" << line.number << ": " << joined(arguments);
        ++commands;
      }
    }
  }
  EXPECT_GT(commands, 80U);
}

// Within a sentence or a table a command may leave out what it is about: `steelyard calibrate --drift`.
TEST(DocumentedCommands, InASentenceNameNoUnknownVerbOrOption) {
  std::size_t commands = 0;
  for (const MarkdownPage& page : read_pages()) {
    for (const PageLine& span : page.spans) {
      for (const Words& arguments : arguments_in(span.text)) {
        const std::string fault = command_fault(arguments);
        EXPECT_EQ(fault.find("unknown "), std::string::npos) << page.path << ":" << span.number << ": " << fault;
        ++commands;
      }
    }
  }
  EXPECT_GT(commands, 80U);
}

// The checks themselves.
TEST(ArgumentsIn, FindsEachCommandThatStartsTheProgram) {
  EXPECT_EQ(arguments_in("    $ steelyard gate --base a   # the parent"),
            (std::vector<Words>{{"gate", "--base", "a"}}));
  EXPECT_EQ(arguments_in("      - run: steelyard run --output \"$(date +%Y)/x\" -- ./bench --filter='a b'"),
            (std::vector<Words>{{"run", "--output", "$(date +%Y)/x", "--", "./bench", "--filter=a b"}}));
  EXPECT_EQ(arguments_in("for a in *; do build/check/bin/steelyard compare $a b; done | sort && steelyard alerts"),
            (std::vector<Words>{{"compare", "$a", "b"}, {"alerts"}}));
  EXPECT_EQ(arguments_in("sudo steelyard doctor --fix -- steelyard ab a b"),
            (std::vector<Words>{{"doctor", "--fix", "--", "steelyard", "ab", "a", "b"}, {"ab", "a", "b"}}));
  EXPECT_TRUE(arguments_in("steelyard = host=db0 port=5432").empty());
  EXPECT_TRUE(arguments_in("    steelyard ─ count.cpp ── valgrind ./bench").empty());
  EXPECT_TRUE(arguments_in("see what it says:  steelyard history x").empty());
}

TEST(CommandFault, TellsWhatTheProgramDoesNotTake) {
  EXPECT_EQ(command_fault({"compare", "a", "b"}), "");
  EXPECT_NE(command_fault({"compare", "a"}), "");
  EXPECT_NE(command_fault({"compare", "a", "b", "--jsn"}).find("unknown option"), std::string::npos);
  EXPECT_NE(command_fault({"comprae", "a", "b"}).find("unknown verb"), std::string::npos);
  EXPECT_NE(command_fault({"history", "--limit", "many"}), "");
}

}  // namespace
}  // namespace steelyard::documentation::commands_test
