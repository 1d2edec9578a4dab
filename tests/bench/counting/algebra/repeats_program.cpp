// Counted by real_builds_test: a statement of `number` passes (the argument), three repeats and the empty loop, dumped
// by the program itself. With a second argument every pass costs more than the one before.
#include <valgrind/callgrind.h>

#include <cstdlib>

namespace {

__attribute__((noinline)) unsigned statement(unsigned x, unsigned n) {
  for (unsigned i = 0; i < n; ++i) {
    x = x * 2654435761U + i;
    asm volatile("" : "+r"(x));
  }
  return x;
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned number = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 100;
  const unsigned growth = argc > 2 ? 1 : 0;
  volatile unsigned sink = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    CALLGRIND_TOGGLE_COLLECT;
    for (unsigned i = 0; i < number; ++i) sink = sink + statement(i, 8 + growth * i);
    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_DUMP_STATS_AT("repeat");
  }
  CALLGRIND_TOGGLE_COLLECT;
  for (unsigned i = 0; i < number; ++i) asm volatile("" ::: "memory");
  CALLGRIND_TOGGLE_COLLECT;
  CALLGRIND_DUMP_STATS_AT("baseline");
  return 0;
}
