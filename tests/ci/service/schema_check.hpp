// Holds a JSON value against a schema of an OpenAPI 3.1 document: the words of JSON Schema that ours is written with,
// and a failure for any other, so that nothing of a schema is passed over.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace steelyard::ci {

// Empty where it holds; else the place and what is wrong there.
std::string schema_fault(const nlohmann::json& document, const nlohmann::json& schema, const nlohmann::json& value,
                         const std::string& place = "$");

// The answer of an operation, by its status and type: the body against the schema.
std::string answer_fault(const nlohmann::json& document, const std::string& path, const std::string& method, int status,
                         const std::string& type, const std::string& body);

}  // namespace steelyard::ci
