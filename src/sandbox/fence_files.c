// The parts of the sandbox that both sides link: Landlock, called directly because the C library has no functions for
// it, and the parts' names in a record.
#define _GNU_SOURCE // O_PATH
#include "fence.h"

// --- files (Landlock)

#ifdef __linux__

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

// As in the kernel; older headers lack the newer fields.
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
    FILES_WRITE = 1 << 1,
    FILES_READ = 1 << 2,
    FILES_LIST = 1 << 3,
    FILES_TRUNCATE = 1 << 14,
    FILES_RUN = FILES_EXECUTE | FILES_READ | FILES_LIST,
};

// The number of file rights in each version; later versions add none.
static const int file_rights[] = {0, 13, 14, 15, 15, 16};

// The system's folders for programs and libraries.
static const char *const libraries[] = {
    "/lib",       "/lib32",     "/lib64",         "/usr/lib",         "/usr/lib32",
    "/usr/lib64", "/nix/store", "/usr/local/lib", "/usr/local/lib64", "/gnu/store"};
static const char *const loading[] = {"/etc/ld.so.cache", "/etc/ld.so.preload"};
// Libraries of a separately installed compiler.
static const char others[] = "/opt";

typedef struct Rules {
    int set; // -1: none
    int version;
    uint64_t known; // all file rights of this version
    int lack;       // errno if the machine failed, or 0
} Rules;

bool fence_linux_has_files(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, 0, RULESET_VERSION) > 0;
}

// Only a temporary failure counts as a lack; an unknown feature is just missing.
static int lack_of(int number)
{
    return number == ENOMEM || number == EMFILE || number == ENFILE ? number : 0;
}

static Rules open_rules(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, RULESET_VERSION);
    if (version <= 0)
        return (Rules){.set = -1};
    Ruleset set = {.files = (1ULL << file_rights[version < 5 ? version : 5]) - 1,
                   .network = version >= 4 ? 3 : 0, // listen and connect
                   .scope = version >= 6 ? 3 : 0};  // others' sockets, signals to others
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    int rules = (int)syscall(SYS_landlock_create_ruleset, &set, size, 0);
    return (Rules){rules, rules < 0 ? 0 : (int)version, set.files, rules < 0 ? lack_of(errno) : 0};
}

static void note_lack(Rules *rules)
{
    rules->lack = rules->lack ? rules->lack : lack_of(errno);
}

// Files take fewer rights than folders.
static void allow(Rules *rules, const char *path, uint64_t rights)
{
    struct stat about;
    int place = open(path, O_PATH | O_CLOEXEC);
    if (place < 0) {
        note_lack(rules);
        return;
    }
    if (fstat(place, &about) == 0 && !S_ISDIR(about.st_mode))
        rights &= FILES_EXECUTE | FILES_READ | FILES_WRITE | FILES_TRUNCATE;
    PathRule rule = {.allowed = rights & rules->known, .folder = place};
    if (syscall(SYS_landlock_add_rule, rules->set, RULE_PATH, &rule, 0) != 0)
        note_lack(rules);
    close(place);
}

static void allow_all(Rules *rules, const char *const paths[], size_t count, uint64_t rights)
{
    for (size_t i = 0; i < count; i++)
        allow(rules, paths[i], rights);
}

// The libraries in subfolders: "/opt/NAME/lib64". Not with glob: glibc 2.36's frees twice without memory.
static void allow_below(Rules *rules, const char *folder, bool is_inside)
{
    char path[PATH_MAX];
    DIR *listing = opendir(folder);
    if (!listing)
        note_lack(rules);
    for (struct dirent *entry; listing && (entry = readdir(listing)) != NULL;) {
        int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || length >= (int)sizeof path)
            continue;
        if (!is_inside)
            allow_below(rules, path, true);
        else if (strncmp(entry->d_name, "lib", 3) == 0)
            allow(rules, path, FILES_RUN);
    }
    if (listing)
        closedir(listing);
}

static void allow_libraries(Rules *rules)
{
    allow_all(rules, libraries, sizeof libraries / sizeof *libraries, FILES_RUN);
    allow_all(rules, loading, sizeof loading / sizeof *loading, FILES_READ);
    allow_below(rules, others, false);
}

static int close_rules(const Rules *rules)
{
    bool holds = syscall(SYS_landlock_restrict_self, rules->set, 0) == 0;
    int lack = holds || rules->lack ? rules->lack : lack_of(errno);
    close(rules->set);
    errno = lack;
    return lack ? -1 : holds ? rules->version : 0;
}

// Without rules: unsupported, or failed now.
static int no_rules(const Rules *rules)
{
    errno = rules->lack;
    return rules->lack ? -1 : 0;
}

int fence_linux_files(const char *program)
{
    Rules rules = open_rules();
    if (rules.set < 0)
        return no_rules(&rules);
    allow_libraries(&rules);
    allow(&rules, "/dev/null", FILES_READ);
    allow(&rules, "/proc/self", FILES_READ | FILES_LIST); // its own memory map, for reports
    allow(&rules, program, FILES_EXECUTE | FILES_READ);
    return close_rules(&rules);
}

int fence_linux_tool_files(const FenceTool *tool)
{
    static const char *const compilers[] = {"/usr/include", "/usr/local/include",
                                            "/usr/libexec/gcc", "/usr/libx32"};
    Rules rules = open_rules();
    if (rules.set < 0)
        return no_rules(&rules);
    allow_libraries(&rules);
    allow_all(&rules, compilers, sizeof compilers / sizeof *compilers, FILES_RUN);
    allow(&rules, "/dev/null", FILES_READ | FILES_WRITE | FILES_TRUNCATE);
    allow(&rules, "/dev/urandom", FILES_READ);
    for (char *const *path = tool->readable; *path; path++)
        allow(&rules, *path, FILES_RUN);
    if (tool->writable[0])
        allow(&rules, tool->writable, rules.known);
    return close_rules(&rules);
}

void fence_linux_calm(bool has_sanitizer)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (has_sanitizer)
        personality(ADDR_NO_RANDOMIZE);
}

#else

bool fence_linux_has_files(void)
{
    return false;
}

int fence_linux_files(const char *program)
{
    (void)program;
    return 0;
}

int fence_linux_tool_files(const FenceTool *tool)
{
    (void)tool;
    return 0;
}

void fence_linux_calm(bool has_sanitizer)
{
    (void)has_sanitizer;
}

#endif

// --- the parts' names

const char *fence_recorded(FencePart part)
{
    static const char *const names[FENCE_PARTS] = {
#define FENCE_PART(NAME, english, korean) [FENCE_PART_##NAME] = english,
#include "fence_parts.def"
#undef FENCE_PART
    };
    return names[part];
}
