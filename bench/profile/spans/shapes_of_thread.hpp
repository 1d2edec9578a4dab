// The kinds of shapes that a thread's spans have said, each with what was made of it once, so that those said again
// need neither a text nor a lock, however many there are.
//
//     constinit thread_local ShapesOfThread<SpanSite> shapes;
//     thread_local const EndOfShapes end(shapes);
//     SpanSite& site = shapes.of(facts, [&]() -> SpanSite& { return site_of(text_of_shapes(facts)); });
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <utility>

#include "bench/profile/spans/span.hpp"

namespace steelyard {

// "[[64, 512], [512, 10]]".
inline std::string text_of_shapes(const SpanFacts& facts) {
  std::string text = "[";
  for (const auto& shape : facts.shapes) {
    if (text.size() > 1) text += ", ";
    text += '[';
    for (const std::int64_t& size : shape) text += (&size == shape.begin() ? "" : ", ") + std::to_string(size);
    text += ']';
  }
  return text + "]";
}

// 64 bits of a hash, never 0: a multiplication for each number, then the finalizer of SplitMix64 (Steele, Lea and
// Flood, OOPSLA 2014), so that the lowest bits, by which places are found, depend on all.
inline std::uint64_t hash_of_shapes(const SpanFacts& facts) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
  std::uint64_t hash = facts.shapes.size();
  const auto add = [&hash](std::uint64_t value) {
    hash = (hash ^ value) * kGolden;
    hash ^= hash >> 32;
  };
  for (const auto& shape : facts.shapes) {
    add(~shape.size());
    for (const std::int64_t size : shape) add(static_cast<std::uint64_t>(size));
  }
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  hash ^= hash >> 31;
  return hash == 0 ? 1 : hash;
}

// A table with open places, twice as many as kinds at least; it grows up to `max_places`, a power of two: 16 MB. Beyond
// half of them a new kind may take another's place. Two kinds of one hash are taken for one.
//
// It has no destructor, as a thread's other destructors may still say shapes when it would have run.
template <class Made, std::size_t max_places = std::size_t{1} << 20>
class ShapesOfThread {
 public:
  constexpr ShapesOfThread() = default;
  ShapesOfThread(const ShapesOfThread&) = delete;
  ShapesOfThread& operator=(const ShapesOfThread&) = delete;

  // Gives back its memory: from here on each kind is made whenever it is said.
  void end() {
    is_over_ = true;
    size_ = kinds_ = 0;
    std::free(std::exchange(places_, nullptr));
  }

  // `make`, which returns a Made& that stays, is called for a kind that is not here.
  template <class Make>
  Made& of(const SpanFacts& facts, Make make) {
    const std::uint64_t hash = hash_of_shapes(facts);
    if (2 * kinds_ >= size_ && size_ < max_places) grow();
    if (places_ == nullptr) return make();
    Place& place = place_of(hash);
    if (place.hash == hash) return *place.made;
    if (place.hash == 0) ++kinds_;
    place = {hash, &make()};
    return *place.made;
  }

 private:
  struct Place {
    std::uint64_t hash;  // 0: nothing is here
    Made* made;
  };
  static constexpr std::size_t kFirstPlaces = 64, kMaxTries = 128;

  // Where it is, or would be.
  Place& place_of(std::uint64_t hash) {
    std::size_t at = hash & (size_ - 1);
    for (std::size_t i = 1; i < kMaxTries && places_[at].hash != hash && places_[at].hash != 0; ++i) {
      at = (at + 1) & (size_ - 1);
    }
    return places_[at];
  }

  void grow() {
    if (is_over_) return;
    const std::size_t size = size_ == 0 ? kFirstPlaces : 2 * size_;
    auto* const places = static_cast<Place*>(std::calloc(size, sizeof(Place)));
    if (places == nullptr) return;
    Place* const old = std::exchange(places_, places);
    const std::size_t old_size = std::exchange(size_, size);
    for (std::size_t i = 0; i < old_size; ++i) {
      if (old[i].hash != 0) place_of(old[i].hash) = old[i];
    }
    std::free(old);
  }

  Place* places_ = nullptr;
  std::size_t size_ = 0, kinds_ = 0;  // places; those that are taken
  bool is_over_ = false;
};

// Ends those of its thread with it, or with what holds both.
template <class Made, std::size_t max_places = std::size_t{1} << 20>
class EndOfShapes {
 public:
  explicit EndOfShapes(ShapesOfThread<Made, max_places>& shapes) : shapes_(shapes) {
    static_assert(std::is_trivially_destructible_v<ShapesOfThread<Made, max_places>>);
  }
  EndOfShapes(const EndOfShapes&) = delete;
  EndOfShapes& operator=(const EndOfShapes&) = delete;
  ~EndOfShapes() { shapes_.end(); }

 private:
  ShapesOfThread<Made, max_places>& shapes_;
};

}  // namespace steelyard
