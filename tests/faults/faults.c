// libfaults.so: makes the Nth call of one kind fail in one program; see faults.h. For glibc.
//
// A function of the C library is found here first, counts, and either fails as the system would or
// goes on to the real one. What memory is taken by goes to the names that glibc has for it, as finding
// a function takes memory itself. Memory is in faults_memory.c, streams are in faults_streams.c.
#define _GNU_SOURCE // memfd_create, O_TMPFILE
#include "faults_calls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM = 256 };

static char preload[1024], fault[1024]; // the two words of the environment
static FaultRecord *record;             // NULL: another program than the chosen one
static bool is_counting;
static __thread int pauses; // above 0: what is called is not our program's
static int wanted_kind;
static long wanted_call;

static const int codes[] = {
#define FAULT_KIND(name, code, about) code,
#include "faults.def"
#undef FAULT_KIND
};
static const char *const names[] = {
#define FAULT_KIND(name, code, about) #name,
#include "faults.def"
#undef FAULT_KIND
};

bool faults_are_counted(void)
{
    return is_counting;
}

bool faults_fails(FaultKind kind)
{
    if (!is_counting || pauses > 0)
        return false;
    long call = ++record->calls[kind];
    if ((int)kind != wanted_kind || call != wanted_call)
        return false;
    record->failed = 1;
    errno = codes[kind];
    return true;
}

// --- which program this is

static void note_signal(int number)
{
    record->signal = number;
    signal(number, SIG_DFL);
    raise(number);
}

static void read_environment(void)
{
    char process[64], kind[32], path[512];
    const char *asked = getenv(FAULT_ENVIRONMENT);
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", getenv("LD_PRELOAD"));
    snprintf(fault, sizeof fault, FAULT_ENVIRONMENT "=%s", asked ? asked : "");
    if (strcmp(program_invocation_short_name, "attnscope-keeper") == 0) {
        unsetenv("LD_PRELOAD"); // what it starts is somebody else's, and may not read this library
        unsetenv(FAULT_ENVIRONMENT);
    }
    if (!asked ||
        sscanf(fault + strlen(FAULT_ENVIRONMENT "="), "%63s %31s %ld %511s", process, kind,
               &wanted_call, path) != 4 ||
        strcmp(process, program_invocation_short_name) != 0)
        return;
    for (int i = 0; i < FAULT_KINDS; i++)
        if (strcmp(names[i], kind) == 0)
            wanted_kind = i;
    int file = open(path, O_RDWR | O_CLOEXEC);
    void *shared = mmap(NULL, sizeof *record, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    record = shared == MAP_FAILED ? NULL : shared;
    static const int deaths[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
    for (int i = 0; record && i < 5; i++)
        signal(deaths[i], note_signal);
}

typedef int Main(int argc, char **argv, char **environment);
static Main *real_main;

static int counted_main(int argc, char **argv, char **environment)
{
    is_counting = record != NULL;
    return real_main(argc, argv, environment);
}

int __libc_start_main(Main *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loader)(void), void *stack);
int __libc_start_main(Main *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loader)(void), void *stack)
{
    read_environment();
    real_main = main;
    return REAL(__libc_start_main)(counted_main, argc, argv, init, fini, loader, stack);
}

// fontconfig does not look whether it was given memory, and takes another font where it could not look
// into a file. What it does within these is its own.
#define PAUSED(Result, name, parameters, arguments) \
    Result name parameters; \
    Result name parameters \
    { \
        pauses++; \
        Result result = REAL(name) arguments; \
        pauses--; \
        return result; \
    }

PAUSED(int, FcInit, (void), ())
PAUSED(void *, FcConfigCreate, (void), ())
PAUSED(int, FcConfigParseAndLoad, (void *config, const unsigned char *file, int complain),
       (config, file, complain))
PAUSED(int, FcConfigBuildFonts, (void *config), (config))
PAUSED(int, FcConfigSetCurrent, (void *config), (config))
PAUSED(void *, FcNameParse, (const unsigned char *name), (name))
PAUSED(int, FcConfigSubstitute, (void *config, void *pattern, int kind), (config, pattern, kind))
PAUSED(void *, FcFontMatch, (void *config, void *pattern, int *end), (config, pattern, end))

void FcDefaultSubstitute(void *pattern);
void FcDefaultSubstitute(void *pattern)
{
    pauses++;
    REAL(FcDefaultSubstitute)(pattern);
    pauses--;
}

// --- mapping

void *mmap(void *at, size_t bytes, int access, int flags, int file, off_t from)
{
    return faults_fails(FAULT_mapping) ? MAP_FAILED
                                       : REAL(mmap)(at, bytes, access, flags, file, from);
}

// --- open

static mode_t mode_of(int flags, va_list arguments)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return faults_fails(FAULT_open) ? -1 : REAL(open)(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return faults_fails(FAULT_open) ? -1 : REAL(openat)(folder, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    return faults_fails(FAULT_open) ? NULL : REAL(fopen)(path, mode);
}

FILE *fdopen(int file, const char *mode)
{
    return faults_fails(FAULT_memory) ? NULL : REAL(fdopen)(file, mode);
}

DIR *opendir(const char *path)
{
    return faults_fails(FAULT_open) ? NULL : REAL(opendir)(path);
}

int mkstemp(char *path)
{
    return faults_fails(FAULT_open) ? -1 : REAL(mkstemp)(path);
}

int memfd_create(const char *name, unsigned flags)
{
    return faults_fails(FAULT_open) ? -1 : REAL(memfd_create)(name, flags);
}

// --- folder: one that is there already is not a new one

int mkdir(const char *path, mode_t mode)
{
    return access(path, F_OK) != 0 && faults_fails(FAULT_folder) ? -1 : REAL(mkdir)(path, mode);
}

char *mkdtemp(char *path)
{
    return faults_fails(FAULT_folder) ? NULL : REAL(mkdtemp)(path);
}

// --- write: what goes to standard error is the sentence, not the work

ssize_t write(int file, const void *bytes, size_t count)
{
    return file != STDERR_FILENO && faults_fails(FAULT_write) ? -1
                                                              : REAL(write)(file, bytes, count);
}

ssize_t send(int file, const void *bytes, size_t count, int flags)
{
    return faults_fails(FAULT_write) ? -1 : REAL(send)(file, bytes, count, flags);
}

ssize_t sendmsg(int file, const struct msghdr *message, int flags)
{
    return faults_fails(FAULT_write) ? -1 : REAL(sendmsg)(file, message, flags);
}

int ftruncate(int file, off_t bytes)
{
    return faults_fails(FAULT_write) ? -1 : REAL(ftruncate)(file, bytes);
}

int posix_fallocate(int file, off_t from, off_t bytes)
{
    return faults_fails(FAULT_write) ? ENOSPC : REAL(posix_fallocate)(file, from, bytes);
}

// --- sync

int fsync(int file)
{
    return faults_fails(FAULT_sync) ? -1 : REAL(fsync)(file);
}

int fdatasync(int file)
{
    return faults_fails(FAULT_sync) ? -1 : REAL(fdatasync)(file);
}

// --- rename

int rename(const char *from, const char *to)
{
    return faults_fails(FAULT_rename) ? -1 : REAL(rename)(from, to);
}

// --- read

ssize_t read(int file, void *bytes, size_t count)
{
    return faults_fails(FAULT_read) ? -1 : REAL(read)(file, bytes, count);
}

ssize_t pread(int file, void *bytes, size_t count, off_t from)
{
    return faults_fails(FAULT_read) ? -1 : REAL(pread)(file, bytes, count, from);
}

ssize_t recv(int file, void *bytes, size_t count, int flags)
{
    return faults_fails(FAULT_read) ? -1 : REAL(recv)(file, bytes, count, flags);
}

// --- interrupt, wait

static bool fails_waiting(void)
{
    return faults_fails(FAULT_interrupt) || faults_fails(FAULT_wait);
}

int poll(struct pollfd *files, nfds_t count, int milliseconds)
{
    return fails_waiting() ? -1 : REAL(poll)(files, count, milliseconds);
}

int ppoll(struct pollfd *files, nfds_t count, const struct timespec *most, const sigset_t *mask)
{
    return fails_waiting() ? -1 : REAL(ppoll)(files, count, most, mask);
}

int select(int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *most)
{
    return fails_waiting() ? -1 : REAL(select)(count, in, out, other, most);
}

// --- process

pid_t fork(void)
{
    return faults_fails(FAULT_process) ? -1 : REAL(fork)();
}

// Helper processes that are given an environment of few words are given ours, too.
static char *const *add_ours(char *const environment[], const char *program, char *room[ROOM])
{
    const char *name = strrchr(program, '/');
    int count = 0;
    bool there = false;
    for (; environment[count] && count < ROOM - 3; count++) {
        room[count] = environment[count];
        there |= strncmp(environment[count], "LD_PRELOAD=", 11) == 0;
    }
    if (there || !*preload || !name || strncmp(name, "/attnscope-", 11) != 0)
        return environment;
    room[count++] = preload;
    room[count++] = fault;
    room[count] = NULL;
    return room;
}

int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])
{
    char *room[ROOM];
    if (faults_fails(FAULT_process))
        return EAGAIN;
    return REAL(posix_spawn)(child, path, actions, attributes, argv,
                             add_ours(environment, path, room));
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    return faults_fails(FAULT_process) ? EAGAIN
                                       : REAL(pthread_create)(thread, attributes, start, argument);
}

// --- connection

int socketpair(int domain, int type, int protocol, int pair[2])
{
    return faults_fails(FAULT_connection) ? -1 : REAL(socketpair)(domain, type, protocol, pair);
}

int pipe(int ends[2])
{
    return faults_fails(FAULT_connection) ? -1 : REAL(pipe)(ends);
}
