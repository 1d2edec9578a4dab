#include <nlohmann/json.hpp>

#include "ci/report/ranges_report.hpp"

namespace steelyard {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

template <class Item>
Json begin(const char* schema, const RangeQuery& range, const Page<Item>& page) {
  return {{"schema", schema},
          {"project", text_or_null(range.project)},
          {"branch", text_or_null(range.branch)},
          {"from", range.from},
          {"to", range.to},
          {"next", text_or_null(page.next)}};
}

// Bytes that are no UTF-8 are replaced: a stranger's benchmark name must not cost the reader the document.
std::string document(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string json_changed(const RangeQuery& range, const Page<ChangedSeries>& page) {
  Json json = begin("steelyard.changed/1", range, page);
  json["changed"] = Json::array();
  for (const ChangedSeries& one : page.items) {
    json["changed"].push_back({{"benchmark", one.benchmark},
                               {"metric", one.metric},
                               {"fingerprint", text_or_null(one.fingerprint)},
                               {"branch", text_or_null(one.branch)},
                               {"commit", one.commit},
                               {"ratio", one.ratio ? Json(*one.ratio) : Json(nullptr)},
                               {"verdict", one.regression ? "regression" : "improvement"},
                               {"found_by", one.by_comparison ? "comparison" : "change point"}});
  }
  return document(json);
}

std::string json_movers(const RangeQuery& range, const Page<Mover>& page) {
  Json json = begin("steelyard.movers/1", range, page);
  json["movers"] = Json::array();
  for (const Mover& mover : page.items) {
    json["movers"].push_back({{"benchmark", mover.benchmark},
                              {"metric", mover.metric.name},
                              {"unit", mover.metric.unit},
                              {"better", to_text(mover.metric.better)},
                              {"fingerprint", text_or_null(mover.fingerprint)},
                              {"before", mover.before},
                              {"after", mover.after},
                              {"ratio", mover.ratio},
                              {"runs_before", mover.runs_before},
                              {"runs_after", mover.runs_after}});
  }
  return document(json);
}

}  // namespace steelyard
