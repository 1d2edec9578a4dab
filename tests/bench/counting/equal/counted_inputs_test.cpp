#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "bench/counting/equal/counted_inputs.hpp"

namespace steelyard::bench::counted_inputs_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

std::filesystem::path beside_this(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

class LoadedProgramFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "steelyard-loaded-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(LoadedProgramFiles, HoldTheProgramItsLibrariesAndTheLoader) {
  Program program;
  program.executable = beside_this("equal_code_base");
  const Result<LoadedProgram> loaded = read_loaded_program(program);
  ASSERT_TRUE(loaded) << loaded.error().text();
  std::vector<std::string> names;
  for (const LoadedObject& object : loaded->objects) names.push_back(object.path.filename().string());
  EXPECT_EQ(names.front(), "equal_code_base");
  EXPECT_THAT(names, AllOf(Contains(HasSubstr("libc.so")), Contains(HasSubstr("ld-linux"))));
}

TEST_F(LoadedProgramFiles, AreEqualForACopyThatDiffersOnlyInWhatIsNotLoaded) {
  Program program, copy, other;
  program.executable = beside_this("equal_code_base");
  copy.executable = folder_ / "copy";
  other.executable = beside_this("equal_code_operation");
  std::filesystem::copy_file(program.executable, copy.executable);
  std::ofstream(copy.executable, std::ios::app) << "not loaded";
  const auto hash = [](const Program& of) {
    const Result<LoadedProgram> loaded = read_loaded_program(of);
    return loaded ? loaded->sha256 : loaded.error().text();
  };
  EXPECT_EQ(hash(program), hash(copy));
  EXPECT_NE(hash(program), hash(other));
}

TEST_F(LoadedProgramFiles, DifferWhereALibraryDoes) {
  Program program, preloaded;
  program.executable = preloaded.executable = beside_this("equal_code_base");
  preloaded.environment["LD_PRELOAD"] = beside_this("libequal_code_library.so").string();
  const Result<LoadedProgram> without = read_loaded_program(program), with = read_loaded_program(preloaded);
  ASSERT_TRUE(without);
  ASSERT_TRUE(with) << with.error().text();
  EXPECT_EQ(with->objects.size(), without->objects.size() + 1);
  EXPECT_NE(with->sha256, without->sha256);
}

TEST_F(LoadedProgramFiles, OfAStaticProgramAreItAlone) {
  Program program;
  program.executable = beside_this("counting_static");
  const Result<LoadedProgram> loaded = read_loaded_program(program);
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_EQ(loaded->objects.size(), 1U);
}

TEST_F(LoadedProgramFiles, OfAScriptAreAnErrorThatNamesIt) {
  Program program;
  program.executable = folder_ / "script";
  std::ofstream(program.executable) << "#!/bin/sh\n";
  const Result<LoadedProgram> loaded = read_loaded_program(program);
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().text(), HasSubstr("script"));
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string opens(const std::string& path, int flags = 0, const std::string& folder = "4294967196") {
  return "SYSCALL[16498,1](257) sys_openat ( " + folder + ", 0x4034bb0(" + path + "), " + std::to_string(flags) +
         " ) --> [async] ... \nSYSCALL[16498,1](257) ... [async] --> Success(0x3) \n";
}

Program program_in(const std::filesystem::path& folder) {
  Program program;
  program.working_directory = folder;
  program.executable = folder / "build" / "bench";
  return program;
}

CountedInputs parsed(const std::string& log) { return parse_opened_files(log, program_in("/source/it"), "/tmp/own"); }

TEST(CountedInputs, AreNamedAsAnotherBuildWouldNameThem) {
  EXPECT_THAT(parsed(opens("data.txt") + opens("/source/it/data.txt") + opens("./more/../data.txt")).files,
              ElementsAre("data.txt"));
  EXPECT_THAT(parsed(opens("/source/it/build/table") + opens("/etc/localtime", 524288)).files,
              ElementsAre("/etc/localtime", "build/table"));
  Program elsewhere = program_in("/source/it");
  elsewhere.working_directory = "/home/me";
  EXPECT_THAT(parse_opened_files(opens("/source/it/build/table"), elsewhere, "/tmp/own").files,
              ElementsAre("$ORIGIN/table"));
}

TEST(CountedInputs, LeaveOutWhatIsOnlyWrittenOrTheKernels) {
  const CountedInputs inputs = parsed(opens("out.txt", 577) + opens("/proc/cpuinfo") + opens("/sys/devices/x", 65536) +
                                      opens("/tmp/own/report", 2) + opens("/etc/ld.so.cache"));
  EXPECT_THAT(inputs.files, IsEmpty());
  EXPECT_EQ(inputs.unknown, "");
}

TEST(CountedInputs, AreNotKnownWhereTheCountItselfChangesThem) {
  EXPECT_THAT(parsed(opens("state.bin", 66)).unknown, HasSubstr("reads and writes state.bin"));
  EXPECT_THAT(parsed(opens("out.txt", 577) + opens("/source/it/out.txt")).unknown, HasSubstr("writes out.txt"));
  EXPECT_EQ(parsed(opens("out.txt", 577) + opens("in.txt")).unknown, "");
}

TEST(CountedInputs, AreNotWholeWhereTheProgramEscapesTheTrace) {
  EXPECT_THAT(parsed(opens("name", 0, "7")).unknown, HasSubstr("below a folder"));
  EXPECT_THAT(parsed(opens("data", 591872)).unknown, HasSubstr("lists the folder data"));
  EXPECT_THAT(parsed(opens("two\nlines")).unknown, HasSubstr("name"));
  EXPECT_THAT(parsed("SYSCALL[1,1](257) sys_openat ( 4294967196, 0x0, 0 ) --> \n").unknown, HasSubstr("name"));
  EXPECT_THAT(parsed("SYSCALL[1,1](80) sys_chdir ( 0x10a017(/) )[sync] --> \n").unknown, HasSubstr("folder"));
  EXPECT_THAT(parsed("SYSCALL[1,1](42) sys_connect ( 3, 0x1, 16 )\n").unknown, HasSubstr("socket"));
  EXPECT_THAT(parsed("SYSCALL[1,1](56) sys_clone ( 1200011, 0x0, 0x0, 0x4d45d90, 0x0 )\n").unknown,
              HasSubstr("processes"));
  EXPECT_EQ(parsed("SYSCALL[1,1](56) sys_clone ( 3d0f00, 0x5548f70, 0x5549990 )\n").unknown, "") << "a thread";
  EXPECT_NE(CountedInputs{}.unknown, "") << "nobody looked";
}

TEST(CountedInputs, AreFoundWhereTwoThreadsWriteOneLine) {
  const std::string log =
      "SYSCALL[9,1](56) sys_clone ( 3d0f00, 0x1 ) --> Success(0x1) SYSCALL[9,2](2) sys_open ( 0x5(in.txt), 0 ) --> \n";
  EXPECT_THAT(parsed(log).files, ElementsAre("in.txt"));
}

TEST(CountedInputs, LeaveValgrindsOwnWordsInTheLog) {
  EXPECT_EQ(without_trace("==1== Callgrind\n" + opens("a") + " --> [pre-fail] Failure(0x26) \n==1== the end\n"),
            "==1== Callgrind\n==1== the end\n");
}

class InputFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "steelyard-inputs-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    for (const char* side : {"a", "b"}) {
      std::filesystem::create_directories(folder_ / side / "build");
      std::ofstream(folder_ / side / "data.txt") << "same";
    }
    inputs_.unknown.clear();
    inputs_.files = {"data.txt", "not_there.txt"};
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  InputHashes hashes(const std::string& side) const {
    const Result<InputHashes> read = hash_inputs(inputs_, program_in(folder_ / side), loaded_);
    return read ? *read : InputHashes{{"error", read.error().text()}};
  }
  std::filesystem::path folder_;
  CountedInputs inputs_;
  LoadedProgram loaded_;
};

TEST_F(InputFiles, OfEqualContentHashAlikeOnBothSides) {
  EXPECT_EQ(hashes("a").size(), 2U);
  EXPECT_EQ(hashes("a").at("not_there.txt"), "absent");
  EXPECT_EQ(hashes("a"), hashes("b"));
  std::ofstream(folder_ / "b" / "data.txt") << "other";
  EXPECT_NE(hashes("a"), hashes("b"));
}

TEST_F(InputFiles, BehindASymbolicLinkAreTheBuildsOwn) {
  std::filesystem::create_directory_symlink(folder_ / "a", folder_ / "link");
  const std::string seen = (std::filesystem::canonical(folder_) / "a" / "data.txt").string();  // by getcwd()
  Program program = program_in(folder_ / "link");
  program.executable = "/bin/true";
  EXPECT_THAT(parse_opened_files(opens(seen), program, "/tmp/own").files, ElementsAre("data.txt"));
}

TEST_F(InputFiles, ThatAppearDiffer) {
  std::ofstream(folder_ / "b" / "not_there.txt") << "";
  EXPECT_NE(hashes("a"), hashes("b"));
}

TEST_F(InputFiles, LeaveOutTheLibraries) {
  loaded_.objects.push_back({folder_ / "a" / "data.txt", "hash"});
  EXPECT_EQ(hashes("a").count("data.txt"), 0U);
}

TEST_F(InputFiles, ThatCannotAllBeKnownAreAnError) {
  inputs_.files = {"build"};
  EXPECT_EQ(hashes("a").count("error"), 1U) << "a folder";
  inputs_.unknown = "it starts other processes";
  EXPECT_THAT(hashes("a").at("error"), HasSubstr("other processes"));
}

TEST_F(InputFiles, AboveTheLimitAreAnError) {
  inputs_.files.clear();
  for (int i = 0; i < 257; ++i) inputs_.files.push_back("not_there_" + std::to_string(i));
  EXPECT_THAT(hashes("a").at("error"), HasSubstr("256"));
}

}  // namespace

}  // namespace steelyard::bench::counted_inputs_test
