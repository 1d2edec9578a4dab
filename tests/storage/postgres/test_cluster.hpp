// PostgreSQL servers and poolers with settings of the tests' own, beside the embedded one: nodes of a distributed
// store, and pgbouncer in front of any server. Each lives in a folder below fresh_state_folder() with its socket in it,
// and is ended with its object, or when the test program ends, however that happens.
//
//     const auto programs = citus_programs();
//     STEELYARD_SKIP_WITHOUT("citus", programs, kNoCitus);
//     const TestCluster node(*programs, {"shared_preload_libraries=citus"});
//     Session::connect(node.url("postgres"), "test");
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace steelyard::storage_test {

inline constexpr const char* kNoCitus =
    "the extension citus is not installed for the server programs found, nor for those in $STEELYARD_TESTS_CITUS";
inline constexpr const char* kNoPooler = "pgbouncer is not installed";

// Settings of a node of a distributed store.
inline const std::vector<std::string> kCitusSettings{"shared_preload_libraries=citus", "max_connections=60",
                                                     "citus.enable_statistics_collection=off"};
// The folder of initdb and postgres that have the extension beside them; absent where none have.
std::optional<std::filesystem::path> citus_programs();
// The program; absent where it is not installed.
std::optional<std::filesystem::path> pooler_program();

// A process that is asked to end, and then made to, in the destructor.
class TestProcess {
 public:
  // Throws where it cannot be started. Its last argument is a path below `folder`, which no other process was given.
  TestProcess(std::vector<std::string> command, const std::filesystem::path& folder);
  TestProcess(const TestProcess&) = delete;
  TestProcess& operator=(const TestProcess&) = delete;
  ~TestProcess();

 private:
  pid_t process_ = -1;
  std::string mark_;
};

class TestCluster {
 public:
  // Throws where it does not come up within a minute.
  TestCluster(const std::filesystem::path& programs, const std::vector<std::string>& settings);
  // Of a database; as the superuser "steelyard".
  std::string url(const std::string& database) const;
  // By which another node reaches it: its socket's folder, whose port is 5432.
  std::string node() const;

 private:
  std::filesystem::path folder_;
  std::optional<TestProcess> server_;
};

// pgbouncer in transaction mode in front of the server that listens in `server_socket`.
class TestPooler {
 public:
  // connections: to the server, for each database.
  TestPooler(const std::filesystem::path& program, const std::filesystem::path& server_socket, int connections);
  std::string url(const std::string& database) const;

 private:
  std::filesystem::path folder_;
  std::optional<TestProcess> pooler_;
};

// Ends what a test program that was killed left running below the folder.
void end_strays(const std::filesystem::path& folder);

}  // namespace steelyard::storage_test
