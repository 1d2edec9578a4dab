#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/model/sha256.hpp"
#include "storage/archive/archive.hpp"
#include "storage/spool/spool.hpp"
#include "tests/storage/archive/sample_run.hpp"

namespace steelyard::storage::spool_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

steelyard::Run run_at(std::int64_t created_at_unix_ns) {
  auto run = sample_run();
  run.header.created_at_unix_ns = created_at_unix_ns;
  seal(run);
  return run;
}

class SpoolTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "steelyard_spool_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    state_ = pattern;
  }
  void TearDown() override { fs::remove_all(state_); }

  // Takes every run once, as a store does, and remembers in what order.
  Spool::PutRun put() {
    return [this](const steelyard::Run& run) -> Result<bool> {
      const std::lock_guard guard(mutex_);
      ++calls_;
      const bool is_new = std::find(ids_.begin(), ids_.end(), run.header.id) == ids_.end();
      if (is_new) ids_.push_back(run.header.id);
      return is_new;
    };
  }

  fs::path state_;
  std::mutex mutex_;
  std::vector<std::string> ids_;
  int calls_ = 0;
};

Spool::PutRun refuse_with(ErrorKind kind) {
  return [kind](const steelyard::Run&) -> Result<bool> { return Error{kind, "store", "no", "", ""}; };
}

TEST_F(SpoolTest, WhatWaitsIsDeliveredToTheStoreThatItWasKeptForAlone) {
  Spool one(state_, "https://one.example");
  Spool other(state_, "postgresql://other/" + std::string(300, 'x'));
  ASSERT_TRUE(one.keep(run_at(1)));
  ASSERT_TRUE(other.keep(run_at(2)));
  {
    auto draft = one.draft(run_at(4));
    ASSERT_TRUE(draft) << draft.error().text();
    ASSERT_TRUE(one.keep(std::move(*draft)));
  }
  ASSERT_TRUE(Spool(state_).keep(run_at(3))) << "as an older version left it: for whichever store is reached";
  EXPECT_EQ(Spool(state_).count_waiting(), (Spool::Count{1, 0}));
  EXPECT_EQ(one.count_waiting(), (Spool::Count{3, 0}));
  ASSERT_THAT(one.waiting_for_others(), SizeIs(1));
  EXPECT_THAT(one.waiting_for_others()[0].store, testing::StartsWith("postgresql://other/xxx"));
  EXPECT_EQ(other.waiting_for_others().at(0).store, "https://one.example");
  EXPECT_EQ(other.waiting_for_others().at(0).count, (Spool::Count{2, 0}));

  EXPECT_EQ(one.deliver({put()})->delivered, 3);
  EXPECT_THAT(ids_, ElementsAre(run_at(1).header.id, run_at(3).header.id, run_at(4).header.id)) << "oldest first";
  EXPECT_TRUE(one.has_delivered(run_at(1).header));
  EXPECT_THAT(other.waiting(), SizeIs(1));
  ASSERT_TRUE(other.find_run(run_at(2).header.id)) << "whoever it waits for";
  ASSERT_TRUE(Spool(state_).find_run(run_at(2).header.id));
  ASSERT_TRUE(other.keep(run_at(1))) << "what one store has is kept for another as well";
  EXPECT_FALSE(other.has_delivered(run_at(1).header));
  EXPECT_EQ(other.deliver({put()})->delivered, 1);
}

TEST_F(SpoolTest, KeptRunReadsBackFromWhereItLies) {
  Spool spool(state_);
  const auto run = run_at(7);
  const auto path = spool.keep(run);
  ASSERT_TRUE(path) << path.error().text();
  EXPECT_EQ(path->parent_path(), state_ / "spool");
  const auto read = read_archive(*path);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->header.id, run.header.id);
}

TEST_F(SpoolTest, WhatIsKeptIsForItsUserAloneWhateverTheUmask) {
  const mode_t before = umask(0);
  fs::create_directories(state_ / "runs");  // as an older version left it
  const auto kept = Spool(state_).keep(run_at(1));
  ASSERT_TRUE(kept) << kept.error().text();
  const auto mode_of = [](const fs::path& path) { return static_cast<unsigned>(fs::status(path).permissions()); };
  EXPECT_EQ(mode_of(*kept), 0600U);
  ASSERT_TRUE(Spool(state_).deliver({put()}));
  umask(before);
  for (const char* folder : {"spool", "runs", "comparisons"}) EXPECT_EQ(mode_of(state_ / folder), 0700U) << folder;
  EXPECT_EQ(mode_of(state_ / "runs" / kept->filename()), 0600U);
  EXPECT_EQ(mode_of(state_ / "spool/.lock"), 0600U);
}

TEST_F(SpoolTest, SameRunKeptTwiceWaitsOnce) {
  Spool spool(state_);
  ASSERT_TRUE(spool.keep(run_at(7)));
  ASSERT_TRUE(spool.keep(run_at(7)));
  EXPECT_THAT(spool.waiting(), SizeIs(1));
}

TEST_F(SpoolTest, DraftWaitsForNobodyUntilItIsKeptAndIsGoneUnlessItIs) {
  Spool spool(state_);
  const steelyard::Run run = run_at(7);
  {
    auto dropped = spool.draft(run_at(8));
    ASSERT_TRUE(dropped) << dropped.error().text();
    auto draft = spool.draft(run);
    auto twice = spool.draft(run);
    ASSERT_TRUE(draft && twice);
    EXPECT_THAT(spool.waiting(), IsEmpty());
    ASSERT_TRUE(spool.deliver({put()}));
    EXPECT_THAT(ids_, IsEmpty());
    ASSERT_TRUE(spool.keep(std::move(draft).value()));
    ASSERT_TRUE(spool.keep(std::move(twice).value()));
  }
  EXPECT_THAT(spool.waiting(), SizeIs(1));
  EXPECT_FALSE(spool.has_delivered(run.header));
  EXPECT_TRUE(spool.has_archive(run.header)) << "it waits";
  EXPECT_FALSE(spool.has_archive(run_at(77).header));
  ASSERT_TRUE(spool.deliver({put()}));
  EXPECT_THAT(ids_, ElementsAre(run.header.id));
  EXPECT_TRUE(spool.has_delivered(run.header));
  EXPECT_TRUE(spool.has_archive(run.header)) << "it was delivered";
  auto again = spool.draft(run);
  ASSERT_TRUE(again);
  ASSERT_TRUE(spool.keep(std::move(again).value()));
  EXPECT_FALSE(spool.has_delivered(run.header)) << "it waits again, for another store perhaps";
  ASSERT_TRUE(spool.deliver({put()}));
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(state_ / "spool")) left.push_back(entry.path().filename().string());
  EXPECT_THAT(left, ElementsAre(".lock"));
}

// A process that has a draft until it is killed.
class DraftingProcess {
 public:
  explicit DraftingProcess(const fs::path& state) {
    int ready[2];
    if (pipe(ready) != 0) return;
    process_ = fork();
    if (process_ == 0) {
      const auto draft = Spool(state).draft(run_at(7));
      const char drafted = draft ? 'y' : 'n';
      if (write(ready[1], &drafted, 1) == 1) pause();
      _exit(1);
    }
    char drafted = 0;
    has_drafted = read(ready[0], &drafted, 1) == 1 && drafted == 'y';
    close(ready[0]);
    close(ready[1]);
  }
  ~DraftingProcess() { end(); }
  void end() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = 0;
  }

  bool has_drafted = false;

 private:
  pid_t process_ = 0;
};

std::vector<fs::path> drafts_in(const fs::path& state) {
  std::vector<fs::path> drafts;
  for (const auto& entry : fs::directory_iterator(state / "spool")) {
    if (entry.path().extension() == ".part") drafts.push_back(entry.path());
  }
  return drafts;
}

TEST_F(SpoolTest, DraftsOfAKilledProcessAreRemovedByWhoeverDraftsOrDeliversNextAndOfALivingOneByNobody) {
  for (const bool drafts : {false, true}) {
    DraftingProcess other(state_);
    ASSERT_TRUE(other.has_drafted);
    ASSERT_THAT(drafts_in(state_), SizeIs(1));
    // As one has that was suspended over a day.
    fs::last_write_time(drafts_in(state_)[0], fs::file_time_type::clock::now() - std::chrono::hours(25));
    const auto next = [&] {
      if (drafts) EXPECT_TRUE(Spool(state_).draft(run_at(8)));
      if (!drafts) EXPECT_TRUE(Spool(state_).deliver({put()}));
    };
    next();
    EXPECT_THAT(drafts_in(state_), SizeIs(1));
    fs::last_write_time(drafts_in(state_)[0], fs::file_time_type::clock::now());
    other.end();
    next();
    EXPECT_THAT(drafts_in(state_), IsEmpty()) << (drafts ? "draft" : "deliver, with nothing that waits");
  }
}

TEST_F(SpoolTest, ADraftThatCannotBeKeptIsSaidToBeWhereItIs) {
  Spool spool(state_);
  auto draft = spool.draft(run_at(7));
  ASSERT_TRUE(draft);
  const fs::path part = drafts_in(state_).at(0);
  const fs::path kept = *spool.keep(run_at(7));
  fs::remove(kept);
  fs::create_directory(kept);
  const auto in_the_way = spool.keep(std::move(draft).value());
  ASSERT_FALSE(in_the_way);
  EXPECT_THAT(in_the_way.error().fix, HasSubstr("the run is in " + part.string() + " until the next command"));
  EXPECT_TRUE(fs::exists(part));

  auto removed = spool.draft(run_at(8));
  ASSERT_TRUE(removed);
  for (const fs::path& one : drafts_in(state_)) fs::remove(one);
  const auto gone = spool.keep(std::move(removed).value());
  ASSERT_FALSE(gone);
  EXPECT_THAT(gone.error().fix, Not(HasSubstr("the run is")));
}

TEST_F(SpoolTest, DeliversOldestFirstAndKeepsTheArchives) {
  Spool spool(state_);
  std::vector<std::string> expected;
  for (const std::int64_t time : {std::int64_t{0}, std::int64_t{99}, std::int64_t{1'000}, INT64_MAX}) {
    expected.push_back(run_at(time).header.id);
  }
  for (const std::int64_t time : {INT64_MAX, std::int64_t{99}, std::int64_t{1'000}, std::int64_t{0}}) {
    ASSERT_TRUE(spool.keep(run_at(time)));
  }
  const auto delivery = spool.deliver({put()});
  ASSERT_TRUE(delivery) << delivery.error().text();
  EXPECT_EQ(delivery->delivered, 4);
  EXPECT_EQ(delivery->already_there, 0);
  EXPECT_THAT(delivery->bad, IsEmpty());
  EXPECT_EQ(ids_, expected);
  EXPECT_THAT(spool.waiting(), IsEmpty());
  int kept = 0;
  for (const auto& entry : fs::directory_iterator(state_ / "runs")) kept += read_archive(entry.path()) ? 1 : 0;
  EXPECT_EQ(kept, 4);
}

TEST_F(SpoolTest, RunAtHandIsHandedOnAsItIsAndItsArchiveKept) {
  Spool spool(state_);
  const auto run = run_at(7);
  const auto path = spool.keep(run);
  ASSERT_TRUE(path);
  ASSERT_TRUE(spool.keep(run_at(8)));
  std::vector<const steelyard::Run*> given;
  const auto take = [&given](const steelyard::Run& one) -> Result<bool> {
    given.push_back(&one);
    return true;
  };
  const auto elsewhere = run_at(9);
  const auto delivery = spool.deliver({take}, {{&run, &elsewhere}});
  ASSERT_TRUE(delivery) << delivery.error().text();
  EXPECT_EQ(delivery->delivered, 2) << "what does not wait is not handed on";
  EXPECT_THAT(given, ElementsAre(&run, testing::Ne(&run)));
  const auto kept = read_archive(state_ / "runs" / path->filename());
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_EQ(kept->header.id, run.header.id);
}

TEST_F(SpoolTest, RunThatTheStoreHasAlreadyIsCountedApart) {
  Spool spool(state_);
  ids_.push_back(run_at(7).header.id);
  ASSERT_TRUE(spool.keep(run_at(7)));
  const auto delivery = spool.deliver({put()});
  ASSERT_TRUE(delivery);
  EXPECT_EQ(delivery->delivered, 0);
  EXPECT_EQ(delivery->already_there, 1);
  EXPECT_THAT(spool.waiting(), IsEmpty());
}

TEST_F(SpoolTest, StoreThatFailsLeavesTheRestWaiting) {
  Spool spool(state_);
  for (const std::int64_t time : {1, 2, 3}) ASSERT_TRUE(spool.keep(run_at(time)));
  const auto take = put();
  const auto failing_second = [&](const steelyard::Run& run) -> Result<bool> {
    if (run.header.created_at_unix_ns == 2) return store_error("store", "the link was lost");
    return take(run);
  };
  const auto broken = spool.deliver({failing_second});
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().found, "the link was lost");
  EXPECT_THAT(spool.waiting(), SizeIs(2));
  const auto delivery = spool.deliver({take});
  ASSERT_TRUE(delivery);
  EXPECT_EQ(delivery->delivered, 2);
  EXPECT_THAT(ids_, SizeIs(3));
}

TEST_F(SpoolTest, ArchiveThatCannotBeReadIsSetAsideAndTheRestDelivered) {
  Spool spool(state_);
  ASSERT_TRUE(spool.keep(run_at(2)));
  for (const char* text : {"damaged", "damaged again"}) {
    std::ofstream(state_ / "spool/0000000000000000001-bad.syrun") << text;
    const auto delivery = spool.deliver({put()});
    ASSERT_TRUE(delivery);
    ASSERT_THAT(delivery->bad, SizeIs(1));
    EXPECT_THAT(delivery->bad[0].text(), HasSubstr("0000000000000000001-bad.syrun: byte 0: found something else"));
    EXPECT_THAT(delivery->bad[0].fix, HasSubstr("moved to " + (state_ / "spool/bad").string()));
  }
  EXPECT_THAT(ids_, SizeIs(1));
  EXPECT_THAT(spool.waiting(), IsEmpty());
  EXPECT_EQ(std::distance(fs::directory_iterator(state_ / "spool/bad"), fs::directory_iterator()), 4)
      << "two archives, two reasons";
}

TEST_F(SpoolTest, ArchiveWithTheIdOfAnotherContentIsSetAsideAndItsTrueRunDelivered) {
  Spool spool(state_);
  const steelyard::Run truth = run_at(1);
  steelyard::Run forged = truth;
  for (double& value : forged.measurements[0].invocations[0].values) value *= 2;
  fs::create_directories(state_ / "spool");
  ASSERT_TRUE(write_archive(state_ / "spool/0000000000000000001-forged.syrun", forged));
  const auto delivery = spool.deliver({put()});
  ASSERT_TRUE(delivery);
  ASSERT_THAT(delivery->bad, SizeIs(1));
  EXPECT_THAT(delivery->bad[0].text(), HasSubstr("a run whose id is not that of its content"));
  EXPECT_THAT(ids_, IsEmpty());
  EXPECT_TRUE(fs::exists(state_ / "spool/bad/0000000000000000001-forged.syrun"));
  ASSERT_TRUE(spool.keep(truth));
  EXPECT_EQ(spool.deliver({put()})->delivered, 1);
}

TEST_F(SpoolTest, ArchiveOfANewerVersionKeepsWaiting) {
  Spool spool(state_);
  std::string bytes = encode_run(run_at(1));
  bytes[8] = '\2';
  const std::string hex = sha256_hex(bytes.substr(0, 32) + bytes.substr(64));
  for (std::size_t i = 0; i < 32; ++i) bytes[32 + i] = static_cast<char>(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
  fs::create_directories(state_ / "spool");
  std::ofstream(state_ / "spool/0000000000000000001-newer.syrun", std::ios::binary) << bytes;
  ASSERT_TRUE(spool.keep(run_at(2)));
  const auto delivery = spool.deliver({put()});
  ASSERT_TRUE(delivery);
  EXPECT_EQ(delivery->delivered, 1);
  ASSERT_THAT(delivery->bad, SizeIs(1));
  EXPECT_THAT(delivery->bad[0].fix, HasSubstr("upgrade"));
  EXPECT_THAT(spool.waiting(), ElementsAre(state_ / "spool/0000000000000000001-newer.syrun"));
}

// As one of many samples does that was imported while the store was away.
TEST_F(SpoolTest, ArchiveThatNeedsMoreMemoryThanIsAllowedKeepsWaitingUntilItIs) {
  Spool spool(state_);
  steelyard::Run large = run_at(1);
  std::vector<double>& values = large.measurements[0].invocations[0].values;
  for (int i = 0; i < 100'000; ++i) values.push_back(1 + i * 0x1p-20);
  large.measurements[0].invocations[0].iterations.clear();
  seal(large);
  ASSERT_TRUE(spool.keep(large));
  ASSERT_TRUE(spool.keep(run_at(2)));
  const std::vector<fs::path> waiting = spool.waiting();
  ASSERT_EQ(setenv("STEELYARD_ARCHIVE_MEMORY_MIB", "1", 1), 0);
  const auto within = spool.deliver({put()});
  ASSERT_EQ(unsetenv("STEELYARD_ARCHIVE_MEMORY_MIB"), 0);
  ASSERT_TRUE(within);
  EXPECT_EQ(within->delivered, 1) << "what comes after it goes on";
  ASSERT_THAT(within->bad, SizeIs(1));
  EXPECT_THAT(within->bad[0].fix, HasSubstr("STEELYARD_ARCHIVE_MEMORY_MIB=4 allows more"));
  EXPECT_THAT(spool.waiting(), ElementsAre(waiting.front()));
  EXPECT_EQ(spool.deliver({put()})->delivered, 1);
  EXPECT_THAT(spool.waiting(), IsEmpty());
}

TEST_F(SpoolTest, RunThatTheStoreWillNeverTakeDoesNotHoldUpTheRest) {
  Spool spool(state_);
  ASSERT_TRUE(spool.keep(run_at(1)));
  const auto delivery = spool.deliver({refuse_with(ErrorKind::input)});
  ASSERT_TRUE(delivery);
  EXPECT_THAT(delivery->bad, SizeIs(1));
  EXPECT_THAT(spool.waiting(), IsEmpty());
  ASSERT_TRUE(spool.keep(run_at(1)));
  EXPECT_FALSE(spool.deliver({refuse_with(ErrorKind::store)}));
  EXPECT_THAT(spool.waiting(), SizeIs(1));
}

TEST_F(SpoolTest, RefusedRunIsSetAsideWithItsReasonAndThoseAfterItAreDelivered) {
  Spool spool(state_);
  for (const std::int64_t time : {1, 2, 3}) ASSERT_TRUE(spool.keep(run_at(time)));
  const auto take = put();
  const auto delivery = spool.deliver({[&](const steelyard::Run& run) -> Result<bool> {
    if (run.header.created_at_unix_ns == 2) return input_error("store main", "invalid byte sequence");
    return take(run);
  }});
  ASSERT_TRUE(delivery) << delivery.error().text();
  EXPECT_EQ(delivery->delivered, 2);
  EXPECT_THAT(ids_, ElementsAre(run_at(1).header.id, run_at(3).header.id));
  EXPECT_THAT(spool.waiting(), IsEmpty());
  ASSERT_THAT(delivery->bad, SizeIs(1));
  EXPECT_THAT(delivery->bad[0].text(), HasSubstr("0000000000000000002-"));
  fs::path archive, reason;
  for (const auto& entry : fs::directory_iterator(state_ / "spool/bad")) {
    (entry.path().extension() == ".syrun" ? archive : reason) = entry.path();
  }
  const auto kept = read_archive(archive);
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_EQ(kept->header.id, run_at(2).header.id);
  EXPECT_EQ(reason, archive.string() + ".reason");
  std::string text;
  std::ifstream file(reason);
  std::getline(file, text);
  EXPECT_EQ(text, delivery->bad[0].text());
  EXPECT_THAT(text, HasSubstr("invalid byte sequence"));
}

TEST_F(SpoolTest, ManyThatDeliverAtOncePutEachRunOnce) {
  constexpr int kRuns = 20;
  for (int i = 0; i < kRuns; ++i) ASSERT_TRUE(Spool(state_).keep(run_at(i)));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] {
      const auto delivery = Spool(state_).deliver({put()});
      EXPECT_TRUE(delivery) << delivery.error().text();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(calls_, kRuns);
  EXPECT_THAT(ids_, SizeIs(kRuns));
}

TEST_F(SpoolTest, SecondDeliveryWaitsNoLongerThanItMay) {
  Spool spool(state_);
  ASSERT_TRUE(spool.keep(run_at(1)));
  const auto delivery = spool.deliver({[&](const steelyard::Run&) -> Result<bool> {
    const auto meanwhile = Spool(state_).deliver({put()}, {}, Nanoseconds());
    EXPECT_TRUE(!meanwhile && meanwhile.error().kind == ErrorKind::store);
    return true;
  }});
  ASSERT_TRUE(delivery);
  EXPECT_EQ(calls_, 0);
}

TEST_F(SpoolTest, EmptySpoolNeedsNoFolder) {
  Spool spool(state_ / "absent");
  EXPECT_THAT(spool.waiting(), IsEmpty());
  EXPECT_TRUE(spool.deliver({refuse_with(ErrorKind::store)}));
  EXPECT_FALSE(fs::exists(state_ / "absent"));
}

TEST_F(SpoolTest, StateThatIsNoFolderIsNamedWithTheWayOut) {
  std::ofstream(state_ / "file") << "x";
  const auto path = Spool(state_ / "file").keep(run_at(1));
  ASSERT_FALSE(path);
  EXPECT_THAT(path.error().text(), HasSubstr("file/spool: found Not a directory"));
  EXPECT_THAT(path.error().fix, HasSubstr("STEELYARD_STATE"));
}

TEST_F(SpoolTest, PartOfAKilledWriteIsRemovedAfterADay) {
  Spool spool(state_);
  ASSERT_TRUE(spool.keep(run_at(1)));
  const fs::path old_part = state_ / "spool/.a.syrun.1.1.part";
  const fs::path new_part = state_ / "spool/.b.syrun.1.1.part";
  std::ofstream(old_part) << "x";
  std::ofstream(new_part) << "x";
  fs::last_write_time(old_part, fs::file_time_type::clock::now() - std::chrono::hours(25));
  ASSERT_TRUE(spool.deliver({put()}));
  EXPECT_FALSE(fs::exists(old_part));
  EXPECT_TRUE(fs::exists(new_part));
}

namespace fs = std::filesystem;

class DeliveryLockTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "steelyard_lock_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(DeliveryLockTest, OnlyOneHasItAtATime) {
  {
    const auto first = DeliveryLock::take(folder_, Nanoseconds());
    ASSERT_TRUE(first);
    const auto second = DeliveryLock::take(folder_, Nanoseconds());
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, ErrorKind::store);
    EXPECT_THAT(second.error().text(), HasSubstr("another process that delivers"));
  }
  EXPECT_TRUE(DeliveryLock::take(folder_, Nanoseconds()));
}

TEST_F(DeliveryLockTest, ProcessThatIsKilledLosesIt) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto lock = DeliveryLock::take(folder_, Nanoseconds());
    const char taken = lock ? 'y' : 'n';
    if (write(ready[1], &taken, 1) == 1) pause();
    _exit(1);
  }
  char taken = 0;
  ASSERT_EQ(read(ready[0], &taken, 1), 1);
  ASSERT_EQ(taken, 'y');
  EXPECT_FALSE(DeliveryLock::take(folder_, Nanoseconds()));
  ASSERT_EQ(kill(child, SIGKILL), 0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(DeliveryLock::take(folder_, Nanoseconds()));
  close(ready[0]);
  close(ready[1]);
}

TEST_F(DeliveryLockTest, FolderThatIsNotThereIsNamed) {
  const auto lock = DeliveryLock::take(folder_ / "absent", Nanoseconds());
  ASSERT_FALSE(lock);
  EXPECT_THAT(lock.error().text(), HasSubstr("absent/.lock: found No such file or directory"));
}

}  // namespace

}  // namespace steelyard::storage::spool_test
