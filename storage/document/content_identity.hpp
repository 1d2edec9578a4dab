// The SHA-256 of a sequence of fields, for rows that are the same exactly if their content is. Each field carries its
// length, so that "ab" + "c" and "a" + "bc" differ.
//
//     ContentIdentity().text(name).integer(round).hex()
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::storage {

class ContentIdentity {
 public:
  ContentIdentity& text(std::string_view value);
  ContentIdentity& integer(std::int64_t value);
  ContentIdentity& number(double value);
  ContentIdentity& number(const std::optional<double>& value);
  ContentIdentity& texts(const std::vector<std::string>& values);
  ContentIdentity& append(const ContentIdentity& more);  // its fields
  std::string hex() const;                               // 64 characters
  bool operator==(const ContentIdentity&) const = default;

 private:
  std::string content_;
};

}  // namespace steelyard::storage
