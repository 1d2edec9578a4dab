#include "ci/measuring/strangers.hpp"

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "bench/runner/secrets.hpp"
#include "ci/app/keeping.hpp"
#include "ci/git/repository.hpp"
#include "ci/measuring/kept_builds.hpp"
#include "ci/report/warning_text.hpp"
#include "storage/embedded/cluster.hpp"
#include "storage/place/files.hpp"
#include "storage/place/store_address.hpp"

namespace steelyard::ci {
namespace {

namespace fs = std::filesystem;

bool is_refused_by_user() {
  const char* const asked = std::getenv("STEELYARD_CONFINE");
  return asked != nullptr && std::string_view(asked) == "no";
}

// The folders are held for as long as anything runs in that view.
bench::SharedConfinement while_held(bench::SharedConfinement confinement, std::vector<storage::FileDescriptor> held) {
  if (held.empty() || !confinement) return confinement;
  const bench::Confinement* const view = confinement.get();
  auto both = std::make_shared<std::pair<bench::SharedConfinement, std::vector<storage::FileDescriptor>>>(
      std::move(confinement), std::move(held));
  return {std::move(both), view};
}

}  // namespace

StrangersView confine_strangers(const KeptPlaces& places, std::vector<fs::path> needed) {
  bench::close_own_memory();
  if (is_refused_by_user()) return {};
  const fs::path state = storage::state_folder();
  const Result<storage::StoreAddress> address = store_address(places.configuration);
  std::error_code trouble;
  // These folders are made also where nothing is kept: what a stranger put there would be believed.
  for (const char* believed : {"calibrations", "ceilings", "counts"}) fs::create_directories(state / believed, trouble);
  std::vector<storage::FileDescriptor> held =
      storage::hold_folders_outside(state, places.keeps && address && address->embedded);
  std::vector<fs::path> hidden = storage::paths_to_store(address ? *address : storage::StoreAddress{}, state);
  if (!places.archive_dir.empty()) {
    fs::create_directories(places.archive_dir, trouble);
    hidden.push_back(places.archive_dir);
  }
  for (const fs::path& file : bench::command_files(caller_environment())) {
    // What is not there cannot be hidden, and could be made.
    if (!fs::exists(file, trouble)) std::ofstream(file, std::ios::app);
    hidden.push_back(file);
  }
  // Whoever may talk to these starts outside of the view what they like.
  for (fs::path& socket : bench::sockets_that_lead_out(caller_environment())) hidden.push_back(std::move(socket));
  if (const fs::path builds = KeptBuilds::folder(); !builds.empty()) {
    fs::create_directories(builds, trouble);
    hidden.push_back(builds);
  }
  needed.push_back(fs::temp_directory_path(trouble));
  needed.push_back(fs::current_path(trouble));
  // What counts is loaded from beside this program.
  needed.push_back(fs::read_symlink("/proc/self/exe", trouble).parent_path().parent_path());
  const bench::HiddenPaths paths = bench::hidden_around(hidden, needed);
  StrangersView view;
  for (const fs::path& path : paths.unhidden) {
    view.warnings.push_back(warning::could_reach(path.string()));
  }
  Result<bench::SharedConfinement> confinement = bench::confine(paths.paths);
  if (confinement) {
    view.confinement = while_held(std::move(confinement).value(), std::move(held));
  } else {
    view.warnings.push_back(warning::could_reach_store(confinement.error()));
  }
  return view;
}

}  // namespace steelyard::ci
