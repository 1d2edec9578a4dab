// Counts of functions as a value that one can calculate with: the rows of a profile, added, subtracted, scaled,
// renamed, filtered and shown.
//
//     STEELYARD_TRY(const FunctionCounts before, FunctionCounts::of(baseline, CountKind::self));
//     STEELYARD_TRY(const FunctionCounts after, FunctionCounts::of(candidate, CountKind::self));
//     STEELYARD_TRY(const FunctionCounts change, after.minus(before));
//     out << text(change);
//
// Rows are known by object, file and name, to the letter. For two builds that stand in different folders see
// standard_names.hpp; for functions that were renamed, and for calls, see profile_delta.hpp.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/counting/callgrind_reader.hpp"
#include "bench/model/counted_profile.hpp"
#include "bench/model/result.hpp"

namespace steelyard {

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
  std::size_t most_rows = 18;  // of more, the first and last half with "..." between; 0: all rows
  std::size_t width = 100;     // columns; longer names lose their middle; at least 40
};

// One row a line, largest first: the count and `file:function [object's file name]`; a last line "Total: N" for self
// counts alone.
std::string text(const FunctionCounts& counts, const CountsTextOptions& options = {});

}  // namespace steelyard
