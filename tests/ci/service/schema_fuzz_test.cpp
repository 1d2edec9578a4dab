// A client that is generated from the description: every operation with values that its schemas allow, almost allow and
// do not allow, drawn from a seed. Whatever it asks, the answer is one that the description has, and tells nothing of
// the service's insides.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "storage/place/store_address.hpp"
#include "tests/ci/service/schema_check.hpp"
#include "tests/ci/service/served_store.hpp"

namespace steelyard::ci::schema_fuzz_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class SchemaFuzz : public ServedStore {
 protected:
  std::size_t draw(std::size_t below) { return random_() % below; }
  bool is_drawn(std::size_t one_of) { return draw(one_of) == 0; }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[draw(all.size())];
  }
  const json& resolved(const json& schema) const {
    return schema.contains("$ref") ? document().at(json::json_pointer(schema["$ref"].get<std::string>().substr(1)))
                                   : schema;
  }

  std::string hostile_text() {
    static const std::vector<std::string> texts{"",
                                                "'; drop table steelyard.runs; --",
                                                "<script>alert(1)</script>",
                                                "../../../etc/passwd",
                                                "%s%n",
                                                std::string(5000, 'a'),
                                                "\xE2\x80\xAE\xF0\x9F\x90\x98",
                                                "-1",
                                                "99999999999999999999999",
                                                "NaN",
                                                "demo",
                                                "0123456789abcdef",
                                                std::string(64, 'f')};
    return one_of(texts);
  }

  // Of the schema, but for one part in eight.
  json value_of(const json& wanted, int depth = 0) {
    const json& schema = resolved(wanted);
    if (is_drawn(8) || depth > 6) {
      const std::vector<json> others{nullptr, true, -1, 1e308, hostile_text(), json::array(), {{"a", {{"b", 1}}}}};
      return one_of(others);
    }
    if (schema.contains("enum")) return schema["enum"][draw(schema["enum"].size())];
    std::string type = "object";
    if (schema.contains("type")) {
      const json& types = schema["type"];
      type = types.is_array() ? types[draw(types.size())].get<std::string>() : types.get<std::string>();
    }
    if (type == "null") return nullptr;
    if (type == "boolean") return is_drawn(2);
    if (type == "integer") return schema.value("minimum", 0) + static_cast<int>(draw(50));
    if (type == "number") return static_cast<double>(draw(1000)) / 7;
    if (type == "string") return is_drawn(2) ? "2026-12-31" : hostile_text();
    if (type == "array") {
      json list = json::array();
      for (std::size_t i = draw(4); i > 0 && schema.contains("items"); --i) {
        list.push_back(value_of(schema["items"], depth + 1));
      }
      return list;
    }
    json object = json::object();
    const json properties = schema.value("properties", json::object());
    for (const auto& [name, part] : properties.items()) {
      if (!is_drawn(6)) object[name] = value_of(part, depth + 1);
    }
    if (is_drawn(10)) object["surplus"] = 1;
    return object;
  }

  std::string body_of(const json& schema) {
    const std::string text = value_of(schema).dump(-1, ' ', false, json::error_handler_t::replace);
    switch (draw(12)) {
      case 0:
        return std::string(20'000, '[');
      case 1:
        return R"({"a":)" + std::string(30'000, '{');
      case 2:
        return text.substr(0, text.size() / 2);
      case 3:
        return "{\"days\":1e999999,\"days\":" + std::string(400, '9') + '}';
      case 4:
        return R"({"name":"a","name":"b","note":"x","note":"y"})";
      case 5:
        return "{\"name\":\"\xFF\xFE\",\"note\":\"\xC0\x80\"}";
      case 6:
        return R"({"name":"\ud800","note":"\u0000"})";
      case 7:
        return std::string("\xFF\xFE{\0}\0", 6);
      default:
        return text;
    }
  }

  std::string target_of(const std::string& path, const json& operation) {
    static const std::vector<std::string> in_paths{
        sealed_run(1).header.id, sealed_run(3).header.id, "history", "alerts",      "0123456789abcdef", "%00",
        "..%2f..%2fetc",         "a%27%20or%201=1",       "%ff",     "%3Cscript%3E"};
    std::string target = path;
    for (std::size_t at = 0; (at = target.find('{')) != target.npos;) {
      target.replace(at, target.find('}') - at + 1, one_of(in_paths));
    }
    char mark = '?';
    const json parameters = operation.value("parameters", json::array());
    for (const json& named : parameters) {
      const json& parameter = resolved(named);
      if (parameter["in"] != "query" || (is_drawn(2) && !parameter.value("required", false))) continue;
      const json value = value_of(parameter["schema"]);
      target += mark + parameter["name"].get<std::string>() + '=' +
                storage::percent_encode(value.is_string() ? value.get<std::string>() : value.dump());
      mark = '&';
    }
    return target;
  }

  std::mt19937_64 random_{1};
};

TEST_F(SchemaFuzz, IsAnsweredAsTheDescriptionSaysWhateverItAsks) {
  const std::string token = issue({"read", "submit", "report", "admin"});
  std::map<int, int> counts;
  for (int round = 0; round < 12; ++round) {
    for (const auto& [path, operations] : document()["paths"].items()) {
      if (path == "/api/v1/events") continue;  // without end
      for (const auto& [method, operation] : operations.items()) {
        if (!operation.is_object() || !operation.contains("operationId")) continue;
        Fields fields = bearer(token);
        std::string body;
        if (operation.contains("requestBody")) {
          const json& content = operation["requestBody"]["content"];
          const std::string type = std::next(content.begin(), static_cast<std::ptrdiff_t>(draw(content.size()))).key();
          fields.emplace_back("Content-Type", type);
          body = body_of(content[type]["schema"]);
        }
        std::string verb = method;
        for (char& c : verb) c = static_cast<char>(c - 'a' + 'A');
        const std::string target = target_of(path, operation);
        const HttpReply reply = ask(port(), verb, target, fields, body);
        ++counts[reply.status];
        const std::string what = verb + ' ' + target.substr(0, 300) + ' ' + body.substr(0, 300);
        ASSERT_GE(reply.status, 200) << what;
        ASSERT_LT(reply.status, 500) << what << '\n' << reply.body;
        const auto content_type = reply.fields.find("content-type");
        EXPECT_EQ(answer_fault(document(), path, method, reply.status,
                               content_type == reply.fields.end() ? "" : content_type->second, reply.body),
                  "")
            << what;
        if (reply.status >= 400) EXPECT_THAT(reply.body, Not(HasSubstr("ERROR:"))) << what;
      }
    }
  }
  EXPECT_GT(counts[200], 50) << "much of it is allowed";
  EXPECT_GT(counts[400], 50) << "and much is not";
  const std::string all = checked("/api/v1/runs", "/api/v1/runs?limit=100").dump();
  for (const auto& [number, project] : {std::pair(1, "demo"), std::pair(3, "hidden")}) {
    EXPECT_THAT(all, HasSubstr(sealed_run(number, project).header.id)) << "nothing is lost";
  }
}

}  // namespace
}  // namespace steelyard::ci::schema_fuzz_test
