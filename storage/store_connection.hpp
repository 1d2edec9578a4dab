// The open connection behind a Store: to a database, again where the link was lost, or to a service in its place.
// Internal to storage/store.cpp and storage/store_classes.cpp.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bench/model/result.hpp"
#include "storage/embedded/cluster.hpp"
#include "storage/postgres/access/project_rights.hpp"
#include "storage/postgres/access/roles.hpp"
#include "storage/postgres/history/series_choice.hpp"
#include "storage/postgres/session/dictionaries.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/store.hpp"
#include "storage/store_service.hpp"

namespace steelyard::storage {

// A session that is ready for the store's work, and what is remembered for as long as it lasts.
struct OpenSession {
  StoreLink link;
  Login login;
  KeyCache keys{};
  RunOrderCache runs{};
  SeriesMemory values{};
};

Result<OpenSession> open_session(const StoreAddress& address, const std::filesystem::path& state, StoreWork work);

class StoreConnection {
 public:
  StoreConnection(StoreAddress address, std::filesystem::path state, OpenSession open)
      : address_(std::move(address)), state_(std::move(state)), open_(std::move(open)) {}
  StoreConnection(std::filesystem::path state, std::unique_ptr<StoreService> service)
      : state_(std::move(state)), service_(std::move(service)) {}

  // What answers in place of a database; null: a database does, and all below is for that alone.
  StoreService* service() { return service_.get(); }

  Session& session() { return open_->link.session; }
  const Login& login() const { return open_->login; }
  KeyCache& keys() { return open_->keys; }
  // Of what is seen now.
  RunOrderCache& runs() {
    if (open_->runs.project_seen != limit_.project) {
      open_->runs = {};
      open_->runs.project_seen = limit_.project;
    }
    return open_->runs;
  }
  SeriesMemory& values() { return open_->values; }
  // Holds on the connections to come, too. Not where a transaction is seen in part before all of it is.
  void remember_values(std::size_t most_bytes) {
    remembered_bytes_ = most_bytes;
    if (!service_) open_->values.limit(login().is_distributed ? 0 : most_bytes);
  }
  // Holds on the connections to come, too.
  Result<void> see_only(const std::string& project, bool may_write) {
    if (service_) return needs_database();
    Limit wanted;
    if (!project.empty()) {
      const auto check = [](Session& session) { return check_limits(session); };
      if (!limit_.project.empty()) lift_limit();
      STEELYARD_CHECK(read(check));
      wanted = {project, std::string(may_write ? kProjectWriterRole : kProjectReaderRole)};
    } else if (limit_.project.empty()) {
      return {};
    }
    lift_limit();
    limit_ = std::move(wanted);
    apply_limit();
    return {};
  }
  // Holds on the connections to come, too.
  void limit_statements(std::chrono::milliseconds most) {
    most_ = most;
    if (service_) return;
    session().limit_statements(most_);
  }
  // Absent where the server is someone else's.
  std::optional<EmbeddedServer>& server() { return open_ ? open_->link.server : no_server_; }
  const std::filesystem::path& state() const { return state_; }

  // Does something that may be done twice; once more on a new connection where the link was lost.
  template <class Action>
  auto read(Action action) -> decltype(action(session())) {
    if (service_) return needs_database();
    bool unanswered = false;
    return attempt(*open_, StoreWork::daily, action, unanswered);
  }
  // Puts something that is put once, and tells whether it was new.
  template <class Action>
  Result<bool> write(Action action) {
    if (service_) return needs_database();
    bool unanswered = false;
    Result<bool> is_new = attempt(*open_, StoreWork::daily, action, unanswered);
    // What was to be put is there already: the answer that got lost was a yes.
    if (is_new && unanswered) return true;
    return is_new;
  }
  // read() of what only an owner may. The embedded store's superuser is logged in for this one action.
  template <class Action>
  auto read_as_owner(Action action) -> decltype(action(session(), login())) {
    if (service_) return needs_database();
    bool unanswered = false;
    return attempt_as_owner(action, unanswered);
  }
  // write() of what only an owner may.
  template <class Action>
  Result<bool> write_as_owner(Action action) {
    if (service_) return needs_database();
    bool unanswered = false;
    Result<bool> is_new = attempt_as_owner(action, unanswered);
    if (is_new && unanswered) return true;
    return is_new;
  }

 private:
  template <class Action>
  auto attempt_as_owner(Action action, bool& unanswered) -> decltype(action(session(), login())) {
    const auto act_in = [&](OpenSession& open) {
      const auto with_login = [&](Session& session) { return action(session, open.login); };
      return attempt(open, StoreWork::upkeep, with_login, unanswered);
    };
    if (!server()) return act_in(*open_);
    STEELYARD_TRY(OpenSession superuser, open_session(address_, state_, StoreWork::upkeep));
    return act_in(superuser);
  }
  // `unanswered`: the first try's commit may have arrived.
  template <class Action>
  auto attempt(OpenSession& open, StoreWork work, Action action, bool& unanswered) -> decltype(action(session())) {
    auto first = action(open.link.session);
    unanswered = open.link.session.link() == Session::Link::commit_unanswered;
    if (first || open.link.session.link() == Session::Link::up) return first;
    STEELYARD_TRY(open, open_session(address_, state_, work));
    if (&open == &*open_) {
      apply_limit();
      remember_values(remembered_bytes_);
    }
    return action(open.link.session);
  }

  struct Limit {
    std::string project;  // empty: none
    std::string role;
  };
  void apply_limit() {
    session().limit_statements(most_);
    if (limit_.project.empty()) return;
    session().act_as(limit_.role);
    session().see_only(limit_.project);
  }
  void lift_limit() {
    limit_ = {};
    session().act_as(login().is_distributed ? "" : role_for_work(login().roles));
    session().see_only("");
  }

  Error needs_database() const { return storage::needs_database(service_->name()); }

  StoreAddress address_;
  std::filesystem::path state_;
  std::optional<OpenSession> open_;
  std::optional<EmbeddedServer> no_server_;
  std::unique_ptr<StoreService> service_;
  Limit limit_;
  std::chrono::milliseconds most_{0};
  std::size_t remembered_bytes_ = 0;
};

}  // namespace steelyard::storage
