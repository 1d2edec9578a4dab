// The resolver of a build without libdw: every origin is unknown, and it says why.
#include "bench/counting/lines/origin_resolver.hpp"

namespace steelyard {

class OriginResolver::DebuggedObject {};

OriginResolver::OriginResolver(std::filesystem::file_time_type written) : written_(written) {}
OriginResolver::~OriginResolver() = default;

const CodeOrigin* OriginResolver::find(const std::string& /*object*/, std::uint64_t /*address*/) { return nullptr; }

std::string OriginResolver::file_of(const std::string& /*object*/, std::uint64_t /*address*/, std::int32_t /*line*/) {
  return "";
}

std::string OriginResolver::why_unknown(const std::string& object) {
  return object + ": this steelyard was built without libdw; install libdw-dev and build it again";
}

}  // namespace steelyard
