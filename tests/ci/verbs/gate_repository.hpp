// A small repository whose "build" copies a program of the fixture into place, and the gate on it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/ci/git/temporary_repository.hpp"
#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci {

class Gate : public ProgramUnderTest {
 protected:
  void SetUp() override {
    ProgramUnderTest::SetUp();
    std::filesystem::current_path(made_.root());
    made_.write("steelyard.toml",
                "[project]\nname = \"fixture\"\n[build]\ncommand = \"sh build.sh\"\n[[program]]\nname = \"bench\"\n"
                "command = \"out/bench\"\n[run]\nmin_time = \"1ms\"\nrounds = 12\ncounts = \"never\"\n"
                // Trying both layouts takes two thirds of all processes: one test of these has it.
                "layout = \"interleaved\"\n"
                // The slow program does thirty times the work: noise cannot decide these tests.
                "[policy]\nminimum_effect = 0.5\n");
    commit("start", "fast");
  }
  // A commit whose build puts that fixture program into out/bench.
  void commit(const std::string& subject, const std::string& program) {
    commit_script(subject, "mkdir -p out && cp '" + fixture(program) + "' out/bench");
  }
  void commit_script(const std::string& subject, const std::string& script) {
    made_.write("build.sh", script + "\n# " + subject + "\n");
    made_.commit(subject);
  }
  Outcome gate(std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), {"gate", "--no-store"});
    return run(arguments);
  }
  void expect_no_work_trees_left() const { EXPECT_FALSE(std::filesystem::exists(made_.root() / ".git/worktrees")); }
  TemporaryRepository made_;
};

}  // namespace steelyard::ci
