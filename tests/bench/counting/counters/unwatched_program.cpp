// What a program with Google Benchmark linked into it looks like to a library that is preloaded: it lists a benchmark,
// runs it, and calls nothing of benchmark::State through the dynamic linker.
#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strstr(argv[i], "steelyard: no benchmark") != nullptr) {
      std::fputs("Failed to match any benchmarks\n", stderr);
      return 1;
    }
  }
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--benchmark_list_tests=true") == 0) std::puts("one_new");
  }
}
