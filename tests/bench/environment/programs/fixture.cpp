#include <cassert>

int main(int count, char**) {
  assert(count > 0);
  return count > 1 ? 1 : 0;
}
