// The weights of a whole step in the order in which a block uses them, so that those of the products to come are on
// their way while the blocks wait for each other.
//
// A block takes rows in units of eight, all its threads the same or neighbouring rows: what is asked for at once lies
// together. A thread has the same columns of every row, so that it keeps their part of the vector in registers.
#pragma once

#include "bench/suites/cuda/decoding/decoding_work.hpp"

namespace steelyard::cuda_suite {

// What a step is made of: the parameter of its kernel.
template <class Weight>
struct StepWork {
  DecodingModel model;
  DecodingBuffers buffers;
  EndWeights<Weight> ends;
  LayerWeights<Weight> layers[kMaxLayers];
  bool sweeps = true;
  int in_flight = 1;
  int depth = 1;
  // Of shared memory, in packs: the vector, and the warps' sums behind it; the weights lie behind both.
  std::uint32_t vector_packs = 0;
  std::uint32_t sums_packs = 0;
};

// Products of a layer, in their order; the head is behind the last layer's.
enum class LayerProduct : std::uint8_t { qkv, output, gate_up, down };
inline constexpr std::uint32_t kLayerProducts = 4;

inline constexpr std::uint32_t kStepThreadsLog = 8;
inline constexpr std::uint32_t kStepThreads = 1u << kStepThreadsLog;  // of a block, that work on products
inline constexpr std::uint32_t kUnitRows = 8;
inline constexpr std::uint32_t kUnitPairs = kUnitRows / 2;
// What a thread takes in a turn: so many packs at most, whole rows' shares of them. Wide rows are of `hidden` columns,
// the others of `dim`.
inline constexpr int kTurnPacks = 8;
template <class Weight, bool kIsWide>
inline constexpr int kPacksOfThread = kIsWide ? (sizeof(Weight) == 1 ? 4 : 6) : 2;
template <class Weight, bool kIsWide>
inline constexpr int kTurnRows = kTurnPacks / kPacksOfThread<Weight, kIsWide>;
template <class Weight, bool kIsWide>
inline constexpr std::size_t kMaxStepColumns =
    std::size_t{kStepThreads} * kPacksOfThread<Weight, kIsWide>* kLanes<Weight>;
// Of a turn in shared memory.
inline constexpr std::uint32_t kTurnSize = kStepThreads * kTurnPacks;

// Units of a group of threads.
struct UnitRange {
  std::uint32_t first = 0;
  std::uint32_t step = 1;
  std::uint32_t end = 0;
};
struct BlockPlace {
  std::uint32_t block = 0;
  std::uint32_t blocks = 1;
  bool sweeps = true;
};

// How a block shares a product's rows: groups of threads take units side by side, in rounds.
struct RowShare {
  std::uint32_t packs = 0;        // of a row
  std::uint32_t threads_log = 0;  // of the threads that have a row, whole warps
  std::uint32_t groups_log = 0;   // of the groups of so many threads
  std::uint32_t units = 0;        // of all blocks
  std::uint32_t rounds = 0;

  STEELYARD_HOST_DEVICE std::uint32_t threads() const { return 1u << threads_log; }
  STEELYARD_HOST_DEVICE std::uint32_t groups() const { return 1u << groups_log; }
  STEELYARD_HOST_DEVICE std::uint32_t warps() const { return threads() / kWarp; }
  STEELYARD_HOST_DEVICE std::uint32_t group(std::uint32_t thread) const { return thread >> threads_log; }
  STEELYARD_HOST_DEVICE std::uint32_t within(std::uint32_t thread) const { return thread & (threads() - 1); }
  STEELYARD_HOST_DEVICE std::uint32_t block_pairs() const { return (rounds << groups_log) * kUnitPairs; }
  STEELYARD_HOST_DEVICE UnitRange units_of(const BlockPlace& at, std::uint32_t group) const {
    if (at.sweeps) return {(at.block << groups_log) + group, at.blocks << groups_log, units};
    return {units * at.block / at.blocks + group, groups(), units * (at.block + 1) / at.blocks};
  }
  // Pair i of the block's; false: it has none there.
  STEELYARD_HOST_DEVICE bool pair_of(const BlockPlace& at, std::uint32_t i, std::size_t& pair) const {
    const std::uint32_t local = i / kUnitPairs;
    const UnitRange range = units_of(at, local & (groups() - 1));
    const std::uint32_t unit = range.first + (local >> groups_log) * range.step;
    pair = std::size_t{kUnitPairs} * unit + i % kUnitPairs;
    return i < block_pairs() && unit < range.end;
  }
  // Of the warps' sums in shared memory: a row's lie side by side, with a gap that keeps rows on different banks.
  STEELYARD_HOST_DEVICE std::uint32_t row_size() const { return warps() + 1; }
  STEELYARD_HOST_DEVICE std::uint32_t part_size() const { return 2 * block_pairs() * row_size(); }
};
// rows, columns: of one part of a product.
template <class Weight, bool kIsWide>
STEELYARD_HOST_DEVICE RowShare row_share(std::uint32_t rows, std::uint32_t columns, const BlockPlace& at) {
  RowShare share;
  share.packs = columns / kLanes<Weight>;
  share.threads_log = 5;
  while (static_cast<std::uint32_t>(kPacksOfThread<Weight, kIsWide>) << share.threads_log < share.packs &&
         share.threads_log < kStepThreadsLog) {
    ++share.threads_log;
  }
  share.groups_log = kStepThreadsLog - share.threads_log;
  share.units = rows / kUnitRows;
  const UnitRange range = share.units_of(at, 0);
  share.rounds = range.first >= range.end ? 0 : (range.end - range.first + range.step - 1) / range.step;
  return share;
}
static_assert(kWarp == 1 << 5);

// The rows of the products `first` to `end`, turn by turn, of one group of threads.
template <class Weight, bool kHasExperts>
class WeightStream {
 public:
  // Which rows experts have is known from know() on.
  STEELYARD_HOST_DEVICE WeightStream(const StepWork<Weight>& step, const BlockPlace& at, std::uint32_t group,
                                     std::uint32_t first, std::uint32_t end)
      : step_(step), at_(at), group_(group), product_(first), end_(end), known_(end) {
    if constexpr (kHasExperts) known_ = first_unknown(first);
  }

  // No product is left.
  STEELYARD_HOST_DEVICE bool is_done() {
    while (round_ == share_.rounds) {
      if (product_ + (has_begun_ ? 1 : 0) >= end_) return true;
      if (has_begun_) ++product_;
      has_begun_ = true;
      begin();
    }
    return false;
  }
  // Precondition of what follows: not is_done(). False: which rows are next is not known yet.
  STEELYARD_HOST_DEVICE bool is_known() const { return product_ < known_; }
  // The experts of the turn's layer are chosen: its rows are known, and those up to the next layer's choice.
  STEELYARD_HOST_DEVICE void know() { known_ = first_unknown((product_ / kLayerProducts + 1) * kLayerProducts); }

  // Of the turn: the group's rows lie one behind the other from row() on; it has none where has_rows() is false.
  STEELYARD_HOST_DEVICE const RowShare& share() const { return share_; }
  STEELYARD_HOST_DEVICE std::uint32_t rows() const {
    return is_wide_ ? kTurnRows<Weight, true> : kTurnRows<Weight, false>;
  }
  STEELYARD_HOST_DEVICE std::uint32_t packs() const { return rows() * share_.packs; }
  STEELYARD_HOST_DEVICE bool has_rows() const { return group_ < share_.groups() && unit_ < units_.end; }
  STEELYARD_HOST_DEVICE const Weight* row(const DecodingShared& shared) const {
    return matrix_ + std::size_t{row_number(shared)} * share_.packs * kLanes<Weight>;
  }
  STEELYARD_HOST_DEVICE void advance() {
    of_unit_ += rows();
    if (of_unit_ < kUnitRows) return;
    of_unit_ = 0;
    unit_ += units_.step;
    if (++round_ < share_.rounds || ++part_ == parts_) return;
    round_ = 0;
    unit_ = units_.first;
  }

 private:
  STEELYARD_HOST_DEVICE std::uint32_t first_unknown(std::uint32_t from) const {
    const std::uint32_t layer = from / kLayerProducts;
    return layer >= step_.model.layers ? end_
                                       : layer * kLayerProducts + static_cast<std::uint32_t>(LayerProduct::gate_up);
  }
  STEELYARD_HOST_DEVICE void begin() {
    const DecodingModel& model = step_.model;
    const std::uint32_t layer = product_ / kLayerProducts;
    kind_ = static_cast<LayerProduct>(product_ % kLayerProducts);
    is_head_ = layer == model.layers;
    std::size_t rows = model.dim;
    std::size_t columns = model.dim;
    if (is_head_) {
      rows = model.vocab;
      matrix_ = step_.ends.head.weights;
    } else if (kind_ == LayerProduct::qkv) {
      rows = model.qkv_rows();
      matrix_ = step_.layers[layer].qkv.weights;
    } else if (kind_ == LayerProduct::output) {
      matrix_ = step_.layers[layer].output.weights;
    } else if (kind_ == LayerProduct::gate_up) {
      rows = 2 * model.active * model.hidden;
      matrix_ = step_.layers[layer].gate_up.weights;
    } else {
      columns = model.hidden;
      matrix_ = step_.layers[layer].down.weights;
    }
    is_wide_ = !is_head_ && kind_ == LayerProduct::down;
    parts_ = kHasExperts && is_wide_ ? static_cast<std::uint32_t>(model.active) : 1;
    share_ = is_wide_
                 ? row_share<Weight, true>(static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(columns), at_)
                 : row_share<Weight, false>(static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(columns), at_);
    units_ = share_.units_of(at_, group_);
    unit_ = units_.first;
    round_ = 0;
    of_unit_ = 0;
    part_ = 0;
  }
  STEELYARD_HOST_DEVICE std::uint32_t row_number(const DecodingShared& shared) const {
    const std::uint32_t row = kUnitRows * unit_ + of_unit_;
    if constexpr (kHasExperts) {
      if (is_wide_)
        return static_cast<std::uint32_t>(shared.picks[part_]) * static_cast<std::uint32_t>(step_.model.dim) + row;
      if (!is_head_ && kind_ == LayerProduct::gate_up) {
        const auto rows = static_cast<std::uint32_t>(2 * step_.model.hidden);
        const std::uint32_t place = row / rows;
        return static_cast<std::uint32_t>(shared.picks[place]) * rows + row - place * rows;
      }
    }
    return row;
  }

  const StepWork<Weight>& step_;
  BlockPlace at_;
  std::uint32_t group_;
  std::uint32_t product_;
  std::uint32_t end_;
  std::uint32_t known_;
  bool has_begun_ = false;
  bool is_head_ = false;
  bool is_wide_ = false;
  LayerProduct kind_ = LayerProduct::qkv;
  const Weight* matrix_ = nullptr;
  RowShare share_;
  UnitRange units_;
  std::uint32_t round_ = 0;
  std::uint32_t unit_ = 0;
  std::uint32_t of_unit_ = 0;
  std::uint32_t part_ = 0;
  std::uint32_t parts_ = 1;
};

// The thread's part of the vector; 0 behind the row's end.
template <class Weight, int kPacks>
STEELYARD_HOST_DEVICE void load_part(const Pack* vector, const RowShare& share, std::uint32_t thread,
                                     float (&x)[kPacks][kLanes<Weight>]) {
  STEELYARD_UNROLL
  for (int k = 0; k < kPacks; ++k) {
    const std::uint32_t pack = share.within(thread) + (static_cast<std::uint32_t>(k) << share.threads_log);
    STEELYARD_UNROLL
    for (int i = 0; i < kVectorPacks<Weight>; ++i) {
      float values[8] = {};
      if (pack < share.packs) unpack<Bf16>(vector[pack * kVectorPacks<Weight> + static_cast<std::uint32_t>(i)], values);
      STEELYARD_UNROLL
      for (int j = 0; j < 8; ++j) x[k][8 * i + j] = values[j];
    }
  }
}

// The thread's share of the sums of a turn's rows, which lie from `rows` on.
template <class Weight, bool kIsWide>
STEELYARD_HOST_DEVICE void add_turn(const Pack* rows, const RowShare& share, std::uint32_t thread,
                                    const float (&x)[kPacksOfThread<Weight, kIsWide>][kLanes<Weight>],
                                    float (&sums)[kTurnRows<Weight, kIsWide>]) {
  constexpr int kPacks = kPacksOfThread<Weight, kIsWide>;
  constexpr int kRows = kTurnRows<Weight, kIsWide>;
  Pack weights[kRows][kPacks];
  STEELYARD_UNROLL
  for (int row = 0; row < kRows; ++row) {
    STEELYARD_UNROLL
    for (int k = 0; k < kPacks; ++k) {
      const std::uint32_t pack = share.within(thread) + (static_cast<std::uint32_t>(k) << share.threads_log);
      weights[row][k] = pack < share.packs ? rows[static_cast<std::uint32_t>(row) * share.packs + pack] : Pack{};
    }
  }
  STEELYARD_UNROLL
  for (int row = 0; row < kRows; ++row) {
    sums[row] = 0;
    STEELYARD_UNROLL
    for (int k = 0; k < kPacks; ++k) {
      float w[kLanes<Weight>];
      unpack<Weight>(weights[row][k], w);
      STEELYARD_UNROLL
      for (int i = 0; i < kLanes<Weight>; ++i) sums[row] += w[i] * x[k][i];
    }
  }
}

}  // namespace steelyard::cuda_suite
