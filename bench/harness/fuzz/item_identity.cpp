#include "bench/harness/fuzz/item_identity.hpp"

#include <map>
#include <set>
#include <string>

#include "bench/model/benchmark_id.hpp"

namespace steelyard {
namespace {

struct Uses {
  std::set<std::string> dropped;  // by a number of dimensions below theirs
  std::set<std::string> sizes;    // in use, and whatever else a tensor takes from a parameter
  std::set<std::string> steps;
};

void note(const std::vector<FuzzExtent>& extents, std::size_t rank, std::set<std::string>& used,
          std::set<std::string>& dropped) {
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const auto* name = std::get_if<std::string>(&extents[i]);
    if (name != nullptr) (i < rank ? used : dropped).insert(*name);
  }
}

Uses uses_of(const FuzzerSpec& spec, const ItemPlan& item) {
  Uses uses;
  for (std::size_t i = 0; i < spec.tensors.size(); ++i) {
    const std::size_t rank = item.tensors[i].shape.size();
    note(spec.tensors[i].sizes, rank, uses.sizes, uses.dropped);
    note(spec.tensors[i].steps, rank, uses.steps, uses.dropped);
  }
  return uses;
}

std::string text_of(const FuzzerSpec& spec, const ItemPlan& item) {
  const Uses uses = uses_of(spec, item);
  std::string text;
  for (const FuzzedParameter& parameter : spec.parameters) {
    if (!parameter.is_named) continue;
    const std::string& name = parameter.name;
    const std::string value = to_text(*item.values.find(name));
    const bool is_size = uses.sizes.contains(name);
    const bool is_step = uses.steps.contains(name) && !is_size;
    if (is_step && value == "1") continue;
    if (!is_size && !is_step && uses.dropped.contains(name)) continue;
    text += '/' + name + ':' + value;
  }
  for (const TensorPlan& tensor : item.tensors) {
    std::string order;
    bool is_own = true;
    for (std::size_t i = 0; i < tensor.order.size(); ++i) {
      order += (i == 0 ? "" : "-") + std::to_string(tensor.order[i]);
      is_own = is_own && tensor.order[i] == static_cast<std::int64_t>(i);
    }
    if (!is_own) text += '/' + tensor.name + "_order:" + order;
  }
  return text;
}

}  // namespace

void name_items(const FuzzerSpec& spec, std::vector<ItemPlan>& items) {
  std::map<std::string, int> draws_by_text;
  for (ItemPlan& item : items) {
    item.identity = text_of(spec, item);
    const int draw = ++draws_by_text[item.identity];
    if (draw > 1) item.identity += '/' + std::string(kRepeatedDraw) + ':' + std::to_string(draw);
  }
}

}  // namespace steelyard
