// The interface steelyard.comparison/1 as it is kept: what compare, ab and gate write with --json, or beside the
// archives, without what follows from the rest (the summary, ranks, the promise, targets). Written and read back,
// bounded; a comparison that was once read is the same however often it is written and read again.
//
//     write_file(path, comparison_document(comparison));
//     STEELYARD_TRY(Comparison comparison, read_comparison(path));
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "bench/model/comparison.hpp"
#include "bench/model/result.hpp"
#include "storage/document/json.hpp"

namespace steelyard::storage {

inline constexpr std::string_view kComparisonSchema = "steelyard.comparison/1";
inline constexpr std::int64_t kMaxComparisonBytes = std::int64_t{256} << 20;

// Names may hold bytes that are no UTF-8: they are replaced. A number that is not finite is absent.
std::string comparison_document(const Comparison& comparison);
// The document's object, for those who add to it before it is written.
JsonWriter comparison_object(const Comparison& comparison);
// The header of a run with its fingerprint, as either side of the document has it.
JsonWriter run_header_object(const RunHeader& header, const std::string& fingerprint);

// `name` is named in errors. Error (input): no such document, a newer version, a field that is not as wanted.
Result<Comparison> parse_comparison(std::string_view text, const std::string& name);
// Error (input): as parse_comparison(), or no file, above kMaxComparisonBytes.
Result<Comparison> read_comparison(const std::filesystem::path& file);

// The comparison as every reader of its document has it, without the text between. What has no place in it (pictures)
// is gone. Error (input): a value that no document can hold.
Result<Comparison> as_kept(const Comparison& comparison);

// The version that the beginning of a document (some 100 bytes) says it has; 0: it is no comparison.
int comparison_version(std::string_view beginning);
inline constexpr int kComparisonVersion = 1;

}  // namespace steelyard::storage
