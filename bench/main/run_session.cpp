#include "bench/main/run_session.hpp"

#include <unistd.h>

namespace steelyard {

RunSession& RunSession::current() {
  // Never destroyed: a benchmark that calls exit() is still reported on (see run_benchmarks.cpp).
  static RunSession& session = *new RunSession;
  return session;
}

void RunSession::begin(BlockOrder order) {
  const std::lock_guard lock(mutex_);
  budget_.emplace(order);
  process_ = getpid();
  is_running_ = true;
}

void RunSession::end() {
  const std::lock_guard lock(mutex_);
  budget_.reset();  // what the program runs later by itself is no part of it
  is_running_ = false;
}

bool RunSession::leaves_out_next(std::int64_t iterations, bool fixes_length) {
  const std::lock_guard lock(mutex_);
  return budget_ && budget_->leaves_out(iterations, fixes_length);
}

void RunSession::add_pass(std::int64_t iterations, Nanoseconds took) {
  const std::lock_guard lock(mutex_);
  if (budget_) budget_->add(iterations, took);
}

void RunSession::begin_next_benchmark() {
  const std::lock_guard lock(mutex_);
  if (budget_) budget_->begin_next_benchmark();
}

void RunSession::set_benchmark(const std::string& name) {
  const std::lock_guard lock(mutex_);
  benchmark_ = name;
}

std::string RunSession::benchmark() {
  const std::lock_guard lock(mutex_);
  return benchmark_;
}

}  // namespace steelyard
