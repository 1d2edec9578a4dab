// Sizes and words of the tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string_view>

#include "tests/tidy/source_tree.hpp"

namespace steelyard::tidy::text_test {
namespace {

const std::vector<std::string> kCode{".hpp", ".cpp", ".cu",    ".cuh", ".sh",
                                     ".sql", ".ts",  ".cmake", ".mjs", "CMakeLists.txt"};
constexpr std::size_t kLongestLine = 120;
constexpr std::size_t kLongestFile = 600;            // lines; past this a file holds more than one concept
constexpr std::uintmax_t kLargestFile = 256 * 1024;  // bytes

TEST(Text, CodeLinesStayWithinAHundredAndTwentyColumns) {
  for (const SourceFile& file : read_source_files(kCode)) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      // Bytes, not columns: code is ASCII but for a few names in tests.
      if (file.path.starts_with("tests/") && file.lines[i].find('\xe2') != std::string::npos) continue;
      EXPECT_LE(file.lines[i].size(), kLongestLine) << file.path << ":" << i + 1 << ": break the line";
    }
  }
}

TEST(Text, SourceFilesStayWithinSixHundredLines) {
  for (const SourceFile& file : read_source_files({".hpp", ".cpp"})) {
    EXPECT_LE(file.lines.size(), kLongestFile) << file.path << ": split it by concept";
  }
}

// A newcomer reads the top level first. What lands there by accident stays, as no test reads it.
TEST(Text, TheTopLevelHasTheLayersTheDoorsAndNothingElse) {
  const std::vector<std::string> wanted{".ci",
                                        ".clang-format",
                                        ".github",
                                        ".gitignore",
                                        "CMakeLists.txt",
                                        "CMakePresets.json",
                                        "CONTRIBUTING.md",
                                        "LICENSE",
                                        "README.md",
                                        "bench",
                                        "check",
                                        "ci",
                                        "cmake",
                                        "docs",
                                        "quickstart",
                                        "regress",
                                        "storage",
                                        "templates",
                                        "tests"};
  const std::vector<std::string> found = top_level_entries();
  for (const std::string& name : found) {
    EXPECT_TRUE(std::find(wanted.begin(), wanted.end(), name) != wanted.end())
        << name << ": put it into one of the folders, or remove it";
  }
  for (const std::string& name : wanted) {
    EXPECT_TRUE(std::find(found.begin(), found.end(), name) != found.end()) << name << " is gone: correct this list";
  }
}

// Whoever puts a column in between would have to count on: rows that wide are read by their fields or in their order
// (storage/postgres/session/sql_fields.hpp).
TEST(Text, NoColumnBeyondTheFifthIsReadByItsNumber) {
  const std::regex numbered("\\.(text|integer|number|boolean|raw|is_null)\\([^,()]+, ([5-9]|[0-9]{2,})\\)");
  EXPECT_TRUE(std::regex_search("point.p = rows.number(row, 5);", numbered));
  EXPECT_FALSE(std::regex_search("point.p = rows.number(row, 4); text.substr(0, 12);", numbered));
  for (const SourceFile& file : read_source_files({".cpp"})) {
    if (!file.path.starts_with("storage/")) continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      EXPECT_FALSE(std::regex_search(file.lines[i], numbered))
          << file.path << ":" << i + 1 << ": read_fields() or read_in_order()";
    }
  }
}

TEST(Text, NoFileNameSaysNothing) {
  for (const SourceFile& file : read_source_files(kCode)) {
    const std::string stem = std::filesystem::path(file.path).stem().string();
    for (const char* word : {"utils", "util", "helpers", "helper", "common", "manager", "misc"}) {
      EXPECT_NE(stem, word) << file.path << ": name the concept";
    }
  }
}

TEST(Text, NoUnfinishedWordsInCode) {
  // Split so that this file does not find itself.
  const std::vector<std::string> words{std::string("TO") + "DO", std::string("FIX") + "ME", std::string("XX") + "X"};
  for (const SourceFile& file : read_source_files(kCode)) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      for (const std::string& word : words) {
        const std::size_t at = file.lines[i].find(word);
        // The letters that mktemp replaces are no unfinished word.
        const bool is_template = file.lines[i].find(std::string(6, 'X')) != std::string::npos;
        EXPECT_TRUE(at == std::string::npos || is_template)
            << file.path << ":" << i + 1 << ": finish it or file an issue";
      }
    }
  }
}

// Two builds of one commit are one program, byte for byte (tests/ci/package/compare_builds.sh). The paths of sources
// are mapped when a release is built, which reaches no definition.
TEST(Text, NoProgramHoldsWhenOrWhereItWasBuilt) {
  const std::regex where("[A-Z]=\\\\?\"\\$\\{[A-Z_]*_(SOURCE|BINARY)_DIR\\}");
  const auto holds = [&where](const std::string& line) {
    for (const char* second : {"__DATE__", "__TIME__", "__TIMESTAMP__", "string(TIMESTAMP"}) {
      if (line.find(second) != std::string::npos) return true;
    }
    return line.find("_DIR}") != std::string::npos && std::regex_search(line, where);
  };
  for (const char* held : {"STEELYARD_X=\"${PROJECT_SOURCE_DIR}\"", "X=\\\"${CMAKE_CURRENT_BINARY_DIR}/x\\\"",
                           "f(__DATE__);", "string(TIMESTAMP now)"}) {
    EXPECT_TRUE(holds(held)) << held;
  }
  EXPECT_FALSE(holds("-DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/known.cpp"));
  for (const SourceFile& file : read_source_files({".hpp", ".cpp", ".cu", ".cuh", ".in", ".cmake", "CMakeLists.txt"})) {
    if (file.path.starts_with("tests/")) continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      EXPECT_FALSE(holds(file.lines[i])) << file.path << ":" << i + 1 << ": another time or place, another program";
    }
  }
}

std::string without_literals(const std::string& line) {
  static const std::regex literal("\"([^\"\\\\]|\\\\.)*\"");
  return std::regex_replace(line, literal, "");
}

// The line without its comment and without what its literals say.
std::string names_in(const std::string& line) {
  const std::string code = without_literals(line);
  return code.substr(0, code.find("//"));
}

bool has_word(const std::string& names, const std::string& word) {
  const std::size_t at = names.find(word);
  return at != std::string::npos && (at == 0 || std::islower(static_cast<unsigned char>(names[at - 1])) == 0);
}

// g++ 12's std::random_device, linked in as a release has it, asks for a C library that Ubuntu 22.04 has not.
TEST(Text, EntropyIsAskedOfTheSystem) {
  for (const SourceFile& file : read_source_files({".hpp", ".cpp", ".cu", ".cuh"})) {
    if (file.path.starts_with("tests/")) continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      if (file.lines[i].find("random_device") == std::string::npos) continue;
      EXPECT_EQ(names_in(file.lines[i]).find("random_device"), std::string::npos)
          << file.path << ":" << i + 1 << ": take getentropy()";
    }
  }
}

// Code of `folders` with that word, but for what is listed: file, and why it may.
void expect_alone_in(const std::vector<std::string>& folders, const std::string& word,
                     std::map<std::string, const char*> listed, const char* fix) {
  const std::map<std::string, const char*> allowed = listed;
  for (const SourceFile& file : read_source_files({".hpp", ".cpp"})) {
    const bool is_meant = std::any_of(folders.begin(), folders.end(),
                                      [&file](const std::string& folder) { return file.path.starts_with(folder); });
    for (std::size_t i = 0; is_meant && i < file.lines.size(); ++i) {
      if (names_in(file.lines[i]).find(word) == std::string::npos) continue;
      listed.erase(file.path);
      EXPECT_TRUE(allowed.contains(file.path)) << file.path << ":" << i + 1 << ": " << word << ": " << fix;
    }
  }
  for (const auto& [path, why] : listed) ADD_FAILURE() << path << " has it no more (" << why << "): correct this list";
}

// Strangers' code may have put a link in the file's place by then.
TEST(Text, WhatAGateWritesIsANewFileAndFollowsNoLink) {
  expect_alone_in({"ci/", "bench/runner/"}, "ofstream",
                  {{"ci/measuring/strangers.cpp", "before strangers' code runs"},
                   {"ci/verbs/config_init.cpp", "of a project's owner"},
                   {"ci/verbs/profile_trace.cpp", "of a recording at hand"}},
                  "take write_text_file() or write_archive()");
}

// What is kept, or judged and then kept, has the id of its content.
TEST(Text, ArchivesOfOthersAreReadSealed) {
  expect_alone_in({"ci/", "storage/"}, "read_archive(",
                  {{"ci/judging/kept_ceilings.cpp", "ceilings alone are taken of it"},
                   {"ci/judging/targets.cpp", "ceilings alone are taken of it"},
                   {"ci/measuring/count_cache.cpp", "our own, from which a run is made that is sealed"},
                   {"ci/verbs/profile_trace.cpp", "ceilings alone are taken of it"},
                   {"ci/verbs/publish.cpp", "what failed alone is taken of it"},
                   {"ci/verbs/verify.cpp", "its content is held against the id that is looked for"},
                   {"storage/archive/archive.cpp", "it is defined there"},
                   {"storage/archive/archive.hpp", "it is declared there"},
                   {"storage/spool/spool.cpp", "its content is held against the id that is looked for"}},
                  "take read_sealed_archive()");
}

// What other people's books and tools call it. Keys of JSON and columns, which stay, stand in literals.
TEST(Text, NamesAreTheTermsOfTheField) {
  const std::vector<std::pair<std::string, const char*>> terms{
      {"kMost", "kMax"},
      {"kLeast", "kMin"},
      {"set_aside", "excluded"},
      {"left_out", "excluded"},
      {"leave_out", "exclude"},
      {"relabel", "permutation"},
      {"re_label", "permutation"},
      {"middle_of_three", "median"},
      {"middle_of_sorted", "median"},
      {"chance_text", "p_value_text"},
      {"probability_text", "p_value_text"},
      {"tell_equal", "annotate_equal"},
      {"take_known", "reuse_cached"},
      {"all_but", "all_except"},
  };
  EXPECT_TRUE(has_word("is_left_out = kMostRows", "kMost"));
  EXPECT_FALSE(has_word("IsHeldBackMost", "kMost"));
  EXPECT_EQ(names_in("json[\"left_out\"] = x; // left_out"), "json[] = x; ");
  for (const SourceFile& file : read_source_files({".hpp", ".cpp", ".cu", ".cuh"})) {
    if (file.path == "tests/tidy/text_test.cpp") continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      for (const auto& [other, wanted] : terms) {
        EXPECT_FALSE(has_word(file.lines[i], other) && has_word(names_in(file.lines[i]), other))
            << file.path << ":" << i + 1 << ": " << other << " is " << wanted << " to others";
      }
    }
  }
}

TEST(Text, CommentsHaveASubject) {
  const std::regex alone("^ *// ?((Ditto|As (above|before)|The same|Absent|As there)[.:]|(Likewise|Nor|Also|And)\\b)");
  EXPECT_TRUE(std::regex_search("  // Likewise.", alone));
  EXPECT_TRUE(std::regex_search("// Nor is it a bound.", alone));
  EXPECT_FALSE(std::regex_search("// Normal pages alone.", alone));
  EXPECT_FALSE(std::regex_search("// The same build twice. Absent where there is none.", alone));
  for (const SourceFile& file : read_source_files({".hpp", ".cpp", ".cu", ".cuh"})) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const bool is_comment = file.lines[i].find("//") != std::string::npos;
      EXPECT_FALSE(is_comment && std::regex_search(file.lines[i], alone))
          << file.path << ":" << i + 1 << ": say of what";
    }
  }
}

TEST(Text, NoNamespaceIsClosedToBeOpenedAgain) {
  for (const SourceFile& file : read_source_files({".hpp", ".cpp", ".cu", ".cuh"})) {
    bool is_closed = false;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      EXPECT_FALSE(is_closed && file.lines[i] == "namespace {") << file.path << ":" << i + 1 << ": it is still open";
      if (!file.lines[i].empty()) is_closed = file.lines[i] == "}  // namespace";
    }
  }
}

// Sources and pages that the line's comment names. NAME, FOLDER and PAGE stand for any.
std::vector<std::string> files_in_comment(const std::string& line) {
  static const std::regex name("[A-Za-z0-9_./-]*[A-Za-z0-9_]\\.(hpp|cpp|cuh?|md)\\b(?!\\.[a-z])");
  static const std::regex any("\\b(NAME|FOLDER|PAGE)\\b");
  const auto has = [&line](const char* ending) { return line.find(ending) != std::string::npos; };
  if (!has("//") || !(has(".hpp") || has(".cpp") || has(".cu") || has(".md"))) return {};
  const std::string plain = without_literals(line);
  const std::size_t at = plain.find("//");
  if (at == std::string::npos) return {};
  std::vector<std::string> files;
  const std::string comment = plain.substr(at + 2);
  for (std::sregex_iterator found(comment.begin(), comment.end(), name), end; found != end; ++found) {
    if (!std::regex_search(found->str(), any)) files.push_back(found->str());
  }
  return files;
}

TEST(Text, CommentsNameFilesThatAreThere) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(files_in_comment("f();  // see gone.hpp, regress/ab/gone.cpp. (method/gone.md)"),
            (Names{"gone.hpp", "regress/ab/gone.cpp", "method/gone.md"}));
  EXPECT_EQ(files_in_comment("// ci/verbs/NAME.cpp, \"gone.cpp\", page.cpp.in and *.hpp"), Names{});
  EXPECT_EQ(files_in_comment("#include \"bench/gone.hpp\""), Names{});
  std::set<std::string> known;
  const std::filesystem::path root = STEELYARD_SOURCE_FOLDER;
  const auto add = [&known](const std::string& path) {
    known.insert(path);
    for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
      known.insert(path.substr(at + 1));
    }
  };
  for (const std::string& name : top_level_entries()) add(name);
  for (const SourceFile& file : read_source_files({".hpp", ".cpp", ".cu", ".cuh", ".md"})) add(file.path);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "docs")) {
    add(std::filesystem::relative(entry.path(), root).generic_string());
  }
  std::size_t names = 0;
  for (const SourceFile& file : read_source_files({".hpp", ".cpp", ".cu", ".cuh"})) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      for (const std::string& name : files_in_comment(file.lines[i])) {
        ++names;
        EXPECT_TRUE(known.contains(name)) << file.path << ":" << i + 1 << ": there is no " << name;
      }
    }
  }
  EXPECT_GT(names, 100U);
}

// Numbers with a point are written by bench/model: of no locale, and with as many digits wherever they stand.
TEST(Text, NumbersAreNotWrittenByPrintf) {
  const std::regex number("printf\\(.*%[-+ #0-9.*]*[aefgAEFG]");
  for (const SourceFile& file : read_source_files({".hpp", ".cpp"})) {
    const bool is_other = file.path.starts_with("tests/") || file.path.starts_with("ci/demo/");
    if (is_other || file.path.starts_with("bench/suites/")) continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      if (file.lines[i].find("printf") == std::string::npos) continue;
      EXPECT_FALSE(std::regex_search(file.lines[i], number))
          << file.path << ":" << i + 1 << ": bench/model/number_text.hpp or text.hpp";
    }
  }
}

// A percentage has the digits that number_text says. "12.3%" without a space is the form of others: PyTorch's tables,
// what is typed behind an option.
TEST(Text, PercentagesOfReportsAreWrittenByNumberText) {
  const std::regex percentage("decimals?_text\\(.*((\\b100 \\*|\\* 100\\b).*|\\) \\+ )\" %");
  EXPECT_TRUE(std::regex_search("return decimal_text(100 * share, 1) + \" %\";", percentage));
  EXPECT_TRUE(std::regex_search("return decimals_text(*part * 100, 1) + \" % of \" + name;", percentage));
  EXPECT_TRUE(std::regex_search("text += decimal_text(percent, 1) + \" % of \" + name;", percentage));
  EXPECT_FALSE(std::regex_search("return share_text(share, 1) + \", 100 * 2 %\";", percentage));
  for (const SourceFile& file : read_source_files({".hpp", ".cpp"})) {
    const bool is_report = file.path.starts_with("ci/") || file.path.starts_with("bench/model/");
    if (!is_report || file.path == "bench/model/number_text.cpp") continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      EXPECT_FALSE(std::regex_search(file.lines[i], percentage))
          << file.path << ":" << i + 1 << ": change_text or share_text of bench/model/number_text.hpp";
    }
  }
}

// A literal of more than twenty characters with a space in it, and not of a failed call.
bool has_sentence(const std::string& line) {
  constexpr std::size_t kLongestWords = 20;
  for (const char* harmless : {"assert(", "_error(", "#include"}) {
    if (line.find(harmless) != std::string::npos) return false;
  }
  std::string code = line.substr(0, line.find("//"));
  constexpr std::string_view kQuote = "'\"'";
  for (std::size_t at = code.find(kQuote); at != std::string::npos; at = code.find(kQuote))
    code.erase(at, kQuote.size());
  for (std::size_t begin = code.find('"'); begin != std::string::npos;) {
    std::size_t end = begin + 1;
    while (end < code.size() && code[end] != '"') end += code[end] == '\\' ? 2 : 1;
    if (end >= code.size()) return false;
    const std::string words = code.substr(begin + 1, end - begin - 1);
    if (words.size() > kLongestWords && words.find(' ') != std::string::npos) return true;
    begin = code.find('"', end + 1);
  }
  return false;
}

TEST(Text, ASentenceIsALongLiteralWithASpace) {
  EXPECT_TRUE(has_sentence("return \"the sides were measured apart\";"));
  EXPECT_TRUE(has_sentence("x = \"a\" + \"; measure both \\\"builds\\\" together\";"));
  EXPECT_FALSE(has_sentence("// \"the sides were measured apart\""));
  EXPECT_FALSE(has_sentence("effect.test = \"t on log levels\";"));
  EXPECT_FALSE(has_sentence("return '\"' + table.match + '\"' + (where.empty() ? \"\" : where);"));
  EXPECT_FALSE(has_sentence("return bug_error(\"fit\", \"sizes that are no sweep at all\");"));
}

// Facts are types, words are made in ci/report: regress hands out why a row has its verdict, why it does not gate and
// what is warned of (regress/ab/judged.hpp), ci/attribution what it found (attribute.hpp), and
// ci/report/judgement_text words it.
TEST(Text, JudgementMakesNoSentencesButOfInputThatCannotBeRead) {
  // What a user typed is refused where it is read, by an Error that says what was found and what was wanted.
  std::set<std::string> refusing{"regress/scaling/sweep.cpp", "regress/targets/declared_target.cpp",
                                 "ci/attribution/own_source.cpp"};  // the last: a name as Callgrind writes it
  const std::set<std::string> allowed = refusing;
  for (const SourceFile& file : read_source_files({".hpp", ".cpp"})) {
    if (!file.path.starts_with("regress/") && !file.path.starts_with("ci/attribution/")) continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      if (!has_sentence(file.lines[i])) continue;
      refusing.erase(file.path);
      EXPECT_TRUE(allowed.contains(file.path))
          << file.path << ":" << i + 1 << ": hand out the fact, word it in ci/report";
    }
  }
  for (const std::string& path : refusing) ADD_FAILURE() << path << " has no sentence: take it from the list";
}

// Whether the line gives words of its own to what is kept of a judgement: the reason of a row, why it does not gate,
// the proof of a count, what is warned of.
bool words_a_judgement(const std::string& line) {
  static const std::regex given("\\b(reason|gate_note|proof)\\b *(\\+?=[^=]|\\()[^;]*\"[^\"]*[A-Za-z] [A-Za-z]");
  static const std::regex warned(
      "\\b(warnings_?|trouble)(\\.|->)(push_back|emplace_back|insert)\\("
      ".*\"[^\"]*[A-Za-z] [A-Za-z]");
  const std::string code = line.substr(0, line.find("//"));
  return std::regex_search(code, given) || std::regex_search(code, warned);
}

TEST(Text, WordsOfAJudgementAreSeen) {
  EXPECT_TRUE(words_a_judgement("row.reason = \"it was not timed\";"));
  EXPECT_TRUE(words_a_judgement("  proof += \", and so are the \" + files;"));
  EXPECT_TRUE(words_a_judgement("std::string reason(\"no benchmark measured it\");"));
  EXPECT_FALSE(words_a_judgement("row.reason += (row.reason.empty() ? \"\" : \"; \") + note_text(note);"));
  EXPECT_FALSE(words_a_judgement("if (row.reason == \"it was not timed\") return;"));
  EXPECT_TRUE(words_a_judgement("measured.warnings.push_back(\"it was not timed\" + text);"));
  EXPECT_FALSE(words_a_judgement("warnings.push_back(warning::interrupted());"));
  EXPECT_FALSE(words_a_judgement("// row.reason = \"it was not timed\""));
}

// ci/judging and ci/measuring say what they do and refuse what they cannot; what is judged is worded as all of it is.
TEST(Text, WhatIsKeptOfAJudgementIsWordedByTheReport) {
  for (const SourceFile& file : read_source_files({".hpp", ".cpp"})) {
    if (!file.path.starts_with("ci/judging/") && !file.path.starts_with("ci/measuring/")) continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      EXPECT_FALSE(words_a_judgement(file.lines[i]))
          << file.path << ":" << i + 1 << ": hand out the fact, word it in ci/report";
    }
  }
}

// A literal with a space between letters, or a constant that is one, that a text is searched for or held against.
constexpr std::array<std::string_view, 7> kSearches{"find(", "_with(", "contains(", "strstr(", "regex", "== ", "!= "};
bool searches_sentence(const std::string& line, const std::set<std::string>& sentences) {
  static const std::string text = "(std::string(_view)?[({])?";
  static const std::string searched =
      "(\\b(find|rfind|starts_with|ends_with|contains|strstr|regex|regex_search)\\(|[=!]= )" + text +
      "(\"[^\"]*\" \\+ )?" + text;
  static const std::regex literal(searched + "\"[^\"]*[A-Za-z] [A-Za-z]");
  static const std::regex constant(searched + "(k[A-Z]\\w*)");
  // Most lines search for nothing, and an expression takes its time to say so.
  const bool any = std::any_of(kSearches.begin(), kSearches.end(),
                               [&line](std::string_view part) { return line.find(part) != line.npos; });
  if (!any || (sentences.empty() && line.find('"') == line.npos)) return false;
  const std::string code = line.substr(0, line.find("//"));
  if (std::regex_search(code, literal)) return true;
  if (sentences.empty()) return false;
  for (std::sregex_iterator found(code.begin(), code.end(), constant), end; found != end; ++found) {
    if (sentences.contains((*found)[found->size() - 1])) return true;
  }
  return false;
}

// The constants of a file that are literals with a space between letters.
std::set<std::string> sentences_of(const SourceFile& file) {
  static const std::regex defined("\\b(k[A-Z]\\w*)(\\[\\])? ?(= ?|\\()\"[^\"]*[A-Za-z] [A-Za-z]");
  std::set<std::string> sentences;
  std::smatch found;
  for (const std::string& line : file.lines) {
    if (line.find('"') != line.npos && std::regex_search(line, found, defined)) sentences.insert(found[1]);
  }
  return sentences;
}

TEST(Text, ASearchForASentenceIsSeen) {
  EXPECT_TRUE(searches_sentence("if (row.reason.starts_with(\"not reached: by\")) return;", {}));
  EXPECT_TRUE(searches_sentence("return reason.find(\"; \" + std::string(\"not counted\")) != npos;", {}));
  EXPECT_TRUE(searches_sentence("return reason.starts_with(kWords);", {"kWords"}));
  EXPECT_FALSE(searches_sentence("return reason.starts_with(kWords);", {}));
  EXPECT_TRUE(searches_sentence("return found == \"no file\" ? 1 : 2;", {}));
  EXPECT_TRUE(searches_sentence("if (n == kMax && error.found != kWords) return;", {"kWords"}));
  EXPECT_FALSE(searches_sentence("const bool is_one = n == 1; text = \"no file\";", {}));
  EXPECT_FALSE(searches_sentence("line.find(\"cpu \"); line.rfind(\" (0x\");", {}));
  EXPECT_FALSE(searches_sentence("text += names.find(x)->second; text += \"a b\";", {}));
  EXPECT_FALSE(searches_sentence("// reason.find(\"a b\")", {}));
  const SourceFile file{"x.cpp", {"constexpr std::string_view kWords = \"not reached\";", "int kOne = 1;"}};
  EXPECT_EQ(sentences_of(file), std::set<std::string>{"kWords"});
}

// What is known is a member with a type, and a sentence is for people: whoever decided by one would be wrong as soon as
// it is worded otherwise. Files of before are read by bench/model/kept_words.
TEST(Text, NobodySearchesASentenceButReadersOfWhatOthersWrite) {
  std::set<std::string> readers{"bench/counting/collection.cpp",               // Valgrind's log
                                "bench/cuda/kernel_name.cpp",                  // a demangler's names
                                "bench/cuda/kernel_symbol.cpp",                // the same
                                "bench/doctor/machine_setting.cpp",            // the first line of its own journal
                                "bench/environment/binary_facts.cpp",          // what compilers leave in programs
                                "bench/environment/machine_facts.cpp",         // /proc/cpuinfo
                                "bench/profile/read_chrome_trace.cpp",         // keys of PyTorch's traces
                                "bench/runner/benchmark_listing.cpp",          // Google Benchmark's errors
                                "bench/runner/program_facts.cpp",              // ldd's lines
                                "ci/attribution/own_source.cpp",               // Callgrind's names of functions
                                "ci/git/repository.cpp",                       // git's errors
                                "ci/report/trace_names.cpp",                   // a demangler's names
                                "regress/targets/declared_target.cpp",         // what a user writes
                                "storage/postgres/access/roles.cpp",           // the comment that is kept on a role
                                "storage/postgres/upkeep/table_contents.cpp",  // PostgreSQL's names of types
                                "bench/model/kept_words.cpp"};
  const std::set<std::string> allowed = readers;
  for (const SourceFile& file : read_source_files({".hpp", ".cpp"})) {
    if (file.path.starts_with("tests/")) continue;
    const std::set<std::string> sentences = sentences_of(file);
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      if (!searches_sentence(file.lines[i], sentences)) continue;
      readers.erase(file.path);
      EXPECT_TRUE(allowed.contains(file.path))
          << file.path << ":" << i + 1 << ": keep the fact as a member with a type, and word it in ci/report";
    }
  }
  for (const std::string& path : readers) ADD_FAILURE() << path << " searches no sentence: take it from the list";
}

// A function of the C library whose last bit is that of the processor. Powers of two are exact.
bool calls_unsteady_function(const std::string& line) {
  static const std::regex called(
      "std::(log(2|10|1p)?|exp(m1)?|erfc?|[tl]gamma|hypot|cbrt|sin|cos|tan|a?sinh|a?cosh|a?tanh|asin|acos|atan2?)\\(");
  const std::string code = line.substr(0, line.find("//"));
  return code.find("std::") != code.npos && std::regex_search(code, called);
}

TEST(Text, ACallOfAFunctionWithoutTheSameBitsEverywhereIsSeen) {
  EXPECT_TRUE(calls_unsteady_function("return std::log(x) - 1;"));
  EXPECT_TRUE(calls_unsteady_function("return a * std::expm1(x);"));
  EXPECT_TRUE(calls_unsteady_function("const double p = steady(std::erfc(z));"));
  EXPECT_FALSE(calls_unsteady_function("return steady_log(x) + std::sqrt(x) + std::exp2(-n) + std::ldexp(1.0, n);"));
  EXPECT_FALSE(calls_unsteady_function("// what std::log(x) would be"));
}

// What judges gives the same bytes on every machine (regress/ab/steady_digits.hpp).
TEST(Text, LogarithmsAndExponentialsOfWhatJudgesAreItsOwn) {
  std::set<std::string> rounded{"regress/ab/distributions.cpp", "regress/ab/joint.cpp", "regress/ab/sequential.cpp"};
  const std::set<std::string> allowed = rounded;  // the tail of the normal distribution, to the steady digits
  for (const SourceFile& file : read_source_files({".hpp", ".cpp"})) {
    if (!file.path.starts_with("regress/") && file.path != "ci/judging/bisect.cpp") continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      if (!calls_unsteady_function(file.lines[i])) continue;
      rounded.erase(file.path);
      EXPECT_TRUE(allowed.contains(file.path) && file.lines[i].find("std::erfc(") != std::string::npos)
          << file.path << ":" << i + 1 << ": take steady_log() and its like";
    }
  }
  for (const std::string& path : rounded) ADD_FAILURE() << path << " takes no tail: take it from the list";
}

TEST(Text, TrackedFilesStayWithinTwoHundredAndFiftySixKilobytes) {
  for (const SourceFile& file : read_source_files({""})) {
    const auto size = std::filesystem::file_size(std::filesystem::path(STEELYARD_SOURCE_FOLDER) / file.path);
    EXPECT_LE(size, kLargestFile) << file.path;
  }
}

}  // namespace
}  // namespace steelyard::tidy::text_test
