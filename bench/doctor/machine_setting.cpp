#include "bench/doctor/machine_setting.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "bench/environment/system_file.hpp"
#include "bench/model/text.hpp"
#include "bench/runner/descriptor.hpp"

namespace steelyard::bench {
namespace {

constexpr std::string_view kCpuFolder = "sys/devices/system/cpu/";
constexpr std::string_view kGovernorFile = "/cpufreq/scaling_governor";
constexpr std::string_view kPreferenceFile = "/cpufreq/energy_performance_preference";
constexpr const char* kNoTurbo = "sys/devices/system/cpu/intel_pstate/no_turbo";
constexpr const char* kBoost = "sys/devices/system/cpu/cpufreq/boost";
constexpr const char* kHugePages = "sys/kernel/mm/transparent_hugepage/enabled";

// "3" of "sys/devices/system/cpu/cpu3/cpufreq/scaling_governor" where `setting` is kGovernorFile; empty for any other.
std::string_view core_of(std::string_view file, std::string_view setting) {
  if (!file.starts_with(kCpuFolder) || !file.ends_with(setting)) return {};
  file.remove_prefix(kCpuFolder.size());
  file.remove_suffix(std::min(setting.size(), file.size()));
  if (!file.starts_with("cpu")) return {};
  file.remove_prefix(3);
  return file.size() < 6 && is_decimal(file) ? file : std::string_view();
}

bool is_word(std::string_view value) {
  constexpr std::size_t kLongest = 32;
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789_-";
  return !value.empty() && value.size() <= kLongest && value.find_first_not_of(kAllowed) == std::string_view::npos;
}

void plan_governors(const std::filesystem::path& root, std::vector<SettingChange>& changes) {
  constexpr const char* kGovernor = "performance";
  const std::filesystem::path folder = root / kCpuFolder;
  for (const int core : parse_core_list(read_system_file(folder / "online").value_or(""))) {
    const std::string name = "cpu" + std::to_string(core);
    const std::string core_folder = std::string(kCpuFolder) + name;
    const std::string file = core_folder + std::string(kGovernorFile);
    const auto value = read_setting(root, file);
    if (!value || *value == kGovernor) continue;
    const auto offered = read_system_file(folder / name / "cpufreq/scaling_available_governors");
    if (offered && (" " + *offered + " ").find(std::string(" ") + kGovernor + " ") == std::string::npos) continue;
    // Some drivers (amd_pstate) raise this with the governor and leave it there when the governor goes back. Before the
    // governor, so that it is set back after it: under "performance" the drivers take no other preference.
    const std::string preference_file = core_folder + std::string(kPreferenceFile);
    const auto preference = read_setting(root, preference_file);
    if (preference && *preference != kGovernor) changes.push_back({preference_file, *preference, kGovernor});
    changes.push_back({file, *value, kGovernor});
  }
}

Error setting_error(const std::filesystem::path& file, int error) {
  const bool refused = error == EACCES || error == EPERM || error == EROFS;
  return input_error(file.string(), std::strerror(error), "a setting that can be written",
                     refused ? "run as root, outside of a container" : "");
}

}  // namespace

std::vector<SettingChange> plan_changes(const std::filesystem::path& root) {
  std::vector<SettingChange> changes;
  plan_governors(root, changes);
  // Intel's driver has a switch of its own, and hides the common one.
  if (const auto no_turbo = read_setting(root, kNoTurbo)) {
    if (*no_turbo == "0") changes.push_back({kNoTurbo, "0", "1"});
  } else if (read_setting(root, kBoost) == "1") {
    changes.push_back({kBoost, "1", "0"});
  }
  // Not "never": a program that asks for huge pages is measured with them.
  if (read_setting(root, kHugePages) == "always") changes.push_back({kHugePages, "always", "madvise"});
  changes.erase(
      std::remove_if(changes.begin(), changes.end(), [](const auto& change) { return !is_known_change(change); }),
      changes.end());
  return changes;
}

bool is_known_change(const SettingChange& change) {
  const bool known = change.file == kNoTurbo || change.file == kBoost || change.file == kHugePages ||
                     !core_of(change.file, kGovernorFile).empty() || !core_of(change.file, kPreferenceFile).empty();
  return known && is_word(change.before) && is_word(change.after);
}

std::optional<std::string> read_setting(const std::filesystem::path& root, const std::string& file) {
  const auto text = read_system_file(root / file);
  if (!text) return std::nullopt;
  return std::string(chosen_of(*text));
}

Result<void> write_setting(const std::filesystem::path& root, const std::string& file, const std::string& value) {
  const std::filesystem::path path = root / file;
  {
    const Descriptor descriptor(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    if (!descriptor.is_open()) return setting_error(path, errno);
    const std::string line = value + '\n';
    ssize_t written = 0;
    do {
      written = ::write(descriptor.number(), line.data(), line.size());
    } while (written < 0 && errno == EINTR);
    if (written != static_cast<ssize_t>(line.size())) return setting_error(path, written < 0 ? errno : ENOSPC);
  }
  const auto found = read_setting(root, file);
  if (found == value) return {};
  return input_error(path.string(), found ? "still " + *found : "a file that cannot be read back", value,
                     "the firmware or another program holds it");
}

NamedSetting named_setting(std::string_view file) {
  if (file == kNoTurbo) return {"turbo (no_turbo)", ""};
  if (file == kBoost) return {"turbo (boost)", ""};
  if (file == kHugePages) return {"transparent huge pages", ""};
  if (const auto core = core_of(file, kGovernorFile); !core.empty()) return {"governor", std::string(core)};
  const std::string_view core = core_of(file, kPreferenceFile);
  return {core.empty() ? std::string(file) : "energy preference", std::string(core)};
}

std::string setting_name(std::string_view file) {
  const NamedSetting setting = named_setting(file);
  return setting.name + (setting.core.empty() ? "" : " of core " + setting.core);
}

namespace {

constexpr std::string_view kFirstJournalLine = "steelyard doctor journal 1";
constexpr std::string_view kLastJournalLine = "end";
constexpr std::size_t kMaxChanges = 65536;

Error journal_error(const std::filesystem::path& file, int error) {
  return input_error(file.string(), std::strerror(error), "a journal of the settings to restore",
                     "make room, or set STEELYARD_STATE to a folder that can be written");
}

Result<void> write_and_sync(const std::filesystem::path& file, const std::string& text) {
  const Descriptor descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!descriptor.is_open()) return journal_error(file, errno);
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor.number(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return journal_error(file, written < 0 ? errno : ENOSPC);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(descriptor.number()) != 0) return journal_error(file, errno);
  return {};
}

// A word up to the tab, which is taken too; the last one ends the line.
std::string take_field(std::string_view& line) {
  const std::size_t tab = line.find('\t');
  const std::string field(line.substr(0, tab));
  line.remove_prefix(tab == std::string_view::npos ? line.size() : tab + 1);
  return field;
}

}  // namespace

std::string journal_text(const ChangeJournal& journal) {
  std::string text(kFirstJournalLine);
  text += "\nroot\t" + journal.root + "\nprocess\t" + std::to_string(journal.process) + '\n';
  for (const SettingChange& change : journal.changes) {
    text += "change\t" + change.file + '\t' + change.before + '\t' + change.after + '\n';
  }
  return text + std::string(kLastJournalLine) + '\n';
}

Result<ChangeJournal> parse_journal(std::string_view text, const std::string& where) {
  const auto bad = [&](std::size_t line, const std::string& found) {
    return input_error(where + ":" + std::to_string(line), found, "a journal of the doctor's",
                       "check the machine's settings by hand and remove the file");
  };
  const std::vector<std::string_view> lines = lines_of(text);
  if (lines.empty() || lines.front() != kFirstJournalLine) return bad(1, "no first line of a journal");
  if (lines.back() != kLastJournalLine) return bad(lines.size(), "a journal without its end");
  if (lines.size() > kMaxChanges) return bad(lines.size(), "more settings than a machine has");
  ChangeJournal journal;
  for (std::size_t i = 1; i + 1 < lines.size(); ++i) {
    std::string_view line = lines[i];
    const std::string word = take_field(line);
    if (word == "root") {
      journal.root = std::string(line);
    } else if (word == "process") {
      journal.process = static_cast<pid_t>(parse_number(line).value_or(0));
    } else if (word == "change") {
      SettingChange change;
      change.file = take_field(line);
      change.before = take_field(line);
      change.after = take_field(line);
      if (!line.empty() || !is_known_change(change)) return bad(i + 1, "a setting that the doctor never changes");
      journal.changes.push_back(std::move(change));
    } else {
      return bad(i + 1, "a line that is none of a journal");
    }
  }
  if (journal.root.empty()) return bad(2, "no root folder");
  return journal;
}

Result<void> write_journal(const std::filesystem::path& file, const ChangeJournal& journal) {
  const std::filesystem::path partial = file.string() + ".partial";
  STEELYARD_CHECK(write_and_sync(partial, journal_text(journal)));
  if (::rename(partial.c_str(), file.c_str()) != 0) return journal_error(file, errno);
  // The new name has to reach the disk too.
  const Descriptor folder(::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open()) ::fsync(folder.number());
  return {};
}

Result<std::optional<ChangeJournal>> read_journal(const std::filesystem::path& file) {
  std::error_code failure;
  if (!std::filesystem::exists(file, failure) && !failure) return std::optional<ChangeJournal>();
  const auto text = read_system_file(file);
  if (!text) return journal_error(file, EACCES);
  STEELYARD_TRY(ChangeJournal journal, parse_journal(*text, file.string()));
  return std::optional(std::move(journal));
}

RestoreOutcome restore(const ChangeJournal& journal) {
  RestoreOutcome outcome;
  for (auto change = journal.changes.rbegin(); change != journal.changes.rend(); ++change) {
    const auto value = read_setting(journal.root, change->file);
    if (value == change->before) continue;  // never reached, or restored already
    const std::string name = setting_name(change->file);
    // A file is empty where our own write was cut short.
    if (value != change->after && value != "") {
      outcome.left.push_back(name + " is " + value.value_or("gone") + " now, neither " + change->before +
                             " as it was nor " + change->after + " as it was set; left so");
      continue;
    }
    const Result<void> written = write_setting(journal.root, change->file, change->before);
    if (written) {
      outcome.restored.push_back(*change);
    } else {
      outcome.failed.push_back(name + " could not be set back to " + change->before + ": " + written.error().text());
    }
  }
  return outcome;
}

}  // namespace steelyard::bench
