// A store of a program's own: an embedded server below $TMPDIR (else /tmp), ended and removed with the object.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "storage/postgres/session/session.hpp"
#include "storage/store.hpp"
#include "tests/must.hpp"

namespace steelyard::storage_study {

using testkit::must;

class OwnServer {
 public:
  OwnServer();
  OwnServer(const OwnServer&) = delete;
  OwnServer& operator=(const OwnServer&) = delete;
  ~OwnServer();

  storage::Store open_store() const;
  storage::Session open_session() const;
  // A folder in which the server's account may read and write.
  const std::filesystem::path& data() const { return data_; }

 private:
  std::filesystem::path state_;
  std::filesystem::path data_;
  std::string url_;
};

double seconds_of(const std::function<void()>& action);

// Processor time that the server's process behind a session has used, in seconds; it must run on this machine.
class ServerProcess {
 public:
  explicit ServerProcess(storage::Transaction& transaction);
  double cpu_seconds() const;

 private:
  std::string schedstat_;
};

}  // namespace steelyard::storage_study
