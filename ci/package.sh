#!/usr/bin/env bash
# Makes what a release consists of, from this checkout, for this machine's architecture:
#   ci/package.sh FOLDER                  builds the program first, in build/package
#   ci/package.sh FOLDER --build FOLDER   packs what was built there
# steelyard-VERSION-linux-ARCH.tar.gz runs from wherever it is unpacked, steelyard_VERSION_ARCH.deb is the same for
# Debian and Ubuntu, SHA256SUMS is of both. What the program loads lies in its lib/steelyard, all but the C library. Two
# packagings of one commit by the same compiler and libraries are equal byte for byte.
set -euo pipefail
export LC_ALL=C
umask 022
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
fail() { echo "$0: $*" >&2; exit 3; }
[ $# -eq 1 ] || { [ $# -eq 3 ] && [ "$2" = --build ]; } || fail "wanted FOLDER [--build FOLDER]"
mkdir -p "$1"
to=$(cd "$1" && pwd)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
work=$(mktemp -d "${TMPDIR:-/tmp}/steelyard-package.XXXXXX")
trap 'rm -rf "$work"' EXIT
quietly() { "$@" >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2; fail "the command failed: $*"; }; }

if [ $# -eq 3 ]; then
  build=$(cd "$3" && pwd)
else
  build=$root/build/package
  "$root/ci/install_dependencies.sh" build package
  echo "building in $build"
  # Where the sources lay is no reason for another file.
  quietly cmake -S "$root" --preset release -B "$build" -DSTEELYARD_STATIC_CXX=ON \
    -DCMAKE_CXX_FLAGS="-ffile-prefix-map=$root=."
  quietly cmake --build "$build" --target steelyard
fi

# The program and its companions.
usr=$work/usr
quietly cmake --install "$build" --component program --strip --prefix "$usr"
program=$usr/bin/steelyard
version=$("$program" --version | awk '{ print $2 }')
name=steelyard-$version-linux-$(uname -m)
deb=steelyard_${version}_$(dpkg --print-architecture)
echo "packing steelyard $version"

# What it loads, and what that loads. The C library stays the machine's own: it is one with the loader.
ldd "$program" >"$work/loaded"
! grep "not found" "$work/loaded" >&2 || fail "the program cannot be loaded here"
awk '$2 == "=>" && $3 ~ /^\// { print $3 }' "$work/loaded" |
  grep -vE '/(libc|libm|libpthread|libdl|librt|libresolv)\.so\.[0-9]+$' >"$work/carried"
while read -r file; do install -m 644 "$file" "$usr/lib/steelyard/"; done <"$work/carried"

# The terms of all that, and of what is compiled or linked in. A library's package lists one of its names, the other
# where /lib is a link to /usr/lib. Packages with the same text share it.
documents=$usr/share/doc/steelyard
mkdir -p "$documents"
{ cat "$work/carried"; "${CXX:-g++}" -print-file-name=libstdc++.so; } | xargs readlink -f | sed 's,^/usr,,' >"$work/of"
{
  { cat "$work/of"; sed 's,^,/usr,' "$work/of"; } | { xargs dpkg-query -S 2>/dev/null || true; } | sed 's/[:,].*//'
  awk '!/^#/ && $2 == "build" && $1 ~ /^lib.*-dev$|-json3-dev$/ { print $1 }' "$root/cmake/packages.txt"
} | sort -u >"$work/packages"
declare -A packages_of
while read -r package; do
  text=$(sha256sum <"/usr/share/doc/$package/copyright")
  packages_of[$text]+="${packages_of[$text]:+ }$package"
done <"$work/packages"
{
  cat "$root/LICENSE"
  printf '%s\n' "${packages_of[@]}" | sort | while read -r packages; do
    printf '\n==== What is in this package of %s, as Debian tells its terms ====\n\n' "$packages"
    cat "/usr/share/doc/${packages%% *}/copyright"
  done
} >"$documents/copyright"

# Man pages and completions, as the program tells them itself.
for one in bash:bash-completion/completions/steelyard zsh:zsh/vendor-completions/_steelyard \
  fish:fish/vendor_completions.d/steelyard.fish; do
  mkdir -p "$(dirname "$usr/share/${one#*:}")"
  "$program" completion "${one%%:*}" >"$usr/share/${one#*:}"
done
mkdir -p "$usr/share/man/man1"
write_page() {  # write_page PAGE SUMMARY [VERB]
  # By its bare name, which the page repeats. The page of a verb is found by `man steelyard-VERB`, as git's are.
  (cd "$usr/bin" && help2man --no-info --version-string "steelyard $version" --name "$2" "./steelyard${3:+ $3}") |
    sed -e "s/^\.TH STEELYARD /.TH ${1^^} /" -e "s/^steelyard \\\\- /${1//-/\\\\-} \\\\- /" |
    gzip -9n >"$usr/share/man/man1/$1.1.gz"
}
write_page steelyard "tells whether a build got slower, how sure that is, and which function did it"
"$program" --help | awk '/^[A-Z]/ { verbs = /^Verbs:/ } verbs && /^  [a-z]/ { print $1 }' | while read -r verb; do
  # The description's first sentence, up to its full stop.
  summary=$("$program" "$verb" --help | awk '/^Usage:/ { next }
    NF && !told { text = text " " $0 }
    !NF && text { told = 1 }
    END { sub(/\.( .*)?$/, "", text); print substr(text, 2) }')
  write_page "steelyard-$verb" "$summary" "$verb"
done

# Both packages of the same files, in an order, with owners, rights and times that are everybody's.
find "$usr" -type d -exec chmod 755 {} +
find "$usr" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
tar -C "$work" --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --transform="s,^usr,$name," -cf - usr |
  gzip -n >"$to/$name.tar.gz"
needs() {  # needs NAME: the versions of its symbols that each file asks for, the newest last
  find "$usr/bin" "$usr/lib" -type f | while read -r file; do
    objdump -T "$file" 2>/dev/null | sed -n "s,.*(${1}_\([0-9.]*\)).*,\1 ${file#"$usr/"},p"
  done | sort -Vu
}
needs GLIBC >"$work/libc"
libc=$(tail -n 1 "$work/libc")
cat >"$work/CPackConfig.cmake" <<CMAKE
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME steelyard)
set(CPACK_PACKAGE_VERSION "$version")
set(CPACK_PACKAGE_FILE_NAME "$deb")
set(CPACK_PACKAGE_CONTACT "Steelyard <https://github.com/steelyard/steelyard>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tells whether a build of a C++ program got slower")
set(CPACK_PACKAGE_DESCRIPTION "It measures two builds side by side, says how sure it is, and which function did it.")
set(CPACK_INSTALLED_DIRECTORIES "$usr;/usr")
set(CPACK_PACKAGING_INSTALL_PREFIX "")
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= ${libc%% *})")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "git, postgresql, valgrind")
CMAKE
quietly cpack --config "$work/CPackConfig.cmake" -B "$work/cpack"
mv "$work/cpack/$deb.deb" "$to/"
(cd "$to" && sha256sum "$name.tar.gz" "$deb.deb" | tee SHA256SUMS)

echo "needs a C library of version ${libc%% *} or later, for ${libc#* }"
needs GLIBCXX | sed -n '$s,^\([^ ]*\) \(.*\),carries a C++ library of version \1 or later\, for \2,p'
du -sb "$to/$name.tar.gz" "$to/$deb.deb" "$usr" | awk '{ sub(".*/", "", $2); printf "%5.1f MB  %s\n", $1 / 1e6, $2 }' |
  sed 's/  usr$/  unpacked/'
