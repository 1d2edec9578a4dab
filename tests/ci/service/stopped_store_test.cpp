#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <thread>

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
  constexpr int kMaxRuns = 500;
  constexpr auto kPatience = 120s;
  Fields fields = bearer(issue({"submit"}));
  fields.emplace_back("Content-Type", "application/vnd.steelyard.run");
  std::atomic<int> taken = 0;
  std::atomic<bool> is_refused = false;
  std::set<int> statuses;
  std::set<std::string> wanted;
  // One run after the other, until some were taken behind one that was refused.
  std::thread sender([&] {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    int behind = 0;
    for (int number = 0; number < kMaxRuns && behind < 3; ++number) {
      const steelyard::Run run = sealed_run(1000 + number, "stopped");
      const std::string archive = storage::encode_run(run);
      bool is_taken = false;
      while (!is_taken && std::chrono::steady_clock::now() < end) {
        const int status = ask(port(), "POST", "/api/v1/runs", fields, archive).status;
        statuses.insert(status);
        is_taken = status == 200 || status == 201;
        if (!is_taken) {
          is_refused = true;
          std::this_thread::sleep_for(20ms);
        }
      }
      if (!is_taken) return;
      wanted.insert(run.header.id);
      ++taken;
      if (is_refused) ++behind;
    }
  });
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (taken == 0 && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(storage::stop_embedded(storage_test::server_state()));
  while (!is_refused && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(storage::ensure_embedded_running(storage_test::server_state()));
  sender.join();
  EXPECT_THAT(statuses, testing::Contains(503));
  for (const int status : statuses) EXPECT_THAT(status, testing::AnyOf(200, 201, 503));
  // Readers may still be told to wait.
  HttpReply answer = get("/api/v1/runs?project=stopped&limit=1000");
  while (answer.status == 503 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(20ms);
    answer = get("/api/v1/runs?project=stopped&limit=1000");
  }
  ASSERT_EQ(answer.status, 200) << answer.body;
  const nlohmann::json kept = nlohmann::json::parse(answer.body);
  std::multiset<std::string> ids;
  for (const nlohmann::json& one : kept.at("items")) ids.insert(one.at("id").get<std::string>());
  EXPECT_EQ(ids, std::multiset<std::string>(wanted.begin(), wanted.end()));
}

}  // namespace
}  // namespace steelyard::ci::stopped_store_test
