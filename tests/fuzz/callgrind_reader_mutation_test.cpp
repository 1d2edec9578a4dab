// Seeded mutations of real profiles, by line as well as by byte; corpus_test.cpp has those of all readers.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>

#include "bench/counting/reader/callgrind_reader.hpp"
#include "tests/fuzz/claims.hpp"
#include "tests/promised.hpp"

namespace steelyard::callgrind_reader_mutation_test {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The distributions of the standard library differ between libraries; the engine does not.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }

 private:
  std::mt19937_64 engine_;
};

std::pair<std::size_t, std::size_t> some_line(const std::string& text, Chance& chance) {
  const std::size_t middle = chance.below(text.size());
  const std::size_t before = text.rfind('\n', middle);
  const std::size_t start = before == std::string::npos || before == middle ? middle : before + 1;
  return {start, std::min(text.find('\n', middle), text.size() - 1) + 1 - start};
}

// One change: what a full disk, a careless editor or an enemy may do.
void mutate(std::string& text, Chance& chance) {
  static const std::vector<std::string> kPieces = {"0",
                                                   "-",
                                                   "+",
                                                   "*",
                                                   "0x",
                                                   " ",
                                                   "\n",
                                                   "=",
                                                   "(1)",
                                                   "(99999999)",
                                                   "fn=",
                                                   "cfn=(2)\ncalls=1 5\n3 4\n",
                                                   "totals: 0\n",
                                                   "part: 9\n",
                                                   "events: Ir Dr\n",
                                                   "9223372036854775807",
                                                   "18446744073709551616",
                                                   std::string(1, '\0'),
                                                   "-5 7\n"};
  if (text.empty()) return;
  const std::size_t at = chance.below(text.size());
  const auto [line, length] = some_line(text, chance);
  switch (chance.below(7)) {
    case 0:
      text[at] = static_cast<char>(chance.below(256));
      break;
    case 1:
      text[at] = static_cast<char>('0' + chance.below(10));
      break;
    case 2:
      text.resize(at);
      break;
    case 3:
      text.erase(line, length);
      break;
    case 4:
      text.insert(line, text.substr(line, length));
      break;
    case 5:
      text.insert(at, kPieces[chance.below(kPieces.size())]);
      break;
    default:
      text.insert(some_line(text, chance).first, text.substr(line, length));
  }
}

TEST(CallgrindReaderMutations, NoMutationOfAProfileBreaksAClaim) {
  Chance chance(1);
  std::size_t accepted = 0;
  for (const std::string file :
       {"03_jumps_instr/callgrind.out", "05_threads/callgrind.out-03", "06_parts_toggle/callgrind.out.2",
        "07_parts_combined/callgrind.out", "08_recursion/default.callgrind.out", "08_recursion/merged.callgrind.out",
        "11_callee_toggle/compressed.callgrind.out"}) {
    const std::string whole = text_of(std::filesystem::path(STEELYARD_GOLDEN_CALLGRIND) / file);
    ASSERT_FALSE(whole.empty()) << file;
    for (int mutant = 0; mutant < 1500; ++mutant) {
      std::string text = whole;
      for (std::size_t changes = 1 + chance.below(4); changes > 0; --changes) mutate(text, chance);
      const auto broken = testkit::broken_claim_about_callgrind(text);
      ASSERT_FALSE(broken) << file << ", mutant " << mutant << ": " << *broken << "\n" << text;
      if (bench::parse_callgrind(text, "profile")) ++accepted;
    }
  }
  // Most are refused; were none accepted, the claims about what is accepted would not have been tried.
  EXPECT_GT(accepted, 100u);
  EXPECT_LT(accepted, 4500u);
}

}  // namespace
}  // namespace steelyard::callgrind_reader_mutation_test
