// libFuzzer for every reader of the table: fuzz.py runs it for each, and CONTRIBUTING.md says how.
//
//     readers_fuzz --list                              names, longest inputs and what is read, a line each
//     readers_fuzz --target=configuration FOLDER ...   libFuzzer's own options and folders behind it
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/fuzz_target.hpp"

using steelyard::testkit::fuzz_targets;
using steelyard::testkit::FuzzTarget;

namespace {

const FuzzTarget* chosen = nullptr;

void list_targets() {
  for (const FuzzTarget& target : fuzz_targets()) {
    std::printf("%.*s\t%zu\t%.*s\n", static_cast<int>(target.name.size()), target.name.data(), target.longest,
                static_cast<int>(target.reads.size()), target.reads.data());
  }
}

void choose(const std::string& name) {
  for (const FuzzTarget& target : fuzz_targets()) {
    if (target.name == name) chosen = &target;
  }
}

}  // namespace

// libFuzzer's and the sanitizer's names. Blocks that were freed are kept for a while to be recognised: not so many that
// they would count as a reader's memory.
extern "C" const char* __asan_default_options() { return "quarantine_size_mb=16:detect_stack_use_after_return=0"; }

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  constexpr std::string_view kTarget = "--target=";
  static std::vector<std::string> texts;
  for (int i = 0; i < *count; ++i) {
    const std::string text = (*arguments)[i];
    if (text == "--list") {
      list_targets();
      std::exit(0);
    }
    if (text.starts_with(kTarget)) choose(text.substr(kTarget.size()));
    texts.push_back(text);  // libFuzzer passes over what begins with two strokes, and calls itself with it
  }
  if (chosen == nullptr) {
    std::fprintf(stderr, "readers_fuzz: name a target with --target=NAME; --list shows them\n");
    std::exit(3);
  }
  // First, so that whoever asks for other limits gets them.
  using namespace steelyard::testkit;
  texts.insert(texts.begin() + 1,
               {"-timeout=" + std::to_string(kMaxSeconds), "-rss_limit_mb=" + std::to_string(kMaxMemoryMiB),
                "-max_len=" + std::to_string(chosen->longest)});
  static std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  *count = static_cast<int>(texts.size());
  *arguments = pointers.data();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto broken = chosen->broken_claim(std::string(data, data + size));
  if (broken) {
    std::fprintf(stderr, "does not hold: %s\n", broken->c_str());
    std::abort();
  }
  return 0;
}
