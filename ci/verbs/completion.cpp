// steelyard completion: what a shell needs to complete command lines, made from the verbs' own definitions.
#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "bench/model/text.hpp"
#include "ci/config/written_value.hpp"
#include "ci/report/markup.hpp"
#include "ci/verbs/verbs.hpp"

namespace steelyard::ci {
namespace {

struct CompletionOptions {
  std::string shell;
};

constexpr const char* kProgramOptions = "--help --version";  // where no verb is named yet

// The first sentence, without its full stop; the dots of "postgresql://..." end none.
std::string summary_of(const std::string& text) {
  std::size_t stop = text.find(". ");
  while (stop != std::string::npos && stop > 0 && text[stop - 1] == '.') stop = text.find(". ", stop + 1);
  const std::string first = text.substr(0, std::min(stop, text.find("; ")));
  return first.ends_with('.') ? first.substr(0, first.size() - 1) : first;
}

// A shell offers files where one is asked for, and nothing where it cannot know.
bool names_a_file(const VerbOption& option) {
  constexpr std::array<std::string_view, 4> kWords{"FILE", "FOLDER", "PATH", "EXECUTABLE"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return option.value.find(word) != std::string::npos; });
}

// "always|auto|never" are the values themselves; anything in capitals stands for one.
std::vector<std::string> values_of(const VerbOption& option) {
  if (option.value.find('|') == std::string::npos) return {};
  std::vector<std::string> values(1);
  for (const char c : option.value) {
    if (c >= 'A' && c <= 'Z') return {};
    if (c == '|') {
      values.emplace_back();
    } else if (c != '[' && c != ']') {
      values.back() += c;
    }
  }
  return values;
}

std::vector<std::string> option_names(const Verb& verb) {
  std::vector<std::string> names{"--help"};
  for (const VerbOption& option : verb.options) names.push_back(option.name);
  return names;
}

// One case for each option that takes a value: "ab --color) COMPREPLY=(...)".
std::string bash_values(const Verb& verb) {
  std::string cases;
  for (const VerbOption& option : verb.options) {
    if (option.value.empty() || option.value.front() == '[') continue;
    const std::vector<std::string> values = values_of(option);
    std::string reply = "return";
    if (!values.empty()) reply = "COMPREPLY=($(compgen -W '" + joined_text(values, " ") + "' -- \"$word\")); return";
    if (names_a_file(option)) reply = "compopt -o default 2>/dev/null; return";
    cases += "    " + in_shell_quotes(verb.name + ' ' + option.name) + ") " + reply + " ;;\n";
  }
  return cases;
}

std::string bash_script(const std::vector<Verb>& verbs) {
  std::vector<std::string> names;
  std::string values;
  std::string options;
  for (const Verb& verb : verbs) {
    names.push_back(verb.name);
    values += bash_values(verb);
    options += "    " + verb.name + ") words='" + joined_text(option_names(verb), " ") + "' first='" +
               joined_text(verb.first_names, " ") + "' ;;\n";
  }
  const std::string all = joined_text(names, " ");
  return "# bash completion of steelyard: source <(steelyard completion bash)\n"
         "_steelyard() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb='' words='' first='' one\n"
         "  COMPREPLY=()\n"
         "  for one in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "    if [[ $one == -- ]]; then compopt -o default 2>/dev/null; return; fi\n"
         "    if [[ -z $verb && \" " +
         all +
         " \" == *\" $one \"* ]]; then verb=$one; fi\n"
         "  done\n"
         "  case \"$verb $before\" in\n" +
         values +
         "  esac\n"
         "  case $verb in\n" +
         options + "    *) words='" + all + " " + kProgramOptions +
         "' ;;\n"
         "  esac\n"
         "  if [[ -n $verb && $word != -* ]]; then\n"
         "    for one in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "      if [[ \" $first \" == *\" $one \"* ]]; then first=''; fi\n"
         "    done\n"
         "    words=$first\n"
         "    if [[ -z $first ]]; then compopt -o default 2>/dev/null; return; fi\n"
         "  fi\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "}\n"
         "complete -F _steelyard steelyard\n";
}

// An argument of _arguments: '*--name=[what it is]:VALUE:_files'.
std::string zsh_option(const VerbOption& option) {
  std::string help;
  for (const char c : summary_of(option.help)) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') help += '\\';
    help += c;
  }
  std::string spec = (option.is_list || option.is_repeated ? "*" : "") + option.name + '[' + help + ']';
  if (option.value.empty()) return in_shell_quotes(spec);
  const std::vector<std::string> values = values_of(option);
  spec += std::string(option.value.front() == '[' ? "::" : ":") + "value:";
  if (!values.empty()) spec += '(' + joined_text(values, " ") + ')';
  if (names_a_file(option)) spec += "_files";
  return in_shell_quotes(spec);
}

std::string zsh_script(const std::vector<Verb>& verbs) {
  std::string names;
  std::string options;
  for (const Verb& verb : verbs) {
    names += "      " + in_shell_quotes(verb.name + ':' + summary_of(verb.description)) + '\n';
    options += "    " + verb.name + ")\n      _arguments '--help[this text]'";
    for (const VerbOption& option : verb.options) options += " \\\n        " + zsh_option(option);
    if (!verb.first_names.empty()) options += " \\\n        '1:name:(" + joined_text(verb.first_names, " ") + ")'";
    options += " \\\n        '*:name:_files'\n      ;;\n";
  }
  return "#compdef steelyard\n"
         "# zsh completion of steelyard: source <(steelyard completion zsh)\n"
         "_steelyard() {\n"
         "  if (( CURRENT == 2 )); then\n"
         "    local -a verbs=(\n" +
         names +
         "    )\n"
         "    _describe verb verbs\n"
         "    return\n"
         "  fi\n"
         "  local verb=$words[2]\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $verb in\n" +
         options +
         "  esac\n"
         "}\n"
         "compdef _steelyard steelyard\n";
}

std::string fish_script(const std::vector<Verb>& verbs) {
  std::string text =
      "# fish completion of steelyard: steelyard completion fish | source\n"
      "complete -c steelyard -n __fish_use_subcommand -f\n";
  for (const Verb& verb : verbs) {
    text += "complete -c steelyard -n __fish_use_subcommand -a " + verb.name + " -d " +
            in_shell_quotes(summary_of(verb.description)) + '\n';
    if (const std::string first = joined_text(verb.first_names, " "); !first.empty()) {
      text += "complete -c steelyard -n '__fish_seen_subcommand_from " + verb.name +
              "; and not __fish_seen_subcommand_from " + first + "' -f -a '" + first + "'\n";
    }
    for (const VerbOption& option : verb.options) {
      text += "complete -c steelyard -n '__fish_seen_subcommand_from " + verb.name + "' -l " + option.name.substr(2) +
              " -d " + in_shell_quotes(summary_of(option.help));
      const std::vector<std::string> values = values_of(option);
      if (!values.empty()) text += " -x -a '" + joined_text(values, " ") + '\'';
      if (values.empty() && !option.value.empty() && option.value.front() != '[') {
        text += names_a_file(option) ? " -r -F" : " -x";
      }
      text += '\n';
    }
  }
  return text;
}

Result<ExitCode> run_completion(const CompletionOptions& options, const App& app) {
  STEELYARD_TRY(const std::size_t shell,
                read_word(WrittenValue{options.shell, true}, "steelyard completion", {"bash", "zsh", "fish"}));
  constexpr std::array<std::string (*)(const std::vector<Verb>&), 3> kScripts{bash_script, zsh_script, fish_script};
  app.print(kScripts.at(shell)(all_verbs()));
  return ExitCode::success;
}

}  // namespace

Verb completion_verb() {
  const auto options = std::make_shared<CompletionOptions>();
  Verb verb = make_verb(options, run_completion, "completion",
                        "Prints what a shell needs to complete this program's command lines. SHELL: bash, zsh, fish.",
                        "  steelyard completion bash > ~/.local/share/bash-completion/completions/steelyard\n"
                        "  steelyard completion zsh > ~/.zsh/completions/_steelyard   # a folder of $fpath\n"
                        "  steelyard completion fish > ~/.config/fish/completions/steelyard.fish");
  verb.names = {"SHELL"};
  verb.first_names = {"bash", "zsh", "fish"};
  verb.min_names = 1;
  verb.take = [options](Words words) -> Result<void> {
    options->shell = words.names[0];
    return {};
  };
  return verb;
}

}  // namespace steelyard::ci
