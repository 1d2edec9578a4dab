// Prints where libc's and libm's routines lie that they choose by the CPU: "memcpy 152a80" lines. Two runs that print
// the same chose the same.
#include <dlfcn.h>

#include <cstdio>
#include <initializer_list>

int main() {
  dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
  for (const char* name : {"memcpy",  "memmove", "memset",     "memcmp", "memchr",  "memrchr", "rawmemchr", "strlen",
                           "strnlen", "strchr",  "strrchr",    "strcmp", "strncmp", "strcpy",  "strncpy",   "strchrnul",
                           "stpcpy",  "strcat",  "strcasecmp", "strspn", "strcspn", "strpbrk", "strstr",    "wcslen",
                           "wmemset", "wmemchr", "memccpy",    "sin",    "tan",     "atan",    "exp",       "log",
                           "pow",     "floor",   "rint",       "fma",    "sinf",    "expf",    "exp2f"}) {
    void* address = dlsym(RTLD_DEFAULT, name);
    Dl_info info;
    if (address == nullptr || dladdr(address, &info) == 0) return std::printf("%s is not there\n", name), 1;
    std::printf("%s %lx\n", name,
                static_cast<unsigned long>(static_cast<char*>(address) - static_cast<char*>(info.dli_fbase)));
  }
}
