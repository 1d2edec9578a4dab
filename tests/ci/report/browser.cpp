#include "tests/ci/report/browser.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "tests/promised.hpp"

extern char** environ;

namespace steelyard::testkit {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongestStep{60};
constexpr std::chrono::seconds kLongestRemoval{10};

std::string find_browser() {
  std::string found;
  FILE* pipe = popen("command -v chromium chromium-browser google-chrome 2>/dev/null | head -1", "r");
  if (pipe == nullptr) return found;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF && c != '\n';) found += static_cast<char>(c);
  pclose(pipe);
  return found;
}

}  // namespace

// The browser's process and the page that is open in it. Messages are of JSON, each ended by a zero byte.
class Chromium {
 public:
  explicit Chromium(const std::string& program);
  ~Chromium();
  Chromium(const Chromium&) = delete;
  Chromium& operator=(const Chromium&) = delete;

  bool works() const { return works_; }
  const std::filesystem::path& folder() const { return folder_; }
  std::string log() const;

  void open(const std::string& address, const Screen& screen);
  json value_of(const std::string& expression);  // of the page; what it throws is on the console
  // Scripts and their timers have run, however slow the machine is: two seconds of a time that passes at once.
  void settle();
  void close_page();
  std::string console_lines() const;
  void wait_at_most(std::chrono::seconds limit) { longest_step_ = limit; }
  void end_page();  // returns once the browser has said so, which is left unread

 private:
  int send_off(const std::string& method, const json& parameters);  // the number that its answer has
  json ask(const std::string& method, const json& parameters = json::object());
  void wait_for(const std::string& event, const json& parameters);  // with these among its parameters
  json next_message();                                              // null where none came in time, or the page died

  std::filesystem::path folder_;
  pid_t process_ = -1;
  int socket_ = -1;
  bool works_ = false;
  int asked_ = 0;
  std::chrono::seconds longest_step_ = kLongestStep;
  Clock::time_point end_;  // of the step
  std::string received_;
  std::vector<json> events_;  // of the page
  std::string target_, session_;
};

Chromium::Chromium(const std::string& program) {
  std::string name = (std::filesystem::temp_directory_path() / "steelyard-page-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) return;
  folder_ = name;
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
  socket_ = ends[0];
  // Above those that it becomes in the browser, which reads from 3 and writes to 4.
  const int theirs = fcntl(ends[1], F_DUPFD_CLOEXEC, 10);
  ::close(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, theirs, 3);
  posix_spawn_file_actions_adddup2(&actions, theirs, 4);
  const std::string log = (folder_ / "log").string();
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // so that its children can be ended with it
  std::vector<std::string> words{program,
                                 "--headless=new",
                                 "--no-sandbox",
                                 "--disable-gpu",
                                 "--disable-back-forward-cache",
                                 "--no-first-run",
                                 "--no-startup-window",
                                 "--disable-sync",
                                 "--disable-extensions",
                                 "--remote-debugging-pipe",
                                 "--user-data-dir=" + (folder_ / "browser").string()};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  works_ =
      theirs >= 0 && posix_spawn(&process_, program.c_str(), &actions, &attributes, arguments.data(), environ) == 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  ::close(theirs);
}

Chromium::~Chromium() {
  if (process_ > 0) {
    kill(-process_, SIGKILL);  // nothing of it is kept
    waitpid(process_, nullptr, 0);
  }
  if (socket_ >= 0) ::close(socket_);
  if (folder_.empty()) return;
  // Its other processes may still be at their last call, which may make a file in a folder that is being removed.
  const Clock::time_point end = Clock::now() + kLongestRemoval;
  std::error_code error;
  while (std::filesystem::remove_all(folder_, error), error && Clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_)) << folder_ << ": " << error.message();
}

std::string Chromium::log() const {
  std::ostringstream text;
  text << std::ifstream(folder_ / "log").rdbuf();
  return text.str();
}

json Chromium::next_message() {
  std::size_t searched = 0;
  while (works_) {
    const std::size_t end = received_.find('\0', searched);
    if (end != std::string::npos) {
      const json message = json::parse(received_.substr(0, end), nullptr, false);
      received_.erase(0, end + 1);
      if (message.value("method", "") == "Inspector.targetCrashed") {
        works_ = false;
        return nullptr;
      }
      return message;
    }
    searched = received_.size();
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now()).count();
    pollfd waited{socket_, POLLIN, 0};
    std::array<char, 65'536> block{};
    const ssize_t n =
        left > 0 && poll(&waited, 1, static_cast<int>(left)) > 0 ? recv(socket_, block.data(), block.size(), 0) : 0;
    if (n <= 0) works_ = false;
    if (n > 0) received_.append(block.data(), static_cast<std::size_t>(n));
  }
  return nullptr;
}

int Chromium::send_off(const std::string& method, const json& parameters) {
  json message = {{"id", ++asked_}, {"method", method}, {"params", parameters}};
  if (!session_.empty()) message["sessionId"] = session_;
  const std::string text = message.dump() + '\0';
  for (std::size_t at = 0; works_ && at < text.size();) {
    const ssize_t n = send(socket_, text.data() + at, text.size() - at, MSG_NOSIGNAL);
    if (n <= 0) works_ = false;
    if (n > 0) at += static_cast<std::size_t>(n);
  }
  return asked_;
}

json Chromium::ask(const std::string& method, const json& parameters) {
  const int asked = send_off(method, parameters);
  for (json answer; !(answer = next_message()).is_null();) {
    if (answer.value("id", 0) == asked) {
      works_ = !answer.contains("error");
      EXPECT_TRUE(works_) << method << ": " << answer;
      return answer.value("result", json::object());
    }
    if (!session_.empty() && answer.value("sessionId", "") == session_) events_.push_back(answer);
  }
  return json::object();
}

void Chromium::wait_for(const std::string& event, const json& parameters) {
  const auto is_it = [&](const json& one) {
    json with_them = one;
    if (one.value("method", "") == event) with_them["params"].update(parameters);
    return one.value("method", "") == event && with_them == one;
  };
  const auto came = std::find_if(events_.begin(), events_.end(), is_it);
  if (came != events_.end()) {
    events_.erase(came);
    return;
  }
  for (json one; !(one = next_message()).is_null();) {
    if (one.value("sessionId", "") != session_) continue;
    if (is_it(one)) return;
    events_.push_back(one);
  }
}

void Chromium::open(const std::string& address, const Screen& screen) {
  end_ = Clock::now() + longest_step_;
  if (target_.empty()) target_ = ask("Target.createTarget", {{"url", "about:blank"}}).value("targetId", "");
  session_ = ask("Target.attachToTarget", {{"targetId", target_}, {"flatten", true}}).value("sessionId", "");
  for (const char* domain : {"Page", "Runtime", "Log", "Inspector"}) ask(std::string(domain) + ".enable");
  ask("Page.setLifecycleEventsEnabled", {{"enabled", true}});
  ask("Emulation.setDeviceMetricsOverride",
      {{"width", screen.width}, {"height", 900}, {"deviceScaleFactor", 1}, {"mobile", false}});
  const json theme = {{"name", "prefers-color-scheme"}, {"value", screen.is_dark ? "dark" : "light"}};
  ask("Emulation.setEmulatedMedia", {{"features", json::array({theme})}});
  events_.clear();  // of the page before, of which a browser tells whoever comes
  const json opened = ask("Page.navigate", {{"url", address}});
  EXPECT_FALSE(opened.contains("errorText")) << opened;
  ask("Emulation.setVirtualTimePolicy", {{"policy", "advance"}});  // it stands where the page before was left
  wait_for("Page.lifecycleEvent", {{"name", "load"}, {"loaderId", opened.value("loaderId", "")}});
  settle();
}

void Chromium::settle() {
  ask("Emulation.setVirtualTimePolicy",
      {{"policy", "pauseIfNetworkFetchesPending"}, {"budget", 2000}, {"maxVirtualTimeTaskStarvationCount", 9999}});
  wait_for("Emulation.virtualTimeBudgetExpired", json::object());
}

json Chromium::value_of(const std::string& expression) {
  end_ = Clock::now() + longest_step_;
  const json answer = ask("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}});
  if (answer.contains("exceptionDetails")) {
    events_.push_back({{"method", "Runtime.exceptionThrown"}, {"params", answer["exceptionDetails"]}});
  }
  return answer.value("result", json::object()).value("value", json());
}

std::string Chromium::console_lines() const {
  std::string lines;
  for (const json& one : events_) {
    for (const char* said : {"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"}) {
      if (one.value("method", "") == said) lines += one["params"].dump() + "\n";
    }
  }
  return lines;
}

void Chromium::close_page() {
  if (session_.empty()) return;
  value_of("0");  // a page that died since it was last asked says so now, not to the test that comes next
  end_ = Clock::now() + longest_step_;
  const json left = {{"sessionId", std::exchange(session_, "")}};
  ask("Target.detachFromTarget", left);
  events_.clear();
}

void Chromium::end_page() {
  send_off("Page.crash", json::object());
  pollfd waited{socket_, POLLIN, 0};
  poll(&waited, 1, static_cast<int>(std::chrono::milliseconds(longest_step_).count()));
}

void Browser::SetUp() {
  static const std::string program = find_browser();
  STEELYARD_SKIP_WITHOUT("chromium", !program.empty(), "chromium is not installed");
  static std::unique_ptr<Chromium> browser;  // anew where the last one was at its end
  if (browser == nullptr || !browser->works()) browser = std::make_unique<Chromium>(program);
  browser_ = browser.get();
  browser_->wait_at_most(kLongestStep);
  ASSERT_TRUE(browser_->works()) << "the browser does not start";
}

void Browser::TearDown() {
  if (browser_ == nullptr) return;
  browser_->close_page();
  EXPECT_TRUE(browser_->works()) << "the browser ended or came to no end: " << browser_->log();
}

void Browser::open_file(const std::string& name, const std::string& text, const std::string& fragment,
                        const Screen& screen) {
  browser_->close_page();
  // Of a name of its own: to another fragment of the page that is open a browser goes without opening it anew.
  static int opened = 0;
  const std::filesystem::path file = browser_->folder() / (std::to_string(++opened) + name);
  std::ofstream(file, std::ios::binary) << text;
  browser_->open("file://" + file.string() + fragment, screen);
  std::filesystem::remove(file);
}

void Browser::open(const std::string& page, const std::string& fragment, const Screen& screen) {
  open_file("page.html", page, fragment, screen);
}

void Browser::run(const std::string& script) {
  browser_->value_of(script + ";undefined");
  browser_->settle();
}

std::string Browser::dom() {
  const json text = browser_->value_of(
      "(()=>{const shown=document.implementation.createHTMLDocument('').importNode(document.documentElement,true);"
      "for(const one of shown.querySelectorAll('script'))one.remove();return shown.outerHTML})()");
  return text.is_string() ? text.get<std::string>() : "";
}

void Browser::wait_at_most(std::chrono::seconds limit) { browser_->wait_at_most(limit); }

void Browser::end_page() { browser_->end_page(); }

std::string Browser::tell(const std::string& expression) { return "document.body.dataset.told=" + expression + ";"; }

std::string Browser::told(const std::string& dom) {
  const std::string start = "data-told=\"";
  const std::size_t at = dom.find(start);
  if (at == std::string::npos) return "nothing";
  return dom.substr(at + start.size(), dom.find('"', at + start.size()) - at - start.size());
}

std::string Browser::dom_of(const std::string& page, const std::string& fragment, const std::string& script,
                            const Screen& screen) {
  open(page, fragment, screen);
  if (!script.empty()) run(script);
  std::string shown = dom();
  expect_a_sound_page(shown);
  return shown;
}

void Browser::expect_a_sound_page(const std::string& shown) {
  EXPECT_NE(shown.find("data-ready=\"true\""), std::string::npos)
      << "the page's script did not end: " << shown.substr(0, 200);
  EXPECT_EQ(browser_->console_lines(), "");
}

std::string Browser::dom_of_svg(const std::string& svg) {
  open_file("picture.svg", svg, "", {});
  return dom();
}

}  // namespace steelyard::testkit
