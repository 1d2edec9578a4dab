// The OpenAPI document that the service serves, read as what it promises: which operations there are, what each may be
// asked with, and who may. Requests are held against it before anything is done; the tests hold the answers against it.
// A parameter, its bound or a scope stands in openapi.json and nowhere else.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"

namespace steelyard::ci {

struct ApiParameter {
  enum class Place { query, path };
  std::string name;
  Place place = Place::query;
  bool is_required = false;
  bool is_whole_number = false;
  bool is_number = false;
  bool is_hex = false;
  std::optional<double> minimum, maximum;
  std::optional<double> below;  // exclusiveMaximum
  std::size_t shortest = 0, longest = 1000;
  std::string usual;               // the default; empty: none
  std::vector<std::string> words;  // of an enumeration; empty: any
};

struct ApiOperation {
  std::string id;
  std::string method;
  std::vector<std::string> path;  // its parts; "{id}" takes any one
  std::string scope;              // empty: anybody
  std::vector<ApiParameter> parameters;
  bool is_conditional = false;  // it has an ETag, and answers 304
};

// By name, as they were checked: percent-decoded, UTF-8 without zero bytes; defaults filled in.
using ApiValues = std::map<std::string, std::string>;

class ApiDescription {
 public:
  // Error (bug): the document is not as this reads it.
  static Result<ApiDescription> parse(std::string_view document);

  struct Match {
    const ApiOperation* operation = nullptr;  // null: none
    std::vector<std::string> allowed;         // methods of that path; empty: there is no such path
    ApiValues path;                           // not yet checked
  };
  // path: without the query.
  Match find(std::string_view method, std::string_view path) const;
  // Error (input): a parameter that is unknown, there twice, missing, or not as the document says.
  static Result<ApiValues> read(const ApiOperation& operation, const ApiValues& path, std::string_view query);
  const std::vector<ApiOperation>& operations() const { return operations_; }

 private:
  std::vector<ApiOperation> operations_;
};

}  // namespace steelyard::ci
