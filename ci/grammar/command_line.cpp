#include "ci/grammar/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include "bench/model/run.hpp"
#include "ci/config/written_value.hpp"

namespace steelyard::ci {
namespace {

constexpr std::size_t kPageWidth = 100;
constexpr std::size_t kTextColumn = 30;  // where explanations begin; longer names push theirs to the next line

// One line of a page of help: "--min-time DURATION", what it is, and under which title.
struct HelpEntry {
  std::string group;
  std::string names;
  std::string text;
};

const HelpEntry kHelpEntry{kGeneralGroup, "--help", "this text"};
const HelpEntry kVersionEntry{kGeneralGroup, "--version", "name and version"};

// Words of `text` in lines that start at `column`; the first line continues one that is `used` wide already.
std::string wrapped_at(const std::string& text, std::size_t column, std::size_t used) {
  std::string lines(used < column ? column - used : 0, ' ');
  std::size_t at = column;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    if (at > column && at + 1 + word.size() > kPageWidth) {
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
  if (names.size() + 2 > kTextColumn) return names + '\n' + wrapped_at(entry.text, kTextColumn, 0);
  return names + wrapped_at(entry.text, kTextColumn, names.size());
}

// Entries of a group stand together, groups in the order of their first entries.
std::string help_page(const std::string& usage, const std::string& description, const std::vector<HelpEntry>& entries,
                      const std::string& footer) {
  std::string text = "Usage: " + usage + "\n\n" + wrapped_at(description, 0, 0);
  std::vector<std::string> groups;
  for (const HelpEntry& entry : entries) {
    if (std::find(groups.begin(), groups.end(), entry.group) == groups.end()) groups.push_back(entry.group);
  }
  for (const std::string& group : groups) {
    text += '\n' + group + ":\n";
    for (const HelpEntry& entry : entries) {
      if (entry.group == group) text += entry_text(entry);
    }
  }
  return text + '\n' + footer + '\n';
}

std::string main_help(const std::vector<Verb>& verbs) {
  std::vector<HelpEntry> entries;
  for (const Verb& verb : verbs) {
    const std::size_t end = verb.description.find(". ");  // the rest is for the verb's own page
    entries.push_back({"Verbs", verb.name, verb.description.substr(0, end == std::string::npos ? end : end + 1)});
  }
  entries.push_back(kHelpEntry);
  entries.push_back(kVersionEntry);
  return help_page("steelyard VERB [options]",
                   "Tells whether a build got slower, by how much, how sure that is, and which function did it.",
                   entries,
                   std::string(kExitCodeTable) + "\nExample:\n  steelyard ab ./build-old/bench ./build-new/bench");
}

std::string place(const Verb& verb) { return "steelyard " + verb.name; }

std::string help_of(const Verb& verb) {
  std::string usage = place(verb) + " [options]";
  for (const std::string& name : verb.names) usage += ' ' + name;
  if (verb.takes_rest && verb.min_names > 0) usage += " [-- ARGUMENTS...]";
  std::vector<HelpEntry> entries;
  // What every verb has comes last.
  for (const bool general : {false, true}) {
    for (const VerbOption& option : verb.options) {
      if ((option.group == kGeneralGroup) != general) continue;
      entries.push_back({option.group, option.name + (option.value.empty() ? "" : ' ' + option.value), option.help});
    }
  }
  entries.push_back(kHelpEntry);
  return help_page(usage, verb.description, entries, "Example:\n" + verb.example);
}

Error unknown_name(const std::string& where, const std::string& kind, const std::string& name,
                   const std::vector<std::string>& known) {
  const auto nearest = nearest_name(name, known);
  return input_error(where, "unknown " + kind + " \"" + name + '"', "a known one",
                     (nearest ? "did you mean " + *nearest + "? See " : "see ") + where + " --help");
}

std::string joined_by(const std::vector<std::string>& words, char separator) {
  std::string text;
  for (const std::string& word : words) text += (&word == words.data() ? "" : std::string(1, separator)) + word;
  return text;
}

// The names of a command line, among what the library left over. Error (input): an option that nobody knows.
Result<std::vector<std::string>> names_among(const std::vector<std::string>& left_over, const Verb& verb) {
  for (const std::string& left : left_over) {
    if (left.size() < 2 || left.front() != '-') continue;
    std::vector<std::string> known{"--help"};
    for (const VerbOption& option : verb.options) known.push_back(option.name);
    return unknown_name(place(verb), "option", left.substr(0, left.find('=')), known);
  }
  return left_over;
}

Result<void> check_names(const std::vector<std::string>& names, const Verb& verb) {
  const bool open_ended = !verb.names.empty() && verb.names.back().find("...") != std::string::npos;
  if (names.size() >= verb.min_names && (names.size() <= verb.names.size() || open_ended)) return {};
  return input_error(place(verb), names.empty() ? "nothing" : '"' + joined_by(names, ' ') + '"',
                     verb.names.empty() ? "options only" : joined_by(verb.names, ' '),
                     "see " + place(verb) + " --help");
}

// Where `name` stands among the names if it was behind `option` in `words`. Absent: it was not ("--option=name").
std::optional<std::size_t> place_behind(const std::string& option, const std::string& name,
                                        const std::vector<std::string>& names, const std::vector<std::string>& words) {
  std::size_t before = 0;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == option && words[i + 1] == name) return before;
    if (before < names.size() && words[i] == names[before]) ++before;
  }
  return std::nullopt;
}

// The verbs as the library knows them. Names are not declared to it: it would let options swallow them, and would miss
// them before it says which option it does not know.
class Parser {
 public:
  explicit Parser(const std::vector<Verb>& verbs) : verbs_(verbs) {
    app_.allow_extras();
    app_.require_subcommand(0, 1);
    app_.set_help_flag("-h,--help");
    app_.set_version_flag("--version", std::string(kToolName));
    for (const Verb& verb : verbs_) add(verb);
  }

  // words: without a lone -- and what follows it, which come as `rest`.
  Result<ParsedCommand> parse(const std::vector<std::string>& words, std::optional<std::vector<std::string>> rest);

 private:
  void add(const Verb& verb);
  std::size_t chosen() const;  // index; the number of verbs where none was named
  Result<void> set_options(const Verb& verb, const CLI::App& app, const std::vector<std::string>& words,
                           std::vector<std::string>& names) const;
  static std::vector<NamedOutput> outputs_of(const Verb& verb, const CLI::App& app);

  const std::vector<Verb>& verbs_;
  CLI::App app_{"", "steelyard"};
  std::vector<CLI::App*> apps_;  // one a verb
};

void Parser::add(const Verb& verb) {
  CLI::App* app = app_.add_subcommand(verb.name);
  app->allow_extras();
  app->set_help_flag("-h,--help");
  apps_.push_back(app);
  for (const VerbOption& option : verb.options) {
    if (option.value.empty()) {
      app->add_flag_callback(option.name, [] {});  // so that the library reads the value while it parses
      continue;
    }
    CLI::Option* added = app->add_option(option.name);
    added->type_name("TEXT")->expected(option.value.front() == '[' ? 0 : 1, 1)->take_all();
    // Given again, it is given once more, and takes no second word.
    added->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
  }
}

std::size_t Parser::chosen() const {
  const auto found = std::find_if(apps_.begin(), apps_.end(), [](const CLI::App* app) { return app->parsed(); });
  return static_cast<std::size_t>(found - apps_.begin());
}

// In the order of the rows. A word behind an option whose value may be left out can be a name after all: it joins the
// names, in its place. Error (input): the first value that its option does not take.
Result<void> Parser::set_options(const Verb& verb, const CLI::App& app, const std::vector<std::string>& words,
                                 std::vector<std::string>& names) const {
  Result<void> all;
  for (const VerbOption& option : verb.options) {
    const CLI::Option* given = app.get_option(option.name);
    if (given->count() == 0 || (option.value.empty() && !given->as<bool>())) continue;
    std::vector<std::string> texts = option.value.empty() ? std::vector<std::string>{"true"} : given->results();
    for (std::string& text : texts) {
      if (!option.takes || text.empty()) continue;
      const auto at = place_behind(option.name, text, names, words);
      if (!at || option.takes(text, names.size())) continue;
      names.insert(names.begin() + static_cast<std::ptrdiff_t>(*at), std::move(text));
      text.clear();
    }
    if (option.is_list) texts = {joined_by(texts, ',')};
    if (!option.is_repeated && texts.size() > 1) texts = {texts.back()};
    for (const std::string& text : texts) {
      if (Result<void> done = option.set(text); !done && all) all = std::move(done);
    }
  }
  return all;
}

std::vector<NamedOutput> Parser::outputs_of(const Verb& verb, const CLI::App& app) {
  std::vector<NamedOutput> outputs;
  for (const VerbOption& option : verb.options) {
    if (option.writes == Writes::nothing) continue;
    const std::vector<std::string>& given = app.get_option(option.name)->results();
    if (!given.empty() && !given.back().empty()) outputs.push_back({option.name, given.back(), option.writes});
  }
  return outputs;
}

Result<ParsedCommand> Parser::parse(const std::vector<std::string>& words,
                                    std::optional<std::vector<std::string>> rest) {
  try {
    app_.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // the library takes them from the back
  } catch (const CLI::CallForHelp&) {
    const std::size_t index = chosen();
    return ParsedCommand{index < verbs_.size() ? help_of(verbs_[index]) : main_help(verbs_)};
  } catch (const CLI::CallForVersion&) {
    return ParsedCommand{std::string(kToolName) + '\n'};
  } catch (const CLI::ParseError& error) {
    const std::size_t index = chosen();
    const std::string where = index < verbs_.size() ? place(verbs_[index]) : "steelyard";
    return input_error(where, error.what(), "", "see " + where + " --help");
  }
  const std::size_t index = chosen();
  const std::vector<std::string> left_over = app_.remaining();
  if (!left_over.empty() || index == verbs_.size()) {
    const std::string name = left_over.empty() ? "" : left_over.front();
    if (name.starts_with('-')) return unknown_name("steelyard", "option", name, {"--help", "--version"});
    std::vector<std::string> known;
    for (const Verb& verb : verbs_) known.push_back(verb.name);
    return unknown_name("steelyard", "verb", name, known);
  }
  const Verb& verb = verbs_[index];
  STEELYARD_TRY(std::vector<std::string> names, names_among(apps_[index]->remaining(), verb));
  const Result<void> taken = set_options(verb, *apps_[index], words, names);
  STEELYARD_CHECK(check_names(names, verb));
  STEELYARD_CHECK(taken);
  if (rest && !verb.takes_rest) return input_error(place(verb), "arguments after --", "none");
  if (verb.take) STEELYARD_CHECK(verb.take({std::move(names), std::move(rest).value_or(std::vector<std::string>{})}));
  return ParsedCommand{"", &verb, outputs_of(verb, *apps_[index])};
}

}  // namespace

Result<ParsedCommand> parse_command_line(const std::vector<Verb>& verbs, const std::vector<std::string>& arguments) {
  // What follows a lone -- is the measured program's, whatever it looks like; the library never sees it.
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  if (separator == arguments.begin()) return input_error("steelyard", "no verb", "one", "see steelyard --help");
  std::optional<std::vector<std::string>> rest;
  if (separator != arguments.end()) rest.emplace(separator + 1, arguments.end());
  return Parser(verbs).parse({arguments.begin(), separator}, std::move(rest));
}

namespace {

namespace fs = std::filesystem;

constexpr const char* kTriedFile = ".steelyard-tried";  // in a folder

// The folders that verbs will make, made for as long as places in them are tried.
class TriedFolders {
 public:
  TriedFolders() = default;
  TriedFolders(const TriedFolders&) = delete;
  TriedFolders& operator=(const TriedFolders&) = delete;
  ~TriedFolders() {
    std::error_code ignored;
    for (auto made = made_.rbegin(); made != made_.rend(); ++made) fs::remove(*made, ignored);
  }

  // Empty, or what the system says.
  std::string make(const fs::path& folder) {
    std::error_code trouble;
    fs::path part;
    for (const fs::path& name : folder) {
      part /= name;
      if (!name.empty() && fs::create_directory(part, trouble)) made_.push_back(part);
      if (trouble) return trouble.message();
    }
    return "";
  }

 private:
  std::vector<fs::path> made_;
};

Result<void> check_output(const NamedOutput& output, TriedFolders& folders) {
  const bool is_folder = output.writes == Writes::folder;
  const auto refuse = [&](const std::string& found, const std::string& fix) {
    return input_error(output.option, output.place.string() + ": " + found,
                       is_folder ? "a folder that can be written to" : "a file that can be written", fix);
  };
  if (is_folder || output.writes == Writes::file_and_folders) {
    const std::string trouble = folders.make(is_folder ? output.place : output.place.parent_path());
    if (!trouble.empty()) return refuse(trouble, "name another place");
  }
  const LinkInPlace link = output.writes == Writes::file_through_links ? LinkInPlace::followed : LinkInPlace::replaced;
  const std::string trouble = trouble_of_place(is_folder ? output.place / kTriedFile : output.place, link);
  if (trouble.empty()) return {};
  std::error_code ignored;
  const fs::path folder = output.place.parent_path();
  if (!folder.empty() && !fs::exists(folder, ignored)) {
    return refuse(trouble, "make the folder " + folder.string() + ", or name another place");
  }
  return refuse(trouble, "name another place");
}

}  // namespace

Result<void> check_outputs(const std::vector<NamedOutput>& outputs) {
  TriedFolders folders;
  for (const bool is_folder : {true, false}) {
    for (const NamedOutput& output : outputs) {
      if ((output.writes == Writes::folder) == is_folder) STEELYARD_CHECK(check_output(output, folders));
    }
  }
  return {};
}

}  // namespace steelyard::ci
