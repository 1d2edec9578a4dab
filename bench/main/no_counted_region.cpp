// bench/main/counted_region where Valgrind's headers are not installed: nothing is ever counted.
#include "bench/main/counted_region.hpp"

namespace steelyard {

void begin_counting(bool) {}
void end_counting() {}
bool counts_here() { return false; }
std::int64_t iterations_to_count(std::int64_t wanted) { return wanted; }
void collect_from_here() {}
void collect_until_here() {}
void note_pass_started() {}
void note_pass_finished(std::int64_t) {}
void note_pass_skipped() {}

}  // namespace steelyard
