#include "bench/doctor/change_journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "bench/environment/system_file.hpp"
#include "bench/runner/descriptor.hpp"

namespace steelyard {
namespace {

constexpr std::string_view kFirstLine = "steelyard doctor journal 1";
constexpr std::string_view kLastLine = "end";
constexpr std::size_t kMostChanges = 65536;

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
  std::string text(kFirstLine);
  text += "\nroot\t" + journal.root + "\nprocess\t" + std::to_string(journal.process) + '\n';
  for (const SettingChange& change : journal.changes) {
    text += "change\t" + change.file + '\t' + change.before + '\t' + change.after + '\n';
  }
  return text + std::string(kLastLine) + '\n';
}

Result<ChangeJournal> parse_journal(std::string_view text, const std::string& where) {
  const auto bad = [&](std::size_t line, const std::string& found) {
    return input_error(where + ":" + std::to_string(line), found, "a journal of the doctor's",
                       "check the machine's settings by hand and remove the file");
  };
  const std::vector<std::string_view> lines = lines_of(text);
  if (lines.empty() || lines.front() != kFirstLine) return bad(1, "no first line of a journal");
  if (lines.back() != kLastLine) return bad(lines.size(), "a journal without its end");
  if (lines.size() > kMostChanges) return bad(lines.size(), "more settings than a machine has");
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
    // Empty: our own write was cut short.
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

}  // namespace steelyard
