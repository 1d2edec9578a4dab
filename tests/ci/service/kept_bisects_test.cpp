// Searches for a commit that are kept where the service runs.
#include <gtest/gtest.h>

#include <set>

#include "ci/judging/bisect.hpp"
#include "tests/ci/service/served_store.hpp"

namespace steelyard::ci::kept_bisects_test {
namespace {

using nlohmann::json;

class KeptBisects : public ServedStore {
 protected:
  // The ids of two bisections, from a and from c.
  std::set<std::string> keep_two() {
    std::set<std::string> ids;
    for (const char* good : {"a", "c"}) {
      BisectQuestion question{"/home/ada/kit", good, "b", "BM_<sort>", *well_known_metric(kRealTime), "make", "", ""};
      ids.insert(question.identity());
      KeptBisect kept{bisect_folder(state_) / (question.identity() + ".json"), {BisectProbe{}}, 3, 64, 31, "c"};
      EXPECT_TRUE(kept.write(question));
    }
    return ids;
  }
};

TEST_F(KeptBisects, AreToldPageByPageAndOneByOne) {
  const std::set<std::string> ids = keep_two();
  const json first = checked("/api/v1/bisects", "/api/v1/bisects?limit=1");
  ASSERT_EQ(first["items"].size(), 1U);
  EXPECT_EQ(first["items"][0]["left"], 31);
  EXPECT_EQ(first["next"], first["items"][0]["id"]);
  const json second = checked("/api/v1/bisects", "/api/v1/bisects?limit=1&after=" + first["next"].get<std::string>());
  ASSERT_EQ(second["items"].size(), 1U);
  EXPECT_TRUE(second["next"].is_null());
  const std::set<std::string> told{first["items"][0]["id"], second["items"][0]["id"]};
  EXPECT_EQ(told, ids);
  for (const std::string& id : ids) {
    const json one = checked("/api/v1/bisects/{id}", "/api/v1/bisects/" + id.substr(0, id.size() - 1));
    EXPECT_EQ(one["id"], id);
    EXPECT_EQ(one["probes"].size(), 1U);
  }
}

TEST_F(KeptBisects, AreForWhoSeesEverything) {
  const std::set<std::string> ids = keep_two();
  const auto one_project = bearer(issue({"read"}, "demo"));
  EXPECT_EQ(checked("/api/v1/bisects", "/api/v1/bisects", 200, one_project)["items"], json::array());
  checked("/api/v1/bisects/{id}", "/api/v1/bisects/" + *ids.begin(), 404, one_project);
}

}  // namespace
}  // namespace steelyard::ci::kept_bisects_test
