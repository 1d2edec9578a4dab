#include "ci/measuring/program_in_tree.hpp"

#include "ci/config/written_value.hpp"

namespace steelyard {

Result<Program> program_in_tree(const ConfiguredProgram& configured, const std::filesystem::path& tree,
                                const std::vector<std::string>& arguments, bool with_suite) {
  const std::string where = configured.name.empty() ? "--bench" : "[[program]] \"" + configured.name + '"';
  STEELYARD_TRY(std::vector<std::string> words, command_words(configured.command, where));
  const std::filesystem::path path(words.front());
  if (path.is_absolute()) {
    return input_error(where, '"' + words.front() + '"', "a path relative to the work tree",
                       "both commits would run the same file");
  }
  Program program;
  program.executable = tree / path;
  program.arguments.assign(words.begin() + 1, words.end());
  program.arguments.insert(program.arguments.end(), arguments.begin(), arguments.end());
  program.working_directory = tree;
  if (with_suite) program.suite = configured.name;
  return program;
}

}  // namespace steelyard
