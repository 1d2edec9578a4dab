#include "ci/grammar/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "ci/app/version.hpp"
#include "ci/config/nearest_name.hpp"
#include "ci/grammar/help_text.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/grammar/verb_options.hpp"

namespace steelyard {
namespace {

const HelpEntry kHelpEntry{kGeneralGroup, "--help", "this text"};
const HelpEntry kVersionEntry{kGeneralGroup, "--version", "name and version"};

std::string place(const Verb& verb) { return "steelyard " + verb.name; }

std::string main_help(const std::vector<std::unique_ptr<Verb>>& verbs) {
  HelpPage page;
  page.usage = "steelyard VERB [options]";
  page.description = "Tells whether a build got slower, by how much, how sure that is, and which function did it.";
  for (const auto& verb : verbs) {
    const std::size_t end = verb->description.find(". ");  // the rest is for the verb's own page
    page.entries.push_back(
        {"Verbs", verb->name, verb->description.substr(0, end == std::string::npos ? end : end + 1)});
  }
  page.entries.push_back(kHelpEntry);
  page.entries.push_back(kVersionEntry);
  page.footer = kExitCodeTable;
  return help_text(page);
}

std::string help_of(const Verb& verb) {
  HelpPage page;
  page.usage = place(verb) + " [options]";
  for (const std::string& name : verb.names) page.usage += ' ' + name;
  if (verb.takes_rest && verb.least_names > 0) page.usage += " [-- ARGUMENTS...]";
  page.description = verb.description;
  // What every verb has comes last.
  for (const bool general : {false, true}) {
    for (const VerbOption& option : verb.options) {
      if ((option.group == kGeneralGroup) != general) continue;
      const std::string value = option.value.empty() ? "" : ' ' + option.value;
      page.entries.push_back({option.group, option.name + value, option.help});
    }
  }
  page.entries.push_back(kHelpEntry);
  page.footer = "Example:\n" + verb.example;
  return help_text(page);
}

Error unknown_name(const std::string& where, const std::string& kind, const std::string& name,
                   const std::vector<std::string>& known) {
  const auto nearest = nearest_name(name, known);
  return input_error(where, "unknown " + kind + " \"" + name + '"', "a known one",
                     (nearest ? "did you mean " + *nearest + "? See " : "see ") + where + " --help");
}

// What the library left over is either a name (positional) or an option that nobody knows.
Result<std::vector<std::string>> positional(const Verb& verb, const std::vector<std::string>& left_over) {
  std::vector<std::string> given;
  for (const std::string& left : left_over) {
    if (left.size() < 2 || left.front() != '-') {
      given.push_back(left);
      continue;
    }
    std::vector<std::string> known{"--help"};
    for (const VerbOption& option : verb.options) known.push_back(option.name);
    return unknown_name(place(verb), "option", left.substr(0, left.find('=')), known);
  }
  const bool open_ended = !verb.names.empty() && verb.names.back().find("...") != std::string::npos;
  if (given.size() >= verb.least_names && (given.size() <= verb.names.size() || open_ended)) return given;
  std::string found;
  for (const std::string& name : given) found += (found.empty() ? "" : " ") + name;
  std::string wanted;
  for (const std::string& name : verb.names) wanted += (wanted.empty() ? "" : " ") + name;
  return input_error(place(verb), found.empty() ? "nothing" : '"' + found + '"',
                     wanted.empty() ? "options only" : wanted, "see " + place(verb) + " --help");
}

// The verbs as the library knows them. Positional arguments are not declared to it: it would let options swallow them,
// and would miss them before it says which option it does not know.
class Parser {
 public:
  Parser();
  Result<ParsedCommand> parse(std::vector<std::string> arguments);

 private:
  void add(Verb& verb);
  Result<ParsedCommand> chosen_verb(std::vector<std::string> rest, bool separated);
  std::size_t chosen() const;  // index; the number of verbs where none was named

  std::vector<std::unique_ptr<Verb>> verbs_ = make_verbs();
  CLI::App app_{"", "steelyard"};
  std::vector<CLI::App*> apps_;   // one a verb
  std::optional<Error> refused_;  // the first value that an option's setter did not take
};

Parser::Parser() {
  app_.allow_extras();
  app_.require_subcommand(0, 1);
  app_.set_help_flag("-h,--help");
  app_.set_version_flag("--version", std::string(kToolName));
  for (const auto& verb : verbs_) add(*verb);
}

void Parser::add(Verb& verb) {
  CLI::App* app = app_.add_subcommand(verb.name);
  app->allow_extras();
  app->set_help_flag("-h,--help");
  apps_.push_back(app);
  for (const VerbOption& option : verb.options) {
    const auto set = [this, &option](const std::string& text) {
      if (const Result<void> taken = option.set(text); !taken && !refused_) refused_ = taken.error();
    };
    if (option.value.empty()) {
      app->add_flag_callback(option.name, [set] { set("true"); });
      continue;
    }
    if (option.is_repeated) {
      const auto set_each = [set](const std::vector<std::string>& texts) {
        for (const std::string& text : texts) set(text);
      };
      app->add_option_function<std::vector<std::string>>(option.name, set_each)->allow_extra_args(false);
      continue;
    }
    CLI::Option* added = app->add_option_function<std::string>(option.name, set);
    if (option.value.front() == '[') added->expected(0, 1);
    if (option.is_list) {
      added->join(',');
    } else {
      added->take_last();
    }
  }
}

std::size_t Parser::chosen() const {
  const auto found = std::find_if(apps_.begin(), apps_.end(), [](const CLI::App* app) { return app->parsed(); });
  return static_cast<std::size_t>(found - apps_.begin());
}

Result<ParsedCommand> Parser::parse(std::vector<std::string> arguments) {
  // What follows a lone -- is the measured program's, whatever it looks like; the library never sees it.
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  const bool separated = separator != arguments.end();
  const std::vector<std::string> rest(separated ? separator + 1 : separator, arguments.end());
  arguments.erase(separator, arguments.end());
  if (arguments.empty()) return input_error("steelyard", "no verb", "one", "see steelyard --help");
  std::reverse(arguments.begin(), arguments.end());  // the library takes them from the back
  try {
    app_.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    const std::size_t index = chosen();
    return ParsedCommand(RequestedText{index < verbs_.size() ? help_of(*verbs_[index]) : main_help(verbs_)});
  } catch (const CLI::CallForVersion&) {
    return ParsedCommand(RequestedText{std::string(kToolName) + '\n'});
  } catch (const CLI::ParseError& error) {
    const std::size_t index = chosen();
    const std::string where = index < verbs_.size() ? place(*verbs_[index]) : "steelyard";
    return input_error(where, error.what(), "", "see " + where + " --help");
  }
  return chosen_verb(rest, separated);
}

Result<ParsedCommand> Parser::chosen_verb(std::vector<std::string> rest, bool separated) {
  const std::size_t index = chosen();
  const std::vector<std::string> left_over = app_.remaining();
  if (!left_over.empty() || index == verbs_.size()) {
    const std::string name = left_over.empty() ? "" : left_over.front();
    if (name.starts_with('-')) return unknown_name("steelyard", "option", name, {"--help", "--version"});
    return unknown_name("steelyard", "verb", name, verb_names());
  }
  Verb& verb = *verbs_[index];
  STEELYARD_TRY(std::vector<std::string> given, positional(verb, apps_[index]->remaining()));
  if (refused_) return *refused_;
  if (separated && !verb.takes_rest) return input_error(place(verb), "arguments after --", "none");
  if (verb.finish) STEELYARD_CHECK(verb.finish(std::move(given), std::move(rest)));
  return ParsedCommand(std::move(verb.result));
}

}  // namespace

Result<ParsedCommand> parse_command_line(const std::vector<std::string>& arguments) {
  return Parser().parse(arguments);
}

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const auto& verb : make_verbs()) names.push_back(verb->name);
  return names;
}

}  // namespace steelyard
