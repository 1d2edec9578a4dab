#include "ci/service/answer_cache.hpp"

#include <iterator>

namespace steelyard::ci {

std::optional<AnswerCache::Answer> AnswerCache::find(const std::string& key, const std::string& version,
                                                     const std::string& earlier) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return std::nullopt;
  const std::string& made_from = found->second->answer.version;
  if (made_from != version && (earlier.empty() || made_from != earlier)) return std::nullopt;
  places_.splice(places_.begin(), places_, found->second);
  return found->second->answer;
}

namespace {

std::size_t bytes_kept(const std::string& key, const AnswerCache::Answer& answer) {
  constexpr std::size_t kBeside = 500;
  std::size_t bytes = kBeside + 2 * key.size() + answer.plain->capacity();
  if (answer.packed) bytes += answer.packed->capacity();
  if (!answer.pieces) return bytes;
  for (const AnswerPiece& piece : *answer.pieces) bytes += sizeof(piece) + piece.digest.capacity();
  return bytes;
}

}  // namespace

void AnswerCache::keep(const std::string& key, const Answer& answer) {
  const std::lock_guard lock(mutex_);
  const std::size_t size = bytes_kept(key, answer);
  const auto forget = [this](std::list<Place>::iterator place) {
    bytes_ -= bytes_kept(place->key, place->answer);
    by_key_.erase(place->key);
    places_.erase(place);
  };
  if (const auto old = by_key_.find(key); old != by_key_.end()) forget(old->second);
  if (size > most_bytes_ / 4) return;
  while (!places_.empty() && bytes_ + size > most_bytes_) forget(std::prev(places_.end()));
  places_.push_front({key, answer});
  by_key_[key] = places_.begin();
  bytes_ += size;
}

std::shared_ptr<std::mutex> AnswerCache::turn_to_make(const std::string& key) {
  const std::lock_guard lock(mutex_);
  std::erase_if(turns_, [](const auto& one) { return one.second.expired(); });
  std::weak_ptr<std::mutex>& known = turns_[key];
  std::shared_ptr<std::mutex> turn = known.lock();
  if (!turn) known = turn = std::make_shared<std::mutex>();
  return turn;
}

std::size_t AnswerCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace steelyard::ci
