// Every input that a fuzzer began with or once found wrong, and seeded mutations of them: on every machine, without a
// fuzzer, and within the time and the memory that a fuzzer allows.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <sstream>
#include <vector>

#include "bench/formats/import_formats.hpp"
#include "bench/profile/read_spans.hpp"
#include "bench/profile/trace.hpp"
#include "tests/fuzz/claims.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace steelyard::corpus_test {
namespace {

namespace fs = std::filesystem;
using testkit::FuzzTarget;

struct CorpusFile {
  fs::path path;
  std::string content;
};

std::vector<CorpusFile> corpus_of(const FuzzTarget& target) {
  std::vector<fs::path> paths;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(fs::path(STEELYARD_FUZZ_CORPUS) / target.name, absent)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<CorpusFile> files;
  for (const fs::path& path : paths) {
    std::ifstream stream(path, std::ios::binary);
    files.push_back({path, {std::istreambuf_iterator<char>(stream), {}}});
  }
  return files;
}

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// "VmHWM": the most memory of this process since the last call of forget_peak(); "VmRSS": what it has now. In MiB.
double memory_mib(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field + ":")) return std::stod(line.substr(field.size() + 1)) / 1024;
  }
  return 0;
}
void forget_peak() { std::ofstream("/proc/self/clear_refs") << 5; }

class FuzzCorpus : public ::testing::TestWithParam<FuzzTarget> {};

TEST_P(FuzzCorpus, NoInputBreaksAClaimOrTakesMoreTimeOrMemoryThanItMay) {
  const std::vector<CorpusFile> files = corpus_of(GetParam());
  EXPECT_FALSE(files.empty()) << "nothing to begin with in tests/fuzz/corpus/" << GetParam().name;
  for (const CorpusFile& file : files) {
    constexpr std::size_t kLargest = std::size_t{64} << 10;  // a repository keeps them for ever
    EXPECT_LE(file.content.size(), kLargest) << file.path << ": take a smaller one that shows the same";
    forget_peak();
    const double memory_before = memory_mib("VmRSS");
    const double before = processor_seconds();
    const auto broken = GetParam().broken_claim(file.content);
    EXPECT_FALSE(broken) << file.path << ": " << *broken;
    EXPECT_LT(processor_seconds() - before, testkit::kMaxSeconds) << file.path;
    EXPECT_LT(memory_mib("VmHWM") - memory_before, testkit::kMaxMemoryMiB) << file.path;
  }
}

const FuzzTarget* import_target(const bench::ImportFormat& format) {
  const auto targets = testkit::fuzz_targets();
  const std::string name = testkit::name_of_import_target(format.name);
  const auto at = std::find_if(targets.begin(), targets.end(), [&](const auto& one) { return one.name == name; });
  return at != targets.end() ? &*at : nullptr;
}

TEST(FuzzCorpusOfImport, HasForEachFormatATargetWithAFileAndWithAFolderOfItsOwnThatAreKnownByTheirContent) {
  for (const bench::ImportFormat& format : bench::import_formats()) {
    const FuzzTarget* const target = import_target(format);
    ASSERT_NE(target, nullptr) << format.name;
    bool has_file = false, has_folder = false;
    for (const CorpusFile& file : corpus_of(*target)) {
      const testkit::ImportInput input(file.content);
      const auto known = bench::recognise_format(input.path());
      if (known && (*known)->name == format.name) (input.is_folder() ? has_folder : has_file) = true;
    }
    EXPECT_TRUE(has_file) << "none in tests/fuzz/corpus/" << target->name;
    EXPECT_TRUE(has_folder || !format.takes_folders) << "no folder in tests/fuzz/corpus/" << target->name;
  }
}

TEST(FuzzCorpusOfImport, BreaksNoClaimOfAReaderOfAnotherFormat) {
  for (const bench::ImportFormat& format : bench::import_formats()) {
    for (const CorpusFile& file : corpus_of(*import_target(format))) {
      for (const bench::ImportFormat& other : bench::import_formats()) {
        const auto broken = testkit::broken_claim_about_import(other, file.content);
        EXPECT_FALSE(broken) << file.path << " as " << other.name << ": " << *broken;
      }
    }
  }
}

TEST(FuzzCorpusOfImport, HasNoFileThatIsWrittenOutsideOfItsFolder) {
  const testkit::ImportInput input("=== file: ../a\n1\n=== file: /b/../../c\n2\n=== file: d\n3\n=== file: d/e\n4");
  std::vector<std::string> names;
  const fs::path around = input.path().parent_path();
  for (const auto& entry : fs::recursive_directory_iterator(around)) {
    if (entry.is_regular_file()) names.push_back(entry.path().lexically_relative(around).generic_string());
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"results/a", "results/b/c", "results/d"}));
}

// A header that has grown would leave nothing behind it of what was made before.
TEST(FuzzCorpusOfSpans, HasAFileWithSpansOneWithSamplesAndOneWithAllThatADeviceLeaves) {
  const auto targets = testkit::fuzz_targets();
  const auto target = std::find_if(targets.begin(), targets.end(), [](const auto& one) { return one.name == "spans"; });
  ASSERT_NE(target, targets.end());
  std::set<bench::TraceKind> kinds;
  bool has_samples = false, has_memory = false;
  for (const CorpusFile& file : corpus_of(*target)) {
    const testkit::MemoryFile spans(testkit::span_file_of(file.content));
    const auto trace = bench::read_spans(spans.path());
    if (!trace) continue;
    for (const bench::TraceEvent& event : trace->events) kinds.insert(event.kind);
    has_samples = has_samples || !trace->samples.empty();
    has_memory = has_memory || !trace->memory.empty();
  }
  using Kind = bench::TraceKind;
  for (const Kind kind : {Kind::annotation, Kind::kernel, Kind::device_copy, Kind::device_set, Kind::runtime_call,
                          Kind::driver_call, Kind::overhead, Kind::pause}) {
    EXPECT_TRUE(kinds.contains(kind)) << bench::words_of(kind)[static_cast<std::size_t>(kind)];
  }
  EXPECT_TRUE(has_samples);
  EXPECT_TRUE(has_memory);
}

// One change: what a full disk, a careless editor or an enemy may do.
void mutate(std::string& bytes, const std::vector<CorpusFile>& others, std::mt19937_64& engine) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(engine() % n); };
  const std::size_t at = below(bytes.size() + 1);
  const std::size_t length = 1 + below(16);
  const std::string& other = others[below(others.size())].content;
  switch (below(6)) {
    case 0:
      if (at < bytes.size()) bytes[at] = static_cast<char>(engine());
      break;
    case 1:
      if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
      break;
    case 2:
      bytes.erase(at, length);
      break;
    case 3:
      bytes.insert(at, std::string(length, static_cast<char>(engine())));
      break;
    case 4:
      bytes.insert(at, other, below(other.size() + 1), length);
      break;
    default:
      bytes.resize(at);
  }
}

TEST_P(FuzzCorpus, NoMutationBreaksAClaim) {
  const std::vector<CorpusFile> files = corpus_of(GetParam());
  ASSERT_FALSE(files.empty());
  std::mt19937_64 engine(1);
  for (int mutant = 0; mutant < GetParam().mutants; ++mutant) {
    const CorpusFile& file = files[static_cast<std::size_t>(mutant) % files.size()];
    std::string bytes = file.content;
    for (std::uint64_t changes = 1 + engine() % 3; changes > 0; --changes) mutate(bytes, files, engine);
    const auto broken = GetParam().broken_claim(bytes);
    ASSERT_FALSE(broken) << file.path << ", mutant " << mutant << ": " << *broken;
  }
}

std::string name_of(const ::testing::TestParamInfo<FuzzTarget>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Readers, FuzzCorpus,
                         ::testing::ValuesIn(testkit::fuzz_targets().begin(), testkit::fuzz_targets().end()), name_of);

// A folder that no row names would be replayed by nobody.
TEST(FuzzTargets, EveryFolderOfTheCorpusIsOfATarget) {
  for (const auto& entry : fs::directory_iterator(STEELYARD_FUZZ_CORPUS)) {
    const auto targets = testkit::fuzz_targets();
    const bool is_known = std::any_of(targets.begin(), targets.end(), [&](const FuzzTarget& target) {
      return target.name == entry.path().filename().string();
    });
    EXPECT_TRUE(is_known) << entry.path();
  }
}

}  // namespace
}  // namespace steelyard::corpus_test
