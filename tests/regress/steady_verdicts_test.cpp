// The same runs, histories, sweeps and targets give the same bytes where the C library picks other variants of its
// functions, as it does on another processor.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

namespace steelyard::regress::steady_verdicts_test {
namespace {

constexpr const char* kWithoutFusedAdd = "GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2 ";

std::string output_of(const std::string& environment) {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::string command = environment + '"' + (folder / "print_verdicts").string() + "\" 120 1";
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  std::array<char, 4096> part{};
  for (std::size_t n = 0; (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;) text.append(part.data(), n);
  return pclose(pipe) == 0 ? text : "";
}

std::string without_first_line(const std::string& text) { return text.substr(text.find('\n') + 1); }

TEST(SteadyVerdicts, AreTheSameBytesWithOtherVariantsOfTheLibrary) {
  const std::string usual = output_of("");
  const std::string other = output_of(kWithoutFusedAdd);
  ASSERT_GT(usual.size(), 30'000U);
  for (const char* kind : {"\nchange ", "\nprediction ", "\nsweep ", "\ntarget "}) {
    EXPECT_NE(usual.find(kind), std::string::npos) << kind;
  }
  const bool differ = usual.substr(0, usual.find('\n')) != other.substr(0, other.find('\n'));
  RecordProperty("library_variants_differ", differ ? "yes" : "no");
  const std::string a = without_first_line(usual);
  const std::string b = without_first_line(other);
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  EXPECT_TRUE(a == b) << "usual: " << a.substr(at > 200 ? at - 200 : 0, 400)
                      << "\nother: " << b.substr(at > 200 ? at - 200 : 0, 400);
}

}  // namespace
}  // namespace steelyard::regress::steady_verdicts_test
