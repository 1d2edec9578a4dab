// The kernels of decoding, played on the CPU block by block and thread by thread, held against the forward pass in
// double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <type_traits>
#include <vector>

#include "bench/suites/cuda/decoding/decoding_reference.hpp"
#include "bench/suites/cuda/decoding/decoding_stream.hpp"

namespace steelyard::cuda_suite::played_decoding_test {
namespace {

constexpr std::size_t kBlocks = 3;
constexpr std::size_t kPositions = 24;

// One step of the kernels with nothing of the device: memory is the host's, blocks follow each other.
template <class Weight>
class Played {
 public:
  explicit Played(const ModelWeights& weights) : weights_(weights), rotary_(rotary_table(weights.model, kPositions)) {
    const DecodingModel& model = weights.model;
    const std::size_t cached = model.layers * model.kv_heads * kPositions * kHeadSize;
    keys_.assign(cached, kPoison);
    values_.assign(cached, kPoison);
    stream_.resize(model.dim);
  }

  std::vector<float> step(int token) {
    const DecodingModel& model = weights_.model;
    poison();
    for (std::size_t i = 0; i < model.dim; ++i) {
      stream_[i] = static_cast<float>(weights_.value({ModelTensor::embedding, 0}, static_cast<std::size_t>(token), i));
    }
    for (std::size_t layer = 0; layer < model.layers; ++layer) {
      play(QkvWork<Weight>{model, buffers(), norm({ModelTensor::attention_norm, layer}),
                           matrix({ModelTensor::qkv, layer}), layer});
      for (std::size_t head = 0; head < model.heads; ++head) play_attention(layer, head);
      play(OutputWork<Weight>{model, buffers(), matrix({ModelTensor::output, layer})});
      if (model.experts == 0) {
        perceptron<false>(layer);
      } else {
        perceptron<true>(layer);
      }
    }
    play(HeadWork<Weight>{model, buffers(), norm({ModelTensor::final_norm, 0}), matrix({ModelTensor::head, 0})});
    ++step_;
    return logits_;
  }

 private:
  static constexpr Bf16 kPoison{0xffff};

  void poison() {
    const DecodingModel& model = weights_.model;
    queries_.assign(model.heads * kHeadSize, std::nanf(""));
    attended_.assign(model.heads * kHeadSize, kPoison);
    activated_.assign(model.active * model.hidden, kPoison);
    logits_.assign(model.vocab, std::nanf(""));
    picks_.assign(model.active, -1);
    shares_.assign(model.active, std::nanf(""));
  }

  DecodingBuffers buffers() {
    return {.positions = kPositions,
            .step = &step_,
            .stream = stream_.data(),
            .queries = queries_.data(),
            .keys = keys_.data(),
            .values = values_.data(),
            .attended = attended_.data(),
            .activated = activated_.data(),
            .picks = picks_.data(),
            .shares = shares_.data(),
            .logits = logits_.data(),
            .rotary = rotary_.data()};
  }

  const Bf16* norm(TensorPlace place) {
    std::vector<Bf16>& kept = small_[{place.tensor, place.layer}];
    if (kept.empty()) {
      const TensorExtent extent = extent_of(weights_.model, place.tensor);
      for (std::size_t i = 0; i < extent.values(); ++i) {
        kept.push_back(
            narrowed<Bf16>(static_cast<float>(weights_.value(place, i / extent.columns, i % extent.columns))));
      }
    }
    return kept.data();
  }
  ScaledMatrix<Weight> matrix(TensorPlace place) {
    const auto key = std::pair(place.tensor, place.layer);
    std::vector<Weight>& kept = large_[key];
    std::vector<Bf16>& scales = scales_[key];
    if (kept.empty()) {
      const TensorExtent extent = extent_of(weights_.model, place.tensor);
      for (std::size_t i = 0; i < extent.values(); ++i) {
        kept.push_back(seeded_value<Weight>(weights_.seed_of(place), i, weights_.limit_of(place.tensor)));
      }
      for (std::size_t row = 0; weights_.is_whole && row < extent.rows; ++row) {
        scales.push_back(weights_.scale(place, row));
      }
    }
    return {kept.data(), scales.empty() ? nullptr : scales.data()};
  }

  template <bool kHasExperts>
  void perceptron(std::size_t layer) {
    const DecodingModel& model = weights_.model;
    const Bf16* router = kHasExperts ? norm({ModelTensor::router, layer}) : nullptr;
    play(GateUpWork<Weight, kHasExperts>{model, buffers(), norm({ModelTensor::mlp_norm, layer}), router,
                                         matrix({ModelTensor::gate_up, layer})});
    play(DownWork<Weight, kHasExperts>{model, buffers(), matrix({ModelTensor::down, layer})});
  }

  template <class Work>
  void play(const Work& work) {
    for (unsigned block = 0; block < kBlocks; ++block) play_block(work, block);
  }

  template <class Work>
  void play_block(const Work& work, unsigned block) {
    constexpr int kThreads = static_cast<int>(kStepThreads);
    DecodingShared shared{};
    std::vector<Pack> vector(static_cast<std::size_t>(work.parts()) * work.columns() / 8);
    const auto place_of = [&](int thread) { return ThreadPlace{thread, kThreads, block}; };
    for (int thread = 0; thread < kThreads; ++thread) work.place_vector(vector.data(), shared, place_of(thread));
    if constexpr (Work::kIsNormed) {
      std::vector<NormedPart> parts(static_cast<std::size_t>(kThreads));
      std::vector<float> squares;
      for (int thread = 0; thread < kThreads; ++thread) {
        NormedPart& part = parts[static_cast<std::size_t>(thread)];
        part.early(work.norm, work.model.dim, place_of(thread));
        squares.push_back(part.gather(work.buffers.stream, work.model.dim, place_of(thread)));
      }
      const float whole = play_block_tree(squares, 0.0f, [](float a, float b) { return a + b; }).front();
      for (int thread = 0; thread < kThreads; ++thread) {
        parts[static_cast<std::size_t>(thread)].place(vector.data(), work.model.dim, place_of(thread), whole);
      }
    }
    if constexpr (Work::kHasRouter) {
      for (std::size_t expert = 0; expert < work.model.experts; ++expert) {
        std::vector<float> lanes;
        for (int lane = 0; lane < kWarp; ++lane) lanes.push_back(work.router_share(vector.data(), expert, lane));
        shared.router[expert] = play_warp_tree(lanes, [](float a, float b) { return a + b; }).front();
      }
      work.choose(shared, block);
    }
    const BlockPlace at{block, kBlocks};
    const RowShare share = row_share<Weight, Work::kIsWide>(static_cast<std::uint32_t>(2 * work.pairs()),
                                                            static_cast<std::uint32_t>(work.columns()), at);
    const std::vector<float> sums = play_rows(work, at, share, vector.data(), shared);
    for (std::uint32_t i = 0; i < share.block_pairs(); ++i) {
      std::size_t pair = 0;
      if (share.pair_of(at, i, pair)) finish_pair(work, share, i, pair, sums, shared);
    }
  }

  // The warps' sums of all rows of the block, as they lie in its shared memory.
  template <class Work>
  std::vector<float> play_rows(const Work& work, const BlockPlace& at, const RowShare& share, const Pack* vector,
                               const DecodingShared& shared) {
    constexpr int kPacks = kPacksOfThread<Weight, Work::kIsWide>;
    constexpr int kRows = kTurnRows<Weight, Work::kIsWide>;
    std::vector<float> sums(static_cast<std::size_t>(work.parts()) * share.part_size(), std::nanf(""));
    for (std::uint32_t thread = 0; thread < kStepThreads; thread += kWarp) {
      const std::uint32_t group = share.group(thread);
      const UnitRange units = share.units_of(at, group);
      for (int part = 0; part < work.parts(); ++part) {
        float x[kWarp][kPacks][kLanes<Weight>];
        for (std::uint32_t lane = 0; lane < kWarp; ++lane) {
          load_part<Weight>(vector + static_cast<std::uint32_t>(part) * share.packs * kVectorPacks<Weight>, share,
                            thread + lane, x[lane]);
        }
        for (std::uint32_t round = 0; round < share.rounds; ++round) {
          const std::uint32_t unit = units.first + round * units.step;
          if (unit >= units.end) continue;
          for (std::uint32_t first = 0; first < kUnitRows; first += kRows) {
            const std::size_t row = work.upper(std::size_t{kUnitPairs} * unit, part, shared) + first;
            const auto* const rows = reinterpret_cast<const Pack*>(work.matrix.weights + row * work.columns());
            std::vector<float> lanes[kRows];
            for (std::uint32_t lane = 0; lane < kWarp; ++lane) {
              float of_rows[kRows];
              add_turn<Weight, Work::kIsWide>(rows, share, thread + lane, x[lane], of_rows);
              for (int i = 0; i < kRows; ++i) lanes[i].push_back(of_rows[i]);
            }
            for (std::uint32_t i = 0; i < kRows; ++i) {
              const std::uint32_t local = ((round << share.groups_log) + group) * kUnitRows + first + i;
              sums[static_cast<std::uint32_t>(part) * share.part_size() + local * share.row_size() +
                   share.within(thread) / kWarp] =
                  play_warp_tree(lanes[i], [](float a, float b) { return a + b; }).front();
            }
          }
        }
      }
    }
    return sums;
  }

  template <class Work>
  void finish_pair(const Work& work, const RowShare& share, std::uint32_t i, std::size_t pair,
                   const std::vector<float>& sums, const DecodingShared& shared) {
    float whole[2] = {0, 0};
    PairNote note;
    for (int part = 0; part < work.parts(); ++part) {
      note = work.note(pair, part, shared);
      for (std::uint32_t row = 0; row < 2; ++row) {
        float sum = 0;
        for (std::uint32_t warp = 0; warp < share.warps(); ++warp) {
          sum += sums[static_cast<std::uint32_t>(part) * share.part_size() + (2 * i + row) * share.row_size() + warp];
        }
        whole[row] += sum * note.scales[row];
      }
    }
    work.finish(pair, note, whole, shared);
  }

  void play_attention(std::size_t layer, std::size_t head) {
    const auto last = static_cast<std::size_t>(step_);
    const HeadCache cache = cache_of(weights_.model, buffers(), layer, head);
    for (std::size_t value = 0; value < kHeadSize; ++value) attended_[head * kHeadSize + value] = kPoison;
    const std::vector<Bf16> joined = played_attention(cache, queries_.data() + head * kHeadSize, last);
    std::copy(joined.begin(), joined.end(), attended_.begin() + static_cast<std::ptrdiff_t>(head * kHeadSize));
  }

 public:
  static std::vector<Bf16> played_attention(const HeadCache& cache, const float* query, std::size_t last) {
    std::deque<AttentionThread> threads;
    for (int thread = 0; thread < kAttentionThreads; ++thread) {
      threads.emplace_back(cache, thread);
      threads.back().load(0, last);
      threads.back().load_query(query);
      threads.back().load_last(last);
    }
    for (std::size_t turn = 0; turn <= last; turn += kAttentionTurn) {
      for (int half = 0; half < kHalves; ++half) play_half(threads, half, turn, last);
    }
    AttentionShared shared;
    for (const AttentionThread& thread : threads) {
      for (int i = 0; i < 8; ++i) shared.sums[thread.half()][thread.first_value() + i] = thread.sum(i);
      shared.largest[thread.half()] = thread.largest();
      shared.total[thread.half()] = thread.total();
    }
    std::vector<Bf16> joined;
    for (int value = 0; value < static_cast<int>(kHeadSize); ++value) joined.push_back(joined_attention(shared, value));
    return joined;
  }

 private:
  static void play_half(std::deque<AttentionThread>& threads, int half, std::size_t turn, std::size_t last) {
    const auto first = static_cast<std::size_t>(half * kHalf);
    float scores[kPositionsAhead];
    for (int k = 0; k < kPositionsAhead; ++k) {
      scores[k] = 0;
      for (std::size_t lane = 0; lane < kHalf; ++lane) {
        if (turn > 0 && k == 0) threads[first + lane].load(turn, last + 1);
        scores[k] += threads[first + lane].score_share(k);
      }
    }
    for (std::size_t lane = 0; lane < kHalf; ++lane) threads[first + lane].take(scores, turn, last);
  }

  ModelWeights weights_;
  std::map<std::pair<ModelTensor, std::size_t>, std::vector<Bf16>> small_, scales_;
  std::map<std::pair<ModelTensor, std::size_t>, std::vector<Weight>> large_;
  std::vector<float> rotary_, stream_, queries_, shares_, logits_;
  std::vector<Bf16> keys_, values_, attended_, activated_;
  std::vector<int> picks_;
  int step_ = 0;
};

template <class Weight>
void expect_within_bounds(const DecodingModel& model, std::uint64_t seed,
                          const std::vector<int>& forced = {1, 540, 7, 999}) {
  const ModelWeights weights{.model = model, .seed = seed, .is_whole = std::is_same_v<Weight, std::int8_t>};
  const DecodingTensors tensors(weights);
  DecodingReference reference(tensors);
  Played<Weight> played(weights);
  for (const int token : forced) {
    const std::vector<float> found = played.step(token);
    const DecodingStep wanted = reference.step(token);
    ASSERT_TRUE(wanted.is_decided);
    const auto agreed = agreement("logit", std::vector<double>(found.begin(), found.end()), wanted.logits);
    ASSERT_TRUE(agreed) << agreed.error().text();
  }
}

TEST(PlayedDecoding, OfBf16WeightsIsWithinItsBounds) { expect_within_bounds<Bf16>(tiny_llama(), 1); }
TEST(PlayedDecoding, OfEightBitWeightsIsWithinItsBounds) { expect_within_bounds<std::int8_t>(tiny_llama(), 1); }
TEST(PlayedDecoding, OfExpertsIsWithinItsBounds) { expect_within_bounds<Bf16>(tiny_mixtral(), 3); }
TEST(PlayedDecoding, OfEightBitExpertsIsWithinItsBounds) { expect_within_bounds<std::int8_t>(tiny_mixtral(), 1); }

// Several turns of a product, and two packs a thread of the norm.
TEST(PlayedDecoding, OfAWideModelIsWithinItsBounds) { expect_within_bounds<std::int8_t>(wide_llama(), 1, {1999}); }

// 128 positions are a turn: the third begins within the room.
TEST(PlayedAttention, JoinsTurnsAndHalvesOfAnyNumberOfPositions) {
  constexpr std::size_t kMaxPositions = 300;
  std::vector<Bf16> keys;
  std::vector<Bf16> values;
  for (std::size_t i = 0; i < kMaxPositions * kHeadSize; ++i) {
    keys.push_back(seeded_value<Bf16>(1, i, 2.0f));
    values.push_back(seeded_value<Bf16>(2, i));
  }
  std::vector<float> query;
  for (std::size_t i = 0; i < kHeadSize; ++i) query.push_back(seeded_value<float>(3, i, 4.0f));
  for (const std::size_t last : {0u, 1u, 15u, 16u, 127u, 128u, 129u, 205u, 299u}) {
    // What lies behind the last position is no number, as a cache that was not written is.
    std::vector<Bf16> seen_keys = keys;
    std::vector<Bf16> seen_values = values;
    for (std::size_t i = (last + 1) * kHeadSize; i < keys.size(); ++i) seen_keys[i] = seen_values[i] = Bf16{0xffff};
    const auto found = Played<Bf16>::played_attention({seen_keys.data(), seen_values.data()}, query.data(), last);
    std::vector<double> weights;
    double total = 0;
    for (std::size_t position = 0; position <= last; ++position) {
      double score = 0;
      for (std::size_t i = 0; i < kHeadSize; ++i) {
        score += static_cast<double>(query[i]) * static_cast<double>(widened(keys[position * kHeadSize + i]));
      }
      weights.push_back(std::exp(score / std::sqrt(static_cast<double>(kHeadSize))));
      total += weights.back();
    }
    for (std::size_t i = 0; i < kHeadSize; ++i) {
      double wanted = 0;
      for (std::size_t position = 0; position <= last; ++position) {
        wanted += weights[position] / total * static_cast<double>(widened(values[position * kHeadSize + i]));
      }
      EXPECT_NEAR(static_cast<double>(widened(found[i])), wanted, rounded_bound<Bf16>(std::fabs(wanted), 2e-5))
          << "positions 0 to " << last << ", value " << i;
    }
  }
}

// What a group of threads is given, beside what they take.
template <class Weight, bool kHasExperts>
class Streamed {
 public:
  Streamed(const DecodingModel& model, const BlockPlace& at, std::uint32_t group) : at_(at), group_(group) {
    step_.model = model;
    // Places apart, which nobody reads.
    const auto place = [](std::size_t number) { return reinterpret_cast<const Weight*>((number + 1) << 40); };
    for (std::size_t i = 0; i < model.layers; ++i) {
      step_.layers[i].qkv.weights = place(4 * i);
      step_.layers[i].output.weights = place(4 * i + 1);
      step_.layers[i].gate_up.weights = place(4 * i + 2);
      step_.layers[i].down.weights = place(4 * i + 3);
    }
    step_.ends.head.weights = place(4 * model.layers);
    for (int i = 0; i < kMaxActive; ++i) {
      shared_.picks[i] = (5 * i + 3) % std::max<int>(1, static_cast<int>(model.experts));
    }
  }

  void expect_all(std::uint32_t first, std::uint32_t end) {
    WeightStream<Weight, kHasExperts> stream(step_, at_, group_, first, end);
    for (std::uint32_t product = first; product < end; ++product) {
      const std::size_t layer = product / kLayerProducts;
      if (layer == step_.model.layers) {
        expect(HeadWork<Weight>{step_.model, {}, nullptr, step_.ends.head}, stream, product);
        continue;
      }
      const LayerWeights<Weight>& weights = step_.layers[layer];
      switch (static_cast<LayerProduct>(product % kLayerProducts)) {
        case LayerProduct::qkv:
          expect(QkvWork<Weight>{step_.model, {}, nullptr, weights.qkv, layer}, stream, product);
          break;
        case LayerProduct::output:
          expect(OutputWork<Weight>{step_.model, {}, weights.output}, stream, product);
          break;
        case LayerProduct::gate_up:
          expect(GateUpWork<Weight, kHasExperts>{step_.model, {}, nullptr, nullptr, weights.gate_up}, stream, product);
          break;
        case LayerProduct::down:
          expect(DownWork<Weight, kHasExperts>{step_.model, {}, weights.down}, stream, product);
          break;
      }
    }
    EXPECT_TRUE(stream.is_done());
  }

 private:
  template <class Work>
  void expect(const Work& work, WeightStream<Weight, kHasExperts>& stream, std::uint32_t product) {
    const RowShare share = row_share<Weight, Work::kIsWide>(static_cast<std::uint32_t>(2 * work.pairs()),
                                                            static_cast<std::uint32_t>(work.columns()), at_);
    if (share.rounds == 0) return;
    ASSERT_FALSE(stream.is_done());
    if constexpr (!Work::kKnowsItsRows) {
      // Nothing of it before it is known, but for what the choice before made known.
      if (product % kLayerProducts == static_cast<std::uint32_t>(LayerProduct::gate_up)) {
        EXPECT_FALSE(stream.is_known()) << "product " << product;
      }
      if (!stream.is_known()) stream.know();
    }
    ASSERT_TRUE(stream.is_known());
    const UnitRange units = share.units_of(at_, group_);
    constexpr std::uint32_t kRows = kTurnRows<Weight, Work::kIsWide>;
    for (int part = 0; part < work.parts(); ++part) {
      for (std::uint32_t round = 0; round < share.rounds; ++round) {
        const std::uint32_t unit = units.first + round * units.step;
        for (std::uint32_t first = 0; first < kUnitRows; first += kRows) {
          ASSERT_FALSE(stream.is_done()) << "product " << product << ", unit " << unit;
          ASSERT_EQ(stream.packs(), kRows * share.packs);
          ASSERT_EQ(stream.has_rows(), group_ < share.groups() && unit < units.end);
          if (stream.has_rows()) {
            const std::size_t row = work.upper(std::size_t{kUnitPairs} * unit, part, shared_) + first;
            ASSERT_EQ(stream.row(shared_), work.matrix.weights + row * work.columns())
                << "product " << product << ", unit " << unit;
          }
          stream.advance();
        }
      }
    }
  }

  BlockPlace at_;
  std::uint32_t group_;
  StepWork<Weight> step_{};
  DecodingShared shared_{};
};

TEST(WeightStream, GivesEachTurnInTheOrderInWhichItIsTaken) {
  for (const bool sweeps : {true, false}) {
    for (const std::uint32_t block : {0u, 60u, 131u}) {
      for (const std::uint32_t group : {0u, 1u, 7u, 31u}) {
        const BlockPlace at{block, 132, sweeps};
        Streamed<Bf16, false>(llama_7b(), at, group).expect_all(0, 4 * 32 + 1);
        Streamed<std::int8_t, false>(llama_7b(), at, group).expect_all(0, 4 * 32 + 1);
        Streamed<std::int8_t, true>(mixtral_half(), at, group).expect_all(0, 4 * 16 + 1);
        Streamed<std::int8_t, false>(tiny_llama(), at, group).expect_all(0, 4 * 2 + 1);
        Streamed<std::int8_t, true>(tiny_mixtral(), at, group).expect_all(0, 4 * 2 + 1);
      }
    }
  }
}
// As they are one by one, where kernels follow each other.
TEST(WeightStream, OfOneProductEndsWithIt) {
  for (std::uint32_t product = 0; product <= 4 * 2; ++product) {
    Streamed<Bf16, false>(tiny_llama(), {1, 3}, 1).expect_all(product, product + 1);
    Streamed<Bf16, true>(tiny_mixtral(), {1, 3}, 1).expect_all(product, product + 1);
    Streamed<Bf16, true>(tiny_mixtral(), {1, 3}, 1).expect_all(product, product);
  }
}
TEST(RowShare, GivesEachPairToOneBlockAndOnePlace) {
  for (const bool sweeps : {true, false}) {
    for (const std::uint32_t rows : {8u, 1048u, 4096u, 32000u}) {
      for (const std::uint32_t columns : {512u, 1296u, 4096u, 11008u}) {
        std::vector<int> times(rows / 2, 0);
        for (std::uint32_t block = 0; block < 132; ++block) {
          const BlockPlace at{block, 132, sweeps};
          const RowShare share =
              columns > 4096 ? row_share<Bf16, true>(rows, columns, at) : row_share<Bf16, false>(rows, columns, at);
          const RowShare first = columns > 4096 ? row_share<Bf16, true>(rows, columns, {0, 132, sweeps})
                                                : row_share<Bf16, false>(rows, columns, {0, 132, sweeps});
          EXPECT_EQ(share.threads() * share.groups(), kStepThreads);
          EXPECT_LE(share.rounds, first.rounds + 1);
          for (std::uint32_t i = 0; i < share.block_pairs(); ++i) {
            std::size_t pair = 0;
            if (share.pair_of(at, i, pair)) ++times[pair];
          }
        }
        EXPECT_EQ(std::count(times.begin(), times.end(), 1), rows / 2) << rows << " rows of " << columns;
      }
    }
  }
}

}  // namespace
}  // namespace steelyard::cuda_suite::played_decoding_test
