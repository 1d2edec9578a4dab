// When a run's commit was made, in nanoseconds, for orders by date: in C++ and in SQL, to the same value. Nothing
// bounds the date that a commit names, and git keeps any; what is further from 1970 than 64-bit nanoseconds reach (the
// years 1677 to 2262) counts as that end.
#pragma once

#include <cstdint>
#include <string>

namespace steelyard {

// committed_at_unix_s: 0: unknown; then `otherwise_unix_ns`.
std::int64_t commit_date_ns(std::int64_t committed_at_unix_s, std::int64_t otherwise_unix_ns);

// The statement with each `commit_date(c, r)` in it made SQL. c: alias of a row of steelyard.commits, which may be
// absent (left join); r: of one of steelyard.runs, whose time stands for an unknown date.
std::string with_commit_dates(std::string statement);

}  // namespace steelyard
