// Answers that were made, for whoever asks the same while the store is as it was.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ci/service/packing.hpp"

namespace steelyard::ci {

// Answers by who may see them and what was asked, as long as the store is as it was. Bounded by the bytes of its
// answers; those that were used least lately go first. From any thread.
class AnswerCache {
 public:
  struct Answer {
    std::string version;  // of the store that it was made from
    std::string etag;
    std::string type;
    std::shared_ptr<const std::string> plain;
    std::shared_ptr<const std::string> packed;                 // null: not yet, or not worth it
    std::shared_ptr<const std::vector<AnswerPiece>> pieces{};  // that it is packed in; null: in one
  };
  explicit AnswerCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}
  // `earlier`: a version that was the newest when the answer was asked for and will do as well: it was made meanwhile.
  std::optional<Answer> find(const std::string& key, const std::string& version, const std::string& earlier = "");
  void keep(const std::string& key, const Answer& answer);
  // Held by whoever makes that answer: who asks the same meanwhile waits, and finds it.
  std::shared_ptr<std::mutex> turn_to_make(const std::string& key);
  std::size_t bytes() const;

 private:
  struct Place {
    std::string key;
    Answer answer;
  };
  mutable std::mutex mutex_;
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::list<Place> places_;  // used last first
  std::map<std::string, std::list<Place>::iterator, std::less<>> by_key_;
  std::map<std::string, std::weak_ptr<std::mutex>, std::less<>> turns_;  // of answers that are being made
};

}  // namespace steelyard::ci
