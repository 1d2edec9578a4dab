#include "storage/packing/packed_samples.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "storage/packing/packed_doubles.hpp"

namespace steelyard::storage {
namespace {

using Section = std::vector<InvocationSamples>;

constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kVersionBits = 7;
constexpr std::uint8_t kDropped = 8;
constexpr std::uint8_t kExcluded = 16;
constexpr std::uint8_t kRegular = 32;
constexpr std::uint8_t kRegularIterations = 64;
constexpr std::uint8_t kUnused = 128;
constexpr std::size_t kMinBytesPerInvocation = 3;

bool is_regular(const Section& section) {
  if (section.empty() || section.front().values.empty()) return false;
  const std::size_t samples = section.front().values.size();
  const std::size_t iterations = section.front().iterations.size();
  if (iterations != 0 && iterations != samples) return false;
  std::uint32_t number = 0;
  return std::all_of(section.begin(), section.end(), [&](const InvocationSamples& taken) {
    return taken.invocation == number++ && taken.values.size() == samples && taken.iterations.size() == iterations;
  });
}

void append_structure(std::string& bytes, const Section& section) {
  append_varint(bytes, section.size());
  std::int64_t expected = 0;
  for (const InvocationSamples& taken : section) {
    append_signed_varint(bytes, taken.invocation - expected);
    append_varint(bytes, taken.values.size());
    append_varint(bytes, taken.iterations.size());
    expected = std::int64_t{taken.invocation} + 1;
  }
}

// How many samples and iterations an invocation has, before they are read.
struct Shape {
  std::uint32_t invocation = 0;
  std::uint64_t samples = 0;
  std::uint64_t iterations = 0;
};
struct Structure {
  std::vector<Shape> shapes;  // empty for a regular section: see `regular`
  bool regular = false;
  std::uint64_t invocations = 0;
  Shape each;
};

Structure read_structure(ByteReader& reader, bool regular, bool with_iterations) {
  Structure structure;
  structure.regular = regular;
  structure.invocations = reader.varint();
  if (regular) {
    structure.each.samples = reader.varint();
    structure.each.iterations = with_iterations ? structure.each.samples : 0;
    if (structure.invocations == 0 || structure.each.samples == 0) reader.fail();
    if (structure.invocations > std::numeric_limits<std::uint32_t>::max()) reader.fail();
    return structure;
  }
  if (structure.invocations > reader.left() / kMinBytesPerInvocation) reader.fail();
  std::int64_t expected = 0;
  for (std::uint64_t i = 0; i < structure.invocations && !reader.failed(); ++i) {
    const std::int64_t from_expected = reader.signed_varint();
    if (from_expected < -expected || from_expected > std::numeric_limits<std::uint32_t>::max() - expected)
      reader.fail();
    const auto invocation = static_cast<std::uint32_t>(reader.failed() ? 0 : expected + from_expected);
    const std::uint64_t samples = reader.varint();
    const std::uint64_t iterations = reader.varint();
    structure.shapes.push_back({invocation, samples, iterations});
    expected = std::int64_t{invocation} + 1;
  }
  return structure;
}

// Absent where the sum is more than any bytes hold.
std::optional<std::uint64_t> total(const Structure& structure, std::uint64_t Shape::*what) {
  constexpr std::uint64_t kMax = std::uint64_t{1} << 40U;
  if (structure.regular) {
    if (structure.each.*what > kMax / structure.invocations) return std::nullopt;
    return structure.invocations * (structure.each.*what);
  }
  std::uint64_t sum = 0;
  for (const Shape& shape : structure.shapes) {
    if (shape.*what > kMax || sum > kMax) return std::nullopt;
    sum += shape.*what;
  }
  return sum;
}

template <class Value>
std::vector<Value> take_front(const std::vector<Value>& flat, std::size_t& at, std::uint64_t count) {
  const auto begin = flat.begin() + static_cast<std::ptrdiff_t>(at);
  at += static_cast<std::size_t>(count);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

Section read_contents(ByteReader& reader, const Structure& structure) {
  const auto sample_count = total(structure, &Shape::samples);
  const auto iteration_count = total(structure, &Shape::iterations);
  if (!sample_count || !iteration_count) reader.fail();
  if (reader.failed()) return {};
  const std::vector<std::int64_t> iterations = read_integers(reader, *iteration_count);
  if (reader.failed()) return {};
  const std::vector<double> samples = read_doubles(reader, *sample_count, iterations);
  if (reader.failed()) return {};
  Section section;
  std::size_t sample_at = 0;
  std::size_t iteration_at = 0;
  for (std::uint64_t i = 0; i < structure.invocations; ++i) {
    const Shape shape = structure.regular
                            ? Shape{static_cast<std::uint32_t>(i), structure.each.samples, structure.each.iterations}
                            : structure.shapes[static_cast<std::size_t>(i)];
    section.push_back({shape.invocation, take_front(samples, sample_at, shape.samples),
                       take_front(iterations, iteration_at, shape.iterations)});
  }
  return section;
}

}  // namespace

std::string_view SamplePacker::pack(const Section& invocations, const Section& excluded) {
  const bool regular = is_regular(invocations);
  std::uint8_t head = kVersion;
  if (!excluded.empty()) head |= kExcluded;
  if (regular) head |= kRegular;
  if (regular && !invocations.front().iterations.empty()) head |= kRegularIterations;
  bytes_.assign(1, static_cast<char>(head));
  if (regular) {
    append_varint(bytes_, invocations.size());
    append_varint(bytes_, invocations.front().values.size());
  } else {
    append_structure(bytes_, invocations);
  }
  if (!excluded.empty()) append_structure(bytes_, excluded);
  append_contents(invocations);
  if (!excluded.empty()) append_contents(excluded);
  return bytes_;
}

void SamplePacker::append_contents(const Section& section) {
  samples_.clear();
  iterations_.clear();
  for (const InvocationSamples& taken : section) {
    samples_.insert(samples_.end(), taken.values.begin(), taken.values.end());
    iterations_.insert(iterations_.end(), taken.iterations.begin(), taken.iterations.end());
  }
  append_integers(bytes_, iterations_, plan_integers(iterations_));
  doubles_.append(bytes_, samples_, iterations_);
}

Result<UnpackedSamples> unpack_samples(std::string_view packed, const std::string& where) {
  ByteReader reader(packed);
  UnpackedSamples unpacked;
  const std::uint8_t head = reader.byte();
  const bool regular = (head & kRegular) != 0;
  if ((head & kVersionBits) != kVersion || (head & kUnused) != 0 || (!regular && (head & kRegularIterations) != 0)) {
    reader.fail();
  }
  const Structure structure = read_structure(reader, regular, (head & kRegularIterations) != 0);
  Structure aside;
  if ((head & kExcluded) != 0) aside = read_structure(reader, false, false);
  unpacked.dropped = (head & kDropped) != 0;
  if (!unpacked.dropped && !reader.failed()) {
    unpacked.invocations = read_contents(reader, structure);
    if ((head & kExcluded) != 0 && !reader.failed()) unpacked.excluded = read_contents(reader, aside);
  }
  if (!reader.failed() && reader.left() == 0) return unpacked;
  return store_error(where, "packed samples of " + std::to_string(packed.size()) + " bytes that cannot be read",
                     "samples as this or an older program packs them",
                     "a newer steelyard may have written them: update this one; else restore a backup");
}

}  // namespace steelyard::storage
