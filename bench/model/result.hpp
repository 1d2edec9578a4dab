// Result<T>: a value, or the Error that says why there is none. No exception crosses a folder of this project; trouble
// at a boundary (file, network, database, device, user) travels in one of these instead. Our own mistakes are asserts.
//
//     Result<Run> run = read_archive(path);
//     if (!run) return run.error();
//     use(run->header.id);
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace steelyard {

// Who has to act; decides the exit code (see ci/app/app.hpp).
enum class ErrorKind {
  input,    // the user's input or configuration
  program,  // the measured program failed
  budget,   // nobody: the time that was given was spent before it was its turn
  store,    // the store could not be reached or refused
  bug,      // a mistake of ours that was caught before it did harm
};

// One sentence a person can act on: where (file:line, field, option), what was found, what was wanted, the fix.
struct Error {
  ErrorKind kind = ErrorKind::bug;
  std::string where;
  std::string found;
  std::string wanted;
  std::string fix;

  // `where: found F, wanted W; fix`; empty fields are left out together with their word.
  std::string text() const;
  bool operator==(const Error&) const = default;
};

Error input_error(std::string where, std::string found, std::string wanted = "", std::string fix = "");
Error program_error(std::string where, std::string found, std::string wanted = "", std::string fix = "");
Error budget_error(std::string where, std::string found, std::string wanted = "", std::string fix = "");
Error store_error(std::string where, std::string found, std::string wanted = "", std::string fix = "");
Error bug_error(std::string where, std::string found);

// What there is in place of a file that could not be opened, by its errno: "no such file" only where there is none.
std::string unopened_text(int code);

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::in_place, std::move(value)) {}
  Result(Error error) : error_(std::move(error)) {}

  explicit operator bool() const { return value_.has_value(); }

  // Precondition of the next three: the Result holds a value.
  T& value() & { return assert(*this), *value_; }
  const T& value() const& { return assert(*this), *value_; }
  T&& value() && { return assert(*this), std::move(*value_); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // Precondition: the Result holds an error.
  const Error& error() const& { return assert(!*this), *error_; }
  Error&& error() && { return assert(!*this), std::move(*error_); }

 private:
  std::optional<T> value_;
  std::optional<Error> error_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), failed_(true) {}

  explicit operator bool() const { return !failed_; }
  const Error& error() const& { return assert(failed_), error_; }
  Error&& error() && { return assert(failed_), std::move(error_); }

 private:
  Error error_;
  bool failed_ = false;
};

// STEELYARD_TRY(auto run, read_archive(path)); declares `run`, or returns the error from the enclosing function.
// STEELYARD_CHECK(write_archive(path, run)); the same where there is no value.
#define STEELYARD_JOIN2(a, b) a##b
#define STEELYARD_JOIN(a, b) STEELYARD_JOIN2(a, b)
#define STEELYARD_TRY(declaration, ...)                                                                \
  auto STEELYARD_JOIN(result_, __LINE__) = (__VA_ARGS__);                                              \
  if (!STEELYARD_JOIN(result_, __LINE__)) return std::move(STEELYARD_JOIN(result_, __LINE__)).error(); \
  declaration = std::move(STEELYARD_JOIN(result_, __LINE__)).value()
#define STEELYARD_CHECK(...)                                                                      \
  if (auto STEELYARD_JOIN(result_, __LINE__) = (__VA_ARGS__); !STEELYARD_JOIN(result_, __LINE__)) \
  return std::move(STEELYARD_JOIN(result_, __LINE__)).error()

}  // namespace steelyard
