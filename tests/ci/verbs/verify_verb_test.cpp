#include <gmock/gmock.h>

#include "ci/report/store.hpp"
#include "storage/archive/archive.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "storage/spool/spool.hpp"
#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::verify_verb_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kAway = "postgresql://127.0.0.1:1/none";

class Verify : public ProgramUnderTest {
 protected:
  // Twelve rounds of alternating invocations, as folders of Google Benchmark's JSON.
  static void write_rounds() {
    for (int round = 0; round < 12; ++round) {
      for (const auto& [side, factor] : {std::pair("base", 1.0), {"head", 1.05}}) {
        std::string json = google_json(100 * factor * (1 + 0.002 * ((round * 7) % 5)));
        const bool first = (std::string_view(side) == "base") == (round % 2 == 0);
        const std::string keys = R"("steelyard_layout":"interleaved","steelyard_round":")" + std::to_string(round) +
                                 R"(","steelyard_order":")" + (first ? "0" : "1") + R"(",)";
        json.insert(json.find("\"host_name\""), keys);
        write(std::filesystem::path(side) / (std::to_string(100 + round) + ".json"), json);
      }
    }
  }
  // One side's archive under any name, the other's under the one that it has in such a folder.
  static void write_evidence() {
    write_rounds();
    std::filesystem::create_directory("evidence");
    ASSERT_EQ(run({"export", "base", "--output", "evidence/baseline.syrun"}).status, 0);
    ASSERT_EQ(run({"export", "head", "--output", "evidence/other.syrun"}).status, 0);
    ASSERT_LE(run({"compare", "evidence/baseline.syrun", "evidence/other.syrun", "--json", "--output",
                   "evidence/comparison.json"})
                  .status,
              2);
  }
  static void replace_in(const std::filesystem::path& file, const std::string& from, const std::string& to) {
    std::string text = text_of(file);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write(file, text.replace(at, from.size(), to));
  }
};

TEST_F(Verify, ConfirmsAComparisonOfFilesThatAreNamed) {
  write_rounds();
  ASSERT_EQ(run({"compare", "base", "head", "--json", "--output", "c.json"}).status, 1);
  const Outcome outcome = run({"verify", "c.json", "--baseline", "base", "--candidate", "head"});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("c.json: verified\n"));
  EXPECT_THAT(outcome.out, HasSubstr("1 row, bit for bit"));
}

TEST_F(Verify, SaysWhichFieldWasChangedAndFails) {
  write_rounds();
  run({"compare", "base", "head", "--json", "--output", "c.json"});
  replace_in("c.json", "\"verdict\": \"regression\"", "\"verdict\": \"unchanged\"");
  const Outcome outcome = run({"verify", "c.json", "--baseline", "base", "--candidate", "head"});
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("verdict: kept unchanged, computed regression"));
  const Outcome json = run({"verify", "c.json", "--baseline", "base", "--candidate", "head", "--json"});
  EXPECT_THAT(json.out, HasSubstr("\"outcome\": \"differs\""));
}

TEST_F(Verify, WritesThePageOfWhatWasKeptAndSaysThereWhereItIsNotVerified) {
  write_rounds();
  run({"compare", "base", "head", "--json", "--output", "c.json"});
  const auto page = [](const std::string& baseline) {
    run({"verify", "c.json", "--baseline", baseline, "--candidate", "head", "--html", "page.html"});
    return text_of("page.html");
  };
  const std::string drawing = "<svg class=\"distributions\"";
  EXPECT_THAT(page("base"), AllOf(HasSubstr("BM_x"), HasSubstr("<dt>measured</dt>"), HasSubstr(drawing),
                                  HasSubstr("steelyard ab OLD NEW --counts always"),
                                  Not(HasSubstr("steelyard history")), Not(HasSubstr("steelyard verify:"))));
  // Other runs than those that were judged are not drawn beside the verdict.
  EXPECT_THAT(page("head"), AllOf(HasSubstr("BM_x"), HasSubstr("steelyard verify: the baseline that was judged is"),
                                  Not(HasSubstr(drawing)), Not(HasSubstr("<dt>measured</dt>"))));
  replace_in("c.json", "\"verdict\": \"regression\"", "\"verdict\": \"unchanged\"");
  EXPECT_THAT(page("base"), HasSubstr("steelyard verify: the same rules give other values"));
}

TEST_F(Verify, SaysThatOtherRulesJudged) {
  write_rounds();
  run({"compare", "base", "head", "--json", "--output", "c.json"});
  replace_in("c.json", "\"rule_version\": \"", "\"rule_version\": \"older-");
  const auto verify = [] { return run({"verify", "c.json", "--baseline", "base", "--candidate", "head"}); };
  EXPECT_EQ(verify().status, 0) << "other rules that give the same bits are as good";
  replace_in("c.json", "\"verdict\": \"regression\"", "\"verdict\": \"unchanged\"");
  const Outcome outcome = verify();
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("it was judged by the rules older-"));
}

TEST_F(Verify, FindsTheArchivesBesideTheComparison) {
  write_evidence();
  const Outcome outcome = run({"verify", "evidence"});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("evidence/other.syrun"));
  EXPECT_EQ(run({"verify", "evidence/comparison.json"}).status, 0);
}

// The runs lie in the state folder as well, where their ids find them.
TEST_F(Verify, IsNotDoneWhereTheFoldersOwnArchiveIsDamagedOrAnotherRuns) {
  write_evidence();
  std::filesystem::rename("evidence/other.syrun", "evidence/candidate.syrun");
  for (const char* side : {"baseline", "candidate"}) {
    const auto found = *storage::read_archive("evidence/" + std::string(side) + ".syrun");
    ASSERT_TRUE(storage::Spool(folder_ / "state").keep(found));
  }
  ASSERT_EQ(run({"verify", "evidence"}).status, 0);
  const std::string whole = text_of("evidence/baseline.syrun");
  const auto verify = [](const std::string& archive, const char* what) {
    write("evidence/baseline.syrun", archive);
    for (const char* name : {"evidence", "evidence/comparison.json"}) {
      const Outcome outcome = run({"verify", name});
      EXPECT_EQ(outcome.status, 2) << name << outcome.out << outcome.err;
      EXPECT_THAT(outcome.out, AllOf(HasSubstr("baseline.syrun"), HasSubstr(what), Not(HasSubstr(": verified"))));
    }
  };
  verify(whole.substr(0, whole.size() / 2), "not the one that was judged");
  verify(text_of("evidence/candidate.syrun"), "holds run");
  std::filesystem::rename("evidence/baseline.syrun", "evidence/aside");
  std::filesystem::create_directory("evidence/baseline.syrun");  // as little to be read as a file of another user's
  const Outcome unread = run({"verify", "evidence"});
  EXPECT_EQ(unread.status, 2) << unread.out << unread.err;
  EXPECT_THAT(unread.out, AllOf(HasSubstr("an archive that cannot be read"), Not(HasSubstr("not the one"))));
  std::filesystem::remove("evidence/baseline.syrun");
  std::filesystem::rename("evidence/aside", "evidence/baseline.syrun");
  // Another comparison beside the folder's own says nothing of its archives.
  std::filesystem::rename("evidence/comparison.json", "evidence/earlier.json");
  EXPECT_EQ(run({"verify", "evidence/earlier.json"}).status, 0);
}

TEST_F(Verify, KeepsWhatIsVerifiedAndNothingElse) {
  write_evidence();
  setenv("STEELYARD_STORE", kAway, 1);
  const auto waiting = [this] { return storage::Spool(folder_ / "state", kAway).count_waiting(); };
  const std::string honest = text_of("evidence/comparison.json");
  replace_in("evidence/comparison.json", "\"ratio\": 1.0", "\"ratio\": 1.1");
  EXPECT_EQ(run({"verify", "evidence", "--keep"}).status, 1);
  EXPECT_EQ(waiting(), storage::Spool::Count{});
  write("evidence/comparison.json", honest);
  // What was timed and calls itself untimed, as equal builds are.
  Comparison forged = *storage::read_comparison("evidence/comparison.json");
  ASSERT_EQ(forged.rows.size(), 1U);
  forged.rows[0].verdict = Verdict::unchanged;
  forged.rows[0].test = TestKind::none;
  forged.rows[0].reason = "not timed, as the policy says (skip_time): every loaded section is equal";
  forged.rows[0].notes = {RowNote::not_timed, RowNote::equal_program};
  write("evidence/comparison.json", storage::comparison_document(forged));
  const Outcome untimed = run({"verify", "evidence", "--keep"});
  EXPECT_EQ(untimed.status, 1);
  EXPECT_THAT(untimed.out,
              HasSubstr("verdict: kept unchanged, not timed, computed inconclusive, of what the runs have"));
  EXPECT_EQ(waiting(), storage::Spool::Count{});
  write("evidence/comparison.json", honest);
  EXPECT_EQ(run({"verify", "evidence"}).status, 0);
  EXPECT_EQ(waiting(), storage::Spool::Count{}) << "kept though nobody asked for it";
  const Outcome away = run({"verify", "evidence", "--keep"});
  unsetenv("STEELYARD_STORE");
  EXPECT_EQ(away.status, 5) << "the store is away, and all of it waits: " << away.err;
  EXPECT_EQ(waiting(), (storage::Spool::Count{2, 1}));
}

TEST_F(Verify, KeepsNoRunsOfAnotherProjectOrCommitThanTheJobs) {
  write_rounds();
  const std::string of_job(40, 'a');
  const std::string old(40, 'b');
  std::filesystem::create_directory("evidence");
  const auto archive = [](const std::string& from, const std::string& project, const std::string& commit) {
    Result<steelyard::Run> run = storage::read_archive(from);
    ASSERT_TRUE(run);
    run->header.project = project;
    run->header.commit.sha = commit;
    storage::seal(*run);
    ASSERT_TRUE(storage::write_archive(std::filesystem::path("evidence") / from, *run));
  };
  ASSERT_EQ(run({"export", "base", "--output", "baseline.syrun"}).status, 0);
  ASSERT_EQ(run({"export", "head", "--output", "candidate.syrun"}).status, 0);
  const auto leave = [&](const std::string& project, const std::string& commit) {
    archive("baseline.syrun", project, old);
    archive("candidate.syrun", project, commit);
    ASSERT_LE(run({"compare", "evidence/baseline.syrun", "evidence/candidate.syrun", "--json", "--output",
                   "evidence/comparison.json"})
                  .status,
              2);
  };
  setenv("STEELYARD_STORE", kAway, 1);
  const auto waiting = [this] { return storage::Spool(folder_ / "state", kAway).count_waiting(); };
  const auto keep = [&](const std::string& head) {
    return run({"verify", "evidence", "--keep", "--head", head, "--project", "shop"});
  };
  leave("bank", of_job);
  const Outcome project = keep(of_job);
  EXPECT_EQ(project.status, 1) << project.err;
  EXPECT_THAT(project.out, HasSubstr(R"(the candidate is of project "bank", wanted project "shop")"));
  EXPECT_THAT(project.out, HasSubstr(R"(the baseline is of project "bank", wanted project "shop")"));
  write("steelyard.toml", "[project]\nname = \"shop\"\n");
  EXPECT_EQ(run({"verify", "evidence", "--keep"}).status, 1) << "the file names the project as well";
  EXPECT_EQ(run({"verify", "evidence"}).status, 0) << "whose runs they are is asked where they are kept";
  leave("shop", old);
  const Outcome commit = keep(of_job);
  EXPECT_EQ(commit.status, 1) << commit.err;
  EXPECT_THAT(commit.out, HasSubstr("the candidate is of commit " + old + ", wanted commit " + of_job));
  EXPECT_EQ(run({"verify", "evidence", "--head", of_job}).status, 1);
  leave("shop", of_job);
  const std::string honest = text_of("evidence/comparison.json");
  // The store files a comparison by what its document says.
  for (const auto& [from, to] : {std::pair(of_job, old), {"\"shop\"", "\"bank\""}}) {
    std::string forged = honest;
    for (std::size_t at = 0; (at = forged.find(from, at)) != std::string::npos;) forged.replace(at, from.size(), to);
    write("evidence/comparison.json", forged);
    const Outcome said = keep(of_job);
    EXPECT_EQ(said.status, 1) << said.err;
    EXPECT_THAT(said.out, HasSubstr("the comparison says that the candidate is of "));
  }
  EXPECT_EQ(keep("").status, 3);
  EXPECT_EQ(run({"verify", "evidence", "--keep", "--project", "all"}).status, 3);
  EXPECT_EQ(waiting(), storage::Spool::Count{});
  write("evidence/comparison.json", honest);
  const Outcome kept = keep(of_job);
  unsetenv("STEELYARD_STORE");
  EXPECT_EQ(kept.status, 5) << "the store is away: " << kept.out << kept.err;
  EXPECT_EQ(waiting(), (storage::Spool::Count{2, 1}));
}

TEST_F(Verify, IsNotDoneWhereARunIsNowhere) {
  setenv("STEELYARD_STORE", kAway, 1);
  write_rounds();
  run({"compare", "base", "head", "--json", "--output", "c.json"});
  const Outcome outcome = run({"verify", "c.json"});
  unsetenv("STEELYARD_STORE");
  EXPECT_EQ(outcome.status, 2) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("not verified, run:"));
  EXPECT_THAT(outcome.out, HasSubstr("name both sides with --baseline and --candidate"));
}

TEST_F(Verify, SaysThatTheInputIsAnother) {
  write_rounds();
  run({"compare", "base", "head", "--json", "--output", "c.json"});
  const Outcome outcome = run({"verify", "c.json", "--baseline", "head", "--candidate", "base"});
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("the baseline that was judged is run:"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("bit for bit")));
}

TEST_F(Verify, RefusesWhatIsNoComparison) {
  EXPECT_EQ(run({"verify", "nowhere.json"}).status, 3);
  EXPECT_EQ(run({"verify"}).status, 3);
  write("half.json", "{\"schema\": \"steelyard.compa");
  EXPECT_EQ(run({"verify", "half.json"}).status, 3);
  write("newer.json", "{\"schema\": \"steelyard.comparison/2\"}");
  const Outcome newer = run({"verify", "newer.json"});
  EXPECT_EQ(newer.status, 3);
  EXPECT_THAT(newer.err, HasSubstr("a newer steelyard wrote it"));
  EXPECT_EQ(run({"verify", "x.json", "--baseline", "a"}).status, 3);
  std::filesystem::create_directory("empty");
  EXPECT_EQ(run({"verify", "empty"}).status, 3);
}

TEST(VerificationReport, LeavesTheTerminalAlone) {
  Verification verification;
  verification.comparison = "c";
  verification.replay.rule_version = "r";
  verification.replay.differences.push_back({"BM\x1b[2J", "real_time", "reason", "kept\nline", "\x1b]0;x"});
  const std::string text = terminal_verification(verification, {});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("BM?[2J real_time\n"));
}

TEST(VerificationReport, ShowsAtMostTwentyDifferences) {
  Verification verification;
  verification.comparison = "c";
  verification.outcome = VerificationOutcome::differs;
  verification.replay.rule_version = "r";
  for (int i = 0; i < 25; ++i)
    verification.replay.differences.push_back({"BM", "real_time", "p", std::to_string(i), ""});
  const std::string text = terminal_verification(verification, {});
  EXPECT_THAT(text, HasSubstr("p: kept 19, computed nothing\n  and 5 more\n"));
  EXPECT_THAT(json_verification(verification), HasSubstr("\"kept\": \"24\""));
}

}  // namespace
}  // namespace steelyard::ci::verify_verb_test
