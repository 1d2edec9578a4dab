// A view of the file system without some folders, for programs that strangers wrote: a mount namespace of Linux in
// which empty folders lie over them, made once and entered by every child, which costs a process nothing while it runs.
// Paths, users, the network, processors and /proc are those of everyone. A confined program can neither undo it nor
// look past it through /proc: it is in a user namespace, with no capabilities over processes outside of it, and as root
// without those that would lift the mounts.
//
//     const Result<SharedConfinement> confinement = confine(hidden_around({state_folder}, {work_trees}).paths);
//     if (!confinement) app.note(confinement.error().text());      // the system does not allow it
//     else command.confinement = *confinement;
//
// What root starts is still root's own: it can change root's files, and by them what runs later. Not for limits of
// time, memory or processes.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/runner/descriptor.hpp"

namespace steelyard::bench {

struct Confinement {
  std::vector<std::filesystem::path> hidden;
  Descriptor user_namespace;
  Descriptor mount_namespace;
};
using SharedConfinement = std::shared_ptr<const Confinement>;

struct HiddenPaths {
  std::vector<std::filesystem::path> paths;
  std::vector<std::filesystem::path> unhidden;  // holds one of those that are needed
};

// The paths that can be hidden: not what does not exist, nor a folder that holds one of `needed`, which has to stay to
// be seen. With every other path by which a mount shows the same (a folder above it, or a part of it, that is bound
// elsewhere).
HiddenPaths hidden_around(const std::vector<std::filesystem::path>& folders,
                          const std::vector<std::filesystem::path>& needed);

// The sockets, of those that are there, of whatever starts for its user what it is told to, outside of any view: makers
// of containers and managers of services, of the system (below `root`) and of the user's session ($XDG_RUNTIME_DIR,
// /run/user, $HOME, $DOCKER_HOST, $CONTAINER_HOST). Where a link leads to one: that one; each once. To be hidden with
// the rest.
std::vector<std::filesystem::path> sockets_that_lead_out(const std::map<std::string, std::string>& variables,
                                                         const std::filesystem::path& root = "/");

// Empty folders over folders, nothing over files and sockets; the folders above them stay where they are, so that
// nothing takes their place. hidden: none: null. Error (program): the system refuses;
// says what it refused.
Result<SharedConfinement> confine(const std::vector<std::filesystem::path>& hidden);

// Whether what we have opened lies where the confined do not see it: a name that they gave us may lead there. True
// where that cannot be told.
bool is_hidden(const Confinement& confinement, const Descriptor& file);

// Between fork and exec, async-signal-safe: enters it and gives up what would lead out of it. False: errno says why.
bool enter(const Confinement& confinement);

}  // namespace steelyard::bench
