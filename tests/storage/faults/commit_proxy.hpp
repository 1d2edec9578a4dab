// Stands between a client and a server, on a Unix socket of its own, and does to the COMMIT of a transaction that wrote
// a run what a bad moment would do. Everything else passes.
//
//     CommitProxy proxy(url, folder, CommitProxy::Trouble::answer_lost);
//     Store store = Store::open({false, proxy.url()}, state);
#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace steelyard::storage_test {

class CommitProxy {
 public:
  enum class Trouble {
    commit_lost,  // cut before the server saw the first COMMIT
    answer_lost,  // the server committed, its answer is swallowed and the link cut
    held,         // every COMMIT waits for release()
  };
  // `url` of a database on a Unix socket (fresh_database()), `folder` for the proxy's own. `before_cut` runs before the
  // link is cut.
  CommitProxy(const std::string& url, const std::filesystem::path& folder, Trouble trouble,
              std::function<void()> before_cut = {});
  ~CommitProxy();
  CommitProxy(const CommitProxy&) = delete;
  CommitProxy& operator=(const CommitProxy&) = delete;

  std::string url() const { return url_; }
  int troubles() const { return troubles_; }  // COMMITs that met it
  void wait_until_held();                     // returns when one is; after half a minute in any case
  void release();

 private:
  struct Link;
  void accept_links();
  void serve(int client);
  bool meet_commit(Link& link);  // false: the link is to be cut

  std::string url_;
  std::string server_socket_;
  Trouble trouble_;
  std::function<void()> before_cut_;
  std::atomic<int> troubles_ = 0;
  std::atomic<bool> ends_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
  bool released_ = false;
  int listener_ = -1;
  std::vector<std::thread> links_;
  std::thread acceptor_;
};

}  // namespace steelyard::storage_test
