// fence_linux_files: Landlock by its system calls, as the C library has no functions for them.
//
// from  Linux, Documentation/userspace-api/landlock.rst
#include "fence_linux.h"

#ifdef __linux__

#include <fcntl.h>
#include <stdint.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

// As the kernel defines them; the headers of an older one lack the newer fields.
typedef struct Ruleset {
    uint64_t files, network, scope;
} Ruleset;

typedef struct __attribute__((packed)) PathRule {
    uint64_t allowed;
    int32_t folder;
} PathRule;

enum {
    RULESET_VERSION = 1,
    RULE_PATH = 1,
    FILES_EXECUTE = 1 << 0,
    FILES_READ = 1 << 2,
    FILES_LIST = 1 << 3,
};

// How many rights for files each version knows; the version after the last knows no more.
static const int file_rights[] = {0, 13, 14, 15, 15, 16};

static void allow(int rules, const char *path, uint64_t rights)
{
    int folder = open(path, O_PATH | O_CLOEXEC);
    if (folder < 0)
        return;
    PathRule rule = {.allowed = rights, .folder = folder};
    syscall(SYS_landlock_add_rule, rules, RULE_PATH, &rule, 0);
    close(folder);
}

int fence_linux_files(const char *program)
{
    static const char *const libraries[] = {
        "/lib",       "/lib32",         "/lib64", "/usr/lib", "/usr/lib32",
        "/usr/lib64", "/usr/local/lib", "/opt",   "/nix",     "/gnu"};
    static const char *const readable[] = {"/etc/ld.so.cache", "/etc/ld.so.preload", "/dev/null"};
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, RULESET_VERSION);
    if (version <= 0)
        return 0;
    Ruleset set = {.files = (1ULL << file_rights[version < 5 ? version : 5]) - 1,
                   .network = version >= 4 ? 3 : 0, // to listen and to connect
                   .scope = version >= 6 ? 3 : 0};  // other people's sockets, signals to others
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    long rules = syscall(SYS_landlock_create_ruleset, &set, size, 0);
    if (rules < 0)
        return 0;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        allow((int)rules, libraries[i], FILES_EXECUTE | FILES_READ | FILES_LIST);
    for (size_t i = 0; i < sizeof readable / sizeof *readable; i++)
        allow((int)rules, readable[i], FILES_READ);
    allow((int)rules, "/proc/self", FILES_READ | FILES_LIST); // its own memory map, for reports
    allow((int)rules, program, FILES_EXECUTE | FILES_READ);
    bool holds = syscall(SYS_landlock_restrict_self, (int)rules, 0) == 0;
    close((int)rules);
    return holds ? (int)version : 0;
}

void fence_linux_calm(bool has_sanitizer)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (has_sanitizer)
        personality(ADDR_NO_RANDOMIZE);
}

#else

int fence_linux_files(const char *program)
{
    (void)program;
    return 0;
}

void fence_linux_calm(bool has_sanitizer)
{
    (void)has_sanitizer;
}

#endif
