// SPDX-License-Identifier: Apache-2.0
// Functions of libc that take a path and open nothing: those of the card are led to its tree. open() and its like are
// in files.cpp.
#include "testbench/programs/preload/next.h"
#include "testbench/programs/preload/paths.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

using namespace rnicsim::programs;

namespace {

Next<int(const char*, struct stat*)> g_stat("stat"), g_lstat("lstat");
Next<int(const char*, struct stat64*)> g_stat64("stat64"), g_lstat64("lstat64");
Next<int(int, const char*, struct stat*, int)> g_fstatat("fstatat");
Next<int(int, const char*, struct stat64*, int)> g_fstatat64("fstatat64");
Next<int(int, const char*, int, unsigned, struct statx*)> g_statx("statx");
// What they were in libc before 2.33, and still are in programs built then.
Next<int(int, const char*, struct stat*)> g_xstat("__xstat"), g_lxstat("__lxstat");
Next<int(int, const char*, struct stat64*)> g_xstat64("__xstat64"), g_lxstat64("__lxstat64");
Next<int(const char*, int)> g_access("access"), g_euidaccess("euidaccess");
Next<int(int, const char*, int, int)> g_faccessat("faccessat");
Next<DIR*(const char*)> g_opendir("opendir");
using Filter = int(const dirent*);
using Compare = int(const dirent**, const dirent**);
using Filter64 = int(const dirent64*);
using Compare64 = int(const dirent64**, const dirent64**);
Next<int(const char*, dirent***, Filter*, Compare*)> g_scandir("scandir");
Next<int(const char*, dirent64***, Filter64*, Compare64*)> g_scandir64("scandir64");
Next<char*(const char*, char*)> g_realpath("realpath");
Next<char*(const char*, char*, std::size_t)> g_realpath_chk("__realpath_chk");
Next<ssize_t(const char*, char*, std::size_t)> g_readlink("readlink");
Next<ssize_t(const char*, char*, std::size_t, std::size_t)> g_readlink_chk("__readlink_chk");
Next<ssize_t(int, const char*, char*, std::size_t)> g_readlinkat("readlinkat");
Next<int(const char*)> g_chdir("chdir");
Next<ssize_t(const char*, const char*, void*, std::size_t)> g_getxattr("getxattr"), g_lgetxattr("lgetxattr");

/// The program has given the path of a device, or a link that leads to it: it is its own name.
char* name_of(const char* path, char* to) {
    if (to == nullptr) return ::strdup(path);
    return static_cast<char*>(std::memcpy(to, path, std::strlen(path) + 1));
}
char* seen(char* real) {
    if (real != nullptr) lead_back(real);
    return real;
}

}  // namespace

extern "C" {

int stat(const char* path, struct stat* to) noexcept { return g_stat(Led(path).path(), to); }
int stat64(const char* path, struct stat64* to) noexcept { return g_stat64(Led(path).path(), to); }
int lstat(const char* path, struct stat* to) noexcept { return g_lstat(Led(path).path(), to); }
int lstat64(const char* path, struct stat64* to) noexcept { return g_lstat64(Led(path).path(), to); }
int fstatat(int folder, const char* path, struct stat* to, int flags) noexcept {
    return g_fstatat(folder, Led(path).path(), to, flags);
}
int fstatat64(int folder, const char* path, struct stat64* to, int flags) noexcept {
    return g_fstatat64(folder, Led(path).path(), to, flags);
}
int statx(int folder, const char* path, int flags, unsigned mask, struct statx* to) noexcept {
    return g_statx(folder, Led(path).path(), flags, mask, to);
}
int access(const char* path, int mode) noexcept { return g_access(Led(path).path(), mode); }
int euidaccess(const char* path, int mode) noexcept { return g_euidaccess(Led(path).path(), mode); }
int eaccess(const char* path, int mode) noexcept { return g_euidaccess(Led(path).path(), mode); }
int faccessat(int folder, const char* path, int mode, int flags) noexcept {
    return g_faccessat(folder, Led(path).path(), mode, flags);
}
DIR* opendir(const char* path) { return g_opendir(Led(path).path()); }
int scandir(const char* path, dirent*** list, Filter* filter, Compare* compare) {
    return g_scandir(Led(path).path(), list, filter, compare);
}
int scandir64(const char* path, dirent64*** list, Filter64* filter, Compare64* compare) {
    return g_scandir64(Led(path).path(), list, filter, compare);
}
char* realpath(const char* path, char* to) noexcept {
    if (is_device(path)) return name_of(path, to);
    return is_led(path) ? seen(g_realpath(Led(path).path(), to)) : g_realpath(path, to);
}
char* canonicalize_file_name(const char* path) noexcept { return ::realpath(path, nullptr); }
ssize_t readlink(const char* path, char* to, std::size_t room) noexcept {
    return g_readlink(Led(path).path(), to, room);
}
ssize_t readlinkat(int folder, const char* path, char* to, std::size_t room) noexcept {
    return g_readlinkat(folder, Led(path).path(), to, room);
}
// Of ls -l, which asks for the rights of each file.
ssize_t getxattr(const char* path, const char* name, void* to, std::size_t room) noexcept {
    return g_getxattr(Led(path).path(), name, to, room);
}
ssize_t lgetxattr(const char* path, const char* name, void* to, std::size_t room) noexcept {
    return g_lgetxattr(Led(path).path(), name, to, room);
}
int chdir(const char* path) noexcept { return g_chdir(Led(path).path()); }
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are libc's
int __xstat(int version, const char* path, struct stat* to) { return g_xstat(version, Led(path).path(), to); }
int __xstat64(int version, const char* path, struct stat64* to) { return g_xstat64(version, Led(path).path(), to); }
int __lxstat(int version, const char* path, struct stat* to) { return g_lxstat(version, Led(path).path(), to); }
int __lxstat64(int version, const char* path, struct stat64* to) { return g_lxstat64(version, Led(path).path(), to); }
char* __realpath_chk(const char* path, char* to, std::size_t room) {
    if (is_device(path)) return name_of(path, to);
    return is_led(path) ? seen(g_realpath_chk(Led(path).path(), to, room)) : g_realpath_chk(path, to, room);
}
ssize_t __readlink_chk(const char* path, char* to, std::size_t most, std::size_t room) {
    return g_readlink_chk(Led(path).path(), to, most, room);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}
