#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "bench/suites/cuda/decoding/decoding_costs.hpp"
#include "bench/suites/cuda/decoding/decoding_reference.hpp"
#include "tests/bench/suites/cuda_kernels/float_decoding.hpp"

namespace steelyard::cuda_suite::decoding_test {
namespace {

// Weights whose experts are decided at each of as many steps in both formats, and a token a step.
constexpr std::uint64_t kForcedSeed = 30;
constexpr int kForcedSteps = 24;
int forced_token(const DecodingModel& model, int step) {
  return static_cast<int>(scrambled(0x746f6b656e, static_cast<std::uint64_t>(step)) % model.vocab);
}

constexpr WeightFormat kBf16{.is_whole = false};
constexpr WeightFormat kWhole{.is_whole = true};

double gigabytes(Bytes bytes) { return static_cast<double>(bytes.count()) * 1e-9; }

struct PublishedBytes {
  DecodingModel model;
  WeightFormat format;
  double published = 0;   // bandwidth over tokens a second, in GB
  double parameters = 0;  // of the shapes, in GB
  double with_cache = 0;  // of 208 positions; the scales, up to 0.003 GB, left out
};

TEST(DecodingCost, IsWithinTwoPercentOfTheBytesThatPublishedRatesDivideTo) {
  for (const auto& one :
       {PublishedBytes{llama_7b(), kBf16, 13.33, 13.21, 13.32}, PublishedBytes{llama_7b(), kWhole, 6.65, 6.61, 6.72},
        PublishedBytes{mixtral_half(), kWhole, 6.46, 6.44, 6.45}}) {
    const double parameters = gigabytes(parameter_bytes(one.model, one.format));
    const double with_cache = parameters + gigabytes(cache_bytes(one.model, 208));
    EXPECT_NEAR(parameters, one.parameters, 0.005);
    EXPECT_NEAR(with_cache, one.with_cache, 0.0075);
    EXPECT_NEAR(parameters / one.published, 1, 0.02);
    EXPECT_NEAR(with_cache / one.published, 1, 0.02);
  }
}

TEST(DecodingCost, CountsEachWeightOfAWorkedModelOnce) {
  // A layer of tiny_llama: qkv 1024 x 512, output 512 x 512, gate and up 2592 x 512, down 512 x 1296, two norms.
  constexpr std::int64_t rows = 1024 + 512 + 2592;
  constexpr std::int64_t of_layer = rows * 512 + 512 * 1296;
  static_assert(parameter_bytes(tiny_llama(), kBf16) == Bytes(2 * (2 * (of_layer + 1024) + 512 + 1000 * 512)));
  // One byte a weight and two a row; norms as they were.
  static_assert(parameter_bytes(tiny_llama(), kWhole) ==
                Bytes(2 * (of_layer + 2 * (rows + 512) + 2 * 1024) + 2 * 512 + 1000 * 512 + 2 * 1000));
  static_assert(cache_bytes(tiny_llama(), 10) == Bytes(10 * 2 * 2 * 2 * 128 * 2));
}

TEST(DecodingCost, LeavesTheEmbeddingAndIdleExpertsOut) {
  DecodingModel all_active = tiny_mixtral();
  all_active.active = all_active.experts;
  const std::int64_t expert = 3LL * 1040 * 512;
  EXPECT_EQ(parameter_bytes(all_active, kBf16) - parameter_bytes(tiny_mixtral(), kBf16), Bytes(2 * 2 * 2 * expert));
  DecodingModel one_more_token = tiny_mixtral();
  one_more_token.vocab += 1;  // a row of the head, and none of the embedding
  EXPECT_EQ(parameter_bytes(one_more_token, kWhole) - parameter_bytes(tiny_mixtral(), kWhole), Bytes(512 + 2));
  EXPECT_EQ(step_flops(all_active, 1) - step_flops(tiny_mixtral(), 1), Flops(2 * 2 * 2 * expert));
}

TEST(DecodingCost, OfAStepIsTwoOperationsAWeightAndTheAttentionOfItsPositions) {
  constexpr std::int64_t products = 2 * (2 * (4128 * 512 + 512 * 1296) + 1000 * 512);
  constexpr std::int64_t a_position = 2 * 2 * 2 * 4 * 128;  // layers, a multiply-add, scores and values, heads
  static_assert(step_flops(tiny_llama(), 7) == Flops(products + 7 * a_position));
  // About one operation a byte, so that the memory's rate bounds it.
  constexpr OperatorCost cost = generation_cost(llama_7b(), kBf16);
  EXPECT_NEAR(*intensity(cost), 1.03, 0.01);
}

TEST(DecodingCost, OfAGenerationHasTheBytesOfItsNewTokensAndTheOperationsOfAllSteps) {
  constexpr OperatorCost cost = generation_cost(tiny_llama(), kWhole);
  static_assert(cost.read == parameter_bytes(tiny_llama(), kWhole) * 200 && cost.written == Bytes(0));
  Flops flops(0);
  for (std::size_t positions = 1; positions <= 205; ++positions) flops += step_flops(tiny_llama(), positions);
  EXPECT_EQ(cost.flops, flops);
}

// Small enough for many passes.
constexpr DecodingModel kNarrow{.layers = 2, .dim = 256, .heads = 2, .kv_heads = 2, .hidden = 336, .vocab = 300};
constexpr DecodingModel kNarrowExperts{.layers = 2,
                                       .dim = 256,
                                       .heads = 2,
                                       .kv_heads = 1,
                                       .hidden = 336,
                                       .vocab = 300,
                                       .experts = 4,
                                       .active = 2,
                                       .rotary_base = 1000000.0f};

struct Teaching {
  DecodingTensors tensors;
  std::vector<DecodingStep> steps;
};
Teaching taught(const ModelWeights& weights, int steps) {
  Teaching teaching{DecodingTensors(weights), {}};
  DecodingReference reference(teaching.tensors);
  for (int step = 0; step < steps; ++step) {
    teaching.steps.push_back(reference.step(forced_token(weights.model, step)));
  }
  return teaching;
}

// Distance over bound, of every logit of the first steps. Precondition: they are decided.
std::vector<double> excesses(const Teaching& teaching, const FloatPass& pass, std::size_t steps) {
  FloatDecoding floats(teaching.tensors, pass);
  std::vector<double> excesses;
  for (std::size_t step = 0; step < steps; ++step) {
    EXPECT_TRUE(teaching.steps[step].is_decided);
    const std::vector<Wanted>& wanted = teaching.steps[step].logits;
    const auto found = floats.step(forced_token(teaching.tensors.model(), static_cast<int>(step)));
    for (std::size_t i = 0; i < found.size(); ++i) {
      excesses.push_back(std::fabs(found[i] - wanted[i].value) / wanted[i].bound);
    }
  }
  return excesses;
}
double worst(const std::vector<double>& excesses) { return *std::max_element(excesses.begin(), excesses.end()); }

TEST(DecodingReference, BoundsWhatSinglePrecisionMakesOfTheTinyModelsInAnyOrder) {
  const auto expect_within = [](const Teaching& teaching) {
    EXPECT_LT(worst(excesses(teaching, {.block = 32}, 4)), 1);
    EXPECT_LT(worst(excesses(teaching, {.block = 2048, .seed = 9}, 4)), 1);
  };
  expect_within(taught({.model = tiny_llama(), .seed = kForcedSeed, .is_whole = false}, 4));
  const Teaching mixtral = taught({.model = tiny_mixtral(), .seed = kForcedSeed, .is_whole = true}, kForcedSteps);
  expect_within(mixtral);
  for (const DecodingStep& step : mixtral.steps) EXPECT_TRUE(step.is_decided);
}

TEST(DecodingReference, PredictsUpToThreeTimesTheSpreadOfPassesThatAreOffAsItAssumes) {
  for (const ModelWeights& weights : {ModelWeights{.model = kNarrow, .seed = 4, .is_whole = true},
                                      ModelWeights{.model = kNarrowExperts, .seed = 6, .is_whole = false}}) {
    const Teaching teaching = taught(weights, 8);
    double squares = 0;
    std::size_t count = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      // Evenly up to 30 roundings: sqrt(300) of them, as of sums of 300 terms.
      const auto found = excesses(teaching, {.seed = seed, .roundings = 30}, 8);
      EXPECT_LT(worst(found), 0.75) << seed;
      for (const double excess : found) squares += excess * excess * kDeviations * kDeviations;
      count += found.size();
    }
    const double spread = std::sqrt(squares / static_cast<double>(count));  // 1: as predicted
    EXPECT_GT(spread, 1.0 / 3);
    EXPECT_LT(spread, 1);
  }
}

TEST(DecodingReference, IsFarOffItsBoundByEveryMistakeThatKernelsAreProneTo) {
  const Teaching llama = taught({.model = kNarrow, .seed = 4, .is_whole = false}, 4);
  const Teaching mixtral = taught({.model = kNarrowExperts, .seed = 6, .is_whole = true}, 2);
  for (int number = 1; number <= static_cast<int>(DecodingMistake::experts_weighted_alike); ++number) {
    const auto mistake = static_cast<DecodingMistake>(number);
    const Teaching& teaching = mistake < DecodingMistake::next_best_expert ? llama : mixtral;
    EXPECT_GT(worst(excesses(teaching, {.mistake = mistake}, teaching.steps.size())), 3) << "mistake " << number;
  }
}

TEST(DecodingReference, HasNoBoundWhereExpertsAreUndecidedNorWhereTheirKeysAreRead) {
  DecodingModel model = kNarrowExperts;
  const auto decided = [&](std::size_t layers) {
    model.layers = layers;
    std::string steps;
    for (const DecodingStep& step : taught({.model = model, .seed = 5, .is_whole = false}, 8).steps) {
      steps += step.is_decided ? 'y' : 'n';
    }
    return steps;
  };
  EXPECT_EQ(decided(1), "yyyyynyy");  // no layer reads keys that the choice makes
  EXPECT_EQ(decided(2), "nyyyynnn");  // the first in the last layer, the second in the one before it
}

TEST(DecodingReference, TellsTheStreamOfEachLayerAndItsExperts) {
  const Teaching teaching = taught({.model = kNarrowExperts, .seed = 6, .is_whole = false}, 1);
  const DecodingStep& step = teaching.steps[0];
  const auto token = static_cast<std::size_t>(forced_token(kNarrowExperts, 0));
  const auto embedding = teaching.tensors.row({ModelTensor::embedding, 0}, token);
  ASSERT_EQ(step.streams.size(), 3u);
  ASSERT_EQ(step.experts.size(), 2u);
  EXPECT_EQ(step.experts[0].size(), 2u);
  for (std::size_t i = 0; i < embedding.size(); ++i) {
    EXPECT_EQ(step.streams[0][i].value, static_cast<double>(embedding[i]));
    EXPECT_EQ(step.streams[0][i].bound, 0);
    EXPECT_GT(step.streams[2][i].bound, step.streams[1][i].bound);
  }
}

TEST(DecodingReference, BoundsTheStreamSoThatOneRowThatIsMissingIsFoundInItsPlace) {
  const Teaching teaching = taught({.model = kNarrow, .seed = 4, .is_whole = false}, 1);
  const auto found = [&](const FloatPass& pass) {
    FloatDecoding floats(teaching.tensors, pass);
    floats.step(forced_token(kNarrow, 0));
    return agreement("stream", widened_to_double(std::span(floats.stream())), teaching.steps[0].streams.back());
  };
  EXPECT_TRUE(found({.seed = 3, .roundings = 30}));
  const auto missing = found({.mistake = DecodingMistake::one_row_not_added});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().text().find("element 255"), std::string::npos) << missing.error().text();
}

constexpr std::uint64_t kDrawSeed = 1234;

// Five levels of 50 tokens each, mixed; of which the four larger ones are 200 tokens.
constexpr int kLevels = 5;
constexpr int kOfLevel = 50;
std::vector<float> leveled_logits() {
  std::vector<float> logits;
  for (int token = 0; token < kLevels * kOfLevel; ++token) logits.push_back(0.5f * static_cast<float>(token % kLevels));
  return logits;
}

double chi_square(const std::vector<int>& counts, const std::vector<double>& expected) {
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (expected[i] > 0) sum += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
  }
  return sum;
}

TEST(DrawnToken, IsDistributedAsTheSoftmaxOfTheKeptOverTheTemperature) {
  constexpr int kDraws = 6000;
  const std::vector<float> logits = leveled_logits();
  std::vector<int> of_level(kLevels);
  std::vector<int> of_token(logits.size());
  for (int step = 0; step < kDraws; ++step) {
    const int token = drawn_token(logits, kDrawSeed, step);
    ++of_level[static_cast<std::size_t>(token % kLevels)];
    ++of_token[static_cast<std::size_t>(token)];
  }
  EXPECT_EQ(of_level[0], 0);
  const auto expected = [&](double temperature, int tokens) {
    double sum = 0;
    for (int level = 1; level < kLevels; ++level) sum += std::exp(0.5 * level / temperature);
    std::vector<double> counts;
    for (int token = 0; token < tokens; ++token) {
      const int level = token % kLevels;
      counts.push_back(level == 0 ? 0 : std::exp(0.5 * level / temperature) / sum * kDraws * kLevels / tokens);
    }
    return counts;
  };
  // Exceeded by one in 10,000 of seeds: chi-square with 3 and with 199 degrees of freedom.
  EXPECT_LT(chi_square(of_level, expected(0.8, kLevels)), 21.11);
  EXPECT_LT(chi_square(of_token, expected(0.8, kLevels * kOfLevel)), 281.87);
  // What tells other temperatures apart.
  EXPECT_GT(chi_square(of_level, expected(0.9, kLevels)), 21.11);
  EXPECT_GT(chi_square(of_level, expected(0.7, kLevels)), 21.11);
}

TEST(DrawnToken, IsOneOfTheLargestOrEqualToTheLeastOfThem) {
  // 150, then 100 alike of which 50 would do, then 50 that are just below.
  std::vector<float> logits(300, 1.0f);
  for (std::size_t i = 0; i < 150; ++i) logits[2 * i] = 1.25f;
  for (std::size_t i = 0; i < 50; ++i) logits[299 - 4 * i] = std::nextafter(1.0f, 0.0f);
  std::set<int> drawn;
  for (int step = 0; step < 5000; ++step) drawn.insert(drawn_token(logits, kDrawSeed, step));
  EXPECT_EQ(drawn.size(), 250u);
  for (const int token : drawn) EXPECT_GE(logits[static_cast<std::size_t>(token)], 1.0f) << token;
}

TEST(DrawnToken, OfFewerTokensThanAreKeptIsAnyOfThem) {
  std::set<int> drawn;
  for (int step = 0; step < 200; ++step) drawn.insert(drawn_token(std::vector<float>{0, 0, 0}, kDrawSeed, step));
  EXPECT_EQ(drawn, (std::set<int>{0, 1, 2}));
  EXPECT_EQ(drawn_token(std::vector<float>{-7}, kDrawSeed, 0), 0);
}

TEST(DrawnToken, OfEqualKeysIsTheLowerToken) {
  // So large that what is drawn is lost in rounding.
  const std::vector<float> logits{0, 1e10f, 1e10f, 1e10f};
  for (int step = 0; step < 20; ++step) EXPECT_EQ(drawn_token(logits, kDrawSeed, step), 1);
  EXPECT_FALSE(draw_is_decided(logits, kDrawSeed, 0));
  EXPECT_TRUE(draw_is_decided(std::vector<float>{0, 1e10f}, kDrawSeed, 0));
}

TEST(DrawnToken, HangsOnSeedAndStepAloneAndNotOnWhatWasDrawnBefore) {
  const std::vector<float> logits = leveled_logits();
  std::vector<int> ascending;
  std::vector<int> others;
  for (int step = 0; step < 50; ++step) ascending.push_back(drawn_token(logits, kDrawSeed, step));
  for (int step = 0; step < 50; ++step) others.push_back(drawn_token(logits, kDrawSeed + 1, step));
  for (int step = 49; step >= 0; --step) {
    EXPECT_EQ(drawn_token(logits, kDrawSeed, step), ascending[static_cast<std::size_t>(step)]);
    EXPECT_TRUE(draw_is_decided(logits, kDrawSeed, step));
  }
  EXPECT_NE(ascending, others);
  EXPECT_GT(std::set<int>(ascending.begin(), ascending.end()).size(), 30u);
}

}  // namespace
}  // namespace steelyard::cuda_suite::decoding_test
