// Certificates made on the spot, as PEM files.
//
//     const TestAuthority authority(folder / "authority");
//     const MadeCertificate good = authority.issue(folder / "good", "IP:127.0.0.1", 3600);
#pragma once

#include <filesystem>
#include <string>

namespace steelyard::ci {

struct MadeCertificate {
  std::filesystem::path certificate;
  std::filesystem::path key;
};

class TestAuthority {
 public:
  // file: without its ending. Throws where something cannot be made.
  explicit TestAuthority(const std::filesystem::path& file);
  const std::filesystem::path& certificate() const { return own_.certificate; }
  // alternatives: whose it is, "IP:127.0.0.1,DNS:localhost". seconds: from now until it expires; negative: it has.
  MadeCertificate issue(const std::filesystem::path& file, const std::string& alternatives, long seconds) const;

 private:
  MadeCertificate own_;
};

}  // namespace steelyard::ci
