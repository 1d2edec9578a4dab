// Alerts of pull and merge requests' gates, which are of no branch: each belongs to its request, and says nothing of
// another one's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "storage/alert_store.hpp"
#include "storage/comparison_store.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/kept_store.hpp"

namespace steelyard::storage::request_alerts_test {
namespace {

using ::testing::ElementsAre;

class RequestAlerts : public storage_test::KeptStore {
 protected:
  // Of a gate at that hour between two commits, in the job of that request; empty: of none that is known.
  static Comparison gate(int hour, const std::string& request, Verdict verdict, const std::string& baseline,
                         const std::string& candidate, double ratio) {
    Comparison comparison = storage_test::example_comparison();
    comparison.baseline.commit.sha = baseline;
    comparison.candidate.commit.sha = candidate;
    comparison.candidate.commit.branch.clear();
    if (!request.empty()) comparison.candidate.settings["request"] = request;
    comparison.candidate.created_at_unix_ns += hour * 3'600'000'000'000LL;
    ComparisonRow& row = comparison.rows[0];
    row.verdict = verdict;
    row.ratio = ratio;
    row.candidate = *row.baseline * ratio;
    return comparison;
  }
  static Comparison on_main(int hour, Verdict verdict, const std::string& baseline, const std::string& candidate,
                            double ratio) {
    Comparison comparison = gate(hour, "", verdict, baseline, candidate, ratio);
    comparison.candidate.commit.branch = "main";
    return comparison;
  }
  void keep(const Comparison& comparison) {
    Store store = open();
    const Result<bool> put = ComparisonStore(store).put(comparison);
    ASSERT_TRUE(put) << put.error().text();
  }
  // As a service does of a job that is no push to the main branch, whatever the comparison says.
  void keep_as_of_request(const Comparison& comparison) {
    Store store = open();
    const ComparisonSubmission submission{{"a job", "comparison submitted", "", ""}, true, false};
    const Result<bool> put = ComparisonStore(store).put(comparison, submission);
    ASSERT_TRUE(put) << put.error().text();
  }
  // "BRANCH STATE of COMMIT, by PERCENT", by branch.
  std::vector<std::string> standing() {
    AlertQuery query;
    query.resolved_too = true;
    Store store = open();
    std::vector<std::string> texts;
    const Result<std::vector<Alert>> alerts = AlertStore(store).list(query);
    for (const Alert& alert : *alerts) {
      const int percent = static_cast<int>(*alert.ratio * 100 - 100 + 0.5);
      texts.push_back(alert.subject.branch + ' ' + std::string(to_text(alert.state)) + " of " + alert.commit + ", by " +
                      std::to_string(percent));
    }
    std::sort(texts.begin(), texts.end());
    return texts;
  }
};

TEST_F(RequestAlerts, OfTwoRequestsWithOneBaseAreTwo) {
  keep(gate(0, "7", Verdict::regression, "base", "of7", 1.2));
  keep(gate(1, "8", Verdict::regression, "base", "of8", 1.3));
  EXPECT_THAT(standing(), ElementsAre("request:7 open of of7, by 20", "request:8 open of of8, by 30"));
  keep(gate(2, "9", Verdict::unchanged, "base", "of9", 1.0));
  EXPECT_THAT(standing(), ElementsAre("request:7 open of of7, by 20", "request:8 open of of8, by 30"))
      << "that a third one changed nothing says nothing of these";
  keep(gate(3, "8", Verdict::unchanged, "base", "of8 again", 1.0));
  EXPECT_THAT(standing(), ElementsAre("request:7 open of of7, by 20", "request:8 resolved of of8, by 0"));
  EXPECT_EQ(ask("select string_agg(branch || ' ' || state, ', ' order by branch) from steelyard.alerts"),
            "request:7 open, request:8 resolved");
}

TEST_F(RequestAlerts, OfTwoRequestsWithBasesOfTheirOwnDoNotMultiply) {
  keep(gate(0, "7", Verdict::regression, "base", "of7", 1.2));
  keep(gate(1, "8", Verdict::regression, "newer base", "of8", 1.3));
  EXPECT_THAT(standing(), ElementsAre("request:7 open of of7, by 20", "request:8 open of of8, by 30"));
}

TEST_F(RequestAlerts, AddNothingToThoseOfTheMainBranchWhichStandAsWithoutThem) {
  keep(on_main(0, Verdict::regression, "a", "b", 1.2));
  keep(on_main(2, Verdict::regression, "b", "c", 1.1));
  const std::vector<std::string> before = standing();
  EXPECT_THAT(before, ElementsAre("main open of c, by 32"));
  keep(gate(1, "7", Verdict::improvement, "a", "of7", 0.5));
  keep(gate(3, "8", Verdict::unchanged, "a", "of8", 1.0));
  EXPECT_EQ(standing(), before);
}

TEST_F(RequestAlerts, OfAJobThatAServiceKnowsAsARequestsAreOfNoBranchWhateverItSays) {
  Comparison says_main = gate(0, "", Verdict::regression, "base", "of7", 1.2);
  says_main.candidate.commit.branch = "main";
  keep_as_of_request(says_main);
  Comparison numbered = gate(1, "8", Verdict::regression, "base", "of8", 1.3);
  numbered.candidate.commit.branch = "main";
  keep_as_of_request(numbered);
  keep_as_of_request(gate(2, "", Verdict::regression, "base", "unknown", 1.4));
  EXPECT_THAT(standing(), ElementsAre(" open of unknown, by 40", "request:8 open of of8, by 30",
                                      "request:main open of of7, by 20"));
}

// Of a request its gate was told where it is to be merged; a branch's own level is of that branch.
TEST_F(RequestAlerts, ThatAreAcceptedSayIntoWhichBranchTheyAreMergedWhereThatIsKnown) {
  keep(gate(0, "7", Verdict::regression, "base", "of7", 1.2));
  Comparison of_release = gate(1, "8", Verdict::regression, "base", "of8", 1.3);
  of_release.baseline.commit.branch = "release";
  keep(of_release);
  Comparison untold = gate(2, "9", Verdict::regression, "base", "of9", 1.4);
  untold.baseline.commit.branch.clear();
  keep(untold);
  Comparison checked_out = gate(3, "", Verdict::regression, "base", "of10", 1.5);
  checked_out.baseline.commit.branch = checked_out.candidate.commit.branch = "patch-1";
  checked_out.candidate.settings["request"] = "10";
  keep_as_of_request(checked_out);
  keep(on_main(4, Verdict::regression, "a", "b", 1.2));
  Store store = open();
  const Result<std::vector<Alert>> open_ones = AlertStore(store).list({});
  for (const Alert& alert : *open_ones) {
    const Result<Alert> done = AlertStore(store).act({AlertAct::Kind::accept, alert.id, "ada", "", "meant", 1});
    ASSERT_TRUE(done) << done.error().text();
  }
  std::map<std::string, std::string> merged_into;
  const Result<std::vector<AcceptedAlert>> accepted = AlertStore(store).accepted({});
  for (const AcceptedAlert& one : *accepted) merged_into[one.subject.branch] = one.merged_into;
  EXPECT_EQ(merged_into,
            (std::map<std::string, std::string>{
                {"request:7", "main"}, {"request:8", "release"}, {"request:9", ""}, {"request:10", ""}, {"main", ""}}));
}

TEST_F(RequestAlerts, OfNoBranchAndNoRequestAddUpOnlyFromACandidateThatIsKnown) {
  keep(gate(0, "", Verdict::regression, "a", "b", 1.2));
  keep(gate(1, "", Verdict::regression, "x", "y", 1.3));
  EXPECT_THAT(standing(), ElementsAre(" open of y, by 30")) << "nothing says that y came after b";
  keep(gate(2, "", Verdict::regression, "y", "z", 1.1));
  EXPECT_THAT(standing(), ElementsAre(" open of z, by 43"));
}

}  // namespace
}  // namespace steelyard::storage::request_alerts_test
