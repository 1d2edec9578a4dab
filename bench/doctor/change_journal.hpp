// Which settings are about to be changed, and what they were: on the disk before the first of them is touched, so that
// whoever comes next can set them back, whatever became of the process that changed them.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/doctor/machine_setting.hpp"

namespace steelyard {

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

}  // namespace steelyard
