// Counts of functions as a value that one can calculate with: the rows of a profile, added, subtracted, scaled,
// renamed, filtered and shown.
//
//     STEELYARD_TRY(const FunctionCounts before, FunctionCounts::of(baseline, CountKind::self));
//     STEELYARD_TRY(const FunctionCounts after, FunctionCounts::of(candidate, CountKind::self));
//     STEELYARD_TRY(const FunctionCounts change, after.minus(before));
//     out << text(change);
//
// Rows are known by object, file and name, to the letter. For two builds that stand in different folders see
// StandardNames; for functions that were renamed, and for calls, see profile_delta.hpp.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/counting/reader/callgrind_reader.hpp"
#include "bench/model/counted_profile.hpp"
#include "bench/model/result.hpp"

namespace steelyard::bench {

enum class CountKind {
  self,       // exclusive: what a function's own instructions cost; adds up to the program
  inclusive,  // with what it calls: counts contain one another, and have no sum
};

struct FunctionKey {
  std::string object;
  std::string file;
  std::string function;
  auto operator<=>(const FunctionKey&) const = default;
};

struct FunctionCount {
  FunctionKey key;
  std::vector<std::int64_t> counts;  // one per event, not all 0
  bool operator==(const FunctionCount&) const = default;
};

class FunctionCounts {
 public:
  FunctionCounts() = default;

  // Rows of one key are added up, rows that are 0 in all events are left out. Error (input): a sum beyond 63 bits, or a
  // row with another number of counts than there are events.
  static Result<FunctionCounts> of(CountKind kind, std::vector<std::string> events, std::vector<FunctionCount> rows);
  static Result<FunctionCounts> of(const CallgrindPart& part, CountKind kind);
  static Result<FunctionCounts> of(const CountedProfile& profile, CountKind kind);

  CountKind kind() const { return kind_; }
  const std::vector<std::string>& events() const { return events_; }
  const std::vector<FunctionCount>& rows() const { return rows_; }  // ascending by key
  // Rows whose inclusive counts were added up though one function may have called the other: such a row says "at most".
  std::size_t nested_sums() const { return nested_sums_; }

  // The counts of one row; zeros where there is no such row.
  std::vector<std::int64_t> at(const FunctionKey& key) const;

  // Row by row; a row that comes out 0 is left out. Error (input): self with inclusive, other events, beyond 63 bits.
  Result<FunctionCounts> plus(const FunctionCounts& other) const;
  Result<FunctionCounts> minus(const FunctionCounts& other) const;

  // Every count times `times` / `per`, rounded toward 0. Error (input): `per` is 0, or a result beyond 63 bits.
  Result<FunctionCounts> scaled(std::int64_t times, std::int64_t per = 1) const;

  // Under new keys; rows that then have one key are added up (see nested_sums). Error (input): beyond 63 bits.
  Result<FunctionCounts> transformed(const std::function<FunctionKey(const FunctionKey&)>& new_key) const;

  FunctionCounts filtered(const std::function<bool(const FunctionKey&)>& is_wanted) const;

  // One per event. Error (input): of inclusive counts, which contain one another; beyond 63 bits.
  Result<std::vector<std::int64_t>> sum() const;

  // Descending by the count of one event, then by function, file and object. Precondition: event < events().size().
  std::vector<FunctionCount> sorted(std::size_t event = 0) const;

  bool operator==(const FunctionCounts&) const = default;

 private:
  Result<FunctionCounts> combined(const FunctionCounts& other, bool is_difference) const;

  CountKind kind_ = CountKind::self;
  std::vector<std::string> events_;
  std::vector<FunctionCount> rows_;
  std::size_t nested_sums_ = 0;
};

struct CountsTextOptions {
  std::size_t event = 0;
  std::size_t max_rows = 18;  // of more, the first and last half with "..." between; 0: all rows
  std::size_t width = 100;    // columns; longer names lose their middle; at least 40
};

// One row a line, largest first: the count and `file:function [object's file name]`; a last line "Total: N" for self
// counts alone.
std::string text(const FunctionCounts& counts, const CountsTextOptions& options = {});

// Names of functions without what differs between two builds of one program and means nothing: the folder it was built
// in and the object it was linked into. What the compiler appends to a copy (" [clone .isra.0]") is part of the name
// and stays: two copies are two functions.

struct StandardNames {
  std::vector<std::filesystem::path> folders;  // build and source folders; the first that holds a file is cut off it
};

// "/home/a/project/src/f.cpp" -> "src/f.cpp" for the folder "/home/a/project". A file in none of the folders is cut
// before the last "build/../", "build/aten/", "Python/" or "Objects/" in it, as PyTorch's statistics do; else it stays.
std::string standard_file(std::string_view file, const StandardNames& names);

// Rows under standard files and without objects. Error (input): as FunctionCounts::transformed.
Result<FunctionCounts> as_standardized(const FunctionCounts& counts, const StandardNames& names);

// How far the count of each function moves between repeats of one binary, learned from repeats and from nothing else:
// no list of names that are known to be noisy. A change that repeats alone can make is noise of that size; a change
// beyond it is one, even in a function that varies.
//
//     STEELYARD_TRY(const LearnedNoise noise, learn_noise(repeats_of_baseline));
//     STEELYARD_TRY(const Denoised change, denoise(after_minus_before, noise));
//     show(change.kept);
//
// What it cannot promise: were all values equally likely to be the largest and the smallest, one more repeat would fall
// outside the range of n repeats in 2 of n + 1 cases. Three repeats are a hint, twenty are knowledge.

struct FunctionNoise {
  FunctionKey key;
  std::vector<std::int64_t> spread;  // largest - smallest count, one per event, not all 0
  bool operator==(const FunctionNoise&) const = default;
};

struct LearnedNoise {
  CountKind kind = CountKind::self;
  std::vector<std::string> events;
  std::size_t repeats = 0;               // that it was learned from
  std::vector<FunctionNoise> functions;  // those that vary, ascending by key

  // One per event; zeros for a function that does not vary, or was never seen.
  std::vector<std::int64_t> spread_of(const FunctionKey& key) const;
  bool operator==(const LearnedNoise&) const = default;
};

// A function that a repeat lacks has the count 0 there. Error (input): fewer than two repeats; self with inclusive,
// other events; a spread beyond 63 bits.
Result<LearnedNoise> learn_noise(const std::vector<FunctionCounts>& repeats);

// For each function the larger spread: of a difference between two binaries that were both repeated. `repeats` is the
// smaller number. Error (input): self with inclusive, other events.
Result<LearnedNoise> wider(const LearnedNoise& a, const LearnedNoise& b);

struct Denoised {
  FunctionCounts kept;   // changed by more than the spread in one event at least
  FunctionCounts noise;  // the others; the two add up to what was given
};

// `change`: a difference of counts. Error (input): self with inclusive, other events.
Result<Denoised> denoise(const FunctionCounts& change, const LearnedNoise& noise);

// Functions of counts (no difference) that do not vary at all. Error (input): self with inclusive, other events.
Result<FunctionCounts> steady_functions(const FunctionCounts& counts, const LearnedNoise& noise);

}  // namespace steelyard::bench
