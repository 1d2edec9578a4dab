#include "bench/runner/confinement.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace steelyard::bench {
namespace {

namespace fs = std::filesystem;

bool holds(const fs::path& folder, const fs::path& other) {
  const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), other.begin(), other.end());
  return end == folder.end();
}

// What the process that makes the namespaces could not do.
enum class MakingStep : int { none, separate, map_user, own_mounts, hide };
struct MakingReport {
  MakingStep step = MakingStep::none;
  int error = 0;
  std::size_t hidden = 0;  // which of them
};

std::string words_of(MakingStep step) {
  switch (step) {
    case MakingStep::separate:
      return "namespaces for users and mounts are refused (unshare)";
    case MakingStep::map_user:
      return "a user namespace cannot be given its user (uid_map)";
    case MakingStep::own_mounts:
      return "mounts in a user namespace are refused";
    case MakingStep::hide:
      return "nothing can be mounted over it";
    case MakingStep::none:
      break;
  }
  return "";
}

// Async-signal-safe.
bool write_whole(const char* file, std::string_view text) {
  const int opened = ::open(file, O_WRONLY | O_CLOEXEC);
  const bool is_written = opened >= 0 && ::write(opened, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = errno;
  if (opened >= 0) ::close(opened);
  errno = error;
  return is_written;
}

// What a user namespace needs to show users and groups as everyone else sees them (user_namespaces(7)).
struct IdMaps {
  std::string users;
  std::string groups;
};

// Of a user: one user, one group, itself.
IdMaps maps_of_user() {
  const auto itself = [](unsigned id) { return std::to_string(id) + ' ' + std::to_string(id) + " 1\n"; };
  return {itself(::geteuid()), itself(::getegid())};
}

// Of root: all that our own namespace has.
std::string map_of_root(const char* file) {
  constexpr int kMaxLines = 340;  // the kernel's bound
  std::ifstream own(file);
  std::string map;
  int lines = 0;
  for (std::string inside, outside, count; lines < kMaxLines && own >> inside >> outside >> count; ++lines) {
    map += inside + ' ' + inside + ' ' + count + '\n';
  }
  return map;
}

bool map_own_user(const IdMaps& maps) {
  // A kernel before 3.19 has no such file, and needs none.
  if (!write_whole("/proc/self/setgroups", "deny") && errno != ENOENT) return false;
  return write_whole("/proc/self/uid_map", maps.users) && write_whole("/proc/self/gid_map", maps.groups);
}

bool hide(const fs::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return errno == ENOENT || errno == ENOTDIR;
  if (!S_ISDIR(status.st_mode)) return ::mount("/dev/null", path.c_str(), nullptr, MS_BIND, nullptr) == 0;
  constexpr unsigned long kNothing = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
  return ::mount("tmpfs", path.c_str(), "tmpfs", kNothing, "size=4k,nr_inodes=1,mode=0555") == 0;
}

// The folders above them, outermost first, that the user could put another in the place of: we would write there.
std::vector<fs::path> folders_above(const std::vector<fs::path>& paths) {
  std::vector<fs::path> above;
  for (const fs::path& path : paths) {
    for (fs::path folder = path.parent_path(); folder != folder.parent_path(); folder = folder.parent_path()) {
      if (::access(folder.parent_path().c_str(), W_OK) == 0) above.push_back(folder);
    }
  }
  std::sort(above.begin(), above.end());
  above.erase(std::unique(above.begin(), above.end()), above.end());
  return above;
}

// The kernel moves and removes no folder that is a mount.
bool hold_in_place(const fs::path& folder) {
  return ::mount(folder.c_str(), folder.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0;
}

bool read_byte(int from) {
  char byte = 0;
  ssize_t got = 0;
  do {
    got = ::read(from, &byte, 1);
  } while (got < 0 && errno == EINTR);
  return got == 1;
}

void report(int to, const MakingReport& made) {
  [[maybe_unused]] const ssize_t written = ::write(to, &made, sizeof made);
}

// What a view of the file system is made of.
struct ViewPaths {
  std::vector<fs::path> held, hidden;
};

// Async-signal-safe, in a process of its own. maps: of a user; null as root, whose maps only a process outside of the
// namespace can write: it is told by a first report and answers by a byte.
MakingReport make_view(const ViewPaths& paths, const IdMaps* maps, int telling, int waiting) {
  if (::unshare(CLONE_NEWNS | CLONE_NEWUSER) != 0) return {MakingStep::separate, errno};
  if (maps == nullptr) {
    report(telling, {});
    if (!read_byte(waiting)) return {MakingStep::map_user, ECANCELED};
  } else if (!map_own_user(*maps)) {
    return {MakingStep::map_user, errno};
  }
  // What is mounted outside later is seen inside, and nothing that is mounted inside is seen outside.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) return {MakingStep::own_mounts, errno};
  for (const fs::path& folder : paths.held) {
    if (!hold_in_place(folder)) return {MakingStep::own_mounts, errno};
  }
  for (std::size_t i = 0; i < paths.hidden.size(); ++i) {
    if (!hide(paths.hidden[i])) return {MakingStep::hide, errno, i};
  }
  return {};
}

// A process that has made the view and waits; it ends with the object.
class Maker {
 public:
  static Result<Maker> start(const std::vector<fs::path>& paths, bool is_root) {
    int told[2];
    int held[2];
    if (::pipe2(told, O_CLOEXEC) != 0) return program_error("", std::strerror(errno));
    Maker maker;
    maker.told_ = Descriptor(told[0]);
    Descriptor telling(told[1]);
    if (::pipe2(held, O_CLOEXEC) != 0) return program_error("", std::strerror(errno));
    Descriptor waiting(held[0]);
    maker.held_ = Descriptor(held[1]);
    const IdMaps maps = maps_of_user();
    const ViewPaths view{folders_above(paths), paths};
    // No program is started: a process of ours makes the view, which only one without threads may.
    maker.process_ = ::fork();
    if (maker.process_ < 0)
      return program_error("", std::string("no process could be started: ") + std::strerror(errno));
    if (maker.process_ == 0) {
      ::close(held[1]);
      report(telling.number(), make_view(view, is_root ? nullptr : &maps, telling.number(), waiting.number()));
      read_byte(waiting.number());
      ::_exit(0);
    }
    return maker;
  }
  Maker(Maker&& other) noexcept
      : process_(std::exchange(other.process_, -1)), told_(std::move(other.told_)), held_(std::move(other.held_)) {}
  Maker& operator=(Maker&&) = delete;
  ~Maker() {
    held_.close();
    if (process_ <= 0) return;
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  // No report: the process ended.
  std::optional<MakingReport> next_report() const {
    MakingReport made;
    ssize_t got = 0;
    do {
      got = ::read(told_.number(), &made, sizeof made);
    } while (got < 0 && errno == EINTR);
    return got == ssize_t{sizeof made} ? std::optional(made) : std::nullopt;
  }
  // As root, behind its first report.
  MakingReport map_root() const {
    const std::string folder = "/proc/" + std::to_string(process_) + '/';
    const bool is_mapped = write_whole((folder + "uid_map").c_str(), map_of_root("/proc/self/uid_map")) &&
                           write_whole((folder + "gid_map").c_str(), map_of_root("/proc/self/gid_map")) &&
                           ::write(held_.number(), "", 1) == 1;
    return is_mapped ? MakingReport() : MakingReport{MakingStep::map_user, errno};
  }
  Descriptor namespace_of(const char* kind) const {
    const std::string path = "/proc/" + std::to_string(process_) + "/ns/" + kind;
    return Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  }

 private:
  Maker() = default;
  pid_t process_ = -1;
  Descriptor told_;
  Descriptor held_;
};

// As root, who is root of the namespace as well: what would lift a mount, enter another namespace or reach the disk
// below the file system. Of what is outside it has none of these, nor of any process there.
constexpr std::array kGivenUp{CAP_SYS_ADMIN,  CAP_SYS_PTRACE, CAP_SYS_CHROOT, CAP_DAC_READ_SEARCH,
                              CAP_SYS_MODULE, CAP_SYS_RAWIO,  CAP_MKNOD,      CAP_SYS_BOOT};

// So that none of them comes back by exec; libc has no function for it.
bool forget_inheritable() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  if (::syscall(SYS_capget, &header, data) != 0) return false;
  for (__user_cap_data_struct& part : data) part.inheritable = 0;
  return ::syscall(SYS_capset, &header, data) == 0;
}

// A line of /proc/self/mountinfo (proc(5)).
struct Mount {
  std::string device;
  fs::path root;   // the folder of its file system that it shows
  fs::path point;  // where
};

// Blanks and backslashes are octal there.
fs::path path_of_mount(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '\\' && i + 3 < text.size();
    if (!is_escape) {
      plain += text[i];
      continue;
    }
    plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
    i += 3;
  }
  return plain;
}

std::vector<Mount> mounts_here() {
  std::vector<Mount> mounts;
  std::ifstream lines("/proc/self/mountinfo");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string id, parent, device, root, point;
    if (words >> id >> parent >> device >> root >> point)
      mounts.push_back({device, path_of_mount(root), path_of_mount(point)});
  }
  return mounts;
}

bool is_same_file(const fs::path& one, const fs::path& other) {
  std::error_code trouble;  // not there, or closed to us
  return fs::equivalent(one, other, trouble) && !trouble;
}

// `path` below another folder than the one it is in.
fs::path moved(const fs::path& path, const fs::path& from, const fs::path& to) {
  const fs::path inside = path.lexically_relative(from);
  return inside == "." ? to : to / inside;
}

// By which other paths it, or a part of it, can be found; path: canonical.
std::vector<fs::path> other_paths_to(const fs::path& path, const std::vector<Mount>& mounts) {
  const Mount* own = nullptr;
  for (const Mount& mount : mounts) {
    // Of two at one place the later lies over the other.
    if (holds(mount.point, path) && (own == nullptr || holds(own->point, mount.point))) own = &mount;
  }
  std::vector<fs::path> others;
  if (own == nullptr) return others;
  const fs::path inner = moved(path, own->point, own->root);
  for (const Mount& mount : mounts) {
    if (&mount == own || mount.device != own->device) continue;
    const bool is_above = holds(mount.root, inner);
    if (!is_above && !holds(inner, mount.root)) continue;
    const fs::path other = is_above ? moved(inner, mount.root, mount.point) : mount.point;
    const fs::path same = is_above ? path : moved(mount.root, inner, path);
    if (other != path && !holds(path, other) && is_same_file(other, same)) others.push_back(other);
  }
  return others;
}

// In /run and /var/run, where that is another folder.
constexpr std::array kSystemSockets{
    "docker.sock",           "podman/podman.sock",      "containerd/containerd.sock", "k3s/containerd/containerd.sock",
    "crio/crio.sock",        "buildkit/buildkitd.sock", "libvirt/libvirt-sock",       "systemd/private",
    "dbus/system_bus_socket"};
constexpr std::array kOtherSockets{"var/lib/lxd/unix.socket", "var/snap/lxd/common/lxd/unix.socket",
                                   "var/lib/incus/unix.socket"};
constexpr std::array kSessionSockets{"docker.sock", "podman/podman.sock", "buildkit/buildkitd.sock", "systemd/private",
                                     "bus"};
constexpr std::array kHomeSockets{".docker/run/docker.sock", ".docker/desktop/docker.sock"};

}  // namespace

std::vector<fs::path> sockets_that_lead_out(const std::map<std::string, std::string>& variables, const fs::path& root) {
  std::vector<fs::path> found;
  const auto add = [&found](const fs::path& socket) {
    if (!socket.is_absolute()) return;
    std::error_code trouble;  // not there, or closed to us, and so to them
    const fs::path path = fs::canonical(socket, trouble);
    const bool is_new = std::find(found.begin(), found.end(), path) == found.end();
    if (!trouble && is_new && fs::is_socket(path, trouble)) found.push_back(path);
  };
  const auto value_of = [&variables](const char* name) {
    const auto variable = variables.find(name);
    return variable == variables.end() ? std::string() : variable->second;
  };
  for (const char* const folder : {"run", "var/run"}) {
    for (const char* const name : kSystemSockets) add(root / folder / name);
  }
  for (const char* const name : kOtherSockets) add(root / name);
  for (const fs::path& session :
       {fs::path(value_of("XDG_RUNTIME_DIR")), root / "run/user" / std::to_string(::geteuid())}) {
    for (const char* const name : kSessionSockets) add(session / name);
  }
  for (const char* const name : kHomeSockets) add(fs::path(value_of("HOME")) / name);
  constexpr std::string_view kScheme = "unix://";
  for (const char* const name : {"DOCKER_HOST", "CONTAINER_HOST"}) {
    if (const std::string address = value_of(name); address.starts_with(kScheme)) add(address.substr(kScheme.size()));
  }
  return found;
}

HiddenPaths hidden_around(const std::vector<fs::path>& folders, const std::vector<fs::path>& needed) {
  const auto normal = [](const fs::path& path) {
    std::error_code trouble;
    fs::path found = fs::weakly_canonical(path, trouble);
    if (trouble) found = fs::absolute(path, trouble).lexically_normal();
    return found.has_filename() || found == found.root_path() ? found : found.parent_path();
  };
  std::vector<fs::path> kept;
  for (const fs::path& path : needed) kept.push_back(normal(path));
  std::vector<fs::path> wanted;
  const std::vector<Mount> mounts = mounts_here();
  for (const fs::path& path : folders) {
    std::error_code trouble;
    if (path.empty() || !fs::exists(path, trouble)) continue;
    wanted.push_back(normal(path));
    const std::vector<fs::path> others = other_paths_to(wanted.back(), mounts);
    wanted.insert(wanted.end(), others.begin(), others.end());
  }
  std::vector<fs::path> hidden;
  HiddenPaths result;
  for (fs::path& found : wanted) {
    const bool holds_any =
        std::any_of(kept.begin(), kept.end(), [&](const fs::path& one) { return holds(found, one); });
    (holds_any ? result.unhidden : hidden).push_back(std::move(found));
  }
  // What lies in a hidden folder cannot be found any more to be hidden itself.
  std::sort(hidden.begin(), hidden.end());
  for (fs::path& path : hidden) {
    std::vector<fs::path>& outermost = result.paths;
    if (outermost.empty() || !holds(outermost.back(), path)) outermost.push_back(std::move(path));
  }
  return result;
}

Result<SharedConfinement> confine(const std::vector<fs::path>& hidden) {
  if (hidden.empty()) return SharedConfinement();
  const bool is_root = ::geteuid() == 0;
  STEELYARD_TRY(const Maker maker, Maker::start(hidden, is_root));
  std::optional<MakingReport> made = maker.next_report();
  if (is_root && made && made->step == MakingStep::none) {
    made = maker.map_root();
    if (made->step == MakingStep::none) made = maker.next_report();
  }
  if (!made) return program_error("", "the process that was to make a view of its own ended");
  if (made->step != MakingStep::none) {
    const std::string where = made->step == MakingStep::hide ? hidden[made->hidden].string() : "";
    return program_error(where, words_of(made->step) + ": " + std::strerror(made->error));
  }
  auto confinement = std::make_shared<Confinement>();
  confinement->hidden = hidden;
  confinement->user_namespace = maker.namespace_of("user");
  confinement->mount_namespace = maker.namespace_of("mnt");
  const bool is_whole = confinement->mount_namespace.is_open() && confinement->user_namespace.is_open();
  if (!is_whole) return program_error("/proc", std::string("namespaces cannot be opened: ") + std::strerror(errno));
  return SharedConfinement(std::move(confinement));
}

bool is_hidden(const Confinement& confinement, const Descriptor& file) {
  std::error_code trouble;
  const fs::path path = fs::read_symlink("/proc/self/fd/" + std::to_string(file.number()), trouble);
  return trouble || std::any_of(confinement.hidden.begin(), confinement.hidden.end(),
                                [&](const fs::path& hidden) { return holds(hidden, path); });
}

bool enter(const Confinement& confinement) {
  if (::setns(confinement.user_namespace.number(), CLONE_NEWUSER) != 0) return false;
  if (::setns(confinement.mount_namespace.number(), CLONE_NEWNS) != 0) return false;
  // All capabilities are gone with exec, as a user is not root there, either.
  if (::geteuid() != 0) return true;
  for (const int capability : kGivenUp) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno != EINVAL) return false;
  }
  return forget_inheritable();
}

}  // namespace steelyard::bench
