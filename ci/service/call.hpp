// One request on its way to its answer, and what the operations of the API do with it. Each is a function by the
// operationId of openapi.json; a test holds the two lists against each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/model/result.hpp"
#include "ci/config/configuration.hpp"
#include "ci/service/caller.hpp"
#include "ci/service/description.hpp"
#include "ci/service/web_server.hpp"
#include "storage/model/catalog.hpp"
#include "storage/model/history.hpp"
#include "storage/store.hpp"

namespace steelyard::ci {

// Of a request's target: before the question mark, and behind it.
std::string_view path_of(const std::string& target);
std::string_view query_of(const std::string& target);

struct Call {
  const WebRequest& request;
  const ApiValues& values;  // every parameter of the operation, checked; empty: not given
  const Caller& caller;
  storage::Store& store;  // sees what the caller may see
  const Configuration& configuration;

  const std::string& operator[](const std::string& name) const { return values.at(name); }
  int number(const std::string& name) const;  // of a parameter that is a whole number with a default
};

struct Reply {
  std::string body;  // of a refusal: its words
  const char* type = "application/json";
  int status = 200;
  std::optional<Error> why{};  // a refusal in parts, in place of words
  // Ends of its pieces (packing.hpp): at places that stay among the same things, whatever is added before or behind.
  std::vector<std::size_t> cuts{};
};

struct Operation {
  std::function<Result<Reply>(const Call&)> act;
  // The status of an input error: 404 where the path names a thing, 409 where the thing is in no state for it, 422
  // where the body is not as wanted.
  int input_status = 400;
  std::int64_t most_json_bytes = 0;     // of a body that is JSON; 0: none is taken
  std::int64_t most_archive_bytes = 0;  // of one that is an archive
  bool body_into_file = false;
};
using Operations = std::map<std::string, Operation, std::less<>>;

void add_reading(Operations& operations);
void add_series_reading(Operations& operations);
// folder: where `steelyard bisect` of the service's own user keeps its searches.
void add_bisects(Operations& operations, const std::filesystem::path& folder);
// large: turn_of().
void add_writing(Operations& operations, const std::shared_ptr<std::mutex>& large);
void add_store_answers(Operations& operations, const std::shared_ptr<std::mutex>& large);
// Whether the answer to that question of a command line may be long.
bool may_be_large(std::string_view question);

// 422 that does not blame the content: what was sent may be good, and this service does not read it.
Reply not_here(const Error& error);

// {"items": [...], "next": ...}: each item is JSON already.
std::string page_text(const std::vector<std::string>& items, const std::string& next,
                      const std::vector<std::string>& notes = {});

// A page of what `keep` keeps, and may change, of a list in the store, which `ask(after, most)` gives pages of: as many
// of them are asked for as that takes, and at most kMaxPagesLookedThrough: where few are kept, `next` goes on behind
// what was looked through. limit: of items, at least 1.
inline constexpr int kMaxPagesLookedThrough = 10;
template <class Item, class Ask, class Keep>
Result<storage::Page<Item>> kept_of(int limit, const std::string& after, const Ask& ask, const Keep& keep) {
  storage::Page<Item> page;
  page.next = after;
  const auto wanted = static_cast<std::size_t>(limit);
  int most = std::min(limit, storage::kMaxListed);
  int pages = 0;
  do {
    STEELYARD_TRY(storage::Page<Item> more, ask(page.next, most));
    std::size_t looked_at = 0;
    while (looked_at < more.items.size() && page.items.size() < wanted) {
      Item& item = more.items[looked_at++];
      if (keep(item)) page.items.push_back(std::move(item));
    }
    page.next = looked_at < more.items.size() ? more.places[looked_at - 1] : more.next;
    most = storage::kMaxListed;
  } while (!page.next.empty() && page.items.size() < wanted && ++pages < kMaxPagesLookedThrough);
  return page;
}

}  // namespace steelyard::ci
