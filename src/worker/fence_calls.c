// fence_linux_calls: which system calls a learner's process may make.
//
// What computing and starting take is allowed; what would reach out of the process stops it, by a
// signal that lets it say which call that was; anything else fails as if it were not permitted, as
// C libraries to come may try calls that nobody here has heard of.
#include "fence_linux.h"

#if defined WORKER_SECCOMP

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <unistd.h>

// Memory, time, its own threads' bookkeeping, reading and writing what is open, the end.
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
    "sched_yield",
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

// Other processes, other programs, files, the network, the fence itself.
static const char *const stopped[] = {
    "fork",
    "vfork",
    "clone",
    "kill",
    "tkill",
    "rt_sigqueueinfo",
    "execveat",
    "ptrace",
    "setsid",
    "setpgid",
    "creat",
    "truncate",
    "unlink",
    "unlinkat",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "symlink",
    "symlinkat",
    "mkdir",
    "mkdirat",
    "rmdir",
    "chmod",
    "fchmod",
    "fchmodat",
    "chown",
    "fchownat",
    "mknod",
    "mknodat",
    "chdir",
    "chroot",
    "mount",
    "unshare",
    "setns",
    "socket",
    "socketpair",
    "connect",
    "bind",
    "listen",
    "accept",
    "accept4",
    "bpf",
    "io_uring_setup",
    "memfd_create",
    "keyctl",
    "process_vm_readv",
    "process_vm_writev",
};

static bool add_names(scmp_filter_ctx filter, uint32_t action, const char *const names[],
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int number = seccomp_syscall_resolve_name(names[i]);
        if (number >= 0 && seccomp_rule_add(filter, action, number, 0) != 0)
            return false;
    }
    return true;
}

// Files may be opened to read; every other way of opening one stops the process.
static bool add_open(scmp_filter_ctx filter)
{
    const scmp_datum_t writes = O_ACCMODE | O_CREAT | O_TRUNC;
    static const unsigned ways[] = {O_WRONLY, O_RDWR, O_CREAT, O_TRUNC};
    bool added = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
                                  SCMP_A2(SCMP_CMP_MASKED_EQ, writes, O_RDONLY)) == 0;
    for (int i = 0; i < 4 && added; i++)
        added = seccomp_rule_add(filter, SCMP_ACT_TRAP, SCMP_SYS(openat), 1,
                                 SCMP_A2(SCMP_CMP_MASKED_EQ, ways[i], ways[i])) == 0;
#ifdef __NR_open
    added = added && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(open), 1,
                                      SCMP_A1(SCMP_CMP_MASKED_EQ, writes, O_RDONLY)) == 0;
    for (int i = 0; i < 4 && added; i++)
        added = seccomp_rule_add(filter, SCMP_ACT_TRAP, SCMP_SYS(open), 1,
                                 SCMP_A1(SCMP_CMP_MASKED_EQ, ways[i], ways[i])) == 0;
#endif
    return added;
}

// Calls that depend on what they are given.
static bool add_conditions(scmp_filter_ctx filter, const char *program)
{
    scmp_datum_t self = (scmp_datum_t)getpid(), path = (scmp_datum_t)(uintptr_t)program;
    static const int namings[] = {PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, 0x53564d41 /* VMA */};
    bool added =
        seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(execve), 1, SCMP_A0(SCMP_CMP_EQ, path)) ==
            0 &&
        seccomp_rule_add(filter, SCMP_ACT_TRAP, SCMP_SYS(execve), 1, SCMP_A0(SCMP_CMP_NE, path)) ==
            0 &&
        seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, SCMP_A0(SCMP_CMP_EQ, self)) ==
            0 &&
        seccomp_rule_add(filter, SCMP_ACT_TRAP, SCMP_SYS(tgkill), 1, SCMP_A0(SCMP_CMP_NE, self)) ==
            0 &&
        seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1, SCMP_A2(SCMP_CMP_EQ, 0)) ==
            0;
    for (size_t i = 0; i < sizeof namings / sizeof *namings && added; i++)
        added = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1,
                                 SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)namings[i])) == 0;
    return added;
}

bool fence_linux_calls(const char *program)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    if (!filter)
        return false;
    int clone3 = seccomp_syscall_resolve_name("clone3"); // "not there": the C library takes clone
    bool holds = (clone3 < 0 || seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), clone3, 0) == 0) &&
                 add_names(filter, SCMP_ACT_ALLOW, allowed, sizeof allowed / sizeof *allowed) &&
                 add_names(filter, SCMP_ACT_TRAP, stopped, sizeof stopped / sizeof *stopped) &&
                 add_open(filter) && add_conditions(filter, program) && seccomp_load(filter) == 0;
    seccomp_release(filter);
    return holds;
}

#else

bool fence_linux_calls(const char *program)
{
    (void)program;
    return false;
}

#endif
