#include "ci/measuring/relink.hpp"

#include <elf.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/environment/elf_file.hpp"
#include "bench/model/elapsed.hpp"
#include "bench/model/random.hpp"
#include "ci/measuring/build.hpp"

namespace steelyard::ci {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTriesOfLayout = 4;
constexpr Nanoseconds kMaxTime = seconds(600);
// Between functions that are put in another order lies other padding.
constexpr double kPadding = 0.01;
constexpr double kPageBytes = 4096;
// Of a function that several files define, the first file's is taken, and it may be compiled in another way there.
constexpr double kMaxOtherFunctions = 0.05;

// In the range that every tool's generator takes.
std::uint64_t drawn_seed(std::uint64_t seed, std::uint64_t index) {
  return split_mix_at(seed, index) % 0x7fffffffULL + 1;
}

// What of a program another order of its functions does not change, and what tells one order from another.
struct Code {
  double bytes = 0;                                              // of all that is executed
  std::vector<std::pair<std::string, std::uint64_t>> functions;  // with their sizes, sorted; empty: it is stripped
  std::string loaded;                                            // hash of what a process has in memory
};

Result<Code> code_of(const std::filesystem::path& program) {
  STEELYARD_TRY(const bench::MappedFile file, bench::MappedFile::open(program));
  STEELYARD_TRY(const bench::ElfFile elf, bench::read_elf(file.bytes()));
  STEELYARD_TRY(bench::LoadedSections loaded, bench::read_loaded_sections(file.bytes()));
  Code code;
  code.loaded = std::move(loaded.sha256);
  for (const bench::ElfSection& section : elf.sections) {
    if ((section.flags & SHF_EXECINSTR) != 0) code.bytes += static_cast<double>(section.size);
  }
  for (const bench::ElfSymbol& symbol : elf.symbols()) {
    if (symbol.defined && symbol.type == STT_FUNC) code.functions.emplace_back(symbol.name, symbol.size);
  }
  std::sort(code.functions.begin(), code.functions.end());
  return code;
}

// What speaks against taking the two for one program; empty: nothing.
std::string difference(const Code& built, const Code& linked) {
  if (std::abs(built.bytes - linked.bytes) > kPadding * built.bytes + kPageBytes) {
    return to_text(Bytes(static_cast<std::int64_t>(linked.bytes))) + " of code, where the program as built has " +
           to_text(Bytes(static_cast<std::int64_t>(built.bytes)));
  }
  if (built.functions.empty() || linked.functions.empty()) return "";
  std::vector<std::pair<std::string, std::uint64_t>> other;
  std::set_symmetric_difference(built.functions.begin(), built.functions.end(), linked.functions.begin(),
                                linked.functions.end(), std::back_inserter(other));
  if (static_cast<double>(other.size()) <= kMaxOtherFunctions * static_cast<double>(built.functions.size())) return "";
  return "other functions, or of another size: " + std::to_string(other.size()) + ", as " + other.front().first +
         ", beside " + std::to_string(built.functions.size()) + " of the program as built";
}

// Objects in another order register their benchmarks in another order.
std::set<std::string> names_of(const bench::ListedProgram& listed) {
  std::set<std::string> names;
  for (const bench::ListedBenchmark& benchmark : listed.benchmarks()) names.insert(benchmark.name);
  return names;
}

std::string names_difference(const bench::ListedProgram& built, const bench::ListedProgram& linked, bool is_part) {
  const std::set<std::string> before = names_of(built);
  const std::set<std::string> now = names_of(linked);
  for (const std::string& name : before) {
    if (!now.contains(name)) return "a program without " + name;
  }
  if (is_part) return "";
  for (const std::string& name : now) {
    if (!before.contains(name)) return "a program with " + name + ", which the one as built has not";
  }
  return "";
}

class Relinking {
 public:
  Relinking(ListedPair& pair, const bench::MeasuringSettings& settings, const std::atomic<bool>* cancelled)
      : settings_(settings), cancelled_(cancelled), is_part_(pair.elsewhere > 0) {
    if (!pair.is_new) sides_.push_back({bench::Side::baseline, "the baseline", &pair.baseline, {}, {}});
    sides_.push_back({bench::Side::candidate, "the candidate", &pair.candidate, {}, {}});
    std::error_code failure;
    one_file_ = !pair.is_new && std::filesystem::equivalent(pair.baseline.program.executable,
                                                            pair.candidate.program.executable, failure);
  }

  Result<bench::PrivateFolder> run() && {
    STEELYARD_TRY(bench::PrivateFolder folder, bench::PrivateFolder::create());
    STEELYARD_CHECK(look_at_built());
    std::vector<std::vector<bench::LinkedLayout>> layouts(sides_.size());
    const auto wanted = static_cast<std::size_t>(settings_.relinks);
    int tries = 0;
    for (; tries < kTriesOfLayout * settings_.relinks && layouts.back().size() < wanted; ++tries) {
      std::vector<bench::LinkedLayout> linked;
      std::vector<std::string> known;
      for (OneSide& side : sides_) {
        if (is_cancelled()) return folder;
        STEELYARD_CHECK(check_time());
        const auto index =
            static_cast<std::uint64_t>(tries) * 2 + (one_file_ && side.side == bench::Side::candidate ? 1 : 0);
        STEELYARD_TRY(bench::LinkedLayout layout, link(side, folder, drawn_seed(settings_.seed, index), tries));
        if (is_cancelled()) return folder;
        STEELYARD_TRY(known.emplace_back(), look_at(side, layout));
        if (known.back().empty()) break;
        linked.push_back(std::move(layout));
      }
      if (linked.size() < sides_.size()) continue;
      for (std::size_t i = 0; i < sides_.size(); ++i) {
        layouts[i].push_back(std::move(linked[i]));
        sides_[i].known.insert(std::move(known[i]));
      }
    }
    if (layouts.back().size() < wanted) {
      return input_error(
          where(), std::to_string(layouts.back().size()) + " different programs by " + std::to_string(tries) + " seeds",
          std::to_string(wanted) + ", as $STEELYARD_LAYOUT_SEED decides the order",
          layouts.back().size() < 2
              ? "use the seed: it has to change what is linked; or measure without --relink"
              : "use the seed, or ask for fewer: --relinks " + std::to_string(layouts.back().size()));
    }
    for (std::size_t i = 0; i < sides_.size(); ++i) sides_[i].listed->program.layouts = std::move(layouts[i]);
    return folder;
  }

 private:
  struct OneSide {
    bench::Side side;
    std::string name;
    bench::ListedProgram* listed;
    Code built;
    std::set<std::string> known;  // what was linked so far
  };

  static std::string where() { return "--relink"; }
  bool is_cancelled() const { return cancelled_ != nullptr && cancelled_->load(); }
  std::string what(const OneSide& side, std::uint64_t seed) const {
    return where() + ", " + side.name + " with seed " + std::to_string(seed);
  }

  Result<void> check_time() const {
    const Nanoseconds spent = since(begun_);
    if (spent < kMaxTime) return {};
    return input_error(where(), "commands that took " + to_text(spent) + " together", "at most " + to_text(kMaxTime),
                       "ask for fewer layouts with --relinks, or link faster");
  }

  Result<void> look_at_built() {
    for (OneSide& side : sides_) {
      const std::filesystem::path& program = side.listed->program.executable;
      if (bench::is_script(program)) {
        return input_error(where(), program.string() + ", a script", "the program itself, which can be linked again");
      }
      STEELYARD_TRY(side.built, code_of(program));
    }
    return {};
  }

  Result<bench::LinkedLayout> link(const OneSide& side, const bench::PrivateFolder& folder, std::uint64_t seed,
                                   int number) const {
    const bench::Program& program = side.listed->program;
    const std::filesystem::path built = std::filesystem::absolute(program.executable);
    bench::LinkedLayout layout{seed, folder.of(side.side) / std::to_string(number) / built.filename()};
    std::error_code failure;
    std::filesystem::create_directories(layout.executable.parent_path(), failure);
    if (failure) return input_error(layout.executable.string(), failure.message(), "a new folder", "free space there");
    BuildRequest request{program.working_directory, settings_.relink, settings_.timeout, what(side, seed)};
    request.confinement = program.confinement;
    request.variables = {{"STEELYARD_LAYOUT_SEED", std::to_string(seed)},
                         {"STEELYARD_PROGRAM", built.string()},
                         {"STEELYARD_BUILD", built.parent_path().string()},
                         {"STEELYARD_OUTPUT", layout.executable.string()}};
    const auto done = run_shell(request, cancelled_);
    if (!done && !is_cancelled()) {
      Error error = done.error();
      error.kind = ErrorKind::input;  // the command is the user's, and nothing was measured
      return error;
    }
    return layout;
  }

  // What a process of it has in memory, by which it is known; empty: an earlier seed gave the same, or cancelled.
  Result<std::string> look_at(const OneSide& side, const bench::LinkedLayout& layout) const {
    const std::string here = what(side, layout.seed);
    std::error_code failure;
    if (!std::filesystem::is_regular_file(layout.executable, failure)) {
      return input_error(here, "nothing at $STEELYARD_OUTPUT", "the program, linked in another order");
    }
    Result<Code> code = code_of(layout.executable);
    if (!code) return input_error(here, code.error().found, "a program");
    if (side.known.contains(code->loaded)) return std::string();
    bench::Program program = side.listed->program;
    program.executable = layout.executable;
    const Result<bench::ListedProgram> listed = bench::list_benchmarks(program, settings_, cancelled_);
    if (is_cancelled()) return std::string();
    if (!listed) return input_error(here, listed.error().found, listed.error().wanted);
    if (listed->trouble) return input_error(here, "a program that fails: " + listed->trouble->text(), "its benchmarks");
    std::string other = names_difference(*side.listed, *listed, is_part_);
    if (other.empty()) other = difference(side.built, *code);
    if (!other.empty()) return input_error(here, other, "the same code in another order");
    return std::move(code->loaded);
  }

  const bench::MeasuringSettings& settings_;
  const std::atomic<bool>* cancelled_;
  bool is_part_;  // other machines measure more of the program's benchmarks
  std::vector<OneSide> sides_;
  bool one_file_ = false;
  Clock::time_point begun_ = Clock::now();
};

}  // namespace

Result<bench::PrivateFolder> relink(ListedPair& pair, const bench::MeasuringSettings& settings,
                                    const std::atomic<bool>* cancelled) {
  if (pair.any_trouble() || settings.relink.empty()) return bench::PrivateFolder::create();
  return Relinking(pair, settings, cancelled).run();
}

}  // namespace steelyard::ci
