// What a block of a step's kernel does: one warp asks for weights, one waits for the other blocks, the others work.
#pragma once

#include "bench/suites/cuda/arithmetic/block_join.cuh"
#include "bench/suites/cuda/decoding/decoding_stream.hpp"

namespace steelyard::cuda_suite {

constexpr unsigned kWorkingWarps = kStepThreads / kWarp;
constexpr unsigned kWaitingThread = kStepThreads;
constexpr unsigned kAskingThread = kStepThreads + kWarp;
constexpr int kMaxStepThreads = static_cast<int>(kStepThreads) + 2 * kWarp;

// All threads but those that ask for weights, which never wait for the others as a whole.
__device__ inline void sync_block() { asm volatile("bar.sync 1, %0;" ::"n"(kStepThreads + kWarp) : "memory"); }
// Those that work alone.
__device__ inline void sync_workers() { asm volatile("bar.sync 2, %0;" ::"n"(kStepThreads) : "memory"); }

struct Sum {
  template <class Value>
  __device__ Value operator()(const Value& a, const Value& b) const {
    return a + b;
  }
};

// What threads of a block wait for: so many arrivals, and the bytes that one of them announced. Phases follow each
// other (mbarrier, PTX ISA, section "Parallel Synchronization and Communication Instructions").
class BlockBarrier {
 public:
  __device__ void begin(unsigned arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address()), "r"(arrivals) : "memory");
  }
  __device__ void arrive() {
    asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.shared.b64 state, [%0];\n}" ::"r"(address()) : "memory");
  }
  // Until phase `phase`, from 0 on, is complete.
  __device__ void wait(unsigned phase) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n.reg .pred done;\n"
        "AGAIN: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
        "@!done bra AGAIN;\n}" ::"r"(address()),
        "r"(phase & 1)
        : "memory");
#else
    asm volatile(
        "{\n.reg .pred done;\n"
        "AGAIN: mbarrier.test_wait.parity.shared.b64 done, [%0], %1;\n"
        "@!done bra AGAIN;\n}" ::"r"(address()),
        "r"(phase & 1)
        : "memory");
#endif
  }
  __device__ unsigned address() { return static_cast<unsigned>(__cvta_generic_to_shared(&state_)); }

 private:
  unsigned long long state_;
};

// Places of turns, filled and used in turn.
constexpr int kMaxDepth = 8;
struct RingShared {
  BlockBarrier full[kMaxDepth];
  BlockBarrier empty[kMaxDepth];
  BlockBarrier chosen;  // experts, once a layer
};
// A block's memory begins with it; behind it lie the vector, the warps' sums and the weights, as StepWork cuts them.
constexpr std::uint32_t kRingPacks = (sizeof(RingShared) + sizeof(Pack) - 1) / sizeof(Pack);
__device__ inline RingShared& ring_of(Pack* memory) { return *reinterpret_cast<RingShared*>(memory); }
class RingPlace {
 public:
  __device__ void advance(int depth) {
    if (++place_ < depth) return;
    place_ = 0;
    ++phase_;
  }
  __device__ int place() const { return place_; }
  __device__ unsigned phase() const { return phase_; }

 private:
  int place_ = 0;
  unsigned phase_ = 0;
};

// A turn of a warp's lanes into shared memory: each lane that has some copies so many packs. `full` completes when all
// lie there.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
constexpr unsigned kFillArrivals = 1;
__device__ inline void fill_place(Pack* to, const void* from, std::uint32_t packs, bool has, BlockBarrier& full) {
  const auto lanes = static_cast<unsigned>(__popc(__ballot_sync(0xffffffffu, has)));
  if (threadIdx.x % kWarp == 0) {
    asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.expect_tx.shared.b64 state, [%0], %1;\n}" ::"r"(full.address()),
                 "r"(lanes * packs * static_cast<unsigned>(sizeof(Pack)))
                 : "memory");
  }
  __syncwarp();
  if (!has) return;
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "r"(packs * static_cast<unsigned>(sizeof(Pack))), "r"(full.address())
               : "memory");
}
#else  // without bulk copies
constexpr unsigned kFillArrivals = kWarp;
__device__ inline void fill_place(Pack* to, const void* from, std::uint32_t packs, bool has, BlockBarrier& full) {
  for (int owner = 0; owner < kWarp; ++owner) {
    if (__shfl_sync(0xffffffffu, has ? 1 : 0, owner) == 0) continue;
    auto* const source =
        reinterpret_cast<const Pack*>(__shfl_sync(0xffffffffu, reinterpret_cast<unsigned long long>(from), owner));
    auto* const place =
        reinterpret_cast<Pack*>(__shfl_sync(0xffffffffu, reinterpret_cast<unsigned long long>(to), owner));
    for (std::uint32_t pack = threadIdx.x % kWarp; pack < packs; pack += kWarp) copy_ahead(place + pack, source + pack);
  }
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(full.address()) : "memory");
}
#endif

// By one warp, a lane for each group: all weights of the stream, each place again when the workers have used it. No
// more than `in_flight` turns are on their way: more would only wait in the memory's queues, and what blocks tell each
// other behind them.
template <class Weight, bool kHasExperts>
__device__ void ask_for_weights(WeightStream<Weight, kHasExperts> stream, const StepWork<Weight>& step,
                                const DecodingShared& shared, RingShared& ring, Pack* memory) {
  RingPlace at;
  RingPlace landing;
  int in_flight = 0;
  unsigned choices = 0;
  while (!stream.is_done()) {
    if constexpr (kHasExperts) {
      if (!stream.is_known()) {
        ring.chosen.wait(choices++);
        stream.know();
      }
    }
    if (at.phase() > 0) ring.empty[at.place()].wait(at.phase() - 1);
    if (in_flight == step.in_flight) {
      ring.full[landing.place()].wait(landing.phase());
      landing.advance(step.depth);
      --in_flight;
    }
    const std::uint32_t packs = stream.packs();
    const bool has = stream.has_rows();
    fill_place(memory + static_cast<std::uint32_t>(at.place()) * kTurnSize + threadIdx.x % kWarp * packs,
               has ? stream.row(shared) : nullptr, packs, has, ring.full[at.place()]);
    ++in_flight;
    at.advance(step.depth);
    stream.advance();
  }
}

// All blocks of a kernel whose blocks are all there. What was written before arrive() can be read behind wait(), by
// loads that pass the first cache. The thread that waits has nothing of its own on the way.
class GridBarrier {
 public:
  __device__ GridBarrier(unsigned* count, unsigned reached) : count_(count), reached_(reached) {}
  __device__ void arrive() {
    sync_block();
    reached_ += gridDim.x;
    if (threadIdx.x != kWaitingThread) return;
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(count_) : "memory");
  }
  __device__ void wait() const {
    if (threadIdx.x == kWaitingThread) {
      // A block that never comes ends the kernel, after some seconds, and not the machine.
      for (unsigned tries = 0; now() < reached_; ++tries) {
        if (tries == kMaxTries) __trap();
      }
    }
    sync_block();
  }

 private:
  static constexpr unsigned kMaxTries = 1u << 22;
  __device__ unsigned now() const {
    unsigned count;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(count) : "l"(count_) : "memory");
    return count;
  }
  unsigned* count_;
  unsigned reached_;
};

// A row's sum over a warp; one of the lanes that have it is_first.
struct JoinedRow {
  float sum;
  std::uint32_t row;
  bool is_first;
};
template <int kRows>
__device__ JoinedRow joined_rows(float (&sums)[kRows]) {
  static_assert(kRows > 0 && kRows <= kWarp && (kRows & (kRows - 1)) == 0);
  const auto lane = static_cast<int>(threadIdx.x) % kWarp;
  std::uint32_t row = 0;
  int distance = kWarp / 2;
  // Each half of the lanes keeps half of the rows.
#pragma unroll
  for (int rows = kRows; rows > 1; rows /= 2, distance /= 2) {
    const bool is_upper = (lane & distance) != 0;
    row = 2 * row + (is_upper ? 1 : 0);
#pragma unroll
    for (int i = 0; i < rows / 2; ++i) {
      const float kept = is_upper ? sums[i + rows / 2] : sums[i];
      const float given = is_upper ? sums[i] : sums[i + rows / 2];
      sums[i] = kept + __shfl_xor_sync(0xffffffffu, given, distance);
    }
  }
  const bool is_first = (lane & (2 * distance - 1)) == 0;
#pragma unroll
  for (; distance > 0; distance /= 2) sums[0] += __shfl_xor_sync(0xffffffffu, sums[0], distance);
  return {sums[0], row, is_first};
}

// Phases of a step: of layer i those from 5 i on, the head behind the last layer's.
constexpr int kPhasesOfLayer = 5;
struct PhaseRange {
  int first = 0;
  int end = 0;
};
// Products of the phases before phase `phase`: of a layer's phases the second is none.
__device__ constexpr std::uint32_t products_before(int phase) {
  const int within = phase % kPhasesOfLayer;
  return static_cast<std::uint32_t>(phase / kPhasesOfLayer) * kLayerProducts +
         static_cast<std::uint32_t>(within > 1 ? within - 1 : within);
}

// The warps' sums of all rows of the block. No part of its caller, whose registers it would have to share. Returns what
// is to be taken next.
template <class Weight, bool kIsWide>
__device__ __noinline__ RingPlace add_up(std::uint32_t packs, std::uint32_t threads_log, std::uint32_t rounds,
                                         UnitRange units, int parts, std::uint32_t vector_packs,
                                         std::uint32_t sums_packs, int depth, RingPlace taken) {
  extern __shared__ Pack memory[];
  constexpr int kRows = kTurnRows<Weight, kIsWide>;
  RowShare share;
  share.packs = packs;
  share.threads_log = threads_log;
  share.groups_log = kStepThreadsLog - threads_log;
  const std::uint32_t thread = threadIdx.x;
  const std::uint32_t group = share.group(thread);
  const std::uint32_t row_size = share.row_size();
  RingShared& ring = ring_of(memory);
  const Pack* const vector = memory + kRingPacks;
  float* to = reinterpret_cast<float*>(memory + kRingPacks + vector_packs) + group * kUnitRows * row_size +
              share.within(thread) / kWarp;
  const Pack* const weights = memory + kRingPacks + vector_packs + sums_packs + group * kRows * packs;
  for (int part = 0; part < parts; ++part) {
    float x[kPacksOfThread<Weight, kIsWide>][kLanes<Weight>];
    load_part<Weight>(vector + static_cast<std::uint32_t>(part) * packs * kVectorPacks<Weight>, share, thread, x);
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const bool has_unit = units.first + round * units.step < units.end;
#pragma unroll 1
      for (std::uint32_t first = 0; first < kUnitRows; first += kRows) {
        float of_rows[kRows];
        ring.full[taken.place()].wait(taken.phase());
        if (has_unit) {
          add_turn<Weight, kIsWide>(weights + static_cast<std::uint32_t>(taken.place()) * kTurnSize, share, thread, x,
                                    of_rows);
        }
        __syncwarp();
        if (thread % kWarp == 0) ring.empty[taken.place()].arrive();
        taken.advance(depth);
        if (has_unit) {
          const JoinedRow joined = joined_rows(of_rows);
          if (joined.is_first) to[(first + joined.row) * row_size] = joined.sum;
        }
      }
      to += (kUnitRows << share.groups_log) * row_size;
    }
  }
  return taken;
}

// What follows from the value is computed anew: kept over all phases, it would fill the registers.
__device__ inline unsigned anew(unsigned value) {
  asm volatile("" : "+r"(value));
  return value;
}

// A block's threads but those that ask for weights.
template <class Weight, bool kHasExperts>
class StepBlock {
 public:
  // memory: of the block, without its ring.
  __device__ StepBlock(const StepWork<Weight>& step, PhaseRange range, unsigned reached, Pack* memory,
                       DecodingShared& shared, RingShared& ring, float* of_warps)
      : step_(step),
        range_(range),
        barrier_(step.buffers.arrived, reached),
        memory_(memory),
        shared_(shared),
        ring_(ring),
        of_warps_(of_warps) {}

  __device__ void run() {
    const DecodingModel& model = step_.model;
    const auto layers = static_cast<int>(model.layers);
    for (phase_ = range_.first; phase_ < range_.end; ++phase_) {
      const int layer = phase_ / kPhasesOfLayer;
      if (layer == layers) {
        multiply(HeadWork<Weight>{model, step_.buffers, step_.ends.final_norm, step_.ends.head});
        return;
      }
      const LayerWeights<Weight>& weights = step_.layers[layer];
      switch (phase_ % kPhasesOfLayer) {
        case 0:
          multiply(QkvWork<Weight>{model, step_.buffers, weights.attention_norm, weights.qkv,
                                   static_cast<std::size_t>(layer)});
          break;
        case 1:
          attend(static_cast<std::size_t>(layer));
          break;
        case 2:
          multiply(OutputWork<Weight>{model, step_.buffers, weights.output});
          break;
        case 3:
          multiply(
              GateUpWork<Weight, kHasExperts>{model, step_.buffers, weights.mlp_norm, weights.router, weights.gate_up});
          break;
        default:
          multiply(DownWork<Weight, kHasExperts>{model, step_.buffers, weights.down});
      }
    }
  }

 private:
  __device__ bool is_worker() const { return thread_ < kStepThreads; }
  __device__ ThreadPlace thread_place() const {
    return {static_cast<int>(thread_), static_cast<int>(kStepThreads), place_.block};
  }
  __device__ void begin_phase() {
    thread_ = anew(threadIdx.x);
    place_ = {anew(blockIdx.x), anew(gridDim.x), step_.sweeps};
  }
  __device__ float* sums() const { return reinterpret_cast<float*>(memory_ + step_.vector_packs); }
  __device__ void wait() const {
    if (phase_ > range_.first) barrier_.wait();
  }
  __device__ void arrive() {
    if (phase_ + 1 < range_.end) barrier_.arrive();
  }

  template <class Work>
  __device__ void multiply(const Work& work) {
    begin_phase();
    const RowShare share = row_share<Weight, Work::kIsWide>(static_cast<std::uint32_t>(2 * work.pairs()),
                                                            static_cast<std::uint32_t>(work.columns()), place_);
    // What no kernel writes is asked for before the block waits.
    NormedPart normed;
    if constexpr (Work::kIsNormed) {
      if (is_worker()) normed.early(work.norm, work.model.dim, thread_place());
    }
    if constexpr (Work::kHasRouter) {
      constexpr std::size_t kLine = 128 / sizeof(Bf16);
      const std::size_t line = std::size_t{place_.block} * blockDim.x + thread_;
      if (line * kLine < work.model.experts * work.model.dim) prefetch_line(work.router + line * kLine);
    }
    wait();
    if (is_worker()) work.place_vector(memory_, shared_, thread_place());
    if constexpr (Work::kIsNormed) {
      const float squares =
          joined(is_worker() ? normed.gather(work.buffers.stream, work.model.dim, thread_place()) : 0.0f);
      if (is_worker()) normed.place(memory_, work.model.dim, thread_place(), squares);
    }
    if constexpr (Work::kHasRouter) choose(work);
    sync_block();
    if constexpr (!Work::kKnowsItsRows) {
      // The rows of `down` are known since those of `gate_up` were.
      if (thread_ == 0 && (Work::kHasRouter || phase_ == range_.first)) ring_.chosen.arrive();
    }
    if (is_worker()) work_on(work, share);
    arrive();
  }

  template <class Work>
  __device__ void work_on(const Work& work, const RowShare& share) {
    constexpr int kParts = Work::kIsWide && kHasExperts ? kMaxActive : 1;
    // What joins the thread's first pair is on its way meanwhile.
    PairNote notes[kParts];
    take_notes(work, share, thread_, notes);
    const UnitRange units = share.units_of(place_, share.group(thread_));
    taken_ = add_up<Weight, Work::kIsWide>(share.packs, share.threads_log, share.rounds, units, work.parts(),
                                           step_.vector_packs, step_.sums_packs, step_.depth, taken_);
    sync_workers();
    finish(work, share, thread_, notes);
    for (std::uint32_t i = thread_ + kStepThreads; i < share.block_pairs(); i += kStepThreads) {
      take_notes(work, share, i, notes);
      finish(work, share, i, notes);
    }
  }

  // Over the block.
  __device__ float joined(float own) {
    own = joined_over_warp(own, Sum{});
    const unsigned lane = thread_ % kWarp;
    if (lane == 0) of_warps_[thread_ / kWarp] = own;
    sync_block();
    return joined_over_warp(lane < kWorkingWarps ? of_warps_[lane] : 0.0f, Sum{});
  }

  template <class Work>
  __device__ void choose(const Work& work) {
    sync_block();
    const auto lane = static_cast<int>(thread_) % kWarp;
    for (std::size_t expert = thread_ / kWarp; expert < work.model.experts; expert += kWorkingWarps + 1) {
      const float whole = joined_over_warp(work.router_share(memory_, expert, lane), Sum{});
      if (lane == 0) shared_.router[expert] = whole;
    }
    sync_block();
    if (thread_ == 0) work.choose(shared_, place_.block);
  }

  template <class Work, int kParts>
  __device__ void take_notes(const Work& work, const RowShare& share, std::uint32_t i,
                             PairNote (&notes)[kParts]) const {
    std::size_t pair = 0;
    if (!share.pair_of(place_, i, pair)) return;
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      if (part < work.parts()) notes[part] = work.note(pair, part, shared_);
    }
  }
  // Pair i of the block's. What is added to, or turned by, is the same of every part.
  template <class Work, int kParts>
  __device__ void finish(const Work& work, const RowShare& share, std::uint32_t i, const PairNote (&notes)[kParts]) {
    std::size_t pair = 0;
    if (!share.pair_of(place_, i, pair)) return;
    float whole[2] = {0, 0};
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      if (part >= work.parts()) continue;
      const float* from = sums() + static_cast<std::uint32_t>(part) * share.part_size() + 2 * i * share.row_size();
#pragma unroll
      for (unsigned row = 0; row < 2; ++row) {
        float sum = 0;
#pragma unroll
        for (unsigned warp = 0; warp < kWorkingWarps; ++warp) {
          sum += warp < share.warps() ? from[row * share.row_size() + warp] : 0.0f;
        }
        whole[row] += sum * notes[part].scales[row];
      }
    }
    work.finish(pair, notes[0], whole, shared_);
  }

  __device__ void attend(std::size_t layer) {
    begin_phase();
    const DecodingModel& model = step_.model;
    const auto last = static_cast<std::size_t>(shared_.step);
    auto& joined = *reinterpret_cast<AttentionShared*>(memory_);
    bool has_waited = false;
    for (std::size_t head = place_.block; head < model.heads; head += place_.blocks) {
      AttentionThread own(cache_of(model, step_.buffers, layer, head), static_cast<int>(thread_));
      // All earlier positions are whole; the last one is written by the phase before this one.
      if (thread_ < kAttentionThreads) {
        own.load(0, last);
        own.prefetch(kAttentionTurn, last);
      }
      if (!has_waited) wait();
      has_waited = true;
      if (thread_ < kAttentionThreads) {
        own.load_query(step_.buffers.queries + head * kHeadSize);
        own.load_last(last);
        for (std::size_t turn = 0; turn <= last; turn += kAttentionTurn) {
          if (turn > 0) own.load(turn, last + 1);
          float scores[kPositionsAhead];
#pragma unroll
          for (int k = 0; k < kPositionsAhead; ++k) {
            scores[k] = own.score_share(k);
#pragma unroll
            for (int distance = kHalf / 2; distance > 0; distance /= 2) {
              scores[k] += __shfl_xor_sync(0xffffffffu, scores[k], distance);
            }
          }
          own.take(scores, turn, last);
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) joined.sums[own.half()][own.first_value() + i] = own.sum(i);
        if (own.first_value() == 0) {
          joined.largest[own.half()] = own.largest();
          joined.total[own.half()] = own.total();
        }
      }
      sync_block();
      if (thread_ < kHeadSize) {
        step_.buffers.attended[head * kHeadSize + thread_] = joined_attention(joined, static_cast<int>(thread_));
      }
      sync_block();
    }
    if (!has_waited) wait();
    arrive();
  }

  const StepWork<Weight>& step_;
  PhaseRange range_;
  GridBarrier barrier_;
  Pack* memory_;
  DecodingShared& shared_;
  RingShared& ring_;
  float* of_warps_;
  RingPlace taken_;
  int phase_ = 0;
  unsigned thread_ = 0;
  BlockPlace place_;
};

}  // namespace steelyard::cuda_suite
