#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "ci/service/service.hpp"
#include "storage/archive/archive.hpp"
#include "storage/embedded/cluster.hpp"
#include "tests/ci/service/served_store.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::ci::stopped_store_test {
namespace {

using namespace std::chrono_literals;

using StoppedStore = ServedStore;

TEST_F(StoppedStore, LosesNoRunThatIsSentUntilItIsTakenAndKeepsEachOnce) {
  constexpr int kRuns = 8;
  Fields fields = bearer(issue({"submit"}));
  fields.emplace_back("Content-Type", "application/vnd.steelyard.run");
  std::vector<steelyard::Run> runs;
  for (int i = 0; i < kRuns; ++i) runs.push_back(sealed_run(90 + i, "stopped"));
  std::atomic<int> taken = 0;
  std::atomic<int> refused = 0;
  std::set<int> statuses;
  std::thread sender([&] {
    for (const steelyard::Run& run : runs) {
      const std::string archive = storage::encode_run(run);
      for (int attempt = 0; attempt < 500; ++attempt) {
        const int status = ask(port(), "POST", "/api/v1/runs", fields, archive).status;
        statuses.insert(status);
        if (status == 200 || status == 201) break;
        ++refused;
        std::this_thread::sleep_for(50ms);
      }
      ++taken;
    }
  });
  while (taken == 0) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(storage::stop_embedded(storage_test::server_state()));
  while (refused == 0 && taken < kRuns) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(storage::ensure_embedded_running(storage_test::server_state()));
  sender.join();
  EXPECT_THAT(statuses, testing::Contains(503));
  for (const int status : statuses) EXPECT_THAT(status, testing::AnyOf(200, 201, 503));
  const nlohmann::json kept = nlohmann::json::parse(get("/api/v1/runs?project=stopped&limit=100").body);
  std::multiset<std::string> ids, wanted;
  for (const nlohmann::json& one : kept.at("items")) ids.insert(one.at("id").get<std::string>());
  for (const steelyard::Run& run : runs) wanted.insert(run.header.id);
  EXPECT_EQ(ids, wanted);
}

}  // namespace
}  // namespace steelyard::ci::stopped_store_test
