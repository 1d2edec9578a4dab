// What the command line says of a service's store and of the store over a service, where the two differ.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "ci/run_program.hpp"
#include "storage/archive/archive.hpp"
#include "storage/history_store.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/run_store.hpp"
#include "tests/ci/service/served_store.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::ci::typed_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

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

TEST_F(Typed, ADayThatIsNoneOrIsOverIsNoLastOneOfWhatIsAcceptedOverTheServiceEither) {
  const std::string id = checked("/api/v1/alerts", "/api/v1/alerts?project=demo")["items"][0]["id"];
  const Fields fields = bearer(issue({"report"}, "demo"));
  for (const char* no_day : {"2026-99-99", "2026-02-30", "20-26-0101", "2020-01-01"}) {
    posted("/api/v1/alerts/{id}/accept", "/api/v1/alerts/" + id + "/accept", {{"note", "x"}, {"until", no_day}}, 422,
           fields);
  }
}

TEST_F(Typed, ATokenOrLoginOfAProjectWithoutRunsGetsItsRightsWithAWarning) {
  const auto issued_for = [](const std::string& project) {
    return said(*url_, {"serve", "token", "of one", "--scopes", "read", "--project", project, "--quiet"});
  };
  const Said typo = issued_for("dmeo");
  EXPECT_EQ(typo.status, 0) << typo.err;
  EXPECT_THAT(typo.out, HasSubstr("steelyard_"));
  EXPECT_THAT(typo.err, HasSubstr("no run of project dmeo is kept yet; did you mean demo?"));
  const Said fresh = issued_for("an unlike name");
  EXPECT_THAT(fresh.err, AllOf(HasSubstr("no run of project an unlike name is kept yet"), Not(HasSubstr("did you"))));
  const Said known = issued_for("demo");
  EXPECT_EQ(known.status, 0);
  EXPECT_EQ(known.err, "");

  // Roles are the server's, and outlive the database of an earlier run.
  auto administrator = storage::Session::connect(*url_, "test");
  ASSERT_TRUE(administrator) << administrator.error().text();
  ASSERT_TRUE(administrator->run_alone("drop role if exists typed_kate"));
  ASSERT_TRUE(administrator->run_alone("create role typed_kate login"));
  const auto granted = [](const std::string& project) {
    return said(*url_, {"db", "grant", "typed_kate", "--as", "reader", "--project", project, "--quiet"});
  };
  const Said misspelt = granted("dmeoo");
  EXPECT_EQ(misspelt.status, 0) << misspelt.err;
  EXPECT_THAT(misspelt.err, HasSubstr("no run of project dmeoo is kept yet; did you mean demo?"));
  EXPECT_EQ(granted("demo").err, "");
}

// As many runs as a confirmed change takes, of one benchmark that is slower from the middle on.
TEST_F(Typed, ChangesAreSaidOverAServiceAndKeptByNone) {
  storage::Store store = open();
  for (int number = 0; number < 40; ++number) {
    steelyard::Run run = sealed_run(200 + number, "stepped");
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
