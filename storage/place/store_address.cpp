#include "storage/place/store_address.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "bench/model/text.hpp"

namespace steelyard::storage {
namespace {

constexpr std::string_view kMask = "***";
constexpr std::array<std::string_view, 2> kSchemes{"postgresql://", "postgres://"};
// libpq options whose values are secrets.
constexpr std::array<std::string_view, 2> kSecretOptions{"password", "sslpassword"};
// An error is one line that a person reads; a server's detail beyond this helps nobody.
constexpr std::size_t kLongestMessage = 600;

// scheme://user:password@hosts/database?options; `password` and `query` absent where their sign is.
struct AddressParts {
  std::string_view scheme;
  std::string_view user;
  std::optional<std::string_view> password;
  bool has_user = false;
  std::string_view hosts_and_path;
  std::vector<std::string_view> options;  // "name=value"
};

std::string_view name_of(std::string_view option) { return option.substr(0, option.find('=')); }

// Absent where a reserved character in a user or password makes it unsure where these end.
std::optional<AddressParts> take_apart(std::string_view url) {
  AddressParts parts;
  for (const std::string_view scheme : kSchemes) {
    if (url.starts_with(scheme)) parts.scheme = scheme;
  }
  if (parts.scheme.empty()) return std::nullopt;
  std::string_view rest = url.substr(parts.scheme.size());
  const std::size_t question = rest.find('?');
  const std::string_view before_options = rest.substr(0, question);
  const std::size_t at = before_options.find('@');
  if (at != std::string_view::npos) {
    // A second "@", or a "/" before the first, belongs to a password that should have been percent-encoded.
    if (before_options.find('@', at + 1) != std::string_view::npos || before_options.find('/') < at) {
      return std::nullopt;
    }
    const std::string_view user_info = before_options.substr(0, at);
    const std::size_t colon = user_info.find(':');
    parts.has_user = true;
    parts.user = user_info.substr(0, colon);
    if (colon != std::string_view::npos) parts.password = user_info.substr(colon + 1);
  }
  parts.hosts_and_path = before_options.substr(at == std::string_view::npos ? 0 : at + 1);
  if (question == std::string_view::npos) return parts;
  rest.remove_prefix(question + 1);
  for (;;) {
    const std::size_t end = rest.find('&');
    parts.options.push_back(rest.substr(0, end));
    // Without an "@" before it, the "?" may have been part of a password that ends at this one.
    if (!parts.has_user && name_of(parts.options.back()).find('@') != std::string_view::npos) return std::nullopt;
    if (end == std::string_view::npos) return parts;
    rest.remove_prefix(end + 1);
  }
}

// As an address ends in them: "?one&other".
std::string joined_options(const std::vector<std::string>& options) {
  std::string text;
  for (const std::string& option : options) text += (text.empty() ? '?' : '&') + option;
  return text;
}

bool is_secret(std::string_view option) {
  // Option names may be percent-encoded as well.
  const std::string name = percent_decode(name_of(option));
  return std::find(kSecretOptions.begin(), kSecretOptions.end(), name) != kSecretOptions.end();
}

std::vector<std::string> secrets_of(std::string_view url) {
  std::vector<std::string> secrets;
  const auto add = [&secrets](std::string_view secret) {
    if (secret.empty()) return;
    secrets.emplace_back(secret);
    secrets.push_back(percent_decode(secret));
  };
  const auto parts = take_apart(url);
  if (!parts) {
    add(url);
    return secrets;
  }
  if (parts->password) add(*parts->password);
  for (const std::string_view option : parts->options) {
    if (is_secret(option) && option.find('=') != std::string_view::npos) add(option.substr(option.find('=') + 1));
  }
  // The longer form first: it may contain the shorter one.
  std::sort(secrets.begin(), secrets.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return secrets;
}

}  // namespace

std::string address_without_secrets(std::string_view url) {
  const auto parts = take_apart(url);
  if (!parts) return "postgresql://" + std::string(kMask);
  std::string text(parts->scheme);
  text += parts->user;
  if (parts->password) text += ':' + std::string(kMask);
  if (parts->has_user) text += '@';
  text += parts->hosts_and_path;
  std::vector<std::string> shown;
  for (const std::string_view option : parts->options) {
    shown.push_back(is_secret(option) ? std::string(name_of(option)) + '=' + std::string(kMask) : std::string(option));
  }
  return text + joined_options(shown);
}

std::string one_line_without_secrets(std::string_view message, std::string_view url) {
  std::string text(message);
  for (const std::string& secret : secrets_of(url)) {
    for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos; at += kMask.size()) {
      text.replace(at, secret.size(), kMask);
    }
  }
  std::string line;
  for (const char c : text) {
    const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!space) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return cut_at_bytes(line, kLongestMessage, "...");
}

std::string with_option(const std::string& url, std::string_view name, std::string_view value) {
  const auto parts = take_apart(url);
  if (!parts) return url;
  for (const std::string_view option : parts->options) {
    if (percent_decode(name_of(option)) == name) return url;
  }
  return url + (parts->options.empty() ? '?' : '&') + std::string(name) + '=' + percent_encode(value);
}

Result<SplitAddress> split_password(std::string_view url) {
  const auto parts = take_apart(url);
  if (!parts)
    return input_error("the store's address", "one that cannot be taken apart", "postgresql://USER@HOST/NAME");
  SplitAddress split;
  if (parts->password) split.password = percent_decode(*parts->password);
  split.url = std::string(parts->scheme) + std::string(parts->user) + (parts->has_user ? "@" : "");
  split.url += parts->hosts_and_path;
  std::vector<std::string> kept;
  for (const std::string_view option : parts->options) {
    const std::string name = percent_decode(name_of(option));
    if (name == "sslpassword") {
      return input_error("the store's address", "an sslpassword", "a key file that needs none",
                         "pg_dump could be given it on its command line only, where others see it");
    }
    if (name == "password") {
      const std::size_t equals = option.find('=');
      split.password = equals == std::string_view::npos ? "" : percent_decode(option.substr(equals + 1));
      continue;
    }
    kept.emplace_back(option);
  }
  split.url += joined_options(kept);
  return split;
}

ConnectionSettings connection_settings(std::string_view url) {
  ConnectionSettings settings;
  const auto parts = take_apart(url);
  if (!parts) return settings;
  settings.user = percent_decode(parts->user);
  const std::size_t slash = parts->hosts_and_path.find('/');
  std::string_view host = parts->hosts_and_path.substr(0, slash);
  if (slash != std::string_view::npos) settings.database = percent_decode(parts->hosts_and_path.substr(slash + 1));
  const std::size_t colon = host.rfind(':');
  // Several hosts have a port each, and an IPv6 address has colons of its own.
  const bool has_port = colon != std::string_view::npos && host.find(',') == std::string_view::npos &&
                        host.find(']', colon) == std::string_view::npos;
  if (has_port) {
    settings.port = std::string(host.substr(colon + 1));
    host = host.substr(0, colon);
  }
  settings.host = percent_decode(host);
  for (const std::string_view option : parts->options) {
    const std::size_t equals = option.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string value = percent_decode(option.substr(equals + 1));
    const std::string name = percent_decode(name_of(option));
    if (name == "host") settings.host = value;
    if (name == "port") settings.port = value;
    if (name == "user") settings.user = value;
    if (name == "dbname") settings.database = value;
    if (name == "passfile") settings.password_file = value;
    if (name == "sslkey") settings.client_key = value;
  }
  return settings;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-' || c == '_' || c == '.' || c == '~') {
      encoded += c;
    } else {
      encoded += '%';
      encoded += kDigits[byte >> 4U];
      encoded += kDigits[byte & 15U];
    }
  }
  return encoded;
}

std::string percent_decode(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const std::string_view digits = text.substr(i + 1 < text.size() ? i + 1 : text.size(), 2);
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (text[i] == '%' && digits.size() == 2 && parsed.ptr == digits.data() + 2) {
      decoded += static_cast<char>(byte);
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

std::string StoreAddress::safe_text() const {
  if (embedded) return "embedded";
  return is_service() ? url : address_without_secrets(url);
}

std::string StoreAddress::place() const {
  if (embedded || is_service()) return safe_text();
  const auto parts = take_apart(url);
  if (!parts) return address_without_secrets(url);
  const ConnectionSettings settings = connection_settings(url);
  std::string text(kSchemes.front());
  text += settings.host;
  if (!settings.port.empty()) text += ':' + settings.port;
  // libpq's own choice where none is named.
  text += '/' + (settings.database.empty() ? settings.user : settings.database);
  std::vector<std::string> named;
  for (const std::string_view option : parts->options) {
    const std::string name = percent_decode(name_of(option));
    if (name == "hostaddr" || name == "service") named.push_back(percent_decode(option));  // which name a place, too
  }
  return text + joined_options(named);
}

Result<StoreAddress> parse_store_address(const std::string& text, const std::string& where) {
  constexpr const char* kWanted = "\"embedded\", postgresql://USER@HOST:PORT/DATABASE or https://SERVICE";
  if (text.empty() || text == "embedded") return StoreAddress{};
  if (text.starts_with("https://") || text.starts_with("http://")) {
    // What stands before an "@", or behind a "?" or "#", may be a secret, and is not shown.
    if (text.find_first_of("@?#") == std::string::npos) {
      const std::size_t host = text.find("//") + 2;
      if (host < text.size() && text[host] != '/' && text[host] != ':') return StoreAddress{false, text};
      return input_error(where, "the address of a service without its host", "https://SERVICE");
    }
    if (text.find('@') == std::string::npos) {
      return input_error(where, "the address of a service with a \"?\" or \"#\"", "https://SERVICE",
                         "a service takes a token: $STEELYARD_TOKEN");
    }
    return input_error(where, "the address of a service with a user or a password", "https://SERVICE",
                       "a service takes a token: $STEELYARD_TOKEN");
  }
  const bool has_scheme = std::any_of(kSchemes.begin(), kSchemes.end(), [&](auto s) { return text.starts_with(s); });
  if (!has_scheme) {
    // Whatever it is, it may hold a password ("host=... password=..."): only the beginning of a plain word is shown.
    const bool word = std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0; });
    return input_error(where, word ? '"' + text.substr(0, 40) + '"' : "another form of address", kWanted);
  }
  if (!take_apart(text)) {
    return input_error(where, "an address whose user or password holds an \"@\", \"/\" or \"?\" as it is", kWanted,
                       "write these as %40, %2F, %3F, or keep the password in ~/.pgpass");
  }
  return StoreAddress{false, text};
}

namespace {

// Of the user's own choice, or below a folder that is the user's; absent: no variable names any.
std::optional<std::filesystem::path> own_state_folder() {
  const auto from_environment = [](const char* name) {
    const char* value = std::getenv(name);
    return std::filesystem::path(value == nullptr ? "" : value);
  };
  const auto chosen = from_environment("STEELYARD_STATE");
  if (!chosen.empty()) return std::filesystem::absolute(chosen);
  // Root's home is closed to the unprivileged user that the embedded server runs as.
  if (geteuid() == 0) return std::filesystem::path("/var/lib/steelyard");
  const auto state_home = from_environment("XDG_STATE_HOME");
  // The XDG base directory specification: a relative path is to be ignored.
  if (state_home.is_absolute()) return state_home / "steelyard";
  const auto home = from_environment("HOME");
  if (home.is_absolute()) return home / ".local/state/steelyard";
  return std::nullopt;
}

// Empty: nothing speaks against the folder.
std::string what_is_foreign(const std::filesystem::path& folder) {
  struct stat status {};
  if (lstat(folder.c_str(), &status) != 0) return std::strerror(errno);
  if (S_ISLNK(status.st_mode)) return "a link";
  if (!S_ISDIR(status.st_mode)) return "no folder";
  if (status.st_uid != geteuid()) return "a folder of user " + std::to_string(status.st_uid);
  return (status.st_mode & (S_IWGRP | S_IWOTH)) == 0 ? "" : "a folder that others may write to";
}

}  // namespace

std::filesystem::path state_folder() {
  return own_state_folder().value_or("/tmp/steelyard-state-" + std::to_string(geteuid()));
}

Result<bool> claim_state_folder() { return own_state_folder() ? Result<bool>(false) : claim_folder(state_folder()); }

Result<bool> claim_folder(const std::filesystem::path& folder) {
  if (mkdir(folder.c_str(), S_IRWXU) == 0) return true;
  // Where nothing can be made, nobody has put anything: whoever writes there says why it cannot.
  if (errno != EEXIST) return false;
  const std::string found = what_is_foreign(folder);
  if (found.empty()) return false;
  return input_error(
      folder.string(), found, "a folder of your own that nobody else may write to",
      "set STEELYARD_STATE to one, or HOME; of one that was yours all along: chmod go-w " + folder.string());
}

}  // namespace steelyard::storage
