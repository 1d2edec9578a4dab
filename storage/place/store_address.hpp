// Where a store is: in the state folder, at a postgresql:// address, of which this tells what is secret and what may be
// printed, or behind a service at an https:// one. Nothing here connects.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "bench/model/result.hpp"

namespace steelyard::storage {

struct StoreAddress {
  bool embedded = true;
  std::string url;  // postgresql://..., or https://...; never printed with a password: see safe_text()
  bool is_service() const { return url.starts_with("http"); }
  std::string safe_text() const;
  // Which store that is, whoever asks and however: "embedded", "postgresql://HOST:PORT/DATABASE", "https://SERVICE". No
  // user (unless the database is called after it), no password, no options of the link.
  std::string place() const;
};
// "embedded", a postgresql:// (postgres://) address, or that of a service; anything else is an input error that names
// `where`.
Result<StoreAddress> parse_store_address(const std::string& text, const std::string& where);

// $STEELYARD_STATE, else $XDG_STATE_HOME/steelyard, else ~/.local/state/steelyard; for root /var/lib/steelyard. Without
// any of them /tmp/steelyard-state-UID.
std::filesystem::path state_folder();

// Where the state folder has a name below /tmp, which anybody can guess: claim_folder() of it. To be called before
// anything is read there.
Result<bool> claim_state_folder();
// Makes the folder, closed to others, unless it is there; true: it was made now. Error (input): what is there is a
// link, no folder, another user's, or one that others may write to.
Result<bool> claim_folder(const std::filesystem::path& folder);

// The address with every password as "***". A text that cannot be taken apart with certainty shows its scheme alone.
std::string address_without_secrets(std::string_view url);

// A message of libpq or the server, fit for one line of ours: no line breaks, bounded, and no password of `url` in it,
// as written there or percent-decoded (libpq quotes parts of an address that it cannot read).
std::string one_line_without_secrets(std::string_view message, std::string_view url);

// The address with one more option, unless it has that option already.
std::string with_option(const std::string& url, std::string_view name, std::string_view value);

// The address without its password, for the command line of a program of PostgreSQL's, and the password for that
// program's environment (PGPASSWORD). Error (input): an address that cannot be taken apart, or one with an sslpassword,
// for which there is no such way.
struct SplitAddress {
  std::string url;
  std::optional<std::string> password;  // decoded
};
Result<SplitAddress> split_password(std::string_view url);

// What a client of PostgreSQL is to be told, decoded; empty where the address leaves it to that client. Never a
// password.
struct ConnectionSettings {
  std::string host;  // or the folder of a Unix socket
  std::string port;
  std::string user;
  std::string database;
  std::string password_file;  // that libpq is to read (passfile)
  std::string client_key;     // file of the key that the client shows (sslkey)
};
ConnectionSettings connection_settings(std::string_view url);

std::string percent_encode(std::string_view text);
std::string percent_decode(std::string_view text);  // a "%" that starts no code stands for itself

}  // namespace steelyard::storage
