#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "bench/model/sha256.hpp"
#include "storage/archive/archive.hpp"
#include "storage/archive/container.hpp"
#include "tests/storage/archive/archive_bomb.hpp"
#include "tests/storage/archive/sample_run.hpp"

namespace steelyard::storage::archive_test {
namespace {

using testing::HasSubstr;

steelyard::Run sealed(steelyard::Run run) {
  seal(run);
  return run;
}

// A run without NaN, so that == tells whether it came back.
steelyard::Run small_run() {
  steelyard::Run run;
  run.header.project = "small";
  run.invocations = {{0, 0, -1, 1, 2}};
  run.measurements = {
      {parse_google_benchmark_name("BM_x/8"), *well_known_metric(kRealTime), "", {{0, {1.5, 2.5}, {3, 4}}}}};
  return sealed(run);
}

std::string error_of(const std::string& bytes) {
  const auto run = decode_run(bytes, "in.syrun");
  EXPECT_FALSE(run);
  if (run) return "";
  EXPECT_EQ(run.error().kind, ErrorKind::input);
  return run.error().text();
}

// The archive with its checksum made right again after a change of its header or payload.
std::string with_checksum(std::string bytes) {
  const std::string hex = sha256_hex(bytes.substr(0, 32) + bytes.substr(64));
  for (std::size_t i = 0; i < 32; ++i) bytes[32 + i] = static_cast<char>(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
  return bytes;
}

std::string golden(const std::string& name) {
  std::ifstream in(STEELYARD_GOLDEN "/archive/" + name, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  EXPECT_FALSE(bytes.str().empty()) << name;
  return bytes.str();
}

TEST(Archive, RunComesBackEqual) {
  const steelyard::Run run = small_run();
  const auto read = decode_run(encode_run(run), "in.syrun");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, run);
}

TEST(Archive, EveryAwkwardValueComesBackBitForBit) {
  const std::string bytes = encode_run(sealed(sample_run()));
  const auto read = decode_run(bytes, "in.syrun");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(encode_run(*read), bytes);
}

// Of more than the beginning of a file, and of numbers that no compression shortens.
steelyard::Run large_run() {
  steelyard::Run run = small_run();
  std::uint64_t bits = 1;
  for (int i = 0; i < 100'000; ++i) {
    bits = bits * 6364136223846793005U + 1442695040888963407U;
    run.measurements[0].invocations[0].values.push_back(1 + static_cast<double>(bits >> 11));
    run.measurements[0].invocations[0].iterations.push_back(1);
  }
  return sealed(run);
}

TEST(Archive, HeaderIsReadFromTheBeginningAlone) {
  const std::filesystem::path file = testing::TempDir() + "header_of_a_large_archive.syrun";
  const auto write = [&](const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; };
  const steelyard::Run run = large_run();
  std::string bytes = encode_run(run);
  ASSERT_GT(bytes.size(), 500'000U);
  write(bytes);
  auto header = read_header(file);
  ASSERT_TRUE(header) << header.error().text();
  EXPECT_EQ(*header, run.header);
  write(bytes.substr(0, bytes.size() - 1));
  EXPECT_FALSE(read_archive(file));
  header = read_header(file);
  ASSERT_TRUE(header) << header.error().text();
  EXPECT_EQ(*header, run.header);
  bytes[64] = static_cast<char>(~bytes[64]);  // where the compressed payload begins
  write(bytes);
  header = read_header(file);
  ASSERT_FALSE(header);
  EXPECT_EQ(header.error().text(), read_archive(file).error().text()) << "damage is told as the whole file's";
  std::filesystem::remove(file);
}

TEST(Archive, HeaderOfASmallArchiveIsThatOfItsRun) {
  const std::filesystem::path file = testing::TempDir() + "header_of_a_small_archive.syrun";
  const steelyard::Run run = sealed(sample_run());
  ASSERT_TRUE(write_archive(file, run));
  const auto header = read_header(file);
  ASSERT_TRUE(header) << header.error().text();
  EXPECT_EQ(*header, run.header);
  std::filesystem::remove(file);
}

TEST(Archive, WrittenPieceByPieceIsTheSameFileAndTheSameId) {
  const std::filesystem::path file = testing::TempDir() + "written_in_pieces.syrun";
  steelyard::Run run = small_run();
  std::uint64_t state = 1;
  for (int i = 0; i < 100'000; ++i) {
    state = state * 6364136223846793005U + 1;
    run.measurements[0].invocations[0].values.push_back(1 + static_cast<double>(state >> 12) * 0x1p-52);
  }
  run.measurements[0].invocations[0].iterations.clear();
  run.header.id.clear();
  const std::string id = sha256_hex(encode_payload(run));
  seal(run);
  EXPECT_EQ(run.header.id, id);
  ASSERT_TRUE(write_archive(file, run));
  std::ifstream in(file, std::ios::binary);
  const std::string written{std::istreambuf_iterator<char>(in), {}};
  EXPECT_GT(written.size(), std::size_t{200'000}) << "of several pieces";
  EXPECT_EQ(written, encode_run(run));
  std::filesystem::remove(file);
}

TEST(Archive, OfAFileAboveTheLimitTheLengthIsKnownAndNoMoreIsHeld) {
  std::string bytes;
  for (std::uint64_t i = 0, x = 1; i < 100'000; ++i)
    bytes += static_cast<char>((x = x * 6364136223846793005U + 1) >> 56);
  const std::size_t whole = pack_container(bytes, PayloadKind::run, 1).size();
  ContainerWriter writer(PayloadKind::run, 1, 1000);
  for (std::size_t at = 0; at < bytes.size(); at += 1000) writer.add(std::string_view(bytes).substr(at, 1000));
  writer.end();
  EXPECT_EQ(writer.file_bytes(), whole);
  EXPECT_EQ(writer.payload_bytes(), bytes.size());
  EXPECT_EQ(writer.take_bytes().size(), 1000U);
}

// What the first version could hold of the sample.
steelyard::Run sample_run_v1() {
  steelyard::Run run = sample_run();
  for (Invocation& invocation : run.invocations) {
    invocation.conditions = {};
    invocation.disturbed_by.clear();
    invocation.excluded = false;
  }
  run.invocations.pop_back();  // one that was left out
  for (Measurement& measurement : run.measurements) measurement.excluded.clear();
  run.labels.clear();
  return run;
}

// What the second version could hold of a run: no line, and nothing of what a count stands on.
void forget_lines_and_bases(steelyard::Run& run) {
  for (Measurement& measurement : run.measurements) measurement.count_basis = {};
  for (CountedProfile& profile : run.profiles) profile.sources.clear();
}

TEST(Archive, AFileWithLinesAndBasesOfCountsReadsEqual) {
  const auto read = decode_run(golden("v3_debian12.syrun"), "v3_debian12.syrun");
  ASSERT_TRUE(read) << read.error().text();
  steelyard::Run expected = sample_run();
  expected.header.id = read->header.id;
  EXPECT_EQ(encode_payload(*read), encode_payload(expected));
}

// Written by the last version that kept the kinds of failures, and where counts come from, as words of their sentences.
TEST(Archive, KindsAndOriginsThatAnOlderFileTellsInWordsAreTheFacts) {
  const auto read = decode_run(golden("v4_debian12.syrun"), "v4_debian12.syrun");
  ASSERT_TRUE(read) << read.error().text();
  std::vector<std::pair<FailureKind, std::string>> failures;
  for (const Failure& failure : read->failures) failures.emplace_back(failure.kind, failure.said);
  EXPECT_EQ(failures, (std::vector<std::pair<FailureKind, std::string>>{
                          {FailureKind::failed, "exit status 139: segmentation fault"},
                          {FailureKind::failed, ""},
                          {FailureKind::not_reached, "the budget of 10 s was spent; ask for more time"},
                          {FailureKind::bad_record, "benchmarks[0].real_time: found NaN, wanted a number"},
                          {FailureKind::skipped, "no AVX10 here"},
                          {FailureKind::skipped, ""},
                          {FailureKind::reported_error, "no license"}}));
  std::vector<CountOrigin> origins;
  for (const Measurement& measurement : read->measurements) {
    if (measurement.metric.kind == MetricKind::counted) origins.push_back(measurement.count_basis.origin);
  }
  EXPECT_EQ(origins, (std::vector{CountOrigin::reused, CountOrigin::equal_program}));
}

TEST(Archive, KeepsKindsAndOriginsWhateverTheirSentencesSay) {
  steelyard::Run run = sample_run();
  run.failures = {{{}, "", -1, "not reached: x", FailureKind::failed},
                  {{}, "", -1, "the benchmark was skipped", FailureKind::bad_record},
                  {{}, "", -1, ": ", FailureKind::skipped}};
  for (Measurement& measurement : run.measurements) measurement.count_basis.origin = CountOrigin::equal_program;
  const auto read = decode_payload(encode_payload(run), "x.syrun");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->failures, run.failures);
  for (const Measurement& measurement : read->measurements) {
    EXPECT_EQ(measurement.count_basis.origin, CountOrigin::equal_program);
  }
}

TEST(Archive, AFileWithLabelsReadsEqual) {
  const auto read = decode_run(golden("v2_debian12.syrun"), "v2_debian12.syrun");
  ASSERT_TRUE(read) << read.error().text();
  steelyard::Run expected = sample_run();
  forget_lines_and_bases(expected);
  expected.header.id = read->header.id;
  EXPECT_EQ(encode_payload(*read), encode_payload(expected));
}

TEST(Archive, FilesOfTheFirstVersionReadEqual) {
  steelyard::Run expected = sample_run_v1();
  forget_lines_and_bases(expected);
  // A run keeps the id it was sealed with: the hash of its content as its own version wrote it.
  expected.header.id = "f57323bf5d91ae001f1c5a701c8fc19fd73b22c7e5ecc602c05963ddf9c3bc6e";
  for (const char* name : {"v1_debian12.syrun", "v1_debian13.syrun"}) {
    const auto read = decode_run(golden(name), name);
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(encode_payload(*read), encode_payload(expected)) << name;
  }
}

TEST(Archive, IdIsThatOfTheContentAlone) {
  steelyard::Run run = sample_run();
  seal(run);
  const std::string id = run.header.id;
  EXPECT_EQ(id.size(), 64U);
  seal(run);
  EXPECT_EQ(run.header.id, id);
  run.measurements[1].invocations[0].values[0] += 1;
  seal(run);
  EXPECT_NE(run.header.id, id);
}

TEST(Archive, OneFlippedBitAnywhereIsAnErrorThatNamesTheFile) {
  const std::string bytes = encode_run(small_run());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string flipped = bytes;
      flipped[i] = static_cast<char>(static_cast<unsigned char>(flipped[i]) ^ (1U << bit));
      ASSERT_THAT(error_of(flipped), HasSubstr("in.syrun: byte ")) << i << ' ' << bit;
      ASSERT_FALSE(is_from_newer_version(flipped)) << "damage is not the future: " << i;
    }
  }
}

TEST(Archive, SaysWhatItComesToUnpackedUnlessItIsDamaged) {
  const steelyard::Run run = small_run();
  std::string bytes = encode_run(run);
  EXPECT_EQ(unpacked_length(bytes), encode_payload(run).size());
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  EXPECT_EQ(unpacked_length(bytes), 0U);
  EXPECT_EQ(unpacked_length("no archive"), 0U);
}

TEST(Archive, CutAnywhereItIsAnErrorThatNamesTheOffset) {
  const std::string bytes = encode_run(small_run());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    ASSERT_THAT(error_of(bytes.substr(0, length)), HasSubstr("in.syrun: byte " + std::to_string(length) + ":"));
  }
  EXPECT_THAT(error_of(bytes + "x"), HasSubstr("byte " + std::to_string(bytes.size()) + ": found 1 bytes more"));
}

TEST(Archive, NewerVersionAsksForAnUpgrade) {
  for (const std::size_t offset : {8U, 12U}) {
    std::string bytes = encode_run(small_run());
    bytes[offset] = static_cast<char>(bytes[offset] + 1);
    bytes = with_checksum(bytes);
    EXPECT_THAT(error_of(bytes), HasSubstr("version "));
    EXPECT_THAT(error_of(bytes), HasSubstr("written by a newer Steelyard; upgrade this one"));
    EXPECT_TRUE(is_from_newer_version(bytes));
  }
  EXPECT_FALSE(is_from_newer_version(encode_run(small_run())));
}

TEST(Archive, LengthThatLiesIsAnErrorAndNoAllocation) {
  std::string bytes = encode_run(small_run());
  bytes[24 + 7] = '\x10';  // 2^60 bytes and some
  EXPECT_THAT(error_of(with_checksum(bytes)), HasSubstr("wanted at most 1073741824"));
  bytes[24 + 7] = '\0';
  bytes[24 + 3] = '\x10';  // 2^28 bytes and some
  EXPECT_THAT(error_of(with_checksum(bytes)), HasSubstr("needs more memory than the 512 MiB"));
  bytes[24 + 3] = '\x08';
  EXPECT_THAT(error_of(with_checksum(bytes)), HasSubstr("does not unpack"));
}

TEST(Archive, LimitsAreTheCallers) {
  const std::string bytes = encode_run(small_run());
  const auto file = decode_run(bytes, "in.syrun", {10, 1000});
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().text(), HasSubstr("wanted at most 10"));
  const auto payload = decode_run(bytes, "in.syrun", {10'000, 10});
  ASSERT_FALSE(payload);
  EXPECT_THAT(payload.error().text(), HasSubstr("wanted at most 10"));
}

TEST(Archive, OtherFilesAreToldApart) {
  EXPECT_THAT(error_of(""), HasSubstr("an empty file"));
  EXPECT_THAT(error_of("{\"benchmarks\": []}"), HasSubstr("found something else, wanted a .syrun archive"));
  EXPECT_THAT(error_of("SYRUN\n\x1a and more"), HasSubstr("transferred as binary, not as text"));
}

TEST(Compression, BytesComeBackAsTheyWere) {
  std::string mixed;
  for (unsigned i = 0; i < 300'000; ++i) mixed += static_cast<char>((i * i) >> 3U);
  for (const std::string& bytes : {std::string(), std::string("a"), std::string(1'000'000, '\0'), mixed}) {
    EXPECT_EQ(decompress(compress(bytes), bytes.size()), bytes);
  }
}

TEST(Compression, AnotherSizeThanClaimedIsRefused) {
  const std::string packed = compress(std::string(100'000, 'x'));
  EXPECT_FALSE(decompress(packed, 99'999).has_value());
  EXPECT_FALSE(decompress(packed, 100'001).has_value());
}

TEST(Compression, ClaimOfExabytesAllocatesNone) {
  EXPECT_FALSE(decompress(compress("small"), std::size_t{1} << 60U).has_value());
}

TEST(Compression, CutFrameAndOtherBytesAreRefused) {
  const std::string bytes = "a run of measurements, a run of measurements";
  const std::string packed = compress(bytes);
  for (std::size_t length = 0; length < packed.size(); ++length) {
    EXPECT_FALSE(decompress(packed.substr(0, length), bytes.size()).has_value()) << length;
  }
  EXPECT_FALSE(decompress("not zstd at all, by any means", 29).has_value());
}

Run without_nan() {
  steelyard::Run run = sample_run();
  run.measurements[0].invocations[0].values.assign(9, 1.5);
  return run;
}

TEST(RunPayload, EveryFieldComesBack) {
  const steelyard::Run run = without_nan();
  const auto read = decode_payload(encode_payload(run), "x");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, run);
}

TEST(RunPayload, ValuesThatAreNoNumbersComeBackBitForBit) {
  const std::string payload = encode_payload(sample_run());
  const auto read = decode_payload(payload, "x");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(encode_payload(*read), payload);
}

TEST(RunPayload, EmptyRunComesBack) {
  const auto read = decode_payload(encode_payload(steelyard::Run{}), "x");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, steelyard::Run{});
}

TEST(RunPayload, HugeTextComesBack) {
  steelyard::Run run;
  run.header.commit.subject = std::string(10'000'000, 's');
  run.measurements.resize(20'000);
  const auto read = decode_payload(encode_payload(run), "x");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, run);
}

TEST(RunPayload, CutAnywhereItIsAnErrorWithItsOffset) {
  const std::string payload = encode_payload(sample_run());
  for (std::size_t length = 0; length < payload.size(); ++length) {
    const auto read = decode_payload(payload.substr(0, length), "x.syrun");
    ASSERT_FALSE(read) << length;
    ASSERT_THAT(read.error().text(), HasSubstr("x.syrun: payload byte ")) << length;
  }
}

// Nothing but the checksum protects a payload's content; a damaged one must still neither crash nor run away.
TEST(RunPayload, EveryFlippedBitIsReadOrRefusedInOrder) {
  const std::string payload = encode_payload(sample_run());
  int refused = 0;
  for (std::size_t i = 0; i < payload.size(); ++i) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string flipped = payload;
      flipped[i] = static_cast<char>(static_cast<unsigned char>(flipped[i]) ^ (1U << bit));
      const auto read = decode_payload(flipped, "x");
      if (!read) {
        ++refused;
        continue;
      }
      ASSERT_EQ(encode_payload(*read).size(), payload.size());
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(RunPayload, PartThatPointsNowhereIsRefusedWhenReadAndWhenWritten) {
  struct Case {
    std::function<void(steelyard::Run&)> break_it;
    const char* flaw;
  };
  const Case cases[] = {
      {[](steelyard::Run& run) { run.measurements[0].invocations[0].invocation = 4; },
       "an invocation that is not there"},
      {[](steelyard::Run& run) { run.measurements[0].excluded[0].invocation = 0; },
       "excluded samples of an invocation that counts"},
      {[](steelyard::Run& run) { run.invocations[0].excluded = true; }, "samples of an invocation that was excluded"},
      {[](steelyard::Run& run) { run.measurements[1].invocations[0].values.clear(); }, "an invocation without samples"},
      {[](steelyard::Run& run) { run.measurements[0].invocations[0].iterations.pop_back(); },
       "iterations of another number"},
      {[](steelyard::Run& run) { run.profiles[0].arcs[0].callee = 2; }, "a call of a function that is not there"},
      {[](steelyard::Run& run) { run.profiles[0].arcs[1].inclusive.clear(); }, "a call with costs of other events"},
      {[](steelyard::Run& run) { run.profiles[0].functions[0].self.push_back(1); },
       "a function with costs of other events"},
      {[](steelyard::Run& run) { run.profiles[0].totals.clear(); }, "totals of other events"},
      {[](steelyard::Run& run) { run.profiles[0].sources[1].function = 2; }, "a line of a function that is not there"},
      {[](steelyard::Run& run) { run.profiles[0].sources[0].self.pop_back(); }, "a line with costs of other events"},
  };
  EXPECT_TRUE(check_run(sample_run(), "x"));
  for (const Case& wrong : cases) {
    steelyard::Run run = sample_run();
    wrong.break_it(run);
    const auto read = decode_payload(encode_payload(run), "x.syrun");
    ASSERT_FALSE(read) << wrong.flaw;
    EXPECT_EQ(read.error().kind, ErrorKind::input);
    EXPECT_THAT(read.error().text(), HasSubstr(wrong.flaw));
    const auto checked = check_run(run, "x.syrun");
    ASSERT_FALSE(checked) << wrong.flaw;
    EXPECT_EQ(checked.error().kind, ErrorKind::bug);
  }
}

TEST(Archive, KnowsTheIdOfWhatOlderVersionsSealedAsItLiesAndWrittenAgain) {
  for (const char* name :
       {"v1_debian12.syrun", "v1_debian13.syrun", "v2_debian12.syrun", "v3_debian12.syrun", "v4_debian12.syrun"}) {
    const auto read = decode_sealed_run(golden(name), name);
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_TRUE(decode_sealed_run(encode_run(*read), name)) << name;
    steelyard::Run changed = *read;
    changed.header.project += "x";
    EXPECT_FALSE(decode_sealed_run(encode_run(changed), name)) << name;
    // What the older payload has no room for is no way around it.
    changed = *read;
    changed.labels["more"] = "x";
    EXPECT_FALSE(decode_sealed_run(encode_run(changed), name)) << name;
  }
}

// The most memory that this process has had, in MiB, since the mark was last set back (proc(5), clear_refs).
long peak_mebibytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stol(line.substr(6)) / 1024;
  }
  return 0;
}

TEST(Archive, OfKilobytesThatNeedsGigabytesIsRefusedWithinItsMemory) {
  const std::string bytes = storage_test::archive_bomb();
  std::ofstream("/proc/self/clear_refs") << "5";
  const long before = peak_mebibytes();
  const auto read = decode_run(bytes, "bomb.syrun");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::input);
  EXPECT_THAT(read.error().text(), HasSubstr("needs more memory than the 512 MiB that an archive may have"));
  EXPECT_THAT(read.error().text(), HasSubstr("STEELYARD_ARCHIVE_MEMORY_MIB=2048 allows more"));
  EXPECT_LT(peak_mebibytes() - before, 600);
}

TEST(Archive, MayHaveAsMuchMemoryAsTheEnvironmentSays) {
  ASSERT_EQ(setenv("STEELYARD_ARCHIVE_MEMORY_MIB", "3", 1), 0);
  EXPECT_EQ(ArchiveLimits{}.memory_bytes, 3 << 20);
  ASSERT_EQ(setenv("STEELYARD_ARCHIVE_MEMORY_MIB", "-1", 1), 0);
  EXPECT_EQ(ArchiveLimits{}.memory_bytes, 512 << 20);
  ASSERT_EQ(unsetenv("STEELYARD_ARCHIVE_MEMORY_MIB"), 0);
}

// Above 256 MiB a file is read where half of the memory that is allowed is more, and no file has more than 512 MiB.
TEST(Archive, ALargeFileIsReadWhereItsMemoryIsAllowedAndElseSaysHowToAllowIt) {
  constexpr std::int64_t kMiB = 1 << 20;
  EXPECT_EQ(ArchiveLimits{}.file_bytes, 256 * kMiB);
  const auto file = std::filesystem::temp_directory_path() / ("large-" + std::to_string(getpid()) + ".syrun");
  const auto said_of = [&](const std::string& beginning, std::int64_t size) {
    std::ofstream(file, std::ios::binary) << beginning;
    std::filesystem::resize_file(file, static_cast<std::uintmax_t>(size));  // has holes, and takes no place
    const auto read = read_archive(file);
    return read ? "" : read.error().text();
  };
  const std::string head = encode_run(small_run()).substr(0, 64);
  EXPECT_THAT(said_of(head, 300 * kMiB), HasSubstr("STEELYARD_ARCHIVE_MEMORY_MIB=2048 allows more"));
  EXPECT_THAT(said_of("no archive", 300 * kMiB), HasSubstr("wanted at most 268435456"));
  EXPECT_THAT(said_of(head, 513 * kMiB), HasSubstr("wanted at most 268435456")) << "no archive is as large as that";
  ASSERT_EQ(setenv("STEELYARD_ARCHIVE_MEMORY_MIB", "700", 1), 0);
  EXPECT_EQ(ArchiveLimits{}.file_bytes, 350 * kMiB);
  ASSERT_EQ(setenv("STEELYARD_ARCHIVE_MEMORY_MIB", "2048", 1), 0);
  EXPECT_EQ(ArchiveLimits{}.file_bytes, 512 * kMiB);
  EXPECT_THAT(said_of("no archive", 300 * kMiB), HasSubstr("found something else, wanted a .syrun archive"));
  EXPECT_THAT(said_of(head, 513 * kMiB), HasSubstr("wanted at most 536870912"));
  ASSERT_EQ(unsetenv("STEELYARD_ARCHIVE_MEMORY_MIB"), 0);
  std::filesystem::remove(file);
}

}  // namespace

}  // namespace steelyard::storage::archive_test
