#include "ci/publish/accepting.hpp"

#include "ci/judging/accepted.hpp"
#include "tests/ci/publish/publishing.hpp"

namespace steelyard::ci::accepting_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST(AcceptedInComment, ALineThatBeginsWithTheWordAndNothingThatIsQuotedOrShown) {
  EXPECT_THAT(accepted_in_comment("I looked at it.\r\nPerf-accept: gemv/*  the checksum\r\nperf-accept: BM_b why not"),
              ElementsAre("gemv/*  the checksum", "BM_b why not"));
  for (const char* nothing : {"> Perf-accept: BM_a as she said", "write `Perf-accept: BM_a reason`",
                              "so:\n```\nPerf-accept: BM_a reason\n```\n", "~~~ text\nPerf-accept: BM_a reason\n~~~",
                              "````\n```\nPerf-accept: BM_a reason\n```\n````", "Perf-accept BM_a reason",
                              "<!-- steelyard key=1 -->\nPerf-accept: BM_a a name of a benchmark"}) {
    EXPECT_THAT(accepted_in_comment(nothing), IsEmpty()) << nothing;
  }
  EXPECT_THAT(accepted_in_comment("```\nshown\n```\nPerf-accept: BM_a reason"), ElementsAre("BM_a reason"));
  EXPECT_THAT(accepted_in_comment("```a```\nPerf-accept: BM_a reason"), ElementsAre("BM_a reason"));
  EXPECT_THAT(accepted_in_comment("~~~ a `b`\nPerf-accept: BM_a reason\n~~~"), IsEmpty()) << "behind tildes it may";
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "Perf-accept: x y\n";
  EXPECT_THAT(accepted_in_comment(many), SizeIs(100));
}

TEST(AcceptedByLabel, ItsNameIsThePatternAndItsDescriptionTheReason) {
  EXPECT_EQ(accepted_by_label("Perf-accept: gemv/*", "the checksum"), "\"gemv/*\" the checksum");
  EXPECT_EQ(accepted_by_label("perf-accept", ""), "\"*\" as the label says");
  for (const char* other : {"performance", "Perf-accepted", "Perf-accept:", "Perf-accept: a\"b", ""}) {
    EXPECT_EQ(accepted_by_label(other, "x"), "") << other;
  }
}

class AcceptedOnARequest : public Publishing {
 protected:
  // What `steelyard accepted` leaves for the gate.
  AcceptedChanges accepted(const std::string& service, int status = 0) {
    setenv("GITHUB_TOKEN", server_.token.c_str(), 1);
    setenv("STEELYARD_GITLAB_TOKEN", server_.token.c_str(), 1);
    outcome_ = run({"accepted", service, "--output", "accepted.json"});
    EXPECT_EQ(outcome_.status, status) << outcome_.out << outcome_.err;
    const auto changes = accepted_in_file(folder_ / "accepted.json");
    EXPECT_TRUE(changes) << (changes ? "" : changes.error().text());
    return changes ? *changes : AcceptedChanges();
  }
  void say(const std::string& person, const std::string& text) {
    server_.comments.push_back({static_cast<std::int64_t>(server_.comments.size()) + 1, person, text});
  }
  static std::vector<std::string> matches(const AcceptedChanges& changes) {
    std::vector<std::string> found;
    for (const PatternPolicy& table : changes.tables) found.push_back(table.match);
    return found;
  }
  Outcome outcome_;
};

class AcceptedOnGithub : public AcceptedOnARequest {
 protected:
  void SetUp() override {
    AcceptedOnARequest::SetUp();
    be_github_job(7, sha('a'));
  }
};

TEST_F(AcceptedOnGithub, AcceptsWhatPeopleWithWriteAccessSayAndTellsWhoAndWhy) {
  server_.rights = {{"jane", "write"}, {"ada", "admin"}};
  say("jane", "Fine with me.\nPerf-accept: gemv/* until=2999-12-31 the checksum is worth 3 %");
  say("ada", "Perf-accept: BM_b measured by hand");
  const AcceptedChanges changes = accepted("github");
  ASSERT_THAT(matches(changes), ElementsAre("gemv/*", "BM_b"));
  EXPECT_EQ(changes.tables[0].accepted_by, "jane");
  EXPECT_EQ(changes.tables[0].reason, "the checksum is worth 3 %");
  EXPECT_EQ(changes.tables[0].where, "comment of #7 by jane, until 2999-12-31: the checksum is worth 3 %");
  EXPECT_THAT(*changes.tables[0].gates, IsEmpty());
  EXPECT_THAT(outcome_.out, HasSubstr("comment of #7 by jane"));
}

TEST_F(AcceptedOnGithub, WhoMayNotWriteAcceptsNothingWhateverTheyAre) {
  server_.rights = {{"reader", "read"}, {"bot[bot]", "admin"}, {"none", "none"}};
  for (const char* person : {"reader", "mallory", "bot[bot]", "none", ""}) say(person, "Perf-accept: * all is well");
  const AcceptedChanges changes = accepted("github");
  EXPECT_THAT(changes.tables, IsEmpty());
  EXPECT_THAT(changes.notes, SizeIs(5));
  EXPECT_THAT(changes.notes[0], AllOf(HasSubstr("may not write"), HasSubstr("by reader")));
  EXPECT_THAT(changes.notes[2], HasSubstr("no person"));
  EXPECT_EQ(server_.count("GET", "/collaborators/"), 3) << "of programs nobody is asked";
}

TEST_F(AcceptedOnGithub, ALabelCountsByWhoHasSetItLast) {
  server_.rights = {{"jane", "write"}, {"triager", "read"}};
  server_.labels = {{"Perf-accept: gemv/*", "the checksum"}, {"bug", ""}};
  server_.label_events = {{true, "Perf-accept: gemv/*", "jane"}, {true, "bug", "triager"}};
  AcceptedChanges changes = accepted("github");
  ASSERT_THAT(matches(changes), ElementsAre("gemv/*"));
  EXPECT_EQ(changes.tables[0].where, "label of #7 by jane: the checksum");
  server_.label_events.push_back({false, "Perf-accept: gemv/*", "triager"});
  server_.label_events.push_back({true, "Perf-accept: gemv/*", "triager"});
  EXPECT_THAT(accepted("github").tables, IsEmpty());
  server_.labels.clear();
  EXPECT_THAT(accepted("github").notes, IsEmpty()) << "a label that was taken away says nothing";
}

TEST_F(AcceptedOnGithub, OfALabelThatNobodyIsKnownToHaveSetNothingIsAccepted) {
  server_.rights = {{"jane", "write"}};
  server_.labels = {{"Perf-accept", ""}};
  EXPECT_THAT(accepted("github").tables, IsEmpty());
}

TEST_F(AcceptedOnGithub, EachPersonIsAskedOnceAndTwentyAtMost) {
  for (int i = 0; i < 30; ++i) {
    const std::string person = "p" + std::to_string(i);
    server_.rights[person] = "write";
    say(person, "Perf-accept: BM_" + std::to_string(i) + " reason\nPerf-accept: BM_again reason");
  }
  const AcceptedChanges changes = accepted("github");
  EXPECT_THAT(changes.tables, SizeIs(40));
  EXPECT_EQ(server_.count("GET", "/collaborators/"), 20);
  EXPECT_THAT(changes.notes, ::testing::Contains(HasSubstr("more than 20 people")));
}

TEST_F(AcceptedOnGithub, WhereRightsCannotBeReadNothingIsAcceptedAndTheReasonIsTold) {
  server_.rights = {{"jane", "write"}};
  say("jane", "Perf-accept: BM_a reason");
  server_.plan({.method = "GET", .path = "/collaborators/", .status = 403, .message = "Resource not accessible"});
  const AcceptedChanges changes = accepted("github", 3);
  EXPECT_THAT(changes.tables, IsEmpty());
  EXPECT_THAT(changes.notes,
              ElementsAre(AllOf(HasSubstr("rights are not known"), HasSubstr("Resource not accessible"))));
}

TEST_F(AcceptedOnGithub, ATokenThatMayNotReadTheRequestIsToldInTheLogAndInNoReport) {
  server_.plan({.method = "GET", .path = "/comments", .status = 403, .message = "Resource not accessible"});
  EXPECT_THAT(accepted("github", 3).notes, IsEmpty());
  EXPECT_THAT(outcome_.err, HasSubstr("permissions: {pull-requests: read}"));
}

TEST_F(AcceptedOnGithub, AServiceThatIsAwayAcceptsNothing) {
  server_.rights = {{"jane", "write"}};
  say("jane", "Perf-accept: BM_a reason");
  server_.plan({.method = "GET", .path = "/comments", .how = ci_test::Trouble::How::cut_before, .times = 9});
  const AcceptedChanges changes = accepted("github", 5);
  EXPECT_THAT(changes.tables, IsEmpty());
  EXPECT_THAT(changes.notes, ElementsAre(HasSubstr("could not be read")));
}

TEST_F(AcceptedOnGithub, AHostileLineIsANoteThatFormatsNothing) {
  server_.rights = {{"jane", "write"}};
  say("jane", "Perf-accept: BM_a\nPerf-accept: \x1b[31mBM_b\x1b[0m reason");
  const AcceptedChanges changes = accepted("github");
  EXPECT_THAT(changes.notes, ::testing::Contains(HasSubstr("no reason after \"BM_a\"")));
  EXPECT_THAT(outcome_.out, Not(HasSubstr("\x1b[31m")));
}

TEST_F(AcceptedOnGithub, OfAForksRunItIsReadOnTheRequestThatTheEventIsOf) {
  server_.pull_of_branch["mallory:feature"] = 7;
  server_.rights = {{"jane", "write"}};
  say("jane", "Perf-accept: BM_a reason");
  write("event.json", R"({"workflow_run":{"id":400,"run_attempt":1,"event":"pull_request","head_sha":")" + sha('a') +
                          R"(","head_branch":"feature","html_url":"https://github.com/acme/shop/actions/runs/400",)" +
                          R"("head_repository":{"full_name":"mallory/shop","owner":{"login":"mallory"}}}})");
  EXPECT_THAT(matches(accepted("github")), ElementsAre("BM_a"));
}

TEST_F(AcceptedOnGithub, OfAPushItIsTheRequestByWhoseMergeTheCommitCame) {
  unsetenv("GITHUB_EVENT_PATH");
  EXPECT_THAT(accepted("github").notes, IsEmpty()) << "a commit that came by no request";
  server_.pull_of_merge[sha('e')] = 7;
  server_.rights = {{"jane", "write"}};
  say("jane", "Perf-accept: BM_a reason");
  EXPECT_THAT(matches(accepted("github")), ElementsAre("BM_a"));
}

TEST_F(AcceptedOnGithub, AFileOfAnotherKindIsRefused) {
  write("other.json", R"({"schema":"steelyard.comparison/1"})");
  const auto changes = accepted_in_file(folder_ / "other.json");
  ASSERT_FALSE(changes);
  EXPECT_THAT(changes.error().text(), HasSubstr("steelyard.accepted/1"));
  EXPECT_FALSE(accepted_in_file(folder_ / "absent.json"));
}

class AcceptedOnGitlab : public AcceptedOnARequest {
 protected:
  void SetUp() override {
    AcceptedOnARequest::SetUp();
    be_gitlab_job(7, sha('a'));
  }
};

TEST_F(AcceptedOnGitlab, ADevelopersNoteCountsAndAReportersAndAProgramsDoNot) {
  server_.rights = {{"jane", "30"}, {"reporter", "20"}, {"project_7_bot_a1b2", "40"}};
  say("jane", "Perf-accept: BM_a reason");
  say("reporter", "Perf-accept: BM_b reason");
  say("mallory", "Perf-accept: BM_c reason");
  say("project_7_bot_a1b2", "Perf-accept: BM_e what somebody else wrote");
  const AcceptedChanges changes = accepted("gitlab");
  ASSERT_THAT(matches(changes), ElementsAre("BM_a"));
  EXPECT_EQ(server_.count("POST", "/graphql"), 0) << "no label is asked about that accepts nothing";
  EXPECT_EQ(changes.tables[0].where, "note of !7 by jane: reason");
  EXPECT_THAT(changes.notes,
              AllOf(::testing::Contains(HasSubstr("by reporter")), ::testing::Contains(HasSubstr("by mallory")),
                    ::testing::Contains(HasSubstr("no person says it"))));
}

TEST_F(AcceptedOnGitlab, ALabelCountsByWhoHasSetItLast) {
  server_.rights = {{"jane", "30"}, {"reporter", "20"}};
  server_.labels = {{"Perf-accept: gemv/*", "the checksum"}, {"bug", ""}};
  server_.label_events = {{true, "bug", "reporter"}, {true, "Perf-accept: gemv/*", "jane"}};
  AcceptedChanges changes = accepted("gitlab");
  ASSERT_THAT(matches(changes), ElementsAre("gemv/*"));
  EXPECT_EQ(changes.tables[0].where, "label of !7 by jane: the checksum");
  server_.label_events.push_back({false, "Perf-accept: gemv/*", "reporter"});
  server_.label_events.push_back({true, "Perf-accept: gemv/*", "reporter"});
  changes = accepted("gitlab");
  EXPECT_THAT(changes.tables, IsEmpty());
  EXPECT_THAT(changes.notes, ElementsAre(AllOf(HasSubstr("may not write"), HasSubstr("by reporter"))));
}

// Events tell the name that a label has today, and a reporter may give it another.
TEST_F(AcceptedOnGitlab, ALabelThatWasRenamedSinceItWasSetAcceptsNothing) {
  server_.rights = {{"jane", "30"}};
  server_.labels = {{"Perf-accept", ""}};
  server_.label_events = {{true, "Perf-accept", "jane", "2026-01-02T04:04:06.789+01:00"}};
  ASSERT_THAT(matches(accepted("gitlab")), ElementsAre("*"));
  for (const char* edited : {"2026-01-02T03:04:06Z", "2026-03-01T00:00:00Z"}) {
    server_.labels_edited_at = edited;
    const AcceptedChanges changes = accepted("gitlab");
    EXPECT_THAT(changes.tables, IsEmpty()) << edited;
    EXPECT_THAT(changes.notes, ElementsAre(AllOf(HasSubstr("was edited"), HasSubstr("by jane"))));
  }
}

TEST_F(AcceptedOnGitlab, OfALabelThatTheServiceDoesNotTellOfNothingIsAccepted) {
  server_.rights = {{"jane", "30"}};
  server_.labels = {{"Perf-accept", ""}};
  EXPECT_THAT(accepted("gitlab").notes, ElementsAre(HasSubstr("no person says it")))
      << "nobody is known to have set it";
  server_.label_events = {{true, "Perf-accept", "jane"}};
  say("jane", "Perf-accept: BM_a reason");
  server_.plan({.method = "POST", .path = "/graphql", .status = 403, .message = "insufficient_scope"});
  const AcceptedChanges changes = accepted("gitlab", 3);
  EXPECT_THAT(matches(changes), ElementsAre("BM_a")) << "the note counts all the same";
  EXPECT_THAT(changes.notes, ::testing::Contains(HasSubstr("not known when the label was edited")));
  EXPECT_THAT(outcome_.err, HasSubstr("insufficient_scope"));
}

TEST_F(AcceptedOnGitlab, OfABranchItIsTheRequestByWhoseMergeTheCommitCame) {
  unsetenv("CI_MERGE_REQUEST_IID");
  EXPECT_THAT(accepted("gitlab").notes, IsEmpty()) << "a commit that came by no request";
  server_.pull_of_merge[sha('a')] = 7;
  server_.rights = {{"jane", "40"}};
  say("jane", "Perf-accept: BM_a reason");
  EXPECT_THAT(matches(accepted("gitlab")), ElementsAre("BM_a"));
}

}  // namespace
}  // namespace steelyard::ci::accepting_test
