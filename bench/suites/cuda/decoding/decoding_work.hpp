// What the threads of the kernels of decoding_kernels.cu do, kernel by kernel: run by the device, and on the CPU by
// tests that play a block thread by thread. A work says which rows a pair has, what its vector is and where its sums
// go.
//
//     place_vector    a thread's part of the vector into shared memory, where it is not normed (NormedPart)
//     rows, note      of a pair and a part (an expert): where its weights lie, its scales and what is added
//     finish          by one thread, the pair's two sums
#pragma once

#include "bench/suites/cuda/arithmetic/approximate_math.hpp"
#include "bench/suites/cuda/decoding/decoding_kernels.hpp"
#include "bench/suites/cuda/rows/row_kernels.hpp"

namespace steelyard::cuda_suite {

inline constexpr int kMaxExperts = 64;
inline constexpr int kMaxActive = 4;

// What another kernel of the same graph writes is read past the first cache: kernels overlap, and a line that a
// neighbour has brought there may be older than what was waited for.
STEELYARD_HOST_DEVICE inline Pack load_fresh_pack(const void* address) {
  Pack pack;
#ifdef __CUDA_ARCH__
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(pack.words[0]), "=r"(pack.words[1]), "=r"(pack.words[2]), "=r"(pack.words[3])
               : "l"(address)
               : "memory");
#else
  std::memcpy(&pack, address, sizeof(pack));
#endif
  return pack;
}
// Volatile, and with memory clobbered: it stays behind the waiting for the kernel before.
template <class T>
STEELYARD_HOST_DEVICE T load_fresh(const T* address) {
  static_assert(sizeof(T) == sizeof(std::uint32_t));
  T value;
#ifdef __CUDA_ARCH__
  std::uint32_t bits;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(bits) : "l"(address) : "memory");
  memcpy(&value, &bits, sizeof(value));
#else
  value = *address;
#endif
  return value;
}

struct ThreadPlace {
  int thread = 0;
  int threads = 0;
  unsigned block = 0;
};

// Of a block, beside the vector.
struct DecodingShared {
  float router[kMaxExperts];
  int picks[kMaxActive];
  float shares[kMaxActive];
  int step;
};

// Two packs a thread at most: dim is at most 16 values a thread.
inline constexpr int kPacksOfNorm = 2;

// The normed stream of a product.
class NormedPart {
 public:
  STEELYARD_HOST_DEVICE void early(const Bf16* weights, std::size_t dim, const ThreadPlace& at) {
    STEELYARD_UNROLL
    for (int k = 0; k < kPacksOfNorm; ++k) {
      weights_[k] = pack_of(at, k) < dim / 8 ? load_shared_by_threads(weights + pack_of(at, k) * 8) : Pack{};
    }
  }
  STEELYARD_HOST_DEVICE float gather(const float* stream, std::size_t dim, const ThreadPlace& at) {
    float squares = 0;
    STEELYARD_UNROLL
    for (int k = 0; k < kPacksOfNorm; ++k) {
      Pack halves[2] = {};
      if (pack_of(at, k) < dim / 8) {
        halves[0] = load_fresh_pack(stream + pack_of(at, k) * 8);
        halves[1] = load_fresh_pack(stream + pack_of(at, k) * 8 + 4);
      }
      STEELYARD_UNROLL
      for (int i = 0; i < 8; ++i) {
        values_[k][i] = float_of_bits(halves[i / 4].words[i % 4]);
        squares += values_[k][i] * values_[k][i];
      }
    }
    return squares;
  }
  template <class Weight>
  STEELYARD_HOST_DEVICE void place(Pack* vector, std::size_t dim, const ThreadPlace& at, float squares) const {
    const float scale = reciprocal_root(squares / static_cast<float>(dim) + kNormEpsilon);
    STEELYARD_UNROLL
    for (int k = 0; k < kPacksOfNorm; ++k) {
      if (pack_of(at, k) >= dim / 8) continue;
      float weights[8];
      unpack<Bf16>(weights_[k], weights);
      float normed[8];
      STEELYARD_UNROLL
      for (int i = 0; i < 8; ++i) normed[i] = values_[k][i] * scale * weights[i];
      vector[vector_place<Weight>(pack_of(at, k), dim / 8)] = packed<Bf16>(normed);
    }
  }

 private:
  STEELYARD_HOST_DEVICE static std::size_t pack_of(const ThreadPlace& at, int k) {
    return static_cast<std::size_t>(at.thread + k * at.threads);
  }
  Pack weights_[kPacksOfNorm];
  float values_[kPacksOfNorm][8];
};

// `values` rounded numbers into the vector.
template <class Weight>
STEELYARD_HOST_DEVICE void place_copied(Pack* vector, const Bf16* from, std::size_t values, const ThreadPlace& at) {
  const std::size_t packs = values / 8;
  for (auto pack = static_cast<std::size_t>(at.thread); pack < packs; pack += static_cast<std::size_t>(at.threads)) {
    vector[vector_place<Weight>(pack, packs)] = load_fresh_pack(from + pack * 8);
  }
}

template <class Weight>
STEELYARD_HOST_DEVICE PairRows<Weight> rows_of(const ScaledMatrix<Weight>& matrix, std::size_t upper,
                                               std::size_t columns) {
  return {matrix.weights + upper * columns, matrix.weights + (upper + 1) * columns};
}

struct PairNote {
  float scales[2] = {1, 1};
  float kept[2] = {0, 0};  // what is added to, or what a pair is turned by
};
// Scales of row `upper`, which is even, and the one below it.
template <class Weight>
STEELYARD_HOST_DEVICE PairNote note_of(const ScaledMatrix<Weight>& matrix, std::size_t upper) {
  PairNote note;
  if (matrix.scales == nullptr) return note;
#ifdef __CUDA_ARCH__
  const std::uint32_t both = __ldg(reinterpret_cast<const std::uint32_t*>(matrix.scales + upper));
  note.scales[0] = float_of_bits(both << 16);
  note.scales[1] = float_of_bits(both & 0xffff0000u);
#else
  note.scales[0] = widened(matrix.scales[upper]);
  note.scales[1] = widened(matrix.scales[upper + 1]);
#endif
  return note;
}
STEELYARD_HOST_DEVICE inline void note_stream(const float* stream, std::size_t upper, PairNote& note) {
  note.kept[0] = load_fresh(stream + upper);
  note.kept[1] = load_fresh(stream + upper + 1);
}

// Queries, keys and values.
template <class Weight>
struct QkvWork {
  static constexpr bool kIsNormed = true;
  static constexpr bool kHasRouter = false;
  static constexpr bool kKnowsItsRows = true;
  DecodingModel model;
  DecodingBuffers buffers;
  const Bf16* norm;
  ScaledMatrix<Weight> matrix;
  std::size_t layer;

  STEELYARD_HOST_DEVICE std::size_t pairs() const { return model.qkv_rows() / 2; }
  STEELYARD_HOST_DEVICE std::size_t columns() const { return model.dim; }
  STEELYARD_HOST_DEVICE int parts() const { return 1; }
  STEELYARD_HOST_DEVICE void place_vector(Pack*, DecodingShared& shared, const ThreadPlace& at) const {
    if (at.thread == 0) shared.step = load_fresh(buffers.step);
  }
  STEELYARD_HOST_DEVICE PairRows<Weight> rows(std::size_t pair, int, const DecodingShared&) const {
    return rows_of(matrix, 2 * pair, model.dim);
  }
  STEELYARD_HOST_DEVICE PairNote note(std::size_t pair, int, const DecodingShared& shared) const {
    PairNote note = note_of(matrix, 2 * pair);
    const float* angle = buffers.rotary + static_cast<std::size_t>(shared.step) * kHeadSize + 2 * pair % kHeadSize;
    note.kept[0] = angle[0];
    note.kept[1] = angle[1];
    return note;
  }
  STEELYARD_HOST_DEVICE void finish(std::size_t pair, const PairNote& note, const float (&sums)[2],
                                    const DecodingShared& shared) const {
    const std::size_t row = 2 * pair;
    const std::size_t head = row / kHeadSize;
    const TurnedPair whole = turned(sums[0], sums[1], note.kept[0], note.kept[1]);
    if (head < model.heads) {
      buffers.queries[row] = whole.even;
      buffers.queries[row + 1] = whole.odd;
      return;
    }
    const bool is_key = head < model.heads + model.kv_heads;
    const std::size_t of_kind = head - model.heads - (is_key ? 0 : model.kv_heads);
    const std::size_t position =
        (layer * model.kv_heads + of_kind) * buffers.positions + static_cast<std::size_t>(shared.step);
    Bf16* const to = (is_key ? buffers.keys : buffers.values) + position * kHeadSize + row % kHeadSize;
    to[0] = narrowed<Bf16>(is_key ? whole.even : sums[0]);
    to[1] = narrowed<Bf16>(is_key ? whole.odd : sums[1]);
  }
};

// The attention's result times a matrix, into the stream.
template <class Weight>
struct OutputWork {
  static constexpr bool kIsNormed = false;
  static constexpr bool kHasRouter = false;
  static constexpr bool kKnowsItsRows = true;
  DecodingModel model;
  DecodingBuffers buffers;
  ScaledMatrix<Weight> matrix;

  STEELYARD_HOST_DEVICE std::size_t pairs() const { return model.dim / 2; }
  STEELYARD_HOST_DEVICE std::size_t columns() const { return model.dim; }
  STEELYARD_HOST_DEVICE int parts() const { return 1; }
  STEELYARD_HOST_DEVICE void place_vector(Pack* vector, DecodingShared&, const ThreadPlace& at) const {
    place_copied<Weight>(vector, buffers.attended, model.dim, at);
  }
  STEELYARD_HOST_DEVICE PairRows<Weight> rows(std::size_t pair, int, const DecodingShared&) const {
    return rows_of(matrix, 2 * pair, model.dim);
  }
  STEELYARD_HOST_DEVICE PairNote note(std::size_t pair, int, const DecodingShared&) const {
    PairNote note = note_of(matrix, 2 * pair);
    note_stream(buffers.stream, 2 * pair, note);
    return note;
  }
  STEELYARD_HOST_DEVICE void finish(std::size_t pair, const PairNote& note, const float (&sums)[2],
                                    const DecodingShared&) const {
    buffers.stream[2 * pair] = note.kept[0] + sums[0];
    buffers.stream[2 * pair + 1] = note.kept[1] + sums[1];
  }
};

// Gate and up, of each chosen expert where there are some. Each block asks the router itself: the same sums in the same
// order, so that all agree.
template <class Weight, bool kHasExperts>
struct GateUpWork {
  static constexpr bool kIsNormed = true;
  static constexpr bool kHasRouter = kHasExperts;
  static constexpr bool kKnowsItsRows = !kHasExperts;
  DecodingModel model;
  DecodingBuffers buffers;
  const Bf16* norm;
  const Bf16* router;
  ScaledMatrix<Weight> matrix;

  STEELYARD_HOST_DEVICE std::size_t pairs() const { return model.active * model.hidden; }
  STEELYARD_HOST_DEVICE std::size_t columns() const { return model.dim; }
  STEELYARD_HOST_DEVICE int parts() const { return 1; }
  STEELYARD_HOST_DEVICE void place_vector(Pack*, DecodingShared&, const ThreadPlace&) const {}
  // A lane's share of one expert's logit.
  STEELYARD_HOST_DEVICE float router_share(const Pack* vector, std::size_t expert, int lane) const {
    const std::size_t packs = model.dim / 8;
    GemvSums<1> sum{};
#ifdef __CUDA_ARCH__
#pragma unroll 4
#endif
    for (auto pack = static_cast<std::size_t>(lane); pack < packs; pack += kWarp) {
      const Pack weights[1] = {load_shared_by_threads(router + expert * model.dim + pack * 8)};
      const Pack x[1] = {vector[vector_place<Weight>(pack, packs)]};
      add_products<Bf16, 1>(weights, x, sum);
    }
    return sum.of_row[0];
  }
  // By one thread, all logits known.
  STEELYARD_HOST_DEVICE void choose(DecodingShared& shared, unsigned block) const {
    choose_experts(shared.router, static_cast<int>(model.experts), static_cast<int>(model.active), shared.picks,
                   shared.shares);
    for (std::size_t place = 0; block == 0 && place < model.active; ++place) {
      buffers.picks[place] = shared.picks[place];
      buffers.shares[place] = shared.shares[place];
    }
  }
  STEELYARD_HOST_DEVICE std::size_t upper(std::size_t pair, const DecodingShared& shared) const {
    if constexpr (!kHasExperts) {
      return 2 * pair;
    } else {
      const std::size_t place = pair / model.hidden;
      return 2 * (static_cast<std::size_t>(shared.picks[place]) * model.hidden + pair % model.hidden);
    }
  }
  STEELYARD_HOST_DEVICE PairRows<Weight> rows(std::size_t pair, int, const DecodingShared& shared) const {
    return rows_of(matrix, upper(pair, shared), model.dim);
  }
  STEELYARD_HOST_DEVICE PairNote note(std::size_t pair, int, const DecodingShared& shared) const {
    return note_of(matrix, upper(pair, shared));
  }
  STEELYARD_HOST_DEVICE void finish(std::size_t pair, const PairNote&, const float (&sums)[2],
                                    const DecodingShared&) const {
    buffers.activated[pair] = narrowed<Bf16>(silu(sums[0]) * sums[1]);
  }
};

// Down, of each chosen expert by its share, into the stream.
template <class Weight, bool kHasExperts>
struct DownWork {
  static constexpr bool kIsNormed = false;
  static constexpr bool kHasRouter = false;
  static constexpr bool kKnowsItsRows = !kHasExperts;
  DecodingModel model;
  DecodingBuffers buffers;
  ScaledMatrix<Weight> matrix;

  STEELYARD_HOST_DEVICE std::size_t pairs() const { return model.dim / 2; }
  STEELYARD_HOST_DEVICE std::size_t columns() const { return model.hidden; }
  STEELYARD_HOST_DEVICE int parts() const { return kHasExperts ? static_cast<int>(model.active) : 1; }
  STEELYARD_HOST_DEVICE void place_vector(Pack* vector, DecodingShared& shared, const ThreadPlace& at) const {
    if (kHasExperts && static_cast<std::size_t>(at.thread) < model.active) {
      shared.picks[at.thread] = load_fresh(buffers.picks + at.thread);
      shared.shares[at.thread] = load_fresh(buffers.shares + at.thread);
    }
    for (std::size_t part = 0; part < model.active; ++part) {
      place_copied<Weight>(vector + part * model.hidden / 8, buffers.activated + part * model.hidden, model.hidden, at);
    }
  }
  STEELYARD_HOST_DEVICE std::size_t upper(std::size_t pair, int part, const DecodingShared& shared) const {
    if constexpr (!kHasExperts) {
      return 2 * pair;
    } else {
      return static_cast<std::size_t>(shared.picks[part]) * model.dim + 2 * pair;
    }
  }
  STEELYARD_HOST_DEVICE PairRows<Weight> rows(std::size_t pair, int part, const DecodingShared& shared) const {
    return rows_of(matrix, upper(pair, part, shared), model.hidden);
  }
  STEELYARD_HOST_DEVICE PairNote note(std::size_t pair, int part, const DecodingShared& shared) const {
    PairNote note = note_of(matrix, upper(pair, part, shared));
    if constexpr (kHasExperts) {
      note.scales[0] *= shared.shares[part];
      note.scales[1] *= shared.shares[part];
    }
    note_stream(buffers.stream, 2 * pair, note);
    return note;
  }
  STEELYARD_HOST_DEVICE void finish(std::size_t pair, const PairNote& note, const float (&sums)[2],
                                    const DecodingShared&) const {
    buffers.stream[2 * pair] = note.kept[0] + sums[0];
    buffers.stream[2 * pair + 1] = note.kept[1] + sums[1];
  }
};

// Logits.
template <class Weight>
struct HeadWork {
  static constexpr bool kIsNormed = true;
  static constexpr bool kHasRouter = false;
  static constexpr bool kKnowsItsRows = true;
  DecodingModel model;
  DecodingBuffers buffers;
  const Bf16* norm;
  ScaledMatrix<Weight> matrix;

  STEELYARD_HOST_DEVICE std::size_t pairs() const { return model.vocab / 2; }
  STEELYARD_HOST_DEVICE std::size_t columns() const { return model.dim; }
  STEELYARD_HOST_DEVICE int parts() const { return 1; }
  STEELYARD_HOST_DEVICE void place_vector(Pack*, DecodingShared&, const ThreadPlace&) const {}
  STEELYARD_HOST_DEVICE PairRows<Weight> rows(std::size_t pair, int, const DecodingShared&) const {
    return rows_of(matrix, 2 * pair, model.dim);
  }
  STEELYARD_HOST_DEVICE PairNote note(std::size_t pair, int, const DecodingShared&) const {
    return note_of(matrix, 2 * pair);
  }
  STEELYARD_HOST_DEVICE void finish(std::size_t pair, const PairNote&, const float (&sums)[2],
                                    const DecodingShared&) const {
    buffers.logits[2 * pair] = sums[0];
    buffers.logits[2 * pair + 1] = sums[1];
  }
};

// Attention of one head: half a warp takes a position at a time, each of its threads a pack of the key and one of the
// value. A half keeps the largest score, the sum of e^(score - largest) and the values weighted so; halves are joined
// in the end (Dao et al., FlashAttention, 2022, algorithm 1).

inline constexpr int kAttentionThreads = 256;
inline constexpr int kHalf = kWarp / 2;
inline constexpr int kHalves = kAttentionThreads / kHalf;
inline constexpr int kPositionsAhead = 8;
inline constexpr std::size_t kAttentionTurn = std::size_t{kHalves} * kPositionsAhead;
static_assert(kHalf * 8 == static_cast<int>(kHeadSize));
inline constexpr float kScoreScale = 0.08838834764f;  // 1 / sqrt(128)

struct HeadCache {
  const Bf16* keys = nullptr;
  const Bf16* values = nullptr;
};
STEELYARD_HOST_DEVICE inline HeadCache cache_of(const DecodingModel& model, const DecodingBuffers& buffers,
                                                std::size_t layer, std::size_t head) {
  const std::size_t kv_head = head / (model.heads / model.kv_heads);
  const std::size_t base = (layer * model.kv_heads + kv_head) * buffers.positions * kHeadSize;
  return {buffers.keys + base, buffers.values + base};
}

// A thread of an attention: lane `place` of the half `half`.
class AttentionThread {
 public:
  STEELYARD_HOST_DEVICE AttentionThread(const HeadCache& cache, int thread)
      : cache_(cache), half_(thread / kHalf), place_(thread % kHalf) {}

  STEELYARD_HOST_DEVICE int half() const { return half_; }
  STEELYARD_HOST_DEVICE int first_value() const { return place_ * 8; }
  // The k-th position of a turn that begins at `turn`.
  STEELYARD_HOST_DEVICE std::size_t position(std::size_t turn, int k) const {
    return turn + static_cast<std::size_t>(half_ + k * kHalves);
  }

  // Positions of the turn that are below `end`.
  STEELYARD_HOST_DEVICE void load(std::size_t turn, std::size_t end) {
    STEELYARD_UNROLL
    for (int k = 0; k < kPositionsAhead; ++k) {
      keys_[k] = Pack{};
      values_[k] = Pack{};
      if (position(turn, k) < end) load_one(position(turn, k), k);
    }
  }
  // One more, of the first turn.
  STEELYARD_HOST_DEVICE void load_last(std::size_t last) {
    STEELYARD_UNROLL
    for (int k = 0; k < kPositionsAhead; ++k) {
      if (position(0, k) == last) load_one(last, k);
    }
  }
  STEELYARD_HOST_DEVICE void load_query(const float* query) {
    STEELYARD_UNROLL
    for (int part = 0; part < 2; ++part) {
      const Pack pack = load_fresh_pack(query + first_value() + part * 4);
      STEELYARD_UNROLL
      for (int i = 0; i < 4; ++i) query_[part * 4 + i] = float_of_bits(pack.words[i]) * kScoreScale;
    }
  }
  // The thread's share of the score of the turn's k-th position.
  STEELYARD_HOST_DEVICE float score_share(int k) const {
    float key[8];
    unpack<Bf16>(keys_[k], key);
    float score = 0;
    STEELYARD_UNROLL
    for (int i = 0; i < 8; ++i) score += query_[i] * key[i];
    return score;
  }
  // Whole scores of the turn; those of positions past `last` count for nothing.
  STEELYARD_HOST_DEVICE void take(const float (&scores)[kPositionsAhead], std::size_t turn, std::size_t last) {
    float best = largest_;
    STEELYARD_UNROLL
    for (int k = 0; k < kPositionsAhead; ++k) {
      if (position(turn, k) <= last) best = larger(best, scores[k]);
    }
    if (best == -kInfinity) return;  // no position of this half yet
    const float shrunk = largest_ == -kInfinity ? 0.0f : exp_accurate(largest_ - best);
    total_ *= shrunk;
    STEELYARD_UNROLL
    for (int i = 0; i < 8; ++i) sums_[i] *= shrunk;
    STEELYARD_UNROLL
    for (int k = 0; k < kPositionsAhead; ++k) {
      const float weight = position(turn, k) <= last ? exp_accurate(scores[k] - best) : 0.0f;
      float value[8];
      unpack<Bf16>(values_[k], value);
      total_ += weight;
      STEELYARD_UNROLL
      for (int i = 0; i < 8; ++i) sums_[i] += weight * value[i];
    }
    largest_ = best;
  }

  STEELYARD_HOST_DEVICE float largest() const { return largest_; }
  STEELYARD_HOST_DEVICE float total() const { return total_; }
  STEELYARD_HOST_DEVICE float sum(int i) const { return sums_[i]; }

 private:
  STEELYARD_HOST_DEVICE void load_one(std::size_t position, int k) {
    const std::size_t at = position * kHeadSize + static_cast<std::size_t>(first_value());
    keys_[k] = load_fresh_pack(cache_.keys + at);
    values_[k] = load_fresh_pack(cache_.values + at);
  }

  HeadCache cache_;
  int half_;
  int place_;
  Pack keys_[kPositionsAhead];
  Pack values_[kPositionsAhead];
  float query_[8];
  float largest_ = -kInfinity;
  float total_ = 0;
  float sums_[8] = {};
};

// Of a block: what each half has, to be joined.
struct AttentionShared {
  float sums[kHalves][kHeadSize];
  float largest[kHalves];
  float total[kHalves];
};
STEELYARD_HOST_DEVICE inline Bf16 joined_attention(const AttentionShared& shared, int value) {
  float best = -kInfinity;
  for (int i = 0; i < kHalves; ++i) best = larger(best, shared.largest[i]);
  float total = 0;
  float sum = 0;
  for (int i = 0; i < kHalves; ++i) {
    if (shared.largest[i] == -kInfinity) continue;
    const float share = exp_accurate(shared.largest[i] - best);
    total += share * shared.total[i];
    sum += share * shared.sums[i][value];
  }
  return narrowed<Bf16>(sum / total);
}

}  // namespace steelyard::cuda_suite
