#include "bench/counting/command_count.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "bench/counting/algebra/profile_sum.hpp"
#include "bench/counting/net_profile.hpp"
#include "bench/counting/reader/callgrind_reader.hpp"
#include "bench/counting/unwrapped_count.hpp"
#include "bench/runner/child_process.hpp"

namespace steelyard::bench {
namespace {

Error no_command_count(std::string why, std::string fix = "") {
  return program_error("", std::move(why), "", std::move(fix));
}

// Of all processes of one collection, in the order of their names.
Result<std::vector<std::filesystem::path>> profiles_in(const std::filesystem::path& folder, const std::string& prefix) {
  std::vector<std::filesystem::path> files;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (!entry->path().filename().string().starts_with(prefix)) continue;
    files.push_back(entry->path());
    if (files.size() > kMaxCountedProcesses) {
      return no_command_count("it starts more than " + std::to_string(kMaxCountedProcesses) + " processes");
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

class CommandCounting {
 public:
  CommandCounting(const CollectionPlace& place, const BenchmarkCountOptions& options)
      : options_(options), program_(*place.program), place_(place) {
    // What it starts it finds as the timed one does.
    const std::map<std::string, std::string> variables = child_environment(program_);
    if (const auto path = variables.find("PATH"); path != variables.end()) program_.environment.insert(*path);
    place_.program = &program_;
  }

  Result<BenchmarkCount> run() && {
    const int wanted = std::max(options_.repeats, kLearningRepeats);
    while (static_cast<int>(count_.values.size()) < wanted) {
      const auto begun = std::chrono::steady_clock::now();
      STEELYARD_CHECK(add_collection());
      const bool is_enough = static_cast<int>(count_.values.size()) >= kMinCommandRepeats;
      const auto now = std::chrono::steady_clock::now();
      if (is_enough && now + (now - begun) > place_.limits.deadline) break;
    }
    count_.iterations = count_.profile.iterations = 1;
    count_.basis = basis_of_repeats({CountScope::whole_program, 1, count_.values});
    Collection conditions;
    conditions.report = known_conditions_outside(place_, options_);
    count_.count_key = count_key(place_.tools->valgrind_version, conditions, place_.link) + ";all processes";
    return std::move(count_);
  }

 private:
  Result<void> add_collection() {
    const CollectionFiles files(place_.folder, options_.next_number());
    CallgrindCall call;
    call.options = {"--trace-children=yes"};
    STEELYARD_TRY(ChildCommand command, callgrind_command(place_, files, call));
    command.discards_output = true;
    command.ignore_failure = program_.command->ignore_failure;
    command.prepare = program_.command->prepare;
    STEELYARD_TRY(const ChildResult child, run_invocations({command}, place_.limits.cancelled).front());
    if (!child.succeeded()) {
      return place_.limits.unless_late(explain_end(child, read_beginning(files.log()), place_.tools->valgrind_version));
    }
    STEELYARD_TRY(const CountedProfile profile, read_profiles(files));
    if (count_.values.empty()) {
      count_.started_at_unix_ns = child.started_at_unix_ns;
      count_.profile = profile;
    }
    count_.duration_ns += child.duration_ns;
    count_.values.push_back(static_cast<double>(profile.totals.front()));
    count_.net_totals.push_back(profile.totals);
    return {};
  }

  Result<CountedProfile> read_profiles(const CollectionFiles& files) const {
    const std::filesystem::path prefix = files.profile("");
    STEELYARD_TRY(const std::vector<std::filesystem::path> written,
                  profiles_in(prefix.parent_path(), prefix.filename().string()));
    std::vector<CountedProfile> profiles;
    for (const std::filesystem::path& file : written) {
      STEELYARD_TRY(const std::vector<CallgrindPart> parts, read_callgrind(file, {.is_left = true}));
      for (const CallgrindPart& part : parts) {
        if (part.events.empty()) continue;
        STEELYARD_TRY(CountedProfile profile, profile_of(part));
        profiles.push_back(std::move(profile));
      }
    }
    STEELYARD_TRY(CountedProfile whole, sum_of_profiles(profiles));
    if (whole.totals.empty() || whole.totals.front() <= 0) return no_command_count("Callgrind left no profile");
    return whole;
  }

  const BenchmarkCountOptions& options_;
  Program program_;
  CollectionPlace place_;
  BenchmarkCount count_;
};

}  // namespace

Result<BenchmarkCount> count_command(const CollectionPlace& place, const BenchmarkCountOptions& options) {
  return CommandCounting(place, options).run();
}

}  // namespace steelyard::bench
