# cmake -DOUTPUT=FILE.cpp -DSCRIPTS=a.sql;b.sql -P embed_migrations.cmake
# Writes the scripts into one source file, so that the program needs no file beside it to bring a database up to date.
set(entries "")
foreach(script IN LISTS SCRIPTS)
  get_filename_component(name ${script} NAME_WE)
  file(READ ${script} content)
  if(content MATCHES "\\)sql\"")
    message(FATAL_ERROR "${script}: the text )sql\" would end its string in the program; write it another way")
  endif()
  string(REGEX MATCH "^[0-9]+" number ${name})
  math(EXPR version "1${number} - 10000")
  string(APPEND entries "    {${version}, \"${name}\", R\"sql(${content})sql\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"storage/postgres/sql/migrations.hpp\"

namespace steelyard::storage {

std::span<const Migration> known_migrations() {
  static constexpr Migration kMigrations[] = {
${entries}  };
  return kMigrations;
}

}  // namespace steelyard::storage
")
