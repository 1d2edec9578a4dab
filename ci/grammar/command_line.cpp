// Words are taken apart here and not by a library: a word behind an option whose value may be left out can be a name
// after all, which shows only when all words are seen, in their places.
#include "ci/grammar/command_line.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "ci/config/written_value.hpp"

namespace steelyard {
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
std::string page_text(const std::string& usage, const std::string& description, const std::vector<HelpEntry>& entries,
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
  return page_text("steelyard VERB [options]",
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
  return page_text(usage, verb.description, entries, "Example:\n" + verb.example);
}

Error unknown_name(const std::string& where, const std::string& kind, const std::string& name,
                   const std::vector<std::string>& known) {
  const auto nearest = nearest_name(name, known);
  return input_error(where, "unknown " + kind + " \"" + name + '"', "a known one",
                     (nearest ? "did you mean " + *nearest + "? See " : "see ") + where + " --help");
}

bool is_help(const std::string& word) { return word == "-h" || word == "--help"; }
bool is_option(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

std::string joined(const std::vector<std::string>& words, char separator) {
  std::string text;
  for (const std::string& word : words) text += (&word == words.data() ? "" : std::string(1, separator)) + word;
  return text;
}

// The words behind a verb.
class VerbWords {
 public:
  VerbWords(const Verb& verb, std::vector<std::string> words) : verb_(verb), words_(std::move(words)) {}

  // What is there, in its place. Error (input): an option without its value.
  Result<void> read();
  bool wants_help() const { return wants_help_; }
  // Sets the options, and gives what is left to the verb.
  Result<void> take(bool has_rest, std::vector<std::string> rest);

 private:
  struct Given {
    std::string text;
    std::size_t names_before = 0;
    bool may_be_name = false;  // a word of its own behind an option whose value may be left out
  };
  using Values = std::map<const VerbOption*, std::vector<Given>>;

  Result<void> read_option(const std::string& word, std::size_t& at);
  Error in_verb(const std::string& text) const {
    return input_error(place(verb_), text, "", "see " + place(verb_) + " --help");
  }
  void give_names_back(const VerbOption& option, std::vector<Given>& given);
  Result<void> set(const VerbOption& option, const std::vector<Given>& given) const;
  Result<void> check_names() const;

  const Verb& verb_;
  std::vector<std::string> words_;
  std::vector<std::string> names_;
  Values values_;
  std::string unknown_;  // the first option that is none
  bool wants_help_ = false;
};

Result<void> VerbWords::read() {
  for (std::size_t at = 0; at < words_.size(); ++at) {
    const std::string& word = words_[at];
    if (is_help(word)) {
      wants_help_ = true;
    } else if (is_option(word)) {
      STEELYARD_CHECK(read_option(word, at));
    } else {
      names_.push_back(word);
    }
  }
  return {};
}

// `at` moves to the value where that is a word of its own.
Result<void> VerbWords::read_option(const std::string& word, std::size_t& at) {
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  const auto option = std::find_if(verb_.options.begin(), verb_.options.end(),
                                   [&](const VerbOption& known) { return known.name == name; });
  if (option == verb_.options.end()) {
    if (unknown_.empty()) unknown_ = name;
    return {};
  }
  Given given{std::move(value), names_.size(), false};
  if (option->value.empty()) {
    if (given.text == "false") return {};
    if (given.text.empty()) given.text = "true";
    if (given.text != "true") return in_verb("Could not convert: " + name + " = " + given.text);
  } else if (given.text.empty()) {
    const bool is_last = at + 1 == words_.size();
    given.may_be_name = option->value.front() == '[';
    if (is_last && !given.may_be_name) return in_verb(name + ": 1 required TEXT missing");
    if (!given.may_be_name || (!is_last && !is_option(words_[at + 1]))) given.text = words_[++at];
  }
  values_[&*option].push_back(std::move(given));
  return {};
}

// From the back, so that the places of those before it stay.
void VerbWords::give_names_back(const VerbOption& option, std::vector<Given>& given) {
  for (auto one = given.rbegin(); one != given.rend(); ++one) {
    if (!one->may_be_name || one->text.empty() || option.takes(one->text, names_.size())) continue;
    names_.insert(names_.begin() + static_cast<std::ptrdiff_t>(one->names_before), std::move(one->text));
    one->text.clear();
  }
}

Result<void> VerbWords::set(const VerbOption& option, const std::vector<Given>& given) const {
  std::vector<std::string> texts;
  for (const Given& one : given) texts.push_back(one.text);
  if (option.is_list) return option.set(joined(texts, ','));
  if (!option.is_repeated) return option.set(texts.back());
  for (const std::string& text : texts) STEELYARD_CHECK(option.set(text));
  return {};
}

Result<void> VerbWords::check_names() const {
  const bool open_ended = !verb_.names.empty() && verb_.names.back().find("...") != std::string::npos;
  if (names_.size() >= verb_.min_names && (names_.size() <= verb_.names.size() || open_ended)) return {};
  return input_error(place(verb_), names_.empty() ? "nothing" : '"' + joined(names_, ' ') + '"',
                     verb_.names.empty() ? "options only" : joined(verb_.names, ' '),
                     "see " + place(verb_) + " --help");
}

Result<void> VerbWords::take(bool has_rest, std::vector<std::string> rest) {
  if (!unknown_.empty()) {
    std::vector<std::string> known{"--help"};
    for (const VerbOption& option : verb_.options) known.push_back(option.name);
    return unknown_name(place(verb_), "option", unknown_, known);
  }
  std::optional<Error> refused;  // the first value that its option did not take
  for (const VerbOption& option : verb_.options) {
    const auto given = values_.find(&option);
    if (given == values_.end()) continue;
    if (option.takes) give_names_back(option, given->second);
    if (const Result<void> done = set(option, given->second); !done && !refused) refused = done.error();
  }
  STEELYARD_CHECK(check_names());
  if (refused) return *refused;
  if (has_rest && !verb_.takes_rest) return input_error(place(verb_), "arguments after --", "none");
  return verb_.take ? verb_.take({std::move(names_), std::move(rest)}) : Result<void>();
}

}  // namespace

Result<ParsedCommand> parse_command_line(const std::vector<Verb>& verbs, const std::vector<std::string>& arguments) {
  // What follows a lone -- is the measured program's, whatever it looks like.
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  const bool has_rest = separator != arguments.end();
  if (separator == arguments.begin()) return input_error("steelyard", "no verb", "one", "see steelyard --help");
  std::vector<std::string> known;
  for (const Verb& verb : verbs) known.push_back(verb.name);
  const auto is_verb = [&](const std::string& word) {
    return std::find(known.begin(), known.end(), word) != known.end();
  };
  const auto named = std::find_if(arguments.begin(), separator, is_verb);
  if (std::find(arguments.begin(), named, "--version") != named) return ParsedCommand{std::string(kToolName) + '\n'};
  const bool wants_help = std::any_of(arguments.begin(), named, is_help);
  if (named == separator && wants_help) return ParsedCommand{main_help(verbs)};
  if (named != arguments.begin() && !wants_help) {
    const std::string& other = arguments.front();
    if (other.starts_with('-')) return unknown_name("steelyard", "option", other, {"--help", "--version"});
    return unknown_name("steelyard", "verb", other, known);
  }
  const Verb& verb = *std::find_if(verbs.begin(), verbs.end(), [&](const Verb& one) { return one.name == *named; });
  VerbWords words(verb, {named + 1, separator});
  STEELYARD_CHECK(words.read());
  if (wants_help || words.wants_help()) return ParsedCommand{help_of(verb)};
  STEELYARD_CHECK(words.take(
      has_rest, has_rest ? std::vector<std::string>(separator + 1, arguments.end()) : std::vector<std::string>{}));
  return ParsedCommand{"", &verb};
}

}  // namespace steelyard
