#include <utility>
#include <vector>

#include "ci/http/http.hpp"
#include "ci/report/ended_gate.hpp"
#include "tests/ci/publish/publishing.hpp"

namespace steelyard::ci::github_test {
namespace {

using ci_test::StoredComment;
using ci_test::Trouble;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class PublishToGithub : public Publishing {
 protected:
  void SetUp() override {
    Publishing::SetUp();
    be_github_job(7, sha('a'));
  }
};

TEST_F(PublishToGithub, WritesOneCommentAndUpdatesItInPlace) {
  ASSERT_EQ(publish("github").status, 0);
  ASSERT_THAT(server_.comments, SizeIs(1));
  EXPECT_THAT(server_.comments[0].body, AllOf(StartsWith("<!-- steelyard key="), HasSubstr("### \u2717 Performance:"),
                                              HasSubstr("`shop` at `aaaaaaaaa`"), HasSubstr("Perf-accept: ")));
  const std::int64_t id = server_.comments[0].id;
  server_.pulls[7] = sha('b');
  be_github_job(7, sha('b'));
  set_run("501", "1");
  write_judgement(sample::quiet_comparison(3));
  EXPECT_EQ(publish("github").status, 0);
  ASSERT_THAT(server_.comments, SizeIs(1));
  EXPECT_EQ(server_.comments[0].id, id);
  EXPECT_THAT(server_.comments[0].body,
              AllOf(HasSubstr("`bbbbbbbbb`"), HasSubstr("Performance: 3 unchanged"), Not(HasSubstr("Perf-accept"))));
}

TEST_F(PublishToGithub, AdvisesNothingThatOnlyTheGateCouldDoThatMeasured) {
  ASSERT_EQ(publish("github").status, 0);
  ASSERT_THAT(server_.comments, SizeIs(1));
  EXPECT_THAT(server_.comments[0].body,
              AllOf(HasSubstr("PROGRAM --benchmark_filter="),
                    HasSubstr("measure longer, among the arguments of the gate's job or in steelyard.toml: `--rounds"),
                    Not(HasSubstr("--flame-dir")), Not(HasSubstr("./bench_textkit --benchmark_filter")),
                    Not(HasSubstr("steelyard history"))));
}

TEST_F(PublishToGithub, SaysNothingTwice) {
  ASSERT_EQ(publish("github").status, 0);
  const Outcome again = publish("github", {"--json"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("\"state\": \"unchanged\""));
  EXPECT_THAT(server_.comments, SizeIs(1));
  EXPECT_THAT(server_.checks, SizeIs(1));
  EXPECT_EQ(server_.count("PATCH", "/issues/comments/"), 0);
}

TEST_F(PublishToGithub, LeavesCommentsOfOthersAlone) {
  ASSERT_EQ(publish("github").status, 0);
  StoredComment copied = server_.comments[0];
  copied.author = "mallory";
  copied.id = 1;
  StoredComment gone = copied;
  gone.author = "";
  gone.id = 2;
  server_.comments = {gone, copied, {3, "github-actions[bot]", "another workflow's"}};
  ASSERT_EQ(publish("github").status, 0);
  ASSERT_THAT(server_.comments, SizeIs(4));
  EXPECT_EQ(server_.comments[1].body, copied.body);
  EXPECT_EQ(server_.comments[2].body, "another workflow's");
  EXPECT_EQ(server_.count("PATCH", "/issues/comments/") + server_.count("DELETE", "/issues/comments/"), 0);
}

TEST_F(PublishToGithub, FindsItsCommentBehindHundredsOfOthers) {
  ASSERT_EQ(publish("github").status, 0);
  const StoredComment own = server_.comments[0];
  server_.comments.clear();
  for (int i = 0; i < 250; ++i) server_.comments.push_back({i + 1, "anna", "looks good"});
  server_.comments.push_back(own);
  EXPECT_EQ(publish("github").status, 0);
  EXPECT_THAT(server_.comments, SizeIs(251));
  EXPECT_EQ(server_.count("GET", "/comments?per_page=100&page=3"), 1);
}

TEST_F(PublishToGithub, KeepsTheOldestOfTwoThatJobsWroteAtTheSameTime) {
  ASSERT_EQ(publish("github").status, 0);
  StoredComment second = server_.comments[0];
  second.id += 50;
  server_.comments.push_back(second);
  EXPECT_EQ(publish("github").status, 0);
  ASSERT_THAT(server_.comments, SizeIs(1));
  EXPECT_NE(server_.comments[0].id, second.id);
}

TEST_F(PublishToGithub, DeletesNoOtherOfItsCommentsBeforeTheOldestIsUpToDate) {
  ASSERT_EQ(publish("github", {"--no-check"}).status, 0);
  server_.comments.push_back(server_.comments[0]);
  server_.comments.back().id += 50;
  set_run("500", "2");
  server_.plan({"PATCH", "/issues/comments/", Trouble::How::answer, 422});
  EXPECT_EQ(publish("github", {"--no-check", "--status", "0"}).status, 3);
  EXPECT_THAT(server_.comments, SizeIs(2)) << "what is stale stays, but nothing is lost";
  server_.plan({"DELETE", "/issues/comments/", Trouble::How::answer, 403});
  const Outcome stays = publish("github", {"--no-check", "--status", "0"});
  EXPECT_EQ(stays.status, 3);
  EXPECT_THAT(stays.err, HasSubstr("it is up to date, and another one of ours stays beside it: DELETE"));
  EXPECT_THAT(server_.comments[0].body, HasSubstr("now nothing regressed"));
  EXPECT_EQ(publish("github", {"--no-check", "--status", "0"}).status, 0);
  EXPECT_THAT(server_.comments, SizeIs(1));
}

TEST_F(PublishToGithub, JobsOfAMatrixWithOneKeyDoNotOverwriteEachOther) {
  setenv("GITHUB_JOB", "gate", 1);
  ASSERT_EQ(publish("github", {"--status", "1"}).status, 0);
  write_judgement(sample::quiet_comparison(3));
  const Outcome second = publish("github", {"--status", "0"});
  EXPECT_EQ(second.status, 3);
  EXPECT_THAT(second.err, AllOf(HasSubstr("comment was not written: another job of this commit"),
                                HasSubstr("check was not written: another job of this commit"), HasSubstr("--key")));
  ASSERT_THAT(server_.comments, SizeIs(1));
  EXPECT_THAT(server_.comments[0].body, HasSubstr("3 regressions"));
  ASSERT_THAT(server_.checks, SizeIs(1));
  EXPECT_EQ(server_.checks[0].conclusion, "failure");
  setenv("GITHUB_JOB", "other", 1);
  set_run("501", "1");
  EXPECT_EQ(publish("github", {"--status", "0"}).status, 3) << "of another workflow, at the same commit";
  EXPECT_THAT(server_.comments[0].body, HasSubstr("3 regressions"));
  EXPECT_EQ(publish("github", {"--status", "0", "--key", "other"}).status, 0);
  EXPECT_THAT(server_.comments, SizeIs(2));
}

TEST_F(PublishToGithub, HasACommentForEachKey) {
  EXPECT_EQ(publish("github", {"--key", "kernels"}).status, 0);
  EXPECT_EQ(publish("github", {"--key", "parser -->"}).status, 0);
  EXPECT_EQ(publish("github", {"--key", "kernels"}).status, 0);
  EXPECT_THAT(server_.comments, SizeIs(2));
}

TEST_F(PublishToGithub, TheRequestsOwnFileNamesNoOtherGatesCommentOrCheck) {
  write("steelyard.toml", "[project]\nname = \"another gate\"\n");
  setenv("GITHUB_BASE_REF", "main", 1);
  setenv("GITHUB_TOKEN", server_.token.c_str(), 1);
  EXPECT_EQ(run({"publish", "github", "evidence"}).status, 0);
  ASSERT_THAT(server_.checks, SizeIs(1));
  EXPECT_EQ(server_.checks[0].name, "Steelyard: textkit");
  ASSERT_THAT(server_.comments, SizeIs(1));
  EXPECT_THAT(server_.comments[0].body, HasSubstr("`textkit` at"));
  // Where a fork's run is judged again the file at hand is the repository's.
  unsetenv("GITHUB_BASE_REF");
  setenv("GITHUB_TOKEN", server_.token.c_str(), 1);
  EXPECT_EQ(run({"publish", "github", "evidence", "--no-comment"}).status, 0);
  EXPECT_EQ(server_.checks.back().name, "Steelyard: another gate");
}

TEST_F(PublishToGithub, ASupersededCommitLeavesTheCommentOfTheNewerOne) {
  be_github_job(7, sha('b'));
  ASSERT_EQ(publish("github").status, 0);
  const std::string newer = server_.comments[0].body;
  be_github_job(7, sha('a'));
  server_.pulls[7] = sha('b');
  const Outcome older = publish("github");
  EXPECT_EQ(older.status, 0) << older.err;
  EXPECT_THAT(older.out, HasSubstr("aaaaaaaaa was superseded by bbbbbbbbb"));
  EXPECT_EQ(server_.comments[0].body, newer);
  ASSERT_THAT(server_.checks, SizeIs(2)) << "the check belongs to its commit and is written all the same";
  EXPECT_EQ(server_.checks[1].head, sha('a'));
}

TEST_F(PublishToGithub, SaysHowEachTryOfACommitWent) {
  ASSERT_EQ(publish("github", {"--status", "1"}).status, 0);
  set_run("500", "2");
  ASSERT_EQ(publish("github", {"--status", "0"}).status, 0);
  ASSERT_THAT(server_.comments, SizeIs(1));
  EXPECT_THAT(server_.comments[0].body,
              HasSubstr("Tried 2 times at this commit: a regression or a missed target, now nothing regressed."));
  EXPECT_THAT(server_.checks, SizeIs(2));
}

TEST_F(PublishToGithub, TellsOfAGateThatEndedBeforeItCompared) {
  ASSERT_EQ(publish("github").status, 0);
  std::filesystem::remove("evidence/comparison.json");
  EXPECT_EQ(publish("github").status, 3) << "without a status nobody knows what happened";
  set_run("500", "2");
  EXPECT_EQ(publish("github", {"--status", "4"}).status, 0);
  ASSERT_THAT(server_.comments, SizeIs(1));
  EXPECT_THAT(server_.comments[0].body,
              AllOf(HasSubstr("not judged"), HasSubstr("the measured program failed"), Not(HasSubstr("improvement"))));
  ASSERT_THAT(server_.checks, SizeIs(2));
  EXPECT_EQ(server_.checks[1].conclusion, "failure");
}

TEST_F(PublishToGithub, OfAFailedBuildSaysWhichAndHasTheCompilersLine) {
  std::filesystem::remove("evidence/comparison.json");
  write("evidence/ended.json",
        ended_document({EndedGate::Stage::build_of_candidate, sha('e'), "its last lines:\nwork.cpp:3: error: x", 4}));
  EXPECT_EQ(publish("github", {"--status", "4"}).status, 0);
  ASSERT_THAT(server_.comments, SizeIs(1));
  EXPECT_THAT(server_.comments[0].body,
              AllOf(HasSubstr("the build of the candidate (eeeeeeeee) failed"), HasSubstr("\nwork.cpp:3: error: x\n"),
                    Not(HasSubstr("measured program"))));
  ASSERT_THAT(server_.checks, SizeIs(1));
  EXPECT_EQ(server_.checks[0].conclusion, "failure");
}

// The comparison of the samples, with functions on so many lines of the project's own.
Comparison annotated_comparison(int benchmarks) {
  Comparison comparison = sample::quiet_comparison(0);
  for (int i = 0; i < benchmarks; ++i) {
    ComparisonRow row = sample::instructions_row("BM_" + std::to_string(i), 1000, 1200 + i);
    row.functions = {{"work_" + std::to_string(i) + "(int)", "src/work.cpp", i + 1, 200.0 + i, 200.0 + i, 0, 1, true}};
    comparison.rows.push_back(row);
  }
  return comparison;
}

TEST_F(PublishToGithub, NotesStandAtTheLinesThatAttributionNames) {
  const Outcome outcome = publish("github");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  ASSERT_THAT(server_.checks, SizeIs(1));
  const ci_test::StoredCheck& check = server_.checks[0];
  EXPECT_EQ(check.head, sha('a')) << "the pull request's commit, not the merge's";
  EXPECT_EQ(check.conclusion, "failure");
  EXPECT_THAT(check.title, StartsWith("3 regressions"));
  EXPECT_THAT(check.annotations, testing::ElementsAre("src/tokenizer.cpp:41 failure"));
}

TEST_F(PublishToGithub, FiftyNotesARequestAndAllOfThemOnce) {
  write_judgement(annotated_comparison(120));
  const Outcome outcome = publish("github");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  ASSERT_THAT(server_.checks, SizeIs(1));
  EXPECT_THAT(server_.checks[0].annotations, SizeIs(100)) << "bounded in all";
  EXPECT_EQ(server_.count("POST", "/check-runs"), 1);
  EXPECT_EQ(server_.count("PATCH", "/check-runs/"), 1);
}

TEST_F(PublishToGithub, NoNoteIsSentAgainThatArrivedBeforeTheConnectionWasCut) {
  write_judgement(annotated_comparison(120));
  server_.plan({"POST", "/check-runs", Trouble::How::cut_after});
  server_.plan({"PATCH", "/check-runs/", Trouble::How::cut_after});
  const Outcome outcome = publish("github");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  ASSERT_THAT(server_.checks, SizeIs(1));
  const std::vector<std::string>& notes = server_.checks[0].annotations;
  EXPECT_EQ(std::set<std::string>(notes.begin(), notes.end()).size(), 100U);
  EXPECT_THAT(notes, SizeIs(100));
}

TEST_F(PublishToGithub, IsWrittenOnceWhateverHappensToTheAnswer) {
  constexpr auto answer = Trouble::How::answer;
  for (const auto& [how, status] : std::vector<std::pair<Trouble::How, int>>{
           {Trouble::How::cut_before, 0}, {Trouble::How::cut_after, 0}, {answer, 500}, {answer, 502}}) {
    server_.comments.clear();
    server_.plan({"POST", "/comments", how, status});
    const Outcome outcome = publish("github", {"--no-check"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(server_.comments, SizeIs(1)) << static_cast<int>(how) << ", " << status;
  }
}

TEST_F(PublishToGithub, ASlowServiceCostsATimeOutAndNothingElse) {
  server_.plan({"GET", "/pulls/7", Trouble::How::slow});
  const Outcome outcome = publish("github", {"--no-check", "--timeout", "700ms"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(server_.comments, SizeIs(1));
}

TEST_F(PublishToGithub, AServiceThatStaysAwayIsTold) {
  server_.plan({"", "/", Trouble::How::answer, 503, {}, "unavailable", 100});
  const Outcome outcome = publish("github", {"--patience", "1s"});
  EXPECT_EQ(outcome.status, 5);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("comment was not written: GET /user: status 503, \"unavailable\""),
                                 HasSubstr("check was not written")));
  setenv("GITHUB_API_URL", "http://127.0.0.1:1", 1);
  EXPECT_EQ(publish("github", {"--patience", "100ms"}).status, 5);
}

TEST_F(PublishToGithub, AServiceThatHangsIsWaitedForWithinThePatience) {
  server_.plan({"", "/", Trouble::How::slow, 500, {}, "", 100});
  const Outcome outcome = publish("github", {"--no-check", "--timeout", "700ms", "--patience", "800ms"});
  EXPECT_EQ(outcome.status, 5);
  EXPECT_LE(server_.count("GET", "/user"), 1) << "a second try would go beyond it, whatever the wait before it";
}

TEST_F(PublishToGithub, AServiceThatAnswersByteByByteCostsNoMoreThanThePatience) {
  server_.plan({"", "/", Trouble::How::trickle, 200, {}, "", 100});
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = publish("github", {"--patience", "1s"});
  EXPECT_EQ(outcome.status, 5);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10)) << "each request may take 30 s";
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("comment was not written: GET /user"),
                                 HasSubstr("check was not written: GET /repos/acme/shop/commits/"),
                                 HasSubstr("not sent, as 1.00 s have passed")));
}

TEST_F(PublishToGithub, ACommentThatTheEndOfThePatienceCutOffMayHaveBeenTakenAndIsNotSentAgain) {
  server_.plan({"POST", "/comments", Trouble::How::trickle, 201, {}, "", 100});
  const Outcome outcome = publish("github", {"--no-check", "--patience", "1s"});
  EXPECT_EQ(outcome.status, 5);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("POST /repos/acme/shop/issues/7/comments"),
                                 HasSubstr("whether it was taken is not known")));
  EXPECT_EQ(server_.count("POST", "/comments"), 1);
  EXPECT_THAT(server_.comments, SizeIs(1));
}

TEST_F(PublishToGithub, WaitsAsLongAsItIsAskedToWithinItsPatience) {
  server_.plan({"POST", "/comments", Trouble::How::answer, 429, {"Retry-After: 1"}});
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(publish("github", {"--no-check"}).status, 0);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
  EXPECT_THAT(server_.comments, SizeIs(1));
  server_.plan({"GET", "/user", Trouble::How::answer, 403, {"X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1"}});
  EXPECT_EQ(publish("github", {"--no-check"}).status, 0) << "the limit is past already";
}

TEST_F(PublishToGithub, DoesNotWaitForAnHour) {
  server_.plan({"POST", "/comments", Trouble::How::answer, 403, {"Retry-After: 3600"}, "secondary rate limit", 9});
  const Outcome outcome = publish("github", {"--no-check"});
  EXPECT_EQ(outcome.status, 5);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("secondary rate limit"), HasSubstr("it asks to wait 3"), HasSubstr("at most 60")));
  EXPECT_EQ(server_.count("POST", "/comments"), 1);
}

TEST_F(PublishToGithub, APersonsTokenThatHasToWaitIsNotTakenForAnApps) {
  server_.login = "anna";
  server_.user_status = 200;
  ASSERT_EQ(publish("github", {"--no-check"}).status, 0);
  set_run("500", "2");
  server_.plan({"GET", "/user", Trouble::How::answer, 403, {"Retry-After: 3600"}, "secondary rate limit", 9});
  EXPECT_EQ(publish("github", {"--no-check"}).status, 5);
  EXPECT_THAT(server_.comments, SizeIs(1));
}

TEST_F(PublishToGithub, AnotherAppsTokenKeepsOneCommentAndIsToldToBeNamed) {
  server_.login = "my-app[bot]";
  ASSERT_EQ(publish("github", {"--no-check"}).status, 0);
  server_.pulls[7] = sha('b');
  be_github_job(7, sha('b'));
  set_run("501", "1");
  const Outcome second = publish("github", {"--no-check"});
  EXPECT_EQ(second.status, 0) << second.err;
  EXPECT_THAT(second.out, AllOf(HasSubstr("by my-app[bot]"), HasSubstr("--login")));
  ASSERT_THAT(server_.comments, SizeIs(1));
  EXPECT_THAT(server_.comments[0].body, HasSubstr("`bbbbbbbbb`"));
  EXPECT_EQ(publish("github", {"--no-check", "--login", "my-app[bot]"}).status, 0);
  EXPECT_EQ(server_.count("POST", "/comments"), 2) << "with its name nothing is added";
}

TEST_F(PublishToGithub, ARefusalNamesTheMissingPermissionAndKeepsNothingElseFromBeingWritten) {
  server_.plan({"POST", "/comments", Trouble::How::answer, 403, {}, "Resource not accessible by integration"});
  const Outcome outcome = publish("github");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("\"Resource not accessible by integration\""),
                                 HasSubstr("permissions: {pull-requests: write}"), Not(HasSubstr("fork"))));
  EXPECT_THAT(server_.checks, SizeIs(1));
  server_.plan({"GET", "/check-runs", Trouble::How::answer, 403});
  const Outcome check = publish("github");
  EXPECT_EQ(check.status, 3);
  EXPECT_THAT(check.err, HasSubstr("permissions: {checks: write}"));
  EXPECT_THAT(server_.comments, SizeIs(1));
}

TEST_F(PublishToGithub, EveryOtherRefusalIsToldInWordsAndTriedOnce) {
  const std::vector<std::pair<int, std::string>> refusals{{401, "the token is wrong or has expired"},
                                                          {404, "the token may not see it"},
                                                          {409, "changed at the same time"},
                                                          {422, "status 422, \"Validation Failed\""},
                                                          {301, "moved or renamed"}};
  int posts = 0;
  for (const auto& [status, words] : refusals) {
    server_.plan({"POST", "/comments", Trouble::How::answer, status, {}, "Validation Failed"});
    const Outcome outcome = publish("github", {"--no-check"});
    EXPECT_EQ(outcome.status, 3) << status;
    EXPECT_THAT(outcome.err, HasSubstr(words));
    EXPECT_EQ(server_.count("POST", "/comments"), ++posts);
  }
  EXPECT_THAT(server_.comments, IsEmpty());
}

TEST_F(PublishToGithub, AnAnswerWithoutEndIsCut) {
  server_.plan({"GET", "/user", Trouble::How::answer, 200, {}, std::string(std::size_t{33} << 20U, 'x')});
  const Outcome outcome = publish("github", {"--no-check"});
  EXPECT_EQ(outcome.status, 5);
  EXPECT_THAT(outcome.err, HasSubstr("more than 32 MiB"));
}

TEST_F(PublishToGithub, AnAnswerThatIsNoJsonIsToldAndNothingIsWritten) {
  server_.plan({"GET", "/comments", Trouble::How::answer, 200});
  const Outcome outcome = publish("github", {"--no-check"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("wanted an array"));
  EXPECT_EQ(server_.count("POST", "/comments"), 0);
}

TEST_F(PublishToGithub, TheTokenIsNowhereButInItsHeader) {
  const std::string middle(90, '-');  // the message is shortened there
  server_.plan({"POST",
                "/comments",
                Trouble::How::answer,
                403,
                {},
                R"({"message": "no: )" + server_.token + middle + server_.token + std::string(150, '-') + "\"}"});
  const Outcome outcome = publish("github");
  EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr(server_.token)));
  EXPECT_THAT(outcome.err, HasSubstr("no: ***--"));
  EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("-" + server_.token.substr(0, 4))));
  EXPECT_EQ(std::getenv("GITHUB_TOKEN"), nullptr) << "no child of ours may have it";
  for (const ci_test::ReceivedRequest& request : server_.requests()) {
    EXPECT_THAT(request.path + request.body, Not(HasSubstr(server_.token)));
  }
}

TEST_F(PublishToGithub, AReportThatIsTooLongIsMadeAgainFromTheComparison) {
  write("report.md", std::string(std::size_t{2} << 20U, 'x'));
  const Outcome outcome = publish("github", {"--report", "report.md"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  ASSERT_THAT(server_.comments, SizeIs(1));
  EXPECT_THAT(server_.comments[0].body, HasSubstr("3 regressions"));
}

TEST_F(PublishToGithub, AReportThatIsNotThereIsToldThoughThereIsAComparison) {
  const Outcome outcome = publish("github", {"--report", "typed_wrong.md"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("typed_wrong.md"));
}

TEST_F(PublishToGithub, AFolderThatCannotBeWrittenKeepsTheServiceFromNothing) {
  write("taken", "a file");
  const Outcome outcome = publish("github", {"--output", "taken"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("files was not written: taken"));
  EXPECT_THAT(server_.comments, SizeIs(1));
  EXPECT_THAT(server_.checks, SizeIs(1));
}

TEST_F(PublishToGithub, WithoutATokenOneLineSaysWhatToGrant) {
  setenv("GITHUB_TOKEN", "", 1);
  const Outcome outcome = run({"publish", "github", "evidence"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("env: {GITHUB_TOKEN: ${{ github.token }}}"));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
  EXPECT_THAT(server_.requests(), IsEmpty());
}

TEST_F(PublishToGithub, ATokenGoesToNoAddressWhereItCouldBeRead) {
  for (const char* address :
       {"http://api.github.com", "http://127.0.0.1.example.org", "ftp://a", "https://a@b", "https:///x"}) {
    const Outcome outcome = publish("github", {"--api", address});
    EXPECT_EQ(outcome.status, 3) << address;
    EXPECT_THAT(outcome.err, HasSubstr("--api: found"));
  }
}

TEST_F(PublishToGithub, NoProxySeesATokenInTheClear) {
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  const Outcome outcome = publish("github");
  unsetenv("http_proxy");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(server_.comments, SizeIs(1));
}

TEST_F(PublishToGithub, OfAForkItSaysWhyItMayNotWrite) {
  be_github_job(7, sha('a'), "mallory/shop");
  server_.plan({"POST", "/comments", Trouble::How::answer, 403, {}, "Resource not accessible by integration"});
  const Outcome outcome = publish("github", {"--no-check"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("a job of a fork's pull request never has it: docs/guide/pull_requests.md"));
}

class PublishOfAFork : public PublishToGithub {
 protected:
  void SetUp() override {
    PublishToGithub::SetUp();
    server_.pulls[12] = sha('c');
    server_.pull_of_branch["mallory:fix%2F%22it%22"] = 12;
    write("event.json",
          R"({"workflow_run":{"id":77,"run_attempt":2,"event":"pull_request","head_sha":")" + sha('c') +
              R"(","head_branch":"fix/\"it\"","html_url":"https://github.com/acme/shop/actions/runs/77",)"
              R"("head_repository":{"full_name":"mallory/shop","owner":{"login":"mallory"}},"pull_requests":[]}})");
  }
};

TEST_F(PublishOfAFork, FindsThePullRequestByItsBranchAndHead) {
  const Outcome outcome = publish("github");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(server_.count("POST", "/repos/acme/shop/issues/12/comments"), 1);
  ASSERT_THAT(server_.comments, SizeIs(1));
  EXPECT_THAT(server_.comments[0].body,
              HasSubstr("Measured by a job without rights, as the request comes from a fork"));
  ASSERT_THAT(server_.checks, SizeIs(1));
  EXPECT_EQ(server_.checks[0].head, sha('c'));
}

TEST_F(PublishOfAFork, IsJudgedAgainAsOftenAsItIsWanted) {
  ASSERT_EQ(publish("github", {"--status", "1"}).status, 0);
  write_judgement(sample::quiet_comparison(3));
  const Outcome again = publish("github", {"--status", "0"});
  EXPECT_EQ(again.status, 0) << again.err;
  ASSERT_THAT(server_.comments, SizeIs(1));
  EXPECT_THAT(server_.comments[0].body, AllOf(HasSubstr("3 unchanged"), Not(HasSubstr("Tried 2 times"))));
  ASSERT_THAT(server_.checks, SizeIs(1));
  EXPECT_EQ(server_.checks[0].conclusion, "success");
}

TEST_F(PublishOfAFork, ThatLeftNoArchivesSaysSoAndNotThatAProgramFailed) {
  std::filesystem::remove("evidence/comparison.json");
  const Outcome outcome = publish("github", {"--status", "2"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  ASSERT_THAT(server_.comments, SizeIs(1));
  EXPECT_THAT(server_.comments[0].body, AllOf(HasSubstr("The run left no archives to judge"),
                                              Not(HasSubstr("program failed")), Not(HasSubstr("judged here again"))));
  ASSERT_THAT(server_.checks, SizeIs(1));
  EXPECT_EQ(server_.checks[0].title, "not judged: the run left no archives");
}

TEST_F(PublishOfAFork, AnAnswerThatIsNoListIsNotTakenForNoRequest) {
  server_.plan({"GET", "/pulls?", Trouble::How::answer, 200});
  const Outcome outcome = publish("github", {"--no-check"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("wanted an array"));
  server_.pulls[0] = sha('c');
  server_.pull_of_branch["mallory:fix%2F%22it%22"] = 0;
  EXPECT_THAT(publish("github", {"--no-check"}).err, HasSubstr("number"));
  EXPECT_THAT(server_.comments, IsEmpty());
}

TEST_F(PublishOfAFork, WithTwoOpenRequestsTellsNeitherWhatTheOtherIs) {
  server_.pulls[13] = sha('c');
  server_.pull_of_branch["mallory:fix"] = 13;
  const Outcome outcome = publish("github", {"--no-check"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("2 open pull requests have ccccccccc as their head"));
  EXPECT_THAT(server_.comments, IsEmpty());
}

TEST_F(PublishOfAFork, CommentsOnNoRequestOfAnotherHead) {
  server_.pulls[12] = sha('d');
  const Outcome outcome = publish("github");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("no open pull request has ccccccccc as its head any more"));
  EXPECT_THAT(server_.comments, IsEmpty());
}

TEST_F(PublishToGithub, OfAPushThereIsACheckAndNoComment) {
  write("event.json", R"({"ref":"refs/heads/main"})");
  const Outcome outcome = publish("github");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("the event is no pull request's"));
  ASSERT_THAT(server_.checks, SizeIs(1));
  EXPECT_EQ(server_.checks[0].head, sha('e'));
}

TEST_F(PublishToGithub, WhatIsMissingIsNamedWithItsOption) {
  unsetenv("GITHUB_REPOSITORY");
  EXPECT_THAT(publish("github").err, HasSubstr("--repository: found none, nor $GITHUB_REPOSITORY"));
  EXPECT_THAT(publish("github", {"--repository", "../../evil"}).err, HasSubstr("wanted OWNER/NAME"));
  write("event.json", "{}");
  EXPECT_THAT(publish("github", {"--repository", "acme/shop", "--commit", "main"}).err,
              HasSubstr("--commit: found \"main\""));
  EXPECT_THAT(publish("github", {"--repository", "acme/shop", "--request", "7/merge"}).err,
              HasSubstr("--request: found"));
  const Outcome named =
      publish("github", {"--repository", "acme/shop", "--request", "7", "--commit", sha('a'), "--login", "bot"});
  EXPECT_EQ(named.status, 0) << named.err;
  EXPECT_EQ(run({"publish", "bitbucket", "evidence"}).status, 3);
}

using PublishFromAnotherService = Publishing;

TEST_F(PublishFromAnotherService, TellsTheRequestThatTheJobIsOf) {
  server_.pulls[7] = sha('a');
  setenv("BUILDKITE", "true", 1);
  setenv("BUILDKITE_COMMIT", sha('a').c_str(), 1);
  setenv("BUILDKITE_PULL_REQUEST", "7", 1);
  setenv("BUILDKITE_BUILD_URL", "https://buildkite.example/acme/shop/builds/5", 1);
  const Outcome outcome = publish("github", {"--api", server_.address(), "--repository", "acme/shop", "--no-check"});
  for (const char* name : {"BUILDKITE", "BUILDKITE_COMMIT", "BUILDKITE_PULL_REQUEST", "BUILDKITE_BUILD_URL"}) {
    unsetenv(name);
  }
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  ASSERT_EQ(server_.comments.size(), 1U);
  EXPECT_THAT(server_.comments[0].body, HasSubstr("[all of it](https://buildkite.example/acme/shop/builds/5)"));
}

}  // namespace
}  // namespace steelyard::ci::github_test
