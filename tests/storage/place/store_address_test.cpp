#include "storage/place/store_address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace steelyard::storage::store_address_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string printed(const std::string& url) {
  const auto address = parse_store_address(url, "--store");
  return address ? address->safe_text() : address.error().text();
}

TEST(StoreAddressTest, TakesTheEmbeddedStoreByItsNameAndForAnEmptyText) {
  EXPECT_TRUE(parse_store_address("embedded", "--store")->embedded);
  EXPECT_TRUE(parse_store_address("", "--store")->embedded);
  EXPECT_EQ(printed("embedded"), "embedded");
}

TEST(StoreAddressTest, PrintsAnAddressWithoutPasswordAsItIs) {
  for (const char* url : {"postgresql://host/db", "postgres://me@host:5432/db?sslmode=require", "postgresql:///db",
                          "postgresql://me@/db?host=/run/postgresql", "postgresql://a:1,b:2/db"}) {
    EXPECT_EQ(printed(url), url);
  }
}

TEST(StoreAddressTest, PrintsNoPassword) {
  EXPECT_EQ(printed("postgresql://me:s3cret@host/db"), "postgresql://me:***@host/db");
  EXPECT_EQ(printed("postgresql://me:s3:cret@host/db"), "postgresql://me:***@host/db");
  EXPECT_EQ(printed("postgresql://host/db?password=s3cret&sslmode=require"),
            "postgresql://host/db?password=***&sslmode=require");
  EXPECT_EQ(printed("postgresql://host/db?sslpassword=s3cret"), "postgresql://host/db?sslpassword=***");
  EXPECT_EQ(printed("postgresql://host/db?%70assword=s3cret"), "postgresql://host/db?%70assword=***");
}

TEST(StoreAddressTest, TellsWhichStoreItIsWhoeverAsksAndHowever) {
  const auto place = [](const char* text) { return parse_store_address(text, "--store")->place(); };
  EXPECT_EQ(place("embedded"), "embedded");
  EXPECT_EQ(place("https://steelyard.example"), "https://steelyard.example");
  for (const char* url : {"postgresql://host:5433/db", "postgres://me@host:5433/db?sslmode=require",
                          "postgresql://you:s3cret@host:5433/db?password=s3cret&connect_timeout=2",
                          "postgresql:///db?host=host&port=5433"}) {
    EXPECT_EQ(place(url), "postgresql://host:5433/db") << url;
  }
  EXPECT_EQ(place("postgresql://me:s3cret@host"), "postgresql://host/me") << "the database that is called after them";
  EXPECT_NE(place("postgresql:///?service=one"), place("postgresql:///?service=two"));
}

TEST(StoreAddressTest, RefusesWithoutShowingItAnAddressWhosePasswordItCannotTellFromTheRest) {
  for (const char* url : {"postgresql://me:s3@cret@host/db", "postgresql://me:s3/cret@host/db",
                          "postgresql://me:s3?cret@host/db", "postgresql://me:s3?cret@host/db?sslmode=require"}) {
    const auto address = parse_store_address(url, "--store");
    ASSERT_FALSE(address) << url;
    EXPECT_EQ(address.error().kind, ErrorKind::input);
    EXPECT_THAT(address.error().text(), HasSubstr("--store"));
    EXPECT_THAT(address.error().text(), HasSubstr("%40"));
    EXPECT_THAT(address.error().text(), Not(HasSubstr("cret")));
    EXPECT_THAT(address_without_secrets(url), Not(HasSubstr("cret")));
  }
}

TEST(StoreAddressTest, RefusesAnotherFormAndShowsItOnlyIfItIsAPlainWord) {
  EXPECT_THAT(printed("sqlite"), HasSubstr("\"sqlite\""));
  EXPECT_THAT(printed("host=db password=s3cret"), Not(HasSubstr("s3cret")));
  EXPECT_FALSE(parse_store_address("mysql://me:s3cret@host/db", "STEELYARD_STORE"));
}

TEST(StoreAddressTest, RefusesAServiceWithoutAHost) {
  for (const char* text : {"http://", "https://", "https:///path", "https://:8731"}) {
    EXPECT_FALSE(parse_store_address(text, "--store")) << text;
  }
  EXPECT_TRUE(parse_store_address("https://[::1]:8731/steelyard", "--store"));
}

TEST(StoreAddressTest, RemovesThePasswordFromAMessageHoweverItIsWritten) {
  const std::string url = "postgresql://me:p%40ss@host/db?password=other";
  EXPECT_EQ(one_line_without_secrets("bad \"p%40ss\" or p@ss\nor other\n", url), "bad \"***\" or *** or ***");
  EXPECT_EQ(one_line_without_secrets("  FATAL:\t no\r\n\r\n such  database ", url), "FATAL: no such database");
  EXPECT_LT(one_line_without_secrets(std::string(10'000, 'x'), url).size(), 1000U);
}

TEST(StoreAddressTest, AddsAnOptionUnlessTheAddressHasIt) {
  EXPECT_EQ(with_option("postgresql://h/d", "connect_timeout", "10"), "postgresql://h/d?connect_timeout=10");
  EXPECT_EQ(with_option("postgresql://h/d?a=b", "host", "/x y"), "postgresql://h/d?a=b&host=%2Fx%20y");
  EXPECT_EQ(with_option("postgresql://h/d?connect_timeout=2", "connect_timeout", "10"),
            "postgresql://h/d?connect_timeout=2");
}

TEST(StoreAddressTest, DecodesWhatItEncodes) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(percent_decode(percent_encode(all)), all);
  EXPECT_EQ(percent_decode("100%"), "100%");
  EXPECT_EQ(percent_decode("%4"), "%4");
  EXPECT_EQ(percent_decode("%zz%41"), "%zzA");
}

TEST(StateFolderTest, FollowsTheEnvironment) {
  const char* before = getenv("STEELYARD_STATE");
  const std::string saved = before == nullptr ? "" : before;
  setenv("STEELYARD_STATE", "/somewhere/else", 1);
  EXPECT_EQ(state_folder(), "/somewhere/else");
  unsetenv("STEELYARD_STATE");
  if (geteuid() == 0) {
    EXPECT_EQ(state_folder(), "/var/lib/steelyard");
  } else {
    EXPECT_TRUE(state_folder().is_absolute());
  }
  if (before != nullptr) setenv("STEELYARD_STATE", saved.c_str(), 1);
}

class ClaimedFolders : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "steelyard_claimed_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    below_ = pattern;
    folder_ = below_ / "state";
  }
  void TearDown() override { fs::remove_all(below_); }
  std::string refused() const {
    const auto claimed = claim_folder(folder_);
    return claimed ? "" : claimed.error().text();
  }
  fs::path below_;
  fs::path folder_;
};

TEST_F(ClaimedFolders, AreMadeForTheirOwnerAloneAndTakenAgain) {
  const auto made = claim_folder(folder_);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_TRUE(*made);
  EXPECT_EQ(fs::status(folder_).permissions(), fs::perms::owner_all);
  fs::permissions(folder_, fs::perms(0755));
  const auto again = claim_folder(folder_);
  ASSERT_TRUE(again) << "others may look: " << again.error().text();
  EXPECT_FALSE(*again);
}

TEST_F(ClaimedFolders, AreNoneThatOthersMayWriteToNorLinksNorFiles) {
  fs::create_directory(folder_);
  for (const int mode : {0777, 0770, 0720, 0702}) {
    fs::permissions(folder_, fs::perms(mode));
    EXPECT_THAT(refused(), AllOf(HasSubstr(folder_.string() + ": found a folder that others may write to"),
                                 HasSubstr("STEELYARD_STATE")))
        << mode;
  }
  fs::remove(folder_);
  fs::create_directory_symlink(below_, folder_);
  EXPECT_THAT(refused(), HasSubstr("found a link"));
  fs::remove(folder_);
  std::ofstream(folder_).flush();
  EXPECT_THAT(refused(), HasSubstr("found no folder"));
}

TEST_F(ClaimedFolders, AreNoneOfAnotherUser) {
  const bool is_root = geteuid() == 0;
  if (is_root) {
    ASSERT_TRUE(claim_folder(folder_));
    ASSERT_EQ(chown(folder_.c_str(), 4321, 4321), 0);
  } else {
    folder_ = "/usr";
  }
  EXPECT_THAT(refused(), HasSubstr(is_root ? "found a folder of user 4321" : "found a folder of user 0"));
}

// A user without a home, to whom another has left a folder.
TEST_F(ClaimedFolders, AreAskedForWhereNoVariableNamesAPlace) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may become another user";
  constexpr uid_t kUser = 54'321;
  const fs::path guessed = "/tmp/steelyard-state-" + std::to_string(kUser);
  fs::remove(guessed);  // of an earlier run that was killed
  ASSERT_TRUE(fs::create_directory(guessed));
  const auto claim = [] {
    if (setgid(kUser) != 0 || setuid(kUser) != 0) _exit(2);
    for (const char* name : {"STEELYARD_STATE", "XDG_STATE_HOME", "HOME"}) unsetenv(name);
    const auto claimed = claim_state_folder();
    if (!claimed) std::fputs(claimed.error().text().c_str(), stderr);
    setenv("HOME", "/nonexistent", 1);
    _exit(claimed || !claim_state_folder() ? 0 : 1);
  };
  EXPECT_EXIT(claim(), ::testing::ExitedWithCode(1), guessed.string() + ": found a folder of user 0");
  fs::remove(guessed);
}

TEST(ConnectionSettings, AreWhatAClientIsToBeTold) {
  const auto text = [](const char* url) {
    const ConnectionSettings settings = connection_settings(url);
    return settings.host + '|' + settings.port + '|' + settings.user + '|' + settings.database;
  };
  EXPECT_EQ(text("postgresql://steelyard@/steelyard?host=%2Ftmp%2Fa%20b&port=5432"),
            "/tmp/a b|5432|steelyard|steelyard");
  EXPECT_EQ(text("postgresql://anna:secret@db0:6432/perf?sslmode=require"), "db0|6432|anna|perf");
  EXPECT_EQ(text("postgresql://[::1]:5433/perf"), "[::1]|5433||perf");
  EXPECT_EQ(text("postgresql://[::1]/perf"), "[::1]|||perf");
  EXPECT_EQ(text("postgresql://a:1,b:2/perf"), "a:1,b:2|||perf");
  EXPECT_EQ(text("postgresql://db0"), "db0|||");
  EXPECT_EQ(text("no address"), "|||");
}

}  // namespace
}  // namespace steelyard::storage::store_address_test
