#include "bench/formats/timestamp.hpp"

#include <chrono>

namespace steelyard {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
// 64-bit nanoseconds since 1970 end in April 2262.
constexpr int kFirstYear = 1970;
constexpr int kLastYear = 2261;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes what it recognizes off the front of the text.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}
  bool done() const { return rest_.empty(); }

  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<int> digits(std::size_t count) {
    if (rest_.size() < count) return std::nullopt;
    int value = 0;
    for (const char c : rest_.substr(0, count)) {
      if (!is_digit(c)) return std::nullopt;
      value = value * 10 + (c - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }

  // ".5" as 500000000. Absent where no digit follows the point; 0 where there is no point.
  std::optional<std::int64_t> fraction_ns() {
    if (!take('.')) return 0;
    if (rest_.empty() || !is_digit(rest_.front())) return std::nullopt;
    std::int64_t value = 0;
    std::int64_t place = kNanosecondsPerSecond / 10;
    while (!rest_.empty() && is_digit(rest_.front())) {
      value += place * (rest_.front() - '0');
      place /= 10;
      rest_.remove_prefix(1);
    }
    return value;
  }

  // "Z", "+02:00", "-0330" or nothing, in seconds east of UTC.
  std::optional<std::int64_t> offset_s() {
    if (rest_.empty() || take('Z')) return 0;
    const int sign = take('+') ? 1 : take('-') ? -1 : 0;
    if (sign == 0) return std::nullopt;
    const auto hours = digits(2);
    take(':');
    const auto minutes = digits(2);
    if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
    return sign * (*hours * std::int64_t{3600} + *minutes * std::int64_t{60});
  }

 private:
  std::string_view rest_;
};

std::optional<std::int64_t> day_s(Cursor& cursor) {
  const auto year = cursor.digits(4);
  if (!year || !cursor.take('-')) return std::nullopt;
  const auto month = cursor.digits(2);
  if (!month || !cursor.take('-')) return std::nullopt;
  const auto day = cursor.digits(2);
  if (!day || *year < kFirstYear || *year > kLastYear) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::seconds(std::chrono::sys_days(date).time_since_epoch()).count();
}

std::optional<std::int64_t> time_of_day_s(Cursor& cursor) {
  const auto hour = cursor.digits(2);
  if (!hour || !cursor.take(':')) return std::nullopt;
  const auto minute = cursor.digits(2);
  if (!minute || !cursor.take(':')) return std::nullopt;
  const auto second = cursor.digits(2);
  // 60 is a leap second.
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return *hour * std::int64_t{3600} + *minute * std::int64_t{60} + *second;
}

}  // namespace

std::optional<std::int64_t> parse_timestamp(std::string_view text) {
  Cursor cursor(text);
  const auto day = day_s(cursor);
  if (!day || !(cursor.take('T') || cursor.take(' '))) return std::nullopt;
  const auto time = time_of_day_s(cursor);
  if (!time) return std::nullopt;
  const auto fraction = cursor.fraction_ns();
  const auto offset = cursor.offset_s();
  if (!fraction || !offset || !cursor.done()) return std::nullopt;
  return (*day + *time - *offset) * kNanosecondsPerSecond + *fraction;
}

}  // namespace steelyard
