// The sandbox of a process that runs untrusted code: POSIX limits, and on Linux seccomp. See fence.h. Landlock is in
// fence_files.c, which the judging side links too.
#include "fence.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

// --- system calls (seccomp)
//
// Computing needs few system calls; a learner's program gets only those.

#if defined WORKER_SECCOMP

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "arena.h"

enum { LIBRARY_BYTES = 8 << 20 }; // libseccomp does not check its allocations

// Memory, time, thread bookkeeping, reading and writing open files, exit.
static const char *const allowed[] = {
    "read",
    "readv",
    "pread64",
    "write",
    "writev",
    "close",
    "fstat",
    "newfstatat",
    "stat",
    "lstat",
    "statx",
    "fstatfs",
    "lseek",
    "poll",
    "ppoll",
    "access",
    "faccessat",
    "faccessat2",
    "readlink",
    "readlinkat",
    "getdents64",
    "getcwd",
    "dup",
    "dup2",
    "dup3",
    "fcntl",
    "recvfrom",
    "sendto",
    "recvmsg",
    "sendmsg",
    "shutdown",
    "mmap",
    "munmap",
    "mremap",
    "mprotect",
    "madvise",
    "brk",
    "futex",
    "membarrier",
    "set_robust_list",
    "set_tid_address",
    "rseq",
    "arch_prctl",
    "sched_getaffinity",
    "getrandom",
    "clock_gettime",
    "clock_getres",
    "clock_nanosleep",
    "nanosleep",
    "gettimeofday",
    "time",
    "times",
    "getrusage",
    "uname",
    "sysinfo",
    "getpid",
    "gettid",
    "getppid",
    "getuid",
    "geteuid",
    "getgid",
    "getegid",
    "getrlimit",
    "rt_sigaction",
    "rt_sigprocmask",
    "rt_sigreturn",
    "rt_sigpending",
    "rt_sigsuspend",
    "rt_sigtimedwait",
    "sigaltstack",
    "alarm",
    "setitimer",
    "pause",
    "restart_syscall",
    "exit",
    "exit_group",
    "pipe",
    "pipe2",
    "ioctl",
};

// Pretends to succeed: a process that yields for ever would look like one that the machine did not run.
static const char *const passed_over[] = {"sched_yield"};

// The network, debugging, changes to the system: neither for functions nor for tools.
static const char *const closed[] = {
    "socket",
    "socketpair",
    "connect",
    "bind",
    "listen",
    "accept",
    "accept4",
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "bpf",
    "io_uring_setup",
    "keyctl",
    "mount",
    "chroot",
    "unshare",
    "setns",
    "mknod",
    "mknodat",
};

// For functions: processes, programs, files.
static const char *const stopped[] = {
    "fork",     "vfork",     "clone",    "kill",      "tkill",    "rt_sigqueueinfo",
    "execveat", "setsid",    "setpgid",  "creat",     "truncate", "unlink",
    "unlinkat", "rename",    "renameat", "renameat2", "link",     "linkat",
    "symlink",  "symlinkat", "mkdir",    "mkdirat",   "rmdir",    "chmod",
    "fchmod",   "fchmodat",  "chown",    "fchownat",  "chdir",    "memfd_create",
};

// For tools: not needed by any compiler, assembler or linker.
static const char *const refused[] = {
    "pidfd_getfd",       "perf_event_open",   "userfaultfd", "add_key",      "request_key",
    "umount2",           "move_mount",        "open_tree",   "fsopen",       "pivot_root",
    "open_by_handle_at", "name_to_handle_at", "init_module", "finit_module", "delete_module",
    "kexec_load",        "kexec_file_load",   "reboot",      "swapon",       "swapoff",
    "settimeofday",      "clock_settime",     "sethostname",
};

// Sets errno from libseccomp's result.
static bool went_well(int result)
{
    if (result < 0)
        errno = -result;
    return result >= 0;
}

static bool add_names(scmp_filter_ctx filter, uint32_t action, const char *const names[],
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int number = seccomp_syscall_resolve_name(names[i]);
        if (number >= 0 && !went_well(seccomp_rule_add(filter, action, number, 0)))
            return false;
    }
    return true;
}

// A rule for a call with this argument. Skips calls that this machine lacks.
static bool add_when(scmp_filter_ctx filter, uint32_t action, int call, struct scmp_arg_cmp when)
{
    return call < 0 || went_well(seccomp_rule_add_array(filter, action, call, 1, &when));
}

// Allows opening files to read; any other mode stops the process. `flags` is the index of the mode's argument.
static bool add_open(scmp_filter_ctx filter, int call, unsigned flags)
{
    static const unsigned ways[] = {O_WRONLY, O_RDWR, O_CREAT, O_TRUNC};
    bool added =
        add_when(filter, SCMP_ACT_ALLOW, call,
                 SCMP_CMP(flags, SCMP_CMP_MASKED_EQ, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY));
    for (int i = 0; i < 4 && added; i++)
        added = add_when(filter, SCMP_ACT_TRAP, call,
                         SCMP_CMP(flags, SCMP_CMP_MASKED_EQ, ways[i], ways[i]));
    return added;
}

// Allows the call if the argument is `only`; otherwise stops the process.
static bool add_only(scmp_filter_ctx filter, int call, unsigned argument, scmp_datum_t only)
{
    return add_when(filter, SCMP_ACT_ALLOW, call, SCMP_CMP(argument, SCMP_CMP_EQ, only, 0)) &&
           add_when(filter, SCMP_ACT_TRAP, call, SCMP_CMP(argument, SCMP_CMP_NE, only, 0));
}

// Allows signals to itself, except SIGKILL: so a killed process was killed from outside.
static bool add_signals(scmp_filter_ctx filter)
{
    struct scmp_arg_cmp when[] = {
        {.arg = 0, .op = SCMP_CMP_EQ, .datum_a = (scmp_datum_t)getpid()},
        {.arg = 2, .op = SCMP_CMP_NE, .datum_a = SIGKILL},
    };
    int call = SCMP_SYS(tgkill);
    return went_well(seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 2, when)) &&
           add_when(filter, SCMP_ACT_TRAP, call, SCMP_A0(SCMP_CMP_NE, (scmp_datum_t)getpid(), 0)) &&
           add_when(filter, SCMP_ACT_TRAP, call, SCMP_A2(SCMP_CMP_EQ, SIGKILL, 0));
}

// Calls that depend on arguments: starting this one program, reading limits, naming threads.
static bool add_conditions(scmp_filter_ctx filter, const char *program)
{
    static const int namings[] = {PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, 0x53564d41 /* VMA */};
    bool added = add_open(filter, SCMP_SYS(openat), 2) &&
                 add_open(filter, seccomp_syscall_resolve_name("open"), 1) &&
                 add_only(filter, SCMP_SYS(execve), 0, (scmp_datum_t)(uintptr_t)program) &&
                 add_signals(filter) &&
                 add_when(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), SCMP_A2(SCMP_CMP_EQ, 0, 0));
    for (size_t i = 0; i < sizeof namings / sizeof *namings && added; i++)
        added = add_when(filter, SCMP_ACT_ALLOW, SCMP_SYS(prctl),
                         SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)namings[i], 0));
    return added;
}

static int lacks_memory(void)
{
    errno = ENOMEM;
    return -1;
}

// An empty filter; NULL without memory for it and its rules.
static scmp_filter_ctx begin(uint32_t otherwise)
{
    return room_ahead(LIBRARY_BYTES) ? seccomp_init(otherwise) : NULL;
}

// Loads the filter if all rules were added.
static int finish(scmp_filter_ctx filter, bool is_whole)
{
    bool holds = is_whole && went_well(seccomp_load(filter));
    bool lacks = !holds && (errno == ENOMEM || errno == EFAULT); // libseccomp ran out of memory
    seccomp_release(filter);
    return holds ? 1 : lacks ? lacks_memory() : 0;
}

// seccomp: only what computing needs, and one execve of this very pointer. Returns 1 if active, 0 if unsupported, -1
// and errno if memory is short.
static int fence_linux_calls(const char *program)
{
    scmp_filter_ctx filter = begin(SCMP_ACT_ERRNO(EPERM));
    if (!filter)
        return lacks_memory();
    int clone3 = seccomp_syscall_resolve_name("clone3"); // "not there": the C library takes clone
    bool whole =
        (clone3 < 0 || went_well(seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), clone3, 0))) &&
        add_names(filter, SCMP_ACT_ALLOW, allowed, sizeof allowed / sizeof *allowed) &&
        add_names(filter, SCMP_ACT_ERRNO(0), passed_over,
                  sizeof passed_over / sizeof *passed_over) &&
        add_names(filter, SCMP_ACT_TRAP, closed, sizeof closed / sizeof *closed) &&
        add_names(filter, SCMP_ACT_TRAP, stopped, sizeof stopped / sizeof *stopped) &&
        add_conditions(filter, program);
    return finish(filter, whole);
}

// The same for a tool: no network, no debugging, no changes to the system.
static int fence_linux_tool_calls(void)
{
    scmp_filter_ctx filter = begin(SCMP_ACT_ALLOW);
    if (!filter)
        return lacks_memory();
    bool whole =
        add_names(filter, SCMP_ACT_ERRNO(EPERM), closed, sizeof closed / sizeof *closed) &&
        add_names(filter, SCMP_ACT_ERRNO(EPERM), refused, sizeof refused / sizeof *refused);
    return finish(filter, whole);
}

#else

static int fence_linux_tool_calls(void)
{
    return 0;
}

static int fence_linux_calls(const char *program)
{
    (void)program;
    return 0;
}

#endif

// --- the whole fence

static void limit(int what, rlim_t most)
{
    struct rlimit now;
    if (getrlimit(what, &now) == 0 && now.rlim_max != RLIM_INFINITY && now.rlim_max < most)
        most = now.rlim_max;
    setrlimit(what, &(struct rlimit){most, most});
}

static void note(char text[FENCE_TEXT_MAX], const char *what)
{
    size_t used = strlen(text);
    snprintf(text + used, FENCE_TEXT_MAX - used, "%s%s", used > 0 ? ", " : "", what);
}

// Adds what Linux has besides limits, and records it.
static int add_parts(int version, bool has_calls, char text[FENCE_TEXT_MAX])
{
    char files[48];
    text[0] = '\0';
    note(text, fence_recorded(FENCE_PART_LIMITS));
    snprintf(files, sizeof files, "%s %d)", fence_recorded(FENCE_PART_FILES), version);
    if (version > 0)
        note(text, files);
    if (has_calls)
        note(text, fence_recorded(FENCE_PART_CALLS));
    return FENCE_LIMITS | (version > 0 ? FENCE_FILES : 0) | (has_calls ? FENCE_CALLS : 0);
}

int fence_close(const Fence *fence, char text[FENCE_TEXT_MAX])
{
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_NOFILE, 32);
    limit(RLIMIT_NPROC, 0); // no effect for root
    limit(RLIMIT_STACK, (rlim_t)8 << 20);
    limit(RLIMIT_CPU, (rlim_t)fence->seconds);
    if (fence->megabytes > 0)
        limit(RLIMIT_AS, (rlim_t)fence->megabytes << 20);
    fence_linux_calm(fence->megabytes == 0);
    int version = fence_linux_files(fence->program);
    int calls = version < 0 ? -1 : fence_linux_calls(fence->program);
    return calls < 0 ? -1 : add_parts(version, calls > 0, text);
}

int fence_close_tool(const FenceTool *tool, char text[FENCE_TEXT_MAX])
{
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, (rlim_t)64 << 20);
    limit(RLIMIT_NOFILE, 256);
    limit(RLIMIT_CPU, (rlim_t)tool->seconds);
    limit(RLIMIT_AS, (rlim_t)1024 << 20);
    fence_linux_calm(false);
    int version = fence_linux_tool_files(tool);
    int calls = version < 0 ? -1 : fence_linux_tool_calls();
    return calls < 0 ? -1 : add_parts(version, calls > 0, text);
}
