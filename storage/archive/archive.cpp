#include "storage/archive/archive.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <utility>

#include "bench/model/kept_words.hpp"
#include "bench/model/sha256.hpp"
#include "storage/archive/container.hpp"
#include "storage/archive/portable_archive.hpp"
#include "storage/place/files.hpp"

// What is archived, field by field. To add a field to a class: append it to its serialize() under
// `if (version >= N)`, and declare BOOST_CLASS_VERSION(steelyard::Class, N) here. Files of older versions then leave
// the field at its default; never change what an old version means.

BOOST_CLASS_VERSION(steelyard::Invocation, 1)
BOOST_CLASS_VERSION(steelyard::Measurement, 2)
BOOST_CLASS_VERSION(steelyard::CountedProfile, 1)
BOOST_CLASS_VERSION(steelyard::Run, 1)
BOOST_CLASS_VERSION(steelyard::Failure, 1)
BOOST_CLASS_VERSION(steelyard::CountBasis, 1)

namespace steelyard::storage {
namespace {

// Of a file: holds the first block of its zstd frame, which is 128 KiB at most, packed or not.
constexpr std::size_t kBeginningBytes = std::size_t{192} << 10;
// Of the payload: some hundred times what a header takes.
constexpr std::size_t kMaxHeaderBytes = std::size_t{64} << 10;
constexpr std::uint64_t kMemoryOfHeader = std::uint64_t{16} << 20;

}  // namespace

std::int64_t archive_memory_bytes() {
  constexpr std::int64_t kDefaultMiB = 512;
  constexpr std::int64_t kMaxMiB = std::int64_t{1} << 20;
  const char* asked = std::getenv("STEELYARD_ARCHIVE_MEMORY_MIB");
  const std::string_view text = asked == nullptr ? std::string_view() : std::string_view(asked);
  std::int64_t mebibytes = 0;
  std::from_chars(text.data(), text.data() + text.size(), mebibytes);
  return (mebibytes > 0 ? std::min(mebibytes, kMaxMiB) : kDefaultMiB) << 20;
}

std::int64_t archive_file_bytes() {
  constexpr std::int64_t kUsualBytes = std::int64_t{256} << 20;
  return std::clamp(archive_memory_bytes() / 2, kUsualBytes, kMaxArchiveBytes);
}

void seal(Run& run) {
  run.header.id.clear();
  Sha256 hash;
  write_payload(run, [&hash](std::string_view piece) { hash.add(piece); });
  run.header.id = hash.hex();
}

std::string encode_run(const Run& run) {
  assert(!run.header.id.empty() && "seal the run first");
  return pack_container(encode_payload(run), PayloadKind::run, payload_version());
}

bool is_from_newer_version(std::string_view bytes) {
  return is_newer_container(bytes, PayloadKind::run, payload_version());
}

bool may_be_read_elsewhere(std::string_view bytes, const Error& error) {
  return is_from_newer_version(bytes) || error.found == too_large("", ArchiveLimits{}).found;
}

Result<Run> decode_run(std::string_view bytes, std::string_view name, const ArchiveLimits& limits) {
  STEELYARD_TRY(const std::string payload, unpack_container(bytes, name, PayloadKind::run, payload_version(), limits));
  return decode_payload(payload, name, limits);
}

std::uint64_t unpacked_length(std::string_view bytes) {
  return payload_kind(bytes) == PayloadKind::run ? payload_length(bytes) : 0;
}

namespace {

// The file's bytes. `path`: for messages.
Result<std::string> archive_of(const Run& run, const std::filesystem::path& path) {
  STEELYARD_CHECK(check_run(run, path.string()));
  assert(!run.header.id.empty() && "seal the run first");
  ContainerWriter container(PayloadKind::run, payload_version(), kMaxArchiveBytes);
  write_payload(run, [&container](std::string_view piece) { container.add(piece); });
  container.end();
  const auto refused = [&](const char* what, std::uint64_t found, std::int64_t most) {
    return input_error(path.string(), what + std::to_string(found) + " bytes", "at most " + std::to_string(most),
                       "measure or import fewer benchmarks in one run");
  };
  const std::int64_t most = ArchiveLimits{}.payload_bytes;
  if (container.payload_bytes() > static_cast<std::uint64_t>(most)) {
    return refused("a run of ", container.payload_bytes(), most);
  }
  if (container.file_bytes() > static_cast<std::uint64_t>(kMaxArchiveBytes)) {
    return refused("a run that takes a file of ", container.file_bytes(), kMaxArchiveBytes);
  }
  return container.take_bytes();
}

}  // namespace

Result<void> write_archive(const std::filesystem::path& path, const Run& run) {
  STEELYARD_TRY(const std::string bytes, archive_of(run, path));
  return write_file(path, bytes);
}

Result<void> write_named_archive(const std::filesystem::path& path, const Run& run, LinkInPlace link) {
  STEELYARD_TRY(const std::string bytes, archive_of(run, path));
  return write_named_file(path, bytes, link);
}

Result<std::string> read_archive_bytes(const std::filesystem::path& path) {
  const ArchiveLimits limits;
  std::error_code code;
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  const bool could_be_one = !code && size <= static_cast<std::uintmax_t>(kMaxArchiveBytes);
  if (could_be_one && size > static_cast<std::uintmax_t>(limits.file_bytes)) {
    STEELYARD_TRY(const std::string beginning, read_beginning(path, kBeginningBytes));
    if (begins_container(beginning)) return too_large(path.string(), limits);
  }
  return read_file(path, limits.file_bytes);
}

Result<Run> read_archive(const std::filesystem::path& path) {
  STEELYARD_TRY(const std::string bytes, read_archive_bytes(path));
  return decode_run(bytes, path.string());
}

Result<Run> read_sealed_archive(const std::filesystem::path& path) {
  STEELYARD_TRY(const std::string bytes, read_archive_bytes(path));
  return decode_sealed_run(bytes, path.string());
}

Result<RunHeader> read_header(const std::filesystem::path& path) {
  STEELYARD_TRY(const std::string bytes, read_beginning(path, kBeginningBytes));
  if (const auto payload = unpack_beginning(bytes, PayloadKind::run, payload_version(), kMaxHeaderBytes)) {
    if (std::optional<RunHeader> header = decode_header(*payload)) return std::move(*header);
  }
  STEELYARD_TRY(Run run, read_archive(path));
  return std::move(run.header);
}

template <>
inline constexpr std::uint8_t kEnumerators<Better> = 3;
template <>
inline constexpr std::uint8_t kEnumerators<MetricKind> = 2;
template <>
inline constexpr std::uint8_t kEnumerators<Layout> = 4;
template <>
inline constexpr std::uint8_t kEnumerators<CountScope> = 3;
template <>
inline constexpr std::uint8_t kEnumerators<CountOrigin> = 3;
template <>
inline constexpr std::uint8_t kEnumerators<FailureKind> = 5;

template <class Archive>
void serialize(Archive& archive, Parameter& parameter, unsigned /*version*/) {
  archive& parameter.name& parameter.value;
}

template <class Archive>
void serialize(Archive& archive, BenchmarkId& id, unsigned /*version*/) {
  archive& id.name& id.parameters& id.threads& id.suite& id.device& id.dtype;
}

template <class Archive>
void serialize(Archive& archive, Metric& metric, unsigned /*version*/) {
  archive& metric.name& metric.unit& metric.better& metric.kind;
}

template <class Archive>
void serialize(Archive& archive, Fact& fact, unsigned /*version*/) {
  archive& fact.name& fact.value& fact.decisive;
}

template <class Archive>
void serialize(Archive& archive, Environment& environment, unsigned /*version*/) {
  archive& environment.facts;
}

template <class Archive>
void serialize(Archive& archive, Commit& commit, unsigned /*version*/) {
  archive& commit.sha& commit.parent& commit.branch& commit.subject& commit.committed_at_unix_s& commit.dirty;
}

template <class Archive>
void serialize(Archive& archive, RunHeader& header, unsigned /*version*/) {
  archive& header.id& header.created_at_unix_ns& header.tool& header.project& header.program& header.commit& header
      .session& header.layout& header.seed& header.settings;
}

template <class Archive>
void serialize(Archive& archive, InvocationConditions& conditions, unsigned /*version*/) {
  archive& conditions.voluntary_switches& conditions.involuntary_switches& conditions.migrations;
  archive& conditions.minor_faults& conditions.major_faults& conditions.user_ns& conditions.system_ns;
  archive& conditions.steal_ns& conditions.other_busy_ns& conditions.mhz_before& conditions.mhz_after;
}

template <class Archive>
void serialize(Archive& archive, Invocation& invocation, unsigned version) {
  archive& invocation.round& invocation.slot& invocation.core& invocation.started_at_unix_ns& invocation.duration_ns;
  if (version >= 1) archive& invocation.conditions& invocation.disturbed_by& invocation.excluded;
}

template <class Archive>
void serialize(Archive& archive, InvocationSamples& samples, unsigned /*version*/) {
  archive& samples.invocation& samples.values& samples.iterations;
}

template <class Archive>
void serialize(Archive& archive, CountBasis& basis, unsigned version) {
  archive& basis.scope& basis.jitter& basis.jitter_from& basis.proof;
  if (version >= 1) {
    archive& basis.origin;
  } else if constexpr (Archive::is_loading::value) {
    basis.origin = read_count_origin(basis.proof);
  }
}

template <class Archive>
void serialize(Archive& archive, Measurement& measurement, unsigned version) {
  archive& measurement.benchmark& measurement.metric& measurement.count_key& measurement.invocations;
  if (version >= 1) archive& measurement.excluded;
  if (version >= 2) archive& measurement.count_basis;
}

template <class Archive>
void serialize(Archive& archive, ProfiledFunction& function, unsigned /*version*/) {
  archive& function.object& function.file& function.name& function.line& function.calls& function.self& function
      .inclusive;
}

template <class Archive>
void serialize(Archive& archive, CallArc& arc, unsigned /*version*/) {
  archive& arc.caller& arc.callee& arc.calls& arc.inclusive;
}

template <class Archive>
void serialize(Archive& archive, SourceCost& source, unsigned /*version*/) {
  archive& source.function& source.file& source.origin& source.line& source.self;
}

template <class Archive>
void serialize(Archive& archive, CountedProfile& profile, unsigned version) {
  archive& profile.benchmark& profile.iterations& profile.events& profile.totals& profile.functions& profile.arcs;
  if (version >= 1) archive& profile.sources;
}

template <class Archive>
void serialize(Archive& archive, Failure& failure, unsigned version) {
  archive& failure.benchmark& failure.metric& failure.round;
  if (version >= 1) {
    archive& failure.said& failure.kind;
  } else {
    std::string reason = to_text(failure);
    archive& reason;
    if constexpr (Archive::is_loading::value) read_failure(reason, failure);
  }
}

template <class Archive>
void serialize(Archive& archive, Run& run, unsigned version) {
  archive& run.header& run.environment& run.invocations& run.measurements& run.profiles& run.failures;
  if (version >= 1) archive& run.labels;
}

namespace {

using RunTypes = PayloadTypes<ThroughBoost, Run, RunHeader, Commit, Environment, Fact, Invocation, Measurement,
                              InvocationSamples, BenchmarkId, Parameter, Metric, CountedProfile, ProfiledFunction,
                              CallArc, Failure, InvocationConditions, CountBasis, SourceCost>;

// What a reader of the run may rely on; empty where all of it holds.
std::string flaw_of(const InvocationSamples& samples, const std::vector<Invocation>& invocations, bool excluded) {
  if (samples.invocation >= invocations.size()) return "an invocation that is not there";
  if (samples.values.empty()) return "an invocation without samples";
  if (!samples.iterations.empty() && samples.iterations.size() != samples.values.size()) {
    return "iterations of another number of samples";
  }
  if (invocations[samples.invocation].excluded != excluded) {
    return excluded ? "excluded samples of an invocation that counts" : "samples of an invocation that was excluded";
  }
  return "";
}

std::string flaw_of(const Measurement& measurement, const std::vector<Invocation>& invocations) {
  for (const InvocationSamples& samples : measurement.invocations) {
    if (std::string flaw = flaw_of(samples, invocations, false); !flaw.empty()) return flaw;
  }
  for (const InvocationSamples& samples : measurement.excluded) {
    if (std::string flaw = flaw_of(samples, invocations, true); !flaw.empty()) return flaw;
  }
  return "";
}

// Where and what is wrong; empty where nothing is.
std::string flaw_of(const Run& run) {
  for (const Measurement& measurement : run.measurements) {
    const std::string flaw = flaw_of(measurement, run.invocations);
    if (!flaw.empty()) return measurement.benchmark.canonical() + ' ' + measurement.metric.name + " with " + flaw;
  }
  for (const CountedProfile& profile : run.profiles) {
    const std::string flaw = flaw_of(profile);
    if (!flaw.empty()) return "the profile of " + profile.benchmark.canonical() + " with " + flaw;
  }
  return "";
}

}  // namespace

std::uint32_t payload_version() { return RunTypes::payload_version(); }

void write_payload(const Run& run, const std::function<void(std::string_view piece)>& take) {
  PayloadWriter<RunTypes> writer(take);
  writer& run;
  writer.hand_on_rest();
}

std::string encode_payload(const Run& run) {
  PayloadWriter<RunTypes> writer;
  writer& run;
  return std::move(writer).bytes();
}

Result<Run> decode_payload(std::string_view payload, std::string_view name, const ArchiveLimits& limits) {
  Run run;
  try {
    PayloadReader<RunTypes> reader(payload, memory_for_objects(payload, limits));
    reader& run;
    reader.expect_end();
  } catch (const PayloadDefect& defect) {
    return defect_error(name, defect, limits);
  }
  if (std::string flaw = flaw_of(run); !flaw.empty()) {
    return input_error(std::string(name), std::move(flaw), "a whole run", "the file is damaged; measure again");
  }
  return run;
}

std::optional<RunHeader> decode_header(std::string_view beginning) {
  RunHeader header;
  try {
    PayloadReader<RunTypes> reader(beginning, kMemoryOfHeader);
    reader& header;  // what a Run begins with
  } catch (const PayloadDefect&) {
    return std::nullopt;
  }
  return header;
}

Result<void> check_run(const Run& run, std::string_view name) {
  if (std::string flaw = flaw_of(run); !flaw.empty()) return bug_error(std::string(name), std::move(flaw));
  return {};
}

namespace {

// The record versions of payloads that released versions wrote, oldest first: archives of them are under tests/golden.
struct OlderPayload {
  RunTypes::Versions versions;
  std::uint32_t kinds;
};
constexpr std::array<OlderPayload, 3> kOlderPayloads{
    {{{}, 15}, {{1, 0, 0, 0, 0, 1, 1}, 16}, {{1, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 1}, 18}}};

// How many kinds of record a payload says that it knows; precondition: decode_payload() has taken it.
std::size_t kinds_of(std::string_view payload) { return static_cast<unsigned char>(payload.front()); }

// The hash of a payload as if it had no id, which is the first that a Run writes; empty where it begins otherwise.
std::string hash_without_id(std::string_view payload, const std::string& id) {
  const std::size_t begin = (1 + kinds_of(payload)) * sizeof(std::uint32_t);  // behind the records' versions
  const std::size_t end = begin + sizeof(std::uint64_t) + id.size();
  if (payload.size() < end || payload.substr(end - id.size(), id.size()) != id) return "";
  Sha256 hash;
  hash.add(payload.substr(0, begin));
  hash.add(std::string(sizeof(std::uint64_t), '\0'));
  hash.add(payload.substr(end));
  return hash.hex();
}

// A run may have been sealed by an older version and written again by this one: its id is then that of the older
// payload, which must hold all of it. It is encoded anew for that, so that more than any such run had is not looked at.
bool is_sealed_by_older(const Run& run, std::string_view payload) {
  constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
  if (payload.size() > kMaxBytes) return false;
  Run without_id = run;
  without_id.header.id.clear();
  return std::any_of(kOlderPayloads.begin(), kOlderPayloads.end(), [&](const OlderPayload& older) {
    PayloadWriter<RunTypes> writer(older.versions, older.kinds);
    writer& without_id;
    if (sha256_hex(writer.bytes()) != run.header.id) return false;
    const Result<Run> read = decode_payload(writer.bytes(), "");
    return read && encode_payload(*read) == encode_payload(without_id);
  });
}

}  // namespace

bool is_kept_count(const RunHeader& header) { return header.settings.contains(kKeptCountSetting); }

Result<Run> decode_sealed_run(std::string_view bytes, std::string_view name) {
  STEELYARD_TRY(const std::string payload, unpack_container(bytes, name, PayloadKind::run, payload_version(), {}));
  STEELYARD_TRY(Run run, decode_payload(payload, name));
  const std::string& id = run.header.id;
  if (hash_without_id(payload, id) == id || is_sealed_by_older(run, payload)) return run;
  return input_error(std::string(name), "a run whose id is not that of its content",
                     "the id that it was sealed with: a hash of all that it holds",
                     "someone has changed it; take another copy of it, or measure again");
}

}  // namespace steelyard::storage
