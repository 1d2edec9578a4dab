#include "bench/main/counted_region.hpp"

#include <dlfcn.h>

#include "bench/counting/shim/count_session.hpp"

namespace steelyard::counted_region {
namespace {

bool on = false;

bool shim_is_loaded() { return dlsym(RTLD_DEFAULT, "steelyard_count_shim") != nullptr; }

}  // namespace

void begin(bool by_hand) {
  if (!RUNNING_ON_VALGRIND || shim_is_loaded()) return;
  on = begin_session() || by_hand;
}

void end() {
  if (on) write_report();
}

bool is_on() { return on; }

std::int64_t iterations_of_pass(std::int64_t wanted) { return iterations_for_new_state(wanted); }

void collect_from_here() { begin_collecting(); }
void collect_until_here() { end_collecting(); }

void note_pass_started() { add_to(&Observed::started); }

void note_pass_finished(std::int64_t iterations) {
  pthread_mutex_lock(&observed_mutex);
  observed.iterations += iterations;
  pthread_mutex_unlock(&observed_mutex);
  add_to(&Observed::finished);
}

void note_pass_skipped() { add_to(&Observed::skipped); }

}  // namespace steelyard::counted_region
