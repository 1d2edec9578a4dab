// bench/main/counted_region where Valgrind's headers are not installed: nothing is ever counted.
#include "bench/main/counted_region.hpp"

namespace steelyard::counted_region {

void begin(bool) {}
void end() {}
bool is_on() { return false; }
std::int64_t iterations_of_pass(std::int64_t wanted) { return wanted; }
void collect_from_here() {}
void collect_until_here() {}
void note_pass_started() {}
void note_pass_finished(std::int64_t) {}
void note_pass_skipped() {}

}  // namespace steelyard::counted_region
