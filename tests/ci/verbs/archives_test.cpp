// History of a folder of archives: no server, no store, no spool.
#include <gmock/gmock.h>

#include "storage/archive/archive.hpp"
#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::archives_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Archives : public ProgramUnderTest {
 protected:
  void SetUp() override {
    ProgramUnderTest::SetUp();
    // Whoever asks the store fails.
    setenv("STEELYARD_STORE", "postgresql://127.0.0.1:1/steelyard", 1);
  }
  void TearDown() override {
    unsetenv("STEELYARD_STORE");
    ProgramUnderTest::TearDown();
  }
  void keep(const std::string& name, double time, const std::string& host = "h") {
    std::string results = google_json(time);
    const std::string usual = "\"host_name\":\"h\"";
    results.replace(results.find(usual), usual.size(), "\"host_name\":\"" + host + '"');
    write(name + ".json", results);
    std::filesystem::create_directories("kept");
    const Outcome kept = run({"export", name + ".json", "--output", "kept/" + name + ".syrun"});
    ASSERT_EQ(kept.status, 0) << kept.err;
  }
};

TEST_F(Archives, TellTheirHistoryWithoutAStore) {
  keep("first", 100);
  keep("second", 200);
  const Outcome drawn = run({"history", "--archives", "kept", "--project", "all"});
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_THAT(drawn.out, HasSubstr("200 ns"));
  const Outcome json = run({"history", "--archives", "kept", "--json", "--project", "all"});
  EXPECT_EQ(json.status, 0) << json.err;
  EXPECT_THAT(json.out, AllOf(HasSubstr("\"schema\": \"steelyard.history/1\""), HasSubstr("100"), HasSubstr("200")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "state")) << "nothing is kept";
}

TEST_F(Archives, AreReadPastABadOneWhichIsNamedAndDeniesSuccess) {
  keep("first", 100);
  write("kept/bad.syrun", "no archive");
  const Outcome drawn = run({"history", "--archives", "kept", "--project", "all"});
  EXPECT_EQ(drawn.status, 3);
  EXPECT_THAT(drawn.err, HasSubstr("kept/bad.syrun"));
  EXPECT_THAT(drawn.out, HasSubstr("100 ns"));
  EXPECT_EQ(run({"changes", "--archives", "kept", "--project", "all"}).status, 3);
}

TEST_F(Archives, AreReadPastCountsThatAreKeptForLaterRunsWhichIsSaid) {
  keep("first", 100);
  steelyard::Run counts = *storage::read_archive("kept/first.syrun");
  counts.header.settings[storage::kKeptCountSetting] = "";
  storage::seal(counts);
  ASSERT_TRUE(storage::write_archive("kept/counts.syrun", counts));
  const Outcome drawn = run({"history", "--archives", "kept", "--project", "all"});
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_THAT(drawn.err, HasSubstr("1 kept count passed over: no runs"));
}

TEST_F(Archives, SayWhatTheyDoNotHold) {
  std::filesystem::create_directories("kept");
  const Outcome empty = run({"history", "sort", "--archives", "kept"});
  EXPECT_EQ(empty.status, 0) << empty.err;
  EXPECT_THAT(empty.out, AllOf(HasSubstr("The archives in kept hold no run of \"sort\""), Not(HasSubstr("db status"))));
  const Outcome missing = run({"history", "--archives", "nowhere"});
  EXPECT_EQ(missing.status, 3);
  EXPECT_THAT(missing.err, HasSubstr("nowhere"));
}

TEST_F(Archives, OfOtherProjectsAloneAreNamed) {
  keep("first", 100);  // an imported file's run, which names no project
  const Outcome drawn = run({"history", "--archives", "kept"});
  EXPECT_EQ(drawn.status, 3) << drawn.out;
  EXPECT_THAT(drawn.err, AllOf(HasSubstr("of which kept has nothing"), HasSubstr("runs that name none"),
                               HasSubstr("--project all")));
  EXPECT_EQ(run({"changes", "--archives", "kept"}).status, 3);
}

TEST_F(Archives, AreLookedThroughForChanges) {
  keep("first", 100);
  keep("second", 101);
  const Outcome looked = run({"changes", "--archives", "kept", "--json", "--project", "all"});
  EXPECT_EQ(looked.status, 0) << looked.err;
  EXPECT_THAT(looked.out, HasSubstr("\"schema\": \"steelyard.changes/1\""));
  const Outcome both = run({"changes", "--archives", "kept", "--input", "series.json"});
  EXPECT_EQ(both.status, 3);
  EXPECT_THAT(both.err, HasSubstr("one of the two"));
}

TEST_F(Archives, OfOneMachineThatIsSeveralHostsSaySoOnce) {
  keep("first", 100);
  keep("second", 101);
  const std::string told = " is 2 hosts (elsewhere, h); what else their results say of the machine is the same";
  EXPECT_THAT(run({"changes", "--archives", "kept", "--project", "all"}).out, Not(HasSubstr("hosts")));
  keep("third", 102, "elsewhere");
  const Outcome looked = run({"changes", "--archives", "kept", "--project", "all"});
  EXPECT_EQ(looked.status, 0) << looked.err;
  ASSERT_THAT(looked.out, HasSubstr(told));
  EXPECT_EQ(looked.out.find(told), looked.out.rfind(told));
  EXPECT_THAT(run({"changes", "--archives", "kept", "--project", "all", "--json"}).out,
              AllOf(HasSubstr("\"log\": ["), HasSubstr(told)));
}

}  // namespace
}  // namespace steelyard::ci::archives_test
