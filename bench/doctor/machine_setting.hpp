// The settings of a machine that can be changed for a while without harm and set back exactly: the frequency governor
// and the energy preference that goes with it, turbo, transparent huge pages. Left alone, with the reason in
// docs/guide/doctor.md: threads of a core, swap, address randomization, hardware counters.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"

namespace steelyard::bench {

struct SettingChange {
  std::string file;    // relative to the root: "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
  std::string before;  // the value found: "powersave"
  std::string after;   // the value wanted
  bool operator==(const SettingChange&) const = default;
};

// What would have to change on this machine; empty: nothing, or nothing that it shows.
std::vector<SettingChange> plan_changes(const std::filesystem::path& root);

// True for the files that plan_changes may name, with values as they may hold: a journal is never a way to write
// anywhere else.
bool is_known_change(const SettingChange& change);

// "[always] madvise never" is "always"; any other text is its own value. Absent where the file cannot be read.
std::optional<std::string> read_setting(const std::filesystem::path& root, const std::string& file);
// Writes and reads back. Error (input): no permission, a read-only file, a value that the kernel did not take.
Result<void> write_setting(const std::filesystem::path& root, const std::string& file, const std::string& value);

// "governor of core 3", "energy preference of core 3", "turbo (no_turbo)", "huge pages"
std::string setting_name(std::string_view file);
struct NamedSetting {
  std::string name;  // "governor"
  std::string core;  // "3"; empty: of the whole machine
};
NamedSetting named_setting(std::string_view file);

// Which settings are about to be changed, and what they were: on the disk before the first of them is touched, so that
// whoever comes next can set them back, whatever became of the process that changed them.

struct ChangeJournal {
  std::string root;  // of the files: "/" but in tests
  pid_t process = 0;
  std::vector<SettingChange> changes;
  bool operator==(const ChangeJournal&) const = default;
};

// Written beside its place, forced to the disk and renamed: it is there as a whole or not at all. Error (input): no
// room, no permission.
Result<void> write_journal(const std::filesystem::path& file, const ChangeJournal& journal);
// Absent where there is none. Error (input): it is no journal, or names a file or value that is none of the known ones.
Result<std::optional<ChangeJournal>> read_journal(const std::filesystem::path& file);

std::string journal_text(const ChangeJournal& journal);
Result<ChangeJournal> parse_journal(std::string_view text, const std::string& where);

struct RestoreOutcome {
  std::vector<SettingChange> restored;
  std::vector<std::string> left;    // changed by someone else meanwhile, and left so: one line each
  std::vector<std::string> failed;  // one line each
};
// The last change first. A setting that is neither as it was nor as it was set has another master now, and is left.
RestoreOutcome restore(const ChangeJournal& journal);

}  // namespace steelyard::bench
