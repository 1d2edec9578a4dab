#include "ci/app/cancellation.hpp"

namespace steelyard {
namespace {

// The one piece of global state: a signal handler can reach nothing else.
std::atomic<bool> requested_flag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a handler may touch only what is lock-free");

extern "C" void request_cancellation(int) { requested_flag.store(true); }

}  // namespace

Cancellation::Cancellation() {
  requested_flag.store(false);
  struct sigaction action = {};
  action.sa_handler = request_cancellation;
  sigemptyset(&action.sa_mask);
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second signal finds the default, which ends the process
  sigaction(SIGINT, &action, &previous_interrupt_);
  sigaction(SIGTERM, &action, &previous_terminate_);
}

Cancellation::~Cancellation() {
  sigaction(SIGINT, &previous_interrupt_, nullptr);
  sigaction(SIGTERM, &previous_terminate_, nullptr);
}

const std::atomic<bool>* Cancellation::flag() const { return &requested_flag; }

}  // namespace steelyard
