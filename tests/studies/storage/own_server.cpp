#include "tests/studies/storage/own_server.hpp"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "storage/embedded/cluster.hpp"

namespace steelyard::storage_study {

namespace fs = std::filesystem;

OwnServer::OwnServer() {
  std::string folder = (fs::temp_directory_path() / "steelyard-study-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("cannot make " + folder);
  // The server's account goes through it.
  fs::permissions(folder, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
  state_ = folder;
  storage::EmbeddedServer server = must(storage::ensure_embedded_running(state_));
  data_ = server.data;
  url_ = server.url;
}

OwnServer::~OwnServer() {
  const auto stopped = storage::stop_embedded(state_);
  if (!stopped) std::fprintf(stderr, "%s\n", stopped.error().text().c_str());
  std::error_code trouble;
  fs::remove_all(state_, trouble);
}

storage::Store OwnServer::open_store() const { return must(storage::Store::open({true, ""}, state_)); }
storage::Session OwnServer::open_session() const { return must(storage::Session::connect(url_, "study")); }

double seconds_of(const std::function<void()>& action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

ServerProcess::ServerProcess(storage::Transaction& transaction)
    : schedstat_("/proc/" + must(transaction.run("select pg_backend_pid()", {}, storage::kOneRow)).text(0, 0) +
                 "/schedstat") {}

double ServerProcess::cpu_seconds() const {
  std::ifstream file(schedstat_);
  double nanoseconds = 0;
  if (!(file >> nanoseconds)) throw std::runtime_error("cannot read " + schedstat_);
  return nanoseconds / 1e9;
}

}  // namespace steelyard::storage_study
