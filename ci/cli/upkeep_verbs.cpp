#include <string>
#include <utility>
#include <vector>

#include "ci/cli/verb_options.hpp"
#include "ci/cli/verb_rows.hpp"

namespace steelyard {
namespace {

using Words = std::vector<std::string>;

}  // namespace

std::unique_ptr<Verb> make_config() {
  auto verb = make_verb<ConfigOptions>("config",
                                       "Shows the configuration in force, or checks a steelyard.toml. ACTION: show, "
                                       "check. FILE: in place of the one that "
                                       "is found from here.",
                                       "  steelyard config check");
  auto& config = options_of<ConfigOptions>(verb);
  verb->names = {"[ACTION]", "[FILE]"};
  verb->finish = [&config](Words given, Words) -> Result<void> {
    if (given.size() > 1) config.file = given[1];
    if (given.empty()) return {};
    STEELYARD_TRY(const std::size_t index,
                  read_word(WrittenValue{given[0], true}, "steelyard config", {"show", "check"}));
    config.action = static_cast<ConfigOptions::Action>(index);
    return {};
  };
  add_key_options(*verb, config.common, {{"store", "project"}, {}});
  add_common_options(*verb, config.common);
  return verb;
}

std::unique_ptr<Verb> make_db() {
  auto verb = make_verb<DbOptions>(
      "db",
      "Looks after the store. ACTION: init, migrate, rebuild, status, stop. Rebuild fills a store that was lost or "
      "left behind from the archives of its runs and the documents of its comparisons, which stay in the state folder; "
      "running it twice changes nothing.",
      "  steelyard db status\n"
      "  steelyard db rebuild --from /backup/steelyard");
  auto& db = options_of<DbOptions>(verb);
  verb->names = {"ACTION"};
  verb->least_names = 1;
  verb->finish = [&db](Words given, Words) -> Result<void> {
    STEELYARD_TRY(const std::size_t index, read_word(WrittenValue{given[0], true}, "steelyard db",
                                                     {"init", "migrate", "rebuild", "status", "stop"}));
    db.action = static_cast<DbOptions::Action>(index);
    if (db.from.empty() || db.action == DbOptions::Action::rebuild) return {};
    return input_error("--from", "steelyard db " + given[0], "steelyard db rebuild");
  };
  verb->options.push_back(path_option(
      "--from", "FOLDER", db.from, "with rebuild: of the files (default: runs and comparisons in the state folder)"));
  add_key_options(*verb, db.common, {{"store"}, {}});
  add_common_options(*verb, db.common);
  return verb;
}

std::unique_ptr<Verb> make_doctor() {
  auto verb = make_verb<DoctorOptions>(
      "doctor",
      "Says what hurts timings on this machine, worst first, each with its mend, and whether PROGRAM was built to be "
      "timed. With --fix, mends what can be undone while a command runs, and sets it back, also after Ctrl-C and kill.",
      "  steelyard doctor ./build/bench\n"
      "  sudo steelyard doctor --fix -- steelyard ab ./build-old/bench ./build-new/bench");
  auto& doctor = options_of<DoctorOptions>(verb);
  verb->names = {"[PROGRAM]"};
  verb->takes_rest = true;
  verb->finish = [&doctor](Words given, Words rest) -> Result<void> {
    if (!given.empty()) doctor.program = std::move(given[0]);
    doctor.command = std::move(rest);
    return {};
  };
  verb->options.push_back(
      flag_option("--fix", doctor.fix, "mend while the command after -- runs; its exit status is ours"));
  verb->options.push_back(
      flag_option("--fixed-addresses", doctor.fixed_addresses, "with --fix: run it without address randomization"));
  verb->options.push_back(flag_option("--restore", doctor.restore, "set back what a killed --fix left changed"));
  verb->options.push_back(flag_option("--strict", doctor.strict, "exit with 1 where something severe was found"));
  verb->options.push_back(
      flag_option("--no-probe", doctor.no_probe, "do not time a loop for a second; read files only"));
  verb->options.push_back(
      path_option("--root", "FOLDER", doctor.root, "a copied tree of /proc and /sys, in place of this machine's"));
  add_common_options(*verb, doctor.common);
  return verb;
}

}  // namespace steelyard
