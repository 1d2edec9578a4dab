// What the command line says of a service's store and of the store over a service, where the two differ.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "ci/run.hpp"
#include "storage/history_store.hpp"
#include "storage/run_store.hpp"
#include "tests/ci/service/served_store.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::ci::typed_test {
namespace {

using ::testing::HasSubstr;

struct Said {
  int status = 0;
  std::string out;
  std::string err;
};

class Typed : public ServedStore {
 protected:
  void SetUp() override {
    ServedStore::SetUp();
    if (!IsSkipped()) setenv("STEELYARD_STATE", storage_test::fresh_state_folder().c_str(), 1);
  }
  void TearDown() override {
    for (const char* name : {"STEELYARD_STATE", "STEELYARD_STORE", "STEELYARD_TOKEN"}) unsetenv(name);
  }
  static Said said(const std::string& store, const std::vector<std::string>& arguments, const std::string& token = "") {
    setenv("STEELYARD_STORE", store.c_str(), 1);
    setenv("STEELYARD_TOKEN", token.c_str(), 1);
    std::istringstream in;
    std::ostringstream out, err;
    const int status = run_program(arguments, in, out, err);
    return {status, out.str(), err.str()};
  }
};

// As many runs as a confirmed change takes, of one benchmark that is slower from the middle on.
TEST_F(Typed, ChangesAreSaidOverAServiceAndKeptByNone) {
  storage::Store store = open();
  for (int number = 0; number < 40; ++number) {
    Run run = sealed_run(200 + number, "stepped");
    run.header.session.clear();
    run.header.commit.committed_at_unix_s += 3600 * number;
    if (number > 0) run.header.commit.parent = sealed_run(199 + number).header.commit.sha;
    for (Measurement& measurement : run.measurements) {
      const double noise = measurement.metric.kind == MetricKind::counted ? 0 : 0.001 * (number * 7 % 5);
      for (InvocationSamples& samples : measurement.invocations) {
        for (double& value : samples.values) value = (number < 20 ? 1000 : 1500) * (1 + noise);
      }
    }
    storage::seal(run);
    ASSERT_TRUE(storage::RunStore(store).put(run));
  }
  const std::vector<std::string> changes{"changes", "--project", "stepped", "--branch", "main", "--json"};
  const std::string address = "http://127.0.0.1:" + std::to_string(port());
  const Said over = said(address, changes, issue({"read"}));
  EXPECT_EQ(over.status, 0) << over.err;
  EXPECT_THAT(over.out, HasSubstr("\"confirmed\""));
  EXPECT_THAT(over.err, HasSubstr("change points are not kept over a service"));
  EXPECT_TRUE(storage::HistoryStore(store).change_points("stepped", "main")->empty());
  const Said own = said(*url_, changes);
  EXPECT_EQ(own.out, over.out);
  EXPECT_FALSE(storage::HistoryStore(store).change_points("stepped", "main")->empty());
}

}  // namespace
}  // namespace steelyard::ci::typed_test
