// A small program in variants that differ in one thing each; never run, only compared.
#include <cstdio>

#ifdef EXTRA_CODE
// Moves everything behind it.
__attribute__((used, noinline)) int extra(const char* text) { return std::puts(text) * 7; }
#endif

#ifdef OTHER_TABLE
int table[4] = {9, 9, 9, 9};
#else
int table[4] = {1, 2, 3, 4};
#endif
int other_table[4] = {1, 2, 3, 4};

__attribute__((noinline)) int first(int value) { return std::printf("%d", value); }
__attribute__((noinline)) int second(int value) { return std::printf("%d!", value); }

__attribute__((noinline)) int work(int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) {
#ifdef OTHER_OPERATION
    sum ^= table[i & 3];
#else
    sum += table[i & 3];
#endif
  }
#ifdef OTHER_CALLEE
  return sum + second(sum);
#else
  return sum + first(sum);
#endif
}

int choose(int count) {
#ifdef OTHER_DATA
  return other_table[count & 3] + 1;
#else
  return table[count & 3] + 1;
#endif
}

int main(int count, char**) { return work(count) + choose(count); }
