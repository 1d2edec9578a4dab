// A server as an organisation runs one: over TCP, with passwords, TLS and a certificate of its own. TLS is what libpq
// makes of the address and the environment, and the password is found in nothing that the program writes or shows.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <ios>
#include <iterator>
#include <optional>

#include "storage/embedded/server_process.hpp"
#include "tests/promised.hpp"
#include "tests/storage/faults/child_program.hpp"
#include "tests/storage/faults/fault_runs.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::guarded_server_test {
namespace {

namespace fs = std::filesystem;
using storage_test::ProgramEnd;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kPassword = "Secr3t-Of-The-Store";

// A listening socket on the loopback interface; its port is free for others once it is closed.
class Listener {
 public:
  Listener() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* general = static_cast<sockaddr*>(static_cast<void*>(&address));
    if (bind(socket_, general, size) != 0 || listen(socket_, 4) != 0 || getsockname(socket_, general, &size) != 0) {
      throw std::runtime_error("cannot listen");
    }
    port_ = ntohs(address.sin_port);
  }
  ~Listener() { close(socket_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  std::string port() const { return std::to_string(port_); }
  int wait_for_client() const { return accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC); }

 private:
  int socket_;
  int port_ = 0;
};

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// A cluster with TLS and passwords, reachable over the loopback interface by encrypted links only.
class GuardedServer : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (find_server_programs().empty() || system("openssl version > /dev/null 2>&1") != 0) return;
    programs_ = find_server_programs().front().folder;
    account_ = account_for_server().value();
    folder_ = storage_test::fresh_state_folder() / "guarded";
    fs::create_directory(folder_);
    if (account_.must_switch) {
      ASSERT_EQ(chown(folder_.c_str(), account_.user, account_.group), 0);
    }
    const std::string data = (folder_ / "data").string();
    std::ofstream(folder_.parent_path() / "password") << kPassword << '\n';
    as_account({(programs_ / "initdb").string(), "-D", data, "-U", "tester", "-A", "scram-sha-256", "-E", "UTF8",
                "--locale=C", "--no-sync", "--pwfile=" + (folder_.parent_path() / "password").string()});
    as_account({"/usr/bin/openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "36500", "-subj",
                "/CN=elsewhere.example", "-keyout", data + "/server.key", "-out", data + "/server.crt"});
    as_account({"/bin/sh", "-c",
                "echo 'hostssl all all 127.0.0.1/32 scram-sha-256' > '" + data + "/pg_hba.conf'; chmod 600 '" + data +
                    "/server.key'"});
    port_ = Listener().port();
    as_account({(programs_ / "pg_ctl").string(), "-D", data, "-w", "-t", "60", "-l", data + "/log", "-o",
                "-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c ssl=on -c fsync=off -c "
                "log_min_messages=debug1 -c port=" +
                    port_,
                "start"});
    fs::copy_file(folder_ / "data" / "server.crt", folder_.parent_path() / "root.crt");
    fs::remove(folder_.parent_path() / "password");
    available_ = true;
  }
  static void TearDownTestSuite() {
    if (!available_) return;
    as_account({(programs_ / "pg_ctl").string(), "-D", (folder_ / "data").string(), "-m", "immediate", "-w", "stop"});
  }
  static void as_account(const std::vector<std::string>& command) {
    const auto answer = storage::run_program(account_, command);
    ASSERT_TRUE(answer) << answer.error().text();
    ASSERT_EQ(answer->status, 0) << command[0] << ": " << answer->output;
  }
  void SetUp() override {
    STEELYARD_SKIP_WITHOUT("postgresql", !find_server_programs().empty(), storage_test::kNoServer);
    STEELYARD_SKIP_WITHOUT("openssl", available_, "no openssl program to make a certificate with");
    state_ = storage_test::fresh_state_folder();
  }
  static std::string url(const std::string& options, const std::string& port = port_) {
    return std::string("postgresql://tester:") + kPassword + "@127.0.0.1:" + port + "/postgres" + options;
  }
  ProgramEnd run(const std::vector<std::string>& words, std::map<std::string, std::string> environment) const {
    environment["STEELYARD_STATE"] = state_.string();
    environment["HOME"] = state_.string();
    return storage_test::run_program_apart(words, environment);
  }
  static inline fs::path programs_;
  static inline fs::path folder_;
  static inline std::string port_;
  static inline ServerAccount account_;
  static inline bool available_ = false;
  fs::path state_;
};

TEST_F(GuardedServer, IsReachedWithTheEncryptionThatTheAddressAsksFor) {
  const ProgramEnd required = run({"db", "status"}, {{"STEELYARD_STORE", url("?sslmode=require")}});
  EXPECT_EQ(required.status, 0) << required.err;
  const ProgramEnd none = run({"db", "status"}, {{"STEELYARD_STORE", url("?sslmode=disable")}});
  EXPECT_EQ(none.status, 5);
  EXPECT_THAT(none.err, HasSubstr("no encryption"));
  // By the variables of libpq, and a certificate whose name is another.
  const std::string root = (folder_.parent_path() / "root.crt").string();
  const ProgramEnd known =
      run({"db", "status"}, {{"STEELYARD_STORE", url("")}, {"PGSSLMODE", "verify-ca"}, {"PGSSLROOTCERT", root}});
  EXPECT_EQ(known.status, 0) << known.err;
  for (const ProgramEnd& other :
       {run({"db", "status"}, {{"STEELYARD_STORE", url("?sslmode=verify-full&sslrootcert=" + root)}}),
        run({"db", "status"}, {{"STEELYARD_STORE", url("")}, {"PGSSLMODE", "verify-full"}, {"PGSSLROOTCERT", root}})}) {
    EXPECT_EQ(other.status, 5);
    EXPECT_THAT(other.err, AllOf(HasSubstr("cannot connect"), HasSubstr("elsewhere.example"),
                                 HasSubstr("does not match host name")));
  }
}

TEST_F(GuardedServer, TakesThePasswordFromWhereLibpqFindsIt) {
  const std::string bare = "postgresql://tester@127.0.0.1:" + port_ + "/postgres?sslmode=require";
  EXPECT_EQ(run({"db", "status"}, {{"STEELYARD_STORE", bare}, {"PGPASSWORD", kPassword}}).status, 0);
  const fs::path file = state_ / "pgpass";
  std::ofstream(file) << "127.0.0.1:*:*:tester:" << kPassword << '\n';
  fs::permissions(file, fs::perms(0600));
  EXPECT_EQ(run({"db", "status"}, {{"STEELYARD_STORE", bare}, {"PGPASSFILE", file.string()}}).status, 0);
  const fs::path services = state_ / "services";
  std::ofstream(services) << "[mine]\nhost=127.0.0.1\nport=" << port_ << "\nuser=tester\npassword=" << kPassword
                          << "\ndbname=postgres\n";
  const ProgramEnd by_service =
      run({"db", "status"}, {{"STEELYARD_STORE", "postgresql:///?service=mine"}, {"PGSERVICEFILE", services.string()}});
  EXPECT_EQ(by_service.status, 0) << by_service.err;
  const ProgramEnd none = run({"db", "status"}, {{"STEELYARD_STORE", bare}});
  EXPECT_EQ(none.status, 5);
  EXPECT_THAT(none.err, HasSubstr("password"));
}

TEST_F(GuardedServer, ThePasswordIsInNothingThatIsWrittenOrPrinted) {
  const fs::path input = state_ / "a.json";
  std::ofstream(input) << storage_test::wide_json(1, 3);
  std::ofstream(state_ / "steelyard.toml") << "[store]\naddress = \"" << url("?sslmode=require") << "\"\n";
  std::string printed;
  const std::string good = url("?sslmode=require");
  for (const std::string& store :
       {good, url("?sslmode=disable"), url("?sslmode=require", "1"), url("?sslmode=nonsense"), good + "&nonsense=1",
        url("x?sslmode=require"), std::string("postgresql://tester:") + kPassword + "@[::1/x"}) {
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"import", "google-benchmark", input.string()},
          {"db", "status", "--json"},
          {"db", "migrate", "--dry-run", "--json"},
          {"config", "show", "--json"},
          {"config", "show"},
          {"history", "--json"},
          {"db", "stop"}}) {
      for (const bool in_environment : {true, false}) {
        std::vector<std::string> all = words;
        if (!in_environment) all.insert(all.end(), {"--store", store});
        const ProgramEnd end = run(all, in_environment ? std::map<std::string, std::string>{{"STEELYARD_STORE", store}}
                                                       : std::map<std::string, std::string>{});
        printed += end.out + end.err;
      }
    }
  }
  EXPECT_THAT(printed, HasSubstr("kept in the store")) << "the test would show nothing";
  EXPECT_EQ(printed.find(kPassword), std::string::npos)
      << printed.substr(std::max<std::size_t>(printed.find(kPassword), 200) - 200, 400);
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(state_)) {
    if (!entry.is_regular_file() || entry.path().filename() == "steelyard.toml") continue;
    ++files;
    EXPECT_EQ(text_of(entry.path()).find(kPassword), std::string::npos) << entry.path();
  }
  EXPECT_GE(files, 2) << "the run's archive is among them";
  EXPECT_EQ(text_of(folder_ / "data" / "log").find(kPassword), std::string::npos) << "the server's log";
}

TEST_F(GuardedServer, ThePasswordIsInNoListOfProcesses) {
  for (const bool in_environment : {true, false}) {
    // Answers nothing: who connects waits, and can be looked at.
    const Listener mute;
    const std::string store = url("?sslmode=disable", mute.port());
    std::vector<std::string> words{"db", "status"};
    std::map<std::string, std::string> environment{{"STEELYARD_STATE", state_.string()}};
    if (in_environment) {
      environment["STEELYARD_STORE"] = store;
    } else {
      words.insert(words.end(), {"--store", store});
    }
    storage_test::ChildProgram program(words, environment);
    const int link = mute.wait_for_client();
    ASSERT_GE(link, 0);
    EXPECT_THAT(text_of("/proc/" + std::to_string(program.process()) + "/cmdline"), HasSubstr("steelyard"));
    for (const auto& entry : fs::directory_iterator("/proc")) {
      std::string shown;
      try {
        shown = text_of(entry.path() / "cmdline");
      } catch (const std::ios_base::failure&) {
        continue;  // another program, which ended since
      }
      EXPECT_EQ(shown.find(kPassword), std::string::npos) << entry.path();
    }
    close(link);
    program.kill_hard();
    EXPECT_THAT(program.wait().err, Not(HasSubstr(kPassword)));
  }
}

}  // namespace
}  // namespace steelyard::storage::guarded_server_test
