// Text as PostgreSQL can keep it. A child's last line of stderr, a symbol name or a path may hold bytes that are not
// UTF-8, or a zero byte; the database refuses both, and a run must not be lost for that. Such bytes are written as code
// points of a private range (U+10F700 + byte) and turned back on reading, so that every string survives unchanged.
//
//     decode_database_text(encode_database_text(bytes)) == bytes, for any bytes
//
// Not an escape for SQL: values travel as parameters.
#pragma once

#include <string>
#include <string_view>

namespace steelyard {

// Plain UTF-8 comes back as it is.
std::string encode_database_text(std::string_view bytes);
std::string decode_database_text(std::string_view text);

// The same for a JSON document on its way into a jsonb column, which refuses the escape \u0000 in a string. `text`: as
// SqlValues::text() takes it, or as Rows::text() gave it.
std::string zero_bytes_for_jsonb(std::string_view json);
std::string zero_bytes_from_jsonb(std::string_view text);

}  // namespace steelyard
