// Values of series that one connection has read, so that a history of years is not read again for each new run. What a
// run has of a series, and that it has none, never changes: a run comes with all its measurements in one transaction.
// The one exception is `db rebuild --derived`, which says when it changed any (steelyard.derivations), and then all is
// forgotten. Which series a caller may see is asked of the database each time, before this. Its runs are those of the
// project and branch as they were read last (RunOrderCache), until the branch's row, which is asked for each time, is
// another; they are read again for who sees other projects.
//
//     STEELYARD_TRY(std::vector<SeriesValue> values, memory.read(series, runs, read_from_the_database));
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "bench/model/result.hpp"

namespace steelyard::storage {

struct SeriesValue {
  std::size_t run = 0;  // index in ValuesQuery::runs
  std::int64_t position = 0;
  double value = 0;
  std::int64_t samples = 0;
  std::int64_t invocations = 0;  // 0 where they were not asked for
  std::int64_t series = 0;       // its key
};
// In the order of the runs; where a run has a series twice, the later one first.
bool comes_before(const SeriesValue& a, const SeriesValue& b);

class SeriesMemory {
 public:
  // Of all series together, and of the question before; 0, as it begins: nothing is remembered. Those that were used
  // least lately go first, and of a question that would not fit nothing is.
  void limit(std::size_t most_bytes);
  bool is_on() const { return most_bytes_ > 0; }
  // Forgets what is of another version of the values.
  void be_of(const std::string& version);

  // What the series has in these runs (keys, each once), by comes_before(). fetch: reads what it has in other runs;
  // SeriesValue::run is an index in those.
  using Fetch = std::function<Result<std::vector<SeriesValue>>(std::vector<std::int64_t> runs)>;
  Result<std::vector<SeriesValue>> read(std::int64_t series, std::span<const std::int64_t> runs, const Fetch& fetch);
  std::size_t bytes() const;

 private:
  struct Row {
    double value = 0;
    std::int32_t run = 0;
    std::int32_t position = 0;  // kNone: the run has none of it
    std::int32_t samples = 0;
  };
  struct Kept {
    std::int64_t series = 0;
    std::vector<Row> rows;  // by run, the later position first
  };
  struct Asked {
    std::int64_t run = 0;
    std::size_t index = 0;  // in the question
  };
  static constexpr std::int32_t kNone = -1;
  static constexpr std::size_t kBesideRows = 200;  // bytes
  bool fits(std::size_t runs) const;
  void ask_for(std::span<const std::int64_t> runs);
  static std::size_t bytes_of(const Kept& kept) { return kBesideRows + kept.rows.size() * sizeof(Row); }
  void keep(Kept kept);
  void forget(std::list<Kept>::iterator place);
  void clear();

  std::size_t most_bytes_ = 0;
  std::size_t bytes_ = 0;  // of kept_
  std::string version_;
  std::list<Kept> kept_;  // used last first
  std::map<std::int64_t, std::list<Kept>::iterator> by_series_;
  // The question before, which is as a rule the next one's: by run, and as it was asked.
  std::vector<Asked> asked_;
  std::vector<std::int64_t> asked_as_;
};

}  // namespace steelyard::storage
