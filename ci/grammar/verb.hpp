// A verb as data: what it is called, what it takes, where each option's value goes, and what it does. The command line
// is read by this table and its help is printed from it. Each file of ci/verbs makes one; adding an option is adding a
// row there.
//
//     struct ExportOptions {
//       std::string run;
//       std::filesystem::path output;
//     };
//     Result<ExitCode> run_export(const ExportOptions& options, const App& app);
//
//     Verb export_verb() {
//       const auto options = std::make_shared<ExportOptions>();
//       Verb verb = make_verb(options, run_export, "export", "Prints one run as JSON.",
//                             "  steelyard export run:3f2a91");
//       verb.names = {"RUN"};
//       verb.min_names = 1;
//       verb.take = [options](Words words) -> Result<void> {
//         options->run = words.names[0];
//         return {};
//       };
//       verb.add(path_option("--output", "FILE", options->output, "write there"));
//       add_key_options(verb, {{"store"}});
//       add_common_options(verb);
//       return verb;
//     }
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/model/result.hpp"
#include "ci/app/app.hpp"
#include "ci/config/written_value.hpp"

namespace steelyard::ci {

inline constexpr const char* kGeneralGroup = "General";
inline constexpr const char* kBuildingGroup = "Building";
inline constexpr const char* kJudgingGroup = "Judging";

// What a verb writes where an option says. Every such place is looked at before the verb begins, as what takes minutes
// to measure would be lost with it.
enum class Writes { nothing, file, file_through_links, file_and_folders, folder };

struct VerbOption {
  std::string name;   // "--output"
  std::string value;  // how help names it: "FILE"; empty: a flag; in brackets: it may be left out, and is empty then
  std::string help;
  std::string group;     // of the help: "General", "Measuring", "Judging", "Building"
  bool is_list = false;  // several are joined by commas; of others the last one holds
  std::function<Result<void>(const std::string& text)> set;  // a flag's text is "true"
  bool is_repeated = false;                                  // `set` is called for each that is given
  // Of a value that may be left out: whether the word behind the option is one, beside so many names; else it is a name
  // itself. Asked when the options in the rows above are set. Empty: it always is.
  std::function<bool(const std::string& word, std::size_t names)> takes = {};
  Writes writes = Writes::nothing;
};

// What a command line has beside options.
struct Words {
  std::vector<std::string> names;
  std::vector<std::string> rest;  // what follows a lone --
};

struct Verb {
  std::string name;
  std::string description;
  std::string example;             // lines, indented by two blanks
  std::vector<std::string> names;  // of the positional arguments, for usage and messages; "..." in the last: any number
  std::vector<std::string> first_names;  // all that the first name may be: actions, services; empty: any word
  std::size_t min_names = 0;
  bool takes_rest = false;  // arguments after a lone --
  std::vector<VerbOption> options;
  std::shared_ptr<CommonOptions> common;  // as the options set them

  // Takes the names (as many as declared) and the rest, once all options are set. Empty: there are none to take.
  std::function<Result<void>(Words words)> take;
  std::function<Result<ExitCode>(const App& app)> run;

  void add(VerbOption option) { options.push_back(std::move(option)); }
};

// The verb owns its options: rows set them, `run` is given them.
template <class Options>
Verb make_verb(std::shared_ptr<Options> options, Result<ExitCode> (*run)(const Options& options, const App& app),
               std::string name, std::string description, std::string example) {
  Verb verb;
  verb.name = std::move(name);
  verb.description = std::move(description);
  verb.example = std::move(example);
  verb.common = std::make_shared<CommonOptions>();
  verb.run = [options = std::move(options), run](const App& app) { return run(*options, app); };
  return verb;
}

VerbOption flag_option(std::string name, bool& target, std::string help);
VerbOption text_option(std::string name, std::string value, std::string& target, std::string help,
                       std::string group = kGeneralGroup);
VerbOption path_option(std::string name, std::string value, std::filesystem::path& target, std::string help);
// As path_option(), of what the verb writes.
VerbOption output_option(std::string name, std::string value, std::filesystem::path& target, std::string help,
                         Writes writes = Writes::file);
// The words between the commas.
VerbOption list_option(std::string name, std::string value, std::vector<std::string>& target, std::string help);
// One text each time it is given; commas are part of it.
VerbOption repeated_option(std::string name, std::string value, std::vector<std::string>& target, std::string help);
// range: of rows and points more than anyone reads and less than hurts.
VerbOption number_option(std::string name, int& target, std::string help, CountRange range = {1, 100'000});
VerbOption seed_option(std::optional<std::uint64_t>& target);

// --json, --quiet, --color.
void add_common_options(Verb& verb);

// The options of every key of these tables of steelyard.toml, as overrides of the file; `without` and `only` name
// options.
struct KeyChoice {
  std::vector<std::string_view> sections;
  std::vector<std::string_view> without = {};
  std::vector<std::string_view> only = {};  // empty: all
};
void add_key_options(Verb& verb, const KeyChoice& choice);

}  // namespace steelyard::ci
