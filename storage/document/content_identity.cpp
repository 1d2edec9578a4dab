#include "storage/document/content_identity.hpp"

#include <bit>

#include "bench/model/sha256.hpp"

namespace steelyard::storage {

ContentIdentity& ContentIdentity::text(std::string_view value) {
  content_ += std::to_string(value.size()) + ':';
  content_ += value;
  return *this;
}
ContentIdentity& ContentIdentity::integer(std::int64_t value) { return text(std::to_string(value)); }
ContentIdentity& ContentIdentity::number(double value) { return integer(std::bit_cast<std::int64_t>(value)); }
ContentIdentity& ContentIdentity::number(const std::optional<double>& value) {
  return value ? number(*value) : text("absent");
}
ContentIdentity& ContentIdentity::texts(const std::vector<std::string>& values) {
  integer(static_cast<std::int64_t>(values.size()));
  for (const std::string& value : values) text(value);
  return *this;
}
ContentIdentity& ContentIdentity::append(const ContentIdentity& more) {
  content_ += more.content_;
  return *this;
}
std::string ContentIdentity::hex() const { return sha256_hex(content_); }

}  // namespace steelyard::storage
