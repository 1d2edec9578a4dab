// The kernels of decoding, played on the CPU block by block and thread by thread, held against the forward pass in
// double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <map>
#include <type_traits>
#include <vector>

#include "bench/suites/cuda/decoding/decoding_reference.hpp"
#include "bench/suites/cuda/decoding/decoding_work.hpp"

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
    const std::size_t first = first_pair(work.pairs(), block, kBlocks);
    const std::size_t end = first_pair(work.pairs(), block + 1, kBlocks);
    const int warps = pair_warps((work.pairs() + kBlocks - 1) / kBlocks);
    const int threads = warps * kWarp;
    DecodingShared shared{};
    std::vector<Pack> vector(static_cast<std::size_t>(work.parts()) * work.columns() / 8 + 8);
    const auto place_of = [&](int thread) { return ThreadPlace{thread, threads, block}; };
    for (int thread = 0; thread < threads; ++thread) work.place_vector(vector.data(), shared, place_of(thread));
    if constexpr (Work::kIsNormed) {
      std::vector<NormedPart> parts(static_cast<std::size_t>(threads));
      std::vector<float> squares;
      for (int thread = 0; thread < threads; ++thread) {
        NormedPart& part = parts[static_cast<std::size_t>(thread)];
        part.early(work.norm, work.model.dim, place_of(thread));
        squares.push_back(part.gather(work.buffers.stream, work.model.dim, place_of(thread)));
      }
      const float whole = play_block_tree(squares, 0.0f, [](float a, float b) { return a + b; }).front();
      for (int thread = 0; thread < threads; ++thread) {
        parts[static_cast<std::size_t>(thread)].template place<Weight>(vector.data(), work.model.dim, place_of(thread),
                                                                       whole);
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
    for (std::size_t pair = first; pair < end; ++pair) play_pair(work, pair, vector.data(), shared);
  }

  template <class Work>
  void play_pair(const Work& work, std::size_t pair, const Pack* vector, const DecodingShared& shared) {
    const std::size_t packs = work.columns() / kLanes<Weight>;
    float whole[2] = {0, 0};
    PairNote note;
    for (int part = 0; part < work.parts(); ++part) {
      note = work.note(pair, part, shared);
      const Pack* const x = vector + static_cast<std::size_t>(part) * packs * kVectorPacks<Weight>;
      std::vector<GemvSums<2>> lanes(kWarp, GemvSums<2>{});
      for (std::size_t lane = 0; lane < kWarp; ++lane) {
        for (std::size_t turn = 0; turn < packs; turn += kPairTurn<kPairAhead>) {
          PairAhead<kPairAhead> ahead;
          load_pair(work.rows(pair, part, shared), turn + lane, packs, ahead);
          add_pair<Weight>(ahead, x, turn + lane, packs, lanes[lane]);
        }
      }
      const auto sums =
          play_warp_tree(lanes, [](const GemvSums<2>& a, const GemvSums<2>& b) { return added(a, b); }).front();
      whole[0] += sums.of_row[0] * note.scales[0];
      whole[1] += sums.of_row[1] * note.scales[1];
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

TEST(PairWarps, LeaveAsFewIdleInTheLastTurnAsTheyCan) {
  EXPECT_EQ(pair_warps(84), 14);  // six turns of fourteen
  EXPECT_EQ(pair_warps(32), 16);
  EXPECT_EQ(pair_warps(47), 16);  // three turns, one warp idle
  for (std::size_t pairs = 0; pairs < 300; ++pairs) {
    EXPECT_GE(pair_warps(pairs), kMinPairWarps);
    EXPECT_LE(pair_warps(pairs), kMaxPairWarps);
  }
}

TEST(FirstPair, SharesDifferByOneAtMostAndLeaveNothingOut) {
  for (const std::size_t pairs : {1u, 131u, 2048u, 16000u}) {
    EXPECT_EQ(first_pair(pairs, 0, 132), 0u);
    EXPECT_EQ(first_pair(pairs, 132, 132), pairs);
    for (std::size_t block = 0; block < 132; ++block) {
      const std::size_t share = first_pair(pairs, block + 1, 132) - first_pair(pairs, block, 132);
      EXPECT_TRUE(share == pairs / 132 || share == pairs / 132 + 1);
    }
  }
}

}  // namespace
}  // namespace steelyard::cuda_suite::played_decoding_test
