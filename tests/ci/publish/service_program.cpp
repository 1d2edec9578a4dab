// A local service for scripts:
//   ci_service FOLDER [OWNER:BRANCH=NUMBER] [NUMBER=HEAD ...] [right/PERSON=RIGHT ...] [comment/PERSON=TEXT ...]
// Writes its address to FOLDER/address, answers until its input ends, and then writes what it has to FOLDER/comments,
// FOLDER/checks, FOLDER/check.md, FOLDER/requests and FOLDER/faults. The token is a-secret-token.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "tests/ci/publish/service_server.hpp"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: ci_service FOLDER [OWNER:BRANCH=NUMBER] [NUMBER=HEAD ...]\n";
    return 3;
  }
  const std::filesystem::path folder = argv[1];
  steelyard::ci_test::ServiceServer server;
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string name = word.substr(0, word.find('='));
    const std::string value = word.substr(word.find('=') + 1);
    if (name.starts_with("right/")) {
      server.rights[name.substr(6)] = value;
    } else if (name.starts_with("comment/")) {
      server.comments.push_back({i, name.substr(8), value});
    } else if (name.find(':') != std::string::npos) {
      server.pull_of_branch[name] = std::stoll(value);
    } else {
      server.pulls[std::stoll(name)] = value;
    }
  }
  if (std::getenv("CI_SERVICE_IS_GITLAB") != nullptr) server.user_status = 200;
  std::ofstream(folder / "address.new") << server.address();
  std::filesystem::rename(folder / "address.new", folder / "address");
  std::cin.ignore(1'000'000, '\0');
  std::ofstream comments(folder / "comments");
  for (const auto& comment : server.comments) comments << comment.author << '\n' << comment.body << "\n----\n";
  std::ofstream checks(folder / "checks");
  for (const auto& check : server.checks) {
    checks << check.head << ' ' << check.conclusion << ' ' << check.title << '\n';
    for (const std::string& note : check.annotations) checks << "  " << note << '\n';
  }
  // The last one as people see it, for pictures.
  std::ofstream page(folder / "check.md");
  if (!server.checks.empty()) {
    const auto& check = server.checks.back();
    page << "### " << check.name << ": " << check.title << "\n\n" << check.summary << "\n\n### Annotations\n\n";
    for (std::size_t i = 0; i < check.notes.size(); ++i) {
      page << "- `" << check.annotations[i] << "`\n\n  ~~~\n";
      std::istringstream lines(check.notes[i]);
      for (std::string line; std::getline(lines, line);) page << "  " << line << '\n';
      page << "  ~~~\n";
    }
  }
  std::ofstream requests(folder / "requests");
  for (const auto& request : server.requests()) requests << request.method << ' ' << request.path << '\n';
  std::ofstream faults(folder / "faults");
  for (const std::string& fault : server.faults()) faults << fault << '\n';
}
