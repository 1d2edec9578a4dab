// What the tests of faults put into a store, and how they ask whether it is there: whole, once, or not at all.
#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <string>

#include "bench/model/run.hpp"
#include "storage/place/store_address.hpp"

namespace steelyard::storage_test {

// A sealed run, wide enough that writing it takes some milliseconds. All numbers share one commit, branch, machine and
// all series.
Run wide_run(int number, int benchmarks = 120);
// wide_run() as Google Benchmark would have written it, for the program to import.
std::string wide_json(int number, int benchmarks = 120);

// Ids of all runs of the store. Each is read back, and its content hashed: one that is there in part fails the test, as
// does one that is there twice.
// `known`: found whole before, and not read again: after each of many kills that would take ever longer.
std::set<std::string> whole_runs(const storage::StoreAddress& address, const std::set<std::string>& known = {});
// whole_runs() of runs whose ids an older program made by its own rules: that they can be read.
std::set<std::string> whole_ids(const storage::StoreAddress& address);

// $STEELYARD_FAULTS=full: as many times as `full` says, else `few`.
int times(int few, int full);

// A moment between 0 and `longest`, by engine bits alone: the same on every machine.
double moment(std::mt19937_64& engine, double longest_s);
void sleep_for_seconds(double seconds);
double now_in_seconds();

}  // namespace steelyard::storage_test
