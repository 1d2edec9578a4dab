// Changes a machine's settings for a while and sets them back, come what may: a journal is on the disk before the first
// change, and a watchdog process of its own session waits for the end of this one. It restores when it is told to, and
// as well when this process is killed. If both are killed at once (the machine loses its power), the journal stays, and
// restore_left_over sets things back.
//
//     STEELYARD_TRY(SettingsGuard guard, SettingsGuard::take({"/", state / "doctor"}));
//     ... run the command ...
//     const GuardReport report = guard.finish();
//
// At most one at a time for one folder, on pain of an Error.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "bench/doctor/machine_setting.hpp"
#include "bench/runner/descriptor.hpp"

namespace steelyard::bench {

struct GuardPlaces {
  std::filesystem::path root;    // of the settings: "/" but in tests
  std::filesystem::path folder;  // of lock and journal; made where it is missing
};

struct RefusedChange {
  SettingChange change;
  std::string why;
};

struct GuardReport {
  std::vector<std::string> left;    // settings that someone else changed meanwhile
  std::vector<std::string> failed;  // that are still not as they were; the journal stays
};

class SettingsGuard {
 public:
  // Sets back what an earlier one left, then changes what can be changed. Error (input): another guard holds the
  // folder, no journal can be written, or an old one cannot be read. A setting that cannot be written is no error: see
  // refused(). Call it with the signals blocked that would end this process.
  static Result<SettingsGuard> take(const GuardPlaces& places);
  SettingsGuard(SettingsGuard&&) = default;
  SettingsGuard& operator=(SettingsGuard&&) = delete;
  ~SettingsGuard();  // as finish, in silence

  const std::vector<SettingChange>& changed() const { return changed_; }
  const std::vector<RefusedChange>& refused() const { return refused_; }
  const RestoreOutcome& left_over() const { return left_over_; }  // what an earlier one had left

  // Sets everything back and gives the folder free. Once.
  GuardReport finish();

 private:
  explicit SettingsGuard(GuardPlaces places) : places_(std::move(places)) {}
  Result<void> start_watchdog(const ChangeJournal& journal);

  GuardPlaces places_;
  Descriptor lock_;
  Descriptor order_;  // the watchdog waits for its end
  pid_t watchdog_ = -1;
  std::vector<SettingChange> changed_;
  std::vector<RefusedChange> refused_;
  RestoreOutcome left_over_;
};

// Sets back what a guard left whose processes were all killed. Nothing to do is a success with an empty outcome. Errors
// as of take.
Result<RestoreOutcome> restore_left_over(const GuardPlaces& places);

}  // namespace steelyard::bench
