#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/profile/read_spans.hpp"
#include "bench/profile/spans/span.hpp"
#include "bench/profile/spans/span_recording.hpp"
#include "bench/profile/trace.hpp"

namespace steelyard::bench::spans_test {
namespace {

class SpansTest : public testing::Test {
 protected:
  SpansTest() {
    std::string folder = (std::filesystem::temp_directory_path() / "spans_test_XXXXXX").string();
    folder_ = mkdtemp(folder.data());
    file_ = folder_ / "it.spans";
  }
  ~SpansTest() override { std::filesystem::remove_all(folder_); }

  SpanRecording record(std::uint64_t max_bytes = std::uint64_t{1} << 30) const {
    auto recording = SpanRecording::start({.file = file_, .max_bytes = max_bytes});
    EXPECT_TRUE(recording) << (recording ? "" : recording.error().text());
    return std::move(*recording);
  }
  Trace read() const {
    auto trace = read_spans(file_);
    EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
    return trace ? std::move(*trace) : Trace{};
  }
  std::string bytes() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string error_of(const std::string& bytes) const {
    std::ofstream(file_, std::ios::binary) << bytes;
    const auto trace = read_spans(file_);
    return trace ? "" : trace.error().text();
  }

  std::filesystem::path folder_, file_;
};

void inner() { STEELYARD_SPAN("inner", .shapes = {{64, 512}, {512, 10}}, .flops = 655'360, .bytes = 1e6); }
void outer() {
  STEELYARD_SPAN("outer");
  inner();
  inner();
}

std::vector<std::string> names(const Trace& trace) {
  std::vector<std::string> names;
  for (const TraceEvent& event : trace.events) names.push_back(trace.name_of(event));
  return names;
}

// Runs in a forked child, which is a process of its own to a recording.
int status_of_child(const std::function<void()>& run) {
  const pid_t child = fork();
  if (child == 0) {
    run();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST_F(SpansTest, TellTheirNamesPlacesShapesAndWorkAndNest) {
  SpanRecording recording = record();
  outer();
  EXPECT_EQ(recording.stop().dropped, 0U);
  const Trace trace = read();
  EXPECT_EQ(names(trace), (std::vector<std::string>{"outer", "inner", "inner"}));
  EXPECT_TRUE(trace.is_finished);
  const TraceEvent& inner = trace.events[1];
  EXPECT_EQ(trace.texts[inner.shapes_text], "[[64, 512], [512, 10]]");
  EXPECT_TRUE(trace.texts[inner.place_text].find("spans_test.cpp:") != std::string::npos);
  EXPECT_EQ(inner.flops, 655'360);
  EXPECT_EQ(inner.bytes, 1e6);
  EXPECT_EQ(trace.events[0].flops, std::nullopt);
  EXPECT_EQ(inner.allocated_bytes, std::nullopt);
  const TraceTree tree = tree_of(trace);
  EXPECT_EQ(tree.parents, (std::vector<std::uint32_t>{TraceTree::kNoParent, 0, 0}));
  EXPECT_EQ(tree.self_ns[0], trace.events[0].duration_ns - trace.events[1].duration_ns - trace.events[2].duration_ns);
}

TEST_F(SpansTest, LastAsLongAsTheClockSays) {
  SpanRecording recording = record();
  const auto begin = std::chrono::steady_clock::now();
  {
    STEELYARD_SPAN("sleep");
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
  const auto took = std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
  recording.stop();
  const Trace trace = read();
  ASSERT_EQ(trace.events.size(), 1U);
  EXPECT_GE(trace.events[0].duration_ns, 29'990'000);
  EXPECT_LE(trace.events[0].duration_ns, took + 10'000);
}

TEST_F(SpansTest, OfTheSystemsClockLastAsLongAndTheFileSaysWhichClockItWas) {
  for (const bool may_use_time_stamps : {true, false}) {
    auto recording = SpanRecording::start({.file = file_, .may_use_time_stamps = may_use_time_stamps});
    ASSERT_TRUE(recording);
    const auto begin = std::chrono::steady_clock::now();
    {
      STEELYARD_SPAN("sleep");
      inner();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const auto took = std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
    recording->stop();
    const Trace trace = read();
    ASSERT_EQ(names(trace), (std::vector<std::string>{"sleep", "inner"}));
    EXPECT_GE(trace.events[0].duration_ns, 4'990'000) << may_use_time_stamps;
    EXPECT_LE(trace.events[0].duration_ns, took + 10'000) << may_use_time_stamps;
    EXPECT_EQ(tree_of(trace).parents[1], 0U);
    // Where no counter serves both are of the system's clock.
    if (!may_use_time_stamps) EXPECT_FALSE(trace.has_steady_ticks);
  }
}

TEST_F(SpansTest, AreNotMadeWhileNobodyWantsThem) {
  outer();
  SpanRecording recording = record();
  recording.stop();
  outer();
  EXPECT_TRUE(read().events.empty());
}

int evaluations = 0;
double counted_flops() { return ++evaluations; }

TEST_F(SpansTest, EvaluateWhatTheySayOnlyWhileTheyAreRecorded) {
  const auto spanned = [] { STEELYARD_SPAN("said", .flops = counted_flops()); };
  spanned();
  EXPECT_EQ(evaluations, 0);
  SpanRecording recording = record();
  spanned();
  EXPECT_EQ(evaluations, 1);
}

TEST_F(SpansTest, OfEachThreadStandOnATrackOfItsOwn) {
  constexpr int kThreads = 8, kSpans = 20'000;
  SpanRecording recording = record();
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([] {
      pthread_setname_np(pthread_self(), "worker");
      for (int j = 0; j < kSpans; ++j) inner();
    });
  }
  for (std::thread& thread : threads) thread.join();
  recording.stop();
  const Trace trace = read();
  EXPECT_EQ(trace.events.size(), std::size_t{kThreads} * kSpans);
  std::map<std::uint32_t, int> by_track;
  for (const TraceEvent& event : trace.events) ++by_track[event.track];
  EXPECT_EQ(by_track.size(), std::size_t{kThreads});
  for (const auto& [track, count] : by_track) {
    EXPECT_EQ(count, kSpans);
    EXPECT_EQ(trace.tracks[track].name, "worker");
  }
}

TEST_F(SpansTest, ForWhichThereIsNoRoomAreCounted) {
  // Room for the header, the names and one chunk of spans.
  SpanRecording recording = record(kSpanHeaderBytes + 2 * kSpanChunkBytes);
  for (std::size_t i = 0; i < kSlotsOfChunk + 100; ++i) inner();
  EXPECT_EQ(recording.stop().dropped, 100U);
  const Trace trace = read();
  EXPECT_EQ(trace.events.size(), kSlotsOfChunk);
  EXPECT_EQ(trace.dropped, 100U);
}

TEST_F(SpansTest, OfAProcessThatEndsWithoutAWordAreKept) {
  for (const bool is_killed : {false, true}) {
    status_of_child([&] {
      const SpanRecording recording = record();
      outer();
      STEELYARD_SPAN("open");
      inner();
      if (is_killed) raise(SIGKILL);
      _exit(0);
    });
    const Trace trace = read();
    EXPECT_EQ(names(trace), (std::vector<std::string>{"outer", "inner", "inner", "open", "inner"}));
    EXPECT_FALSE(trace.is_finished);
    EXPECT_TRUE(trace.events[3].is_open);
    EXPECT_EQ(trace.events[3].end_ns(), trace.events[4].end_ns());
    EXPECT_FALSE(trace.events[2].is_open);
  }
}

TEST_F(SpansTest, OfAForkedChildAreNotAmongItsParents) {
  SpanRecording recording = record();
  {
    STEELYARD_SPAN("around the fork");
    EXPECT_EQ(status_of_child([] { outer(); }), 0);
  }
  recording.stop();
  EXPECT_EQ(names(read()), std::vector<std::string>{"around the fork"});
}

TEST_F(SpansTest, ThatEndAfterTheRecordingAreOpen) {
  SpanRecording recording = record();
  {
    STEELYARD_SPAN("late");
    inner();
    recording.stop();
  }
  const Trace trace = read();
  EXPECT_TRUE(trace.events[0].is_open);
  EXPECT_FALSE(trace.events[1].is_open);
}

TEST_F(SpansTest, OfASecondRecordingAreInItsFileAlone) {
  {
    SpanRecording first = record();
    outer();
  }
  EXPECT_EQ(read().events.size(), 3U);
  SpanRecording second = record();
  inner();
  second.stop();
  EXPECT_EQ(names(read()), std::vector<std::string>{"inner"});
}

TEST_F(SpansTest, AreRecordedOnceAtATime) {
  const SpanRecording recording = record();
  const auto second = SpanRecording::start({.file = folder_ / "other.spans"});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().text().find("it.spans"), std::string::npos);
}

TEST_F(SpansTest, HaveNamesOfTheRunAndHostileOnesStayWhatTheyAre) {
  const std::string hostile("a\0\"\\\n\x1b[31m\xff", 11);
  const std::string endless(kMaxSpanNameBytes + 100, 'x');
  SpanRecording recording = record();
  { const Span span{SpanName(hostile)}; }
  { const Span span{SpanName(endless)}; }
  for (int i = 0; i < 100'000; ++i) const Span span{SpanName("name " + std::to_string(i))};
  recording.stop();
  const Trace trace = read();
  ASSERT_EQ(trace.events.size(), 100'002U);
  EXPECT_EQ(trace.name_of(trace.events[0]), hostile);
  EXPECT_EQ(trace.name_of(trace.events[1]), endless.substr(0, kMaxSpanNameBytes));
  EXPECT_EQ(trace.name_of(trace.events.back()), "name 99999");
  EXPECT_EQ(trace.unnamed, 0U);
  EXPECT_EQ(trace.cut_names, 1U);
}

TEST_F(SpansTest, OfAWarmUpAreInTheFileAndNoPartOfTheRecording) {
  for (const bool is_ended : {true, false}) {
    auto recording = SpanRecording::start({.file = file_, .is_warming_up = true});
    ASSERT_TRUE(recording) << recording.error().text();
    for (int i = 0; i < 10'000; ++i) outer();
    const auto open = std::make_unique<Span>(SpanName("begun in the warm-up"));
    if (is_ended) recording->end_warm_up();
    if (is_ended) inner();
    const RecordedSpans recorded = recording->stop();
    EXPECT_EQ(recorded.is_empty, !is_ended);
    const Trace trace = read();
    EXPECT_EQ(names(trace), (std::vector<std::string>(is_ended ? 1 : 0, "inner")));
    EXPECT_GT(bytes().size(), std::size_t{30'000} * sizeof(SpanSlot));
  }
}

TEST_F(SpansTest, ThatFoundNoRoomInTheWarmUpAreNotAmongThoseThatFoundNone) {
  auto recording =
      SpanRecording::start({.file = file_, .max_bytes = kSpanHeaderBytes + 2 * kSpanChunkBytes, .is_warming_up = true});
  ASSERT_TRUE(recording) << recording.error().text();
  for (std::size_t i = 0; i < kSlotsOfChunk + 100; ++i) inner();
  recording->end_warm_up();
  for (int i = 0; i < 7; ++i) inner();
  EXPECT_EQ(recording->stop().dropped, 7U);
}

// Readers of version 3 would count the warm-up.
TEST_F(SpansTest, AreReadInFilesOfAllVersionsButNewerOnes) {
  SpanRecording recording = record();
  outer();
  recording.stop();
  const auto of_version = [whole = bytes()](std::uint32_t version) {
    std::string bytes = whole;
    std::memcpy(bytes.data() + offsetof(SpanFileHeader, version), &version, sizeof version);
    return bytes;
  };
  EXPECT_EQ(of_version(4), bytes());
  for (const std::uint32_t version : {2U, 3U, 4U}) EXPECT_EQ(error_of(of_version(version)), "") << version;
  EXPECT_NE(error_of(of_version(5)).find("version 5, wanted version 2 to 4"), std::string::npos);
}

TEST_F(SpansTest, AreMadeWhileAWarmUpStops) {
  for (int i = 0; i < 20; ++i) {
    auto recording = SpanRecording::start({.file = file_, .is_warming_up = true});
    ASSERT_TRUE(recording) << recording.error().text();
    std::atomic<bool> is_over = false;
    std::thread other([&] {
      while (!is_over) inner();
    });
    for (int j = 0; j < 100; ++j) outer();
    EXPECT_TRUE(recording->stop().is_empty);
    is_over = true;
    other.join();
  }
}

// A limit on files stands in for a full disk.
TEST_F(SpansTest, ThatFindNoRoomLeaveErrnoAsItWas) {
  const SpanRecording recording = record();
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit full{.rlim_cur = kSpanHeaderBytes, .rlim_max = limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  errno = 0;
  { const Span span{SpanName("no room")}; }
  const int found = errno;
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, handler);
  EXPECT_EQ(found, 0);
}

// Each kind by itself, and which of them a span said, where there are many of them.
TEST_F(SpansTest, SayAnyNumberOfKindsOfShapes) {
  constexpr std::int64_t kKinds = 3000;
  SpanRecording recording = record();
  for (int turn = 0; turn < 2; ++turn) {
    for (std::int64_t i = 0; i < kKinds; ++i) {
      STEELYARD_SPAN("kinds", .shapes = {{i, 64}, {64}});
    }
  }
  recording.stop();
  const Trace trace = read();
  ASSERT_EQ(trace.events.size(), std::size_t{2 * kKinds});
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    EXPECT_EQ(trace.texts[trace.events[i].shapes_text],
              "[[" + std::to_string(i % std::size_t{kKinds}) + ", 64], [64]]");
  }
}

TEST_F(SpansTest, SayHowManyIterationsTheyMake) {
  SpanRecording recording = record();
  for (const std::int64_t iterations : {std::int64_t{10}, std::int64_t{1000}, std::int64_t{0}, std::int64_t{1} << 40}) {
    const Span loop(SpanName("loop", iterations));
  }
  recording.stop();
  const Trace trace = read();
  std::vector<std::uint32_t> iterations;
  for (const TraceEvent& event : trace.events) iterations.push_back(event.iterations);
  EXPECT_EQ(iterations, (std::vector<std::uint32_t>{10, 1000, 0, 0}));
  EXPECT_EQ(names(trace), (std::vector<std::string>(4, "loop")));
  EXPECT_EQ(trace.texts[trace.events[0].place_text], "");
}

TEST_F(SpansTest, CountWhatTheirThreadAllocatedWhereTheyAreTold) {
  auto recording = SpanRecording::start({.file = file_, .allocated_bytes = [] {
                                           static std::int64_t bytes = 0;
                                           return bytes += 1000;
                                         }});
  ASSERT_TRUE(recording);
  outer();
  recording->stop();
  // Asked at begin and end of each, in order: outer at 1000, both inner ones, outer again at 6000.
  const Trace trace = read();
  EXPECT_EQ(trace.events[0].allocated_bytes, 5000);
  EXPECT_EQ(trace.events[1].allocated_bytes, 1000);
}

TEST_F(SpansTest, AreRangesOfNvtxWhereAToolListensRecordedOrNot) {
#if defined(FAKE_NVTX)
  const std::filesystem::path log = folder_ / "ranges";
  for (const bool is_recorded : {false, true}) {
    const int status = status_of_child([&] {
      setenv("NVTX_INJECTION64_PATH", FAKE_NVTX, 1);
      setenv("FAKE_NVTX_LOG", log.c_str(), 1);
      execl(RANGES_PROGRAM, RANGES_PROGRAM, is_recorded ? file_.c_str() : nullptr, nullptr);
      _exit(127);
    });
    EXPECT_EQ(status, 0);
    std::ifstream in(log);
    const std::string told{std::istreambuf_iterator<char>(in), {}};
    EXPECT_EQ(told, "push outer\npush made at run time\npop\npop\npush after\npop\n") << is_recorded;
    std::filesystem::remove(log);
  }
  EXPECT_EQ(names(read()), (std::vector<std::string>{"outer", "made at run time"}));
#else
  GTEST_SKIP() << "built without the headers of NVTX, which come with the CUDA Toolkit";
#endif
}

TEST_F(SpansTest, AFileThatIsNoneSaysWhatItIs) {
  EXPECT_NE(error_of("").find("0 bytes"), std::string::npos);
  EXPECT_NE(error_of(std::string(kSpanHeaderBytes, 'x')).find("begins with SYSPANS"), std::string::npos);
  EXPECT_FALSE(read_spans(folder_ / "absent"));
  EXPECT_FALSE(read_spans(folder_));
}

TEST_F(SpansTest, ThatEndOutOfOrderKeepTheirTimes) {
  SpanRecording recording = record();
  auto first = std::make_unique<Span>(SpanName("first"));
  auto second = std::make_unique<Span>(SpanName("second"));
  first.reset();
  second.reset();
  recording.stop();
  const Trace trace = read();
  ASSERT_EQ(names(trace), (std::vector<std::string>{"first", "second"}));
  EXPECT_LT(trace.events[0].end_ns(), trace.events[1].end_ns());
  EXPECT_EQ(tree_of(trace).parents[1], TraceTree::kNoParent);
  EXPECT_EQ(tree_of(trace).self_ns[0], trace.events[0].duration_ns);
}

TEST_F(SpansTest, ThatEndBeforeTheyBeginAreLeftOutAndCounted) {
  {
    SpanRecording recording = record();
    for (int i = 0; i < 10; ++i) outer();
  }
  std::string stepped = bytes();
  const std::size_t chunks = (stepped.size() - kSpanHeaderBytes) / kSpanChunkBytes;
  for (std::size_t i = 0; i < chunks; ++i) {
    const std::size_t chunk = kSpanHeaderBytes + i * kSpanChunkBytes;
    SpanChunk head;
    std::memcpy(&head, stepped.data() + chunk, sizeof head);
    if (head.kind != SpanChunkKind::spans) continue;
    const std::uint64_t early = 1;
    std::memcpy(stepped.data() + chunk + sizeof(SpanChunk) + offsetof(SpanSlot, end), &early, sizeof early);
  }
  std::ofstream(file_, std::ios::binary) << stepped;
  const Trace trace = read();
  EXPECT_EQ(trace.backwards, 1U);
  EXPECT_EQ(trace.events.size(), 29U);
}

TEST_F(SpansTest, LastAsLongWhateverTheSystemsTimeOfDayDoes) {
  {
    SpanRecording recording = record();
    outer();
  }
  const std::int64_t before = read().events[0].duration_ns;
  std::string stepped = bytes();
  SpanFileHeader header;
  std::memcpy(&header, stepped.data(), sizeof header);
  for (ClockPair& pair : header.later) pair.unix_ns -= 3'600'000'000'000;
  std::memcpy(stepped.data(), &header, sizeof header);
  std::ofstream(file_, std::ios::binary) << stepped;
  EXPECT_EQ(read().events[0].duration_ns, before);
}

TEST_F(SpansTest, OfAFileThatIsCutAreThoseBeforeTheCut) {
  {
    SpanRecording recording = record();
    for (int i = 0; i < 1000; ++i) outer();
  }
  const std::string whole = bytes();
  std::size_t before = 0;
  for (std::size_t cut = kSpanHeaderBytes + 1; cut < whole.size(); cut += 5003) {
    std::ofstream(file_, std::ios::binary) << whole.substr(0, cut);
    const Trace trace = read();
    EXPECT_TRUE(trace.is_cut) << cut;
    EXPECT_GE(trace.events.size(), before) << cut;
    before = trace.events.size();
  }
  EXPECT_EQ(before, 3000U);  // a chunk has more room than they take
  std::ofstream(file_, std::ios::binary) << whole;
  EXPECT_FALSE(read().is_cut);
}

// Where nothing of a chunk is left, nor too little.
TEST_F(SpansTest, OfAFileThatLacksWholeChunksAreKnownToBeCut) {
  {
    SpanRecording recording = record();
    for (int i = 0; i < 4000; ++i) outer();
  }
  const std::string whole = bytes();
  ASSERT_FALSE(read().is_cut);
  std::size_t before = 0;
  for (std::size_t cut = kSpanHeaderBytes; cut < whole.size(); cut += kSpanChunkBytes) {
    std::ofstream(file_, std::ios::binary) << whole.substr(0, cut);
    const Trace trace = read();
    EXPECT_TRUE(trace.is_cut) << cut;
    EXPECT_GE(trace.events.size(), before) << cut;
    before = trace.events.size();
    std::string emptied = whole;
    std::fill_n(emptied.begin() + static_cast<std::ptrdiff_t>(cut), kSpanChunkBytes, '\0');
    std::ofstream(file_, std::ios::binary) << emptied;
    if (const auto rest = read_spans(file_)) EXPECT_TRUE(rest->is_cut) << cut;
  }
  EXPECT_GT(before, 0U);
}

TEST_F(SpansTest, AnyDamageIsAnErrorOrFewerSpans) {
  {
    SpanRecording recording = record();
    for (int i = 0; i < 50; ++i) outer();
  }
  const std::string whole = bytes();
  unsigned state = 1;
  const auto random = [&] { return state = state * 1664525U + 1013904223U, state >> 8; };
  for (int i = 0; i < 300; ++i) {
    std::string damaged = whole;
    // Where something is: the header, and the beginnings of the two chunks.
    const std::size_t chunk = random() % 3;
    const std::size_t start = chunk == 0 ? 0 : kSpanHeaderBytes + (chunk - 1) * kSpanChunkBytes;
    for (int j = 0; j < 4; ++j) damaged[start + random() % 400] = static_cast<char>(random());
    if (random() % 4 == 0) damaged.resize(random() % damaged.size());
    std::ofstream(file_, std::ios::binary) << damaged;
    if (const auto trace = read_spans(file_)) {
      EXPECT_LE(trace->events.size(), 2 * kSlotsOfChunk);
      const TraceTree tree = tree_of(*trace);
      EXPECT_EQ(tree.parents.size(), trace->events.size());
    }
  }
}

// A program that is measured may be a stranger's, and so is what it leaves.
TEST_F(SpansTest, OfAFileWithoutEndAreRefusedBeforeItIsRead) {
  {
    SpanRecording recording = record();
    outer();
  }
  std::filesystem::resize_file(file_, std::uintmax_t{1} << 42);  // takes no room
  const auto endless = read_spans(file_);
  ASSERT_FALSE(endless);
  EXPECT_NE(endless.error().text().find("at most 68719476736"), std::string::npos) << endless.error().text();
}

TEST_F(SpansTest, OfTimesThatNoClockTellsAreAnErrorOrBounded) {
  {
    SpanRecording recording = record();
    outer();
  }
  const std::string whole = bytes();
  constexpr std::uint64_t kOdd[] = {1,
                                    2,
                                    std::uint64_t{1} << 61,
                                    std::uint64_t{1} << 62,
                                    std::uint64_t{1} << 63,
                                    (std::uint64_t{1} << 63) + 7,
                                    ~std::uint64_t{0}};
  const std::size_t chunks = (whole.size() - kSpanHeaderBytes) / kSpanChunkBytes;
  for (const std::uint64_t begin : kOdd) {
    for (const std::uint64_t end : kOdd) {
      std::string odd = whole;
      for (std::size_t i = 0; i < chunks; ++i) {
        const std::size_t chunk = kSpanHeaderBytes + i * kSpanChunkBytes;
        SpanChunk head;
        std::memcpy(&head, odd.data() + chunk, sizeof head);
        if (head.kind != SpanChunkKind::spans) continue;
        for (std::size_t slot = 0; slot < 3; ++slot) {
          char* const place = odd.data() + chunk + sizeof(SpanChunk) + slot * sizeof(SpanSlot);
          std::memcpy(place + offsetof(SpanSlot, begin), &begin, sizeof begin);
          std::memcpy(place + offsetof(SpanSlot, end), &end, sizeof end);
        }
      }
      std::ofstream(file_, std::ios::binary) << odd;
      const auto trace = read_spans(file_);
      if (!trace) {
        EXPECT_NE(trace.error().text().find("decades"), std::string::npos) << trace.error().text();
        continue;
      }
      for (const TraceEvent& event : trace->events) {
        EXPECT_GE(event.duration_ns, 0) << begin << ' ' << end;
        EXPECT_LE(event.duration_ns, std::int64_t{1} << 60) << begin << ' ' << end;
      }
    }
  }
}

}  // namespace
}  // namespace steelyard::bench::spans_test
