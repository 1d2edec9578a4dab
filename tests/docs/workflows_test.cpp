// The files that CI services read: what a repository adds, and what it includes by it. Whether they are well formed is
// asked of the services' schemas by hand (tests/ci/gate_scripts/check_workflows.sh). Here is what those do not ask.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "ci/git/ci_job.hpp"
#include "tests/docs/markdown_page.hpp"

namespace steelyard::documentation::workflows_test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string file_text(const fs::path& file) {
  std::ifstream stream(fs::path(STEELYARD_SOURCE_FOLDER) / file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Fenced blocks that are a CI service's configuration, and the files themselves, by the place they stand in.
std::vector<std::pair<std::string, std::string>> configurations() {
  std::vector<std::pair<std::string, std::string>> found;
  for (const char* file : {"ci/github/action.yml", "ci/github/report/action.yml", ".github/workflows/gate.yml",
                           ".github/workflows/report.yml", "ci/gitlab/steelyard.gitlab-ci.yml", "templates/gate.yml",
                           "templates/shards.yml", ".github/workflows/shards.yml", ".github/workflows/checks.yml"}) {
    found.emplace_back(file, file_text(file));
  }
  for (const MarkdownPage& page : read_pages()) {
    const std::string text = file_text(page.path);
    const std::string begin = "```yaml\n";
    for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
      const std::size_t first = at + begin.size();
      found.emplace_back(page.path, text.substr(first, text.find("```", first) - first));
    }
  }
  return found;
}

std::vector<std::string> all_matches(const std::string& text, const std::string& pattern) {
  std::vector<std::string> found;
  const std::regex expression(pattern);
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match) {
    found.push_back((*match)[1]);
  }
  return found;
}

// What each `run:` has, on its line or on the lines below it that stand deeper.
std::vector<std::string> scripts_of(const std::string& text) {
  std::vector<std::string> scripts;
  std::istringstream lines(text);
  std::size_t depth = std::string::npos;  // of the `run:` whose lines follow
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find_first_not_of(" -");
    if (at == std::string::npos) continue;
    if (depth != std::string::npos && at > depth) {
      scripts.back() += '\n' + line;
      continue;
    }
    depth = line.compare(at, 4, "run:") == 0 ? at : std::string::npos;
    if (depth != std::string::npos) scripts.push_back(line);
  }
  return scripts;
}

TEST(Workflows, TakeActionsOfOthersByCommit) {
  std::size_t actions = 0;
  for (const auto& [place, text] : configurations()) {
    for (const std::string& action : all_matches(text, "uses: ([^\\s]+)")) {
      ++actions;
      // Ours: whoever adds a file chooses what it pins, and what they add takes its own commit.
      const bool is_ours = action.starts_with(
          place.ends_with(".md") || place.starts_with("ci/") ? "steelyard/steelyard/" : "./.steelyard-action/");
      if (is_ours) continue;
      EXPECT_TRUE(std::regex_match(action, std::regex("[^@]+@[0-9a-f]{40}"))) << place << ": " << action;
    }
  }
  EXPECT_GE(actions, 8U);
}

TEST(Workflows, TakeTheActionOfTheirOwnCommit) {
  for (const char* file :
       {".github/workflows/gate.yml", ".github/workflows/report.yml", ".github/workflows/shards.yml"}) {
    const std::string text = file_text(file);
    const std::size_t jobs = all_matches(text, "\n(    steps:)\n").size();
    EXPECT_EQ(all_matches(text, "uses: (\\./\\.steelyard-action/ci/github)").size(), jobs) << file;
    EXPECT_EQ(all_matches(text, "(ref: \\$\\{\\{ job\\.workflow_sha \\}\\})").size(), jobs) << file;
    EXPECT_THAT(text, HasSubstr("repository: ${{ job.workflow_repository }}\n          ref: ${{ job.workflow_sha }}\n"
                                "          path: .steelyard-action\n"))
        << file;
    EXPECT_THAT(text, HasSubstr("if: ${{ !job.workflow_sha || !job.workflow_repository }}")) << file;
  }
}

TEST(Workflows, TellOfAForksRunThatEndedByItselfAlone) {
  const std::string text = file_text(".github/workflows/report.yml");
  EXPECT_THAT(text,
              HasSubstr("contains(fromJSON('[\"success\", \"failure\"]'), github.event.workflow_run.conclusion)"));
  EXPECT_THAT(text, Not(HasSubstr("continue-on-error"))) << "a download that failed says nothing of the archives";
  EXPECT_THAT(text, HasSubstr("pattern: ${{ inputs.artifact }}")) << "an artifact that is not there fails no download";
}

TEST(Workflows, RunNoForksCodeWithRights) {
  for (const auto& [place, text] : configurations()) {
    EXPECT_THAT(text, Not(HasSubstr("pull_request_target"))) << place;
    EXPECT_THAT(text, Not(HasSubstr("write-all"))) << place;
    // What is pushed to a branch that is the repository's own may be a job's right, of no job of a request.
    if (text.find("contents: write") != std::string::npos) {
      EXPECT_THAT(text, AllOf(HasSubstr("\n    permissions: {contents: write}"), HasSubstr("\n  push: {branches: ["),
                              Not(HasSubstr("pull_request")), Not(HasSubstr("workflow_run"))))
          << place;
    }
    const bool is_workflow = text.find("\njobs:") != std::string::npos;
    if (is_workflow) {
      EXPECT_THAT(text, HasSubstr("\npermissions: {}\n")) << place;
    }
  }
  // What has rights checks out no commit that an event names.
  EXPECT_EQ(all_matches(file_text(".github/workflows/report.yml"), "\\sref: ([^\n]*)"),
            std::vector<std::string>{"${{ job.workflow_sha }}"});
}

TEST(Workflows, KeepNoCredentialsInACheckout) {
  for (const auto& [place, text] : configurations()) {
    EXPECT_EQ(all_matches(text, "(actions/checkout@)").size(), all_matches(text, "(persist-credentials: false)").size())
        << place;
  }
}

TEST(Workflows, PasteNoInputIntoAScript) {
  for (const auto& [place, text] : configurations()) {
    for (const std::string& script : scripts_of(text)) EXPECT_THAT(script, Not(HasSubstr("${{"))) << place;
  }
}

TEST(Workflows, EndASupersededJobAndNoOtherOne) {
  for (const char* file :
       {".github/workflows/gate.yml", ".github/workflows/shards.yml", ".github/workflows/report.yml"}) {
    const std::string text = file_text(file);
    EXPECT_THAT(text, HasSubstr("cancel-in-progress: true")) << file;
    const std::vector<std::string> groups = all_matches(text, "\n  group: ([^\n]+)");
    ASSERT_EQ(groups.size(), 1U) << file;
    for (const char* part : {"github.workflow }}", "inputs.key }}"}) EXPECT_THAT(groups[0], HasSubstr(part)) << file;
  }
  EXPECT_THAT(file_text(".github/workflows/gate.yml"), HasSubstr("-${{ inputs.runs-on }}-"));
  EXPECT_THAT(file_text("ci/gitlab/steelyard.gitlab-ci.yml"), HasSubstr("interruptible: true"));
  // One that was ended tells nothing and keeps nothing, though a gate that failed is told.
  for (const char* file : {"ci/github/action.yml", "ci/github/report/action.yml"}) {
    const std::string text = file_text(file);
    EXPECT_THAT(text, Not(HasSubstr("always()"))) << file;
    for (const char* step : {"    - name: Publish\n", "uses: actions/upload-artifact@"}) {
      const std::size_t at = text.find(step);
      ASSERT_NE(at, std::string::npos) << file << ": " << step;
      const std::string condition = text.substr(text.find("\n      if: ", text.rfind("    - name: ", at)));
      EXPECT_TRUE(condition.starts_with("\n      if: ${{ !cancelled() && steps.")) << file << ": " << step;
    }
  }
}

// What the first file of a repository names, the included one has.
TEST(FirstFile, IsAtMostTwelveLinesAndTheSameInReadmeAndGuide) {
  std::vector<std::string> blocks;
  for (const auto& [place, text] : configurations()) {
    if (text.find("bench: build/my_bench") != std::string::npos && place.ends_with(".md")) blocks.push_back(text);
  }
  ASSERT_EQ(blocks.size(), 4U);
  for (const std::string& block : blocks) EXPECT_LE(std::count(block.begin(), block.end(), '\n'), 12) << block;
  EXPECT_EQ(blocks[0], blocks[2]);
  EXPECT_EQ(blocks[1], blocks[3]);
  EXPECT_THAT(blocks[0], HasSubstr("uses: steelyard/steelyard/.github/workflows/gate.yml@v0"));
  EXPECT_THAT(blocks[1], HasSubstr("\n      packages: cmake g++ make libbenchmark-dev\n"));
  EXPECT_THAT(file_text("templates/gate.yml"), HasSubstr("STEELYARD_PACKAGES: $[[ inputs.packages ]]"));
  EXPECT_THAT(blocks[1], HasSubstr("component: $CI_SERVER_FQDN/steelyard/steelyard/gate@v0"));
  for (const char* input : {"build", "bench", "packages"}) {
    EXPECT_THAT(file_text(".github/workflows/gate.yml"),
                HasSubstr(std::string("\n      ") + input + ": {type: string"));
    EXPECT_THAT(file_text("templates/gate.yml"), HasSubstr(std::string("\n    ") + input + ":\n"));
  }
  for (const char* input : {"build", "bench"}) {
    EXPECT_THAT(file_text("ci/github/action.yml"), HasSubstr(std::string("\n  ") + input + ":\n"));
  }
}

// Whoever includes a file may have baselines' builds kept, and nobody has them kept unasked.
TEST(KeptBuildsOfJobs, AreAnInputOfEveryFileThatMeasures) {
  for (const char* file : {".github/workflows/gate.yml", ".github/workflows/shards.yml"}) {
    EXPECT_THAT(file_text(file), AllOf(HasSubstr("\n      cache-builds: {type: boolean, default: false, "),
                                       HasSubstr("\n          cache-builds: ${{ inputs.cache-builds }}\n")))
        << file;
  }
  for (const char* file : {"templates/gate.yml", "templates/shards.yml"}) {
    const std::string text = file_text(file);
    const std::string input = text.substr(text.find("\n    cache-builds:\n"), 250);
    EXPECT_THAT(input, HasSubstr("\n      type: boolean\n      default: false\n")) << file;
    EXPECT_THAT(text, HasSubstr("\n    STEELYARD_CACHE_BUILDS: \"$[[ inputs.cache-builds ]]\"\n")) << file;
  }
  const std::string action = file_text("ci/github/action.yml");
  EXPECT_THAT(action.substr(action.find("\n  cache-builds:\n"), 250), HasSubstr("\n    default: \"false\"\n"));
}

// A request whose gate fails is the one that is pushed again.
TEST(KeptBuildsOfJobs, AreKeptWhereTheGateFailedAsWell) {
  const std::string action = file_text("ci/github/action.yml");
  const std::size_t gate = action.find("    - name: Gate\n");
  EXPECT_NE(
      action.find("if: ${{ !cancelled() && inputs.cache-builds == 'true' }}\n      uses: actions/cache/save@", gate),
      std::string::npos);
  EXPECT_THAT(file_text("ci/gitlab/steelyard.gitlab-ci.yml"),
              HasSubstr("\n    paths: [.steelyard-cache/]\n    when: always"));
}

// What the files of a runner matrix name, action and template have; and every shard of the matrix is measured.
TEST(SharedSuite, OfTheGuideNamesWhatActionAndTemplateTake) {
  std::vector<std::string> blocks;
  for (const auto& [place, text] : configurations()) {
    if (text.find("/shards") != std::string::npos && place.ends_with(".md")) blocks.push_back(text);
  }
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_THAT(blocks[0], HasSubstr("uses: steelyard/steelyard/.github/workflows/shards.yml@v0"));
  EXPECT_THAT(blocks[0], HasSubstr("shards: \"[1, 2, 3, 4]\"\n"));
  EXPECT_THAT(blocks[1], HasSubstr("component: $CI_SERVER_FQDN/steelyard/steelyard/shards@v0"));
  const std::string workflow = file_text(".github/workflows/shards.yml");
  for (const std::string& input : all_matches(blocks[0].substr(blocks[0].find("with:") + 5), "\n +([a-z]+):")) {
    EXPECT_THAT(workflow, HasSubstr("\n      " + input + ": {type: string"));
  }
  EXPECT_THAT(workflow, HasSubstr("shard: ${{ matrix.shard }}/${{ strategy.job-total }}\n"));
  for (const char* input : {"shard", "arguments", "artifact", "comment", "check", "merge"}) {
    EXPECT_THAT(workflow, HasSubstr(std::string("\n          ") + input + ": "));
    EXPECT_THAT(file_text("ci/github/action.yml"), HasSubstr(std::string("\n  ") + input + ":\n"));
  }
  const std::string component = file_text("templates/shards.yml");
  for (const std::string& input : all_matches(blocks[1].substr(blocks[1].find("inputs:") + 7), "\n +([a-z]+):")) {
    EXPECT_THAT(component, HasSubstr("\n    " + input + ":\n"));
  }
  EXPECT_THAT(component, HasSubstr("STEELYARD_ARGUMENTS: --shard $CI_NODE_INDEX/$CI_NODE_TOTAL "));
  for (const char* variable : {"STEELYARD_ARGUMENTS", "STEELYARD_MERGE"}) {
    EXPECT_THAT(component, HasSubstr(std::string("\n    ") + variable + ": "));
    EXPECT_THAT(file_text("ci/gitlab/steelyard.gitlab-ci.yml"), HasSubstr(std::string("\n    ") + variable + ": \"\""));
    EXPECT_THAT(file_text("ci/gitlab/gate.sh"), HasSubstr(std::string("${") + variable + ":-"));
  }
}

// Every file below tests/ with that ending, one behind the other.
std::string texts_of_tests(const std::string& ending) {
  std::string text;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(fs::path(STEELYARD_SOURCE_FOLDER) / "tests")) {
    if (!entry.path().filename().string().ends_with(ending)) continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    text.append(std::istreambuf_iterator<char>(stream), {});
  }
  return text;
}

// The table of what makes people switch gates off: each test that it names is there, of GoogleTest as of CTest.
TEST(Complaints, AreMetByTestsThatThereAre) {
  const std::string page = file_text("docs/guide/pull_requests.md");
  const std::string table = page.substr(page.find("| complaint | met by |"));
  const std::string tests = texts_of_tests(".cpp");
  const std::vector<std::string> names = all_matches(table, "`([A-Z][A-Za-z]+\\.[A-Z][A-Za-z]+)`");
  EXPECT_GE(names.size(), 8U);
  for (const std::string& name : names) {
    const std::size_t dot = name.find('.');
    EXPECT_THAT(tests, HasSubstr("(" + name.substr(0, dot) + ", " + name.substr(dot + 1) + ")")) << name;
  }
  // Shell and Python by their names in CTest, of which a part may stand for each of a list: gate_scripts_${service}.
  std::vector<std::regex> scripts;
  for (const std::string& name : all_matches(texts_of_tests("CMakeLists.txt"), "add_test\\(NAME ([a-z][a-z_${}]*)")) {
    scripts.emplace_back(std::regex_replace(name, std::regex("\\$\\{[a-z_]+\\}"), "[a-z]+"));
  }
  const std::vector<std::string> named = all_matches(table, "`([a-z]+_[a-z_]+)`");
  EXPECT_GE(named.size(), 2U);
  for (const std::string& name : named) {
    EXPECT_TRUE(std::any_of(scripts.begin(), scripts.end(), [&name](const std::regex& script) {
      return std::regex_match(name, script);
    })) << name;
  }
  // The steps of a script, by its comments.
  const std::string script = file_text("tests/ci/gate_scripts/gate_scripts_test.sh");
  for (const char* part : {"`gate_scripts_github`, steps? ([0-9])", "`gate_scripts_github`, steps [0-9] and ([0-9])"}) {
    const std::vector<std::string> steps = all_matches(table, part);
    EXPECT_FALSE(steps.empty());
    for (const std::string& step : steps) EXPECT_THAT(script, HasSubstr("\n# " + step + ". ")) << step;
  }
}

TEST(Complaints, AreEachMetByATestOrAPage) {
  const std::string page = file_text("docs/guide/pull_requests.md");
  std::istringstream lines(page.substr(page.find("| complaint | met by |")));
  int rows = 0;
  for (std::string line; std::getline(lines, line) && line.starts_with("|"); ++rows) {
    if (rows < 2) continue;  // the head
    EXPECT_TRUE(line.find("](") != std::string::npos || line.find('`') != std::string::npos) << line;
  }
  EXPECT_GE(rows, 30);
}

TEST(OtherServices, ThePageNamesEveryVariableThatIsLookedAt) {
  const std::string page = file_text("docs/guide/other_ci.md");
  for (const ci::CiService& service : ci::kCiServices) {
    EXPECT_THAT(page, HasSubstr("| " + std::string(service.name) + " |"));
    if (!service.sign.empty()) {
      EXPECT_THAT(page, HasSubstr("`" + std::string(service.sign) +
                                  (service.value.empty() ? "" : "=" + std::string(service.value)) + "`"));
    }
    for (const auto* fact :
         {&service.commit, &service.branch, &service.base_branch, &service.request, &service.build}) {
      for (const std::string_view variable : *fact) {
        if (variable.empty()) continue;
        EXPECT_THAT(page, HasSubstr("`" + std::string(variable) + "`")) << service.name;
      }
    }
  }
}

}  // namespace
}  // namespace steelyard::documentation::workflows_test
