// The main of the learner's process, and its reports before a signal or a sanitizer ends it. keeper_main.c set up the
// sandbox before this program started.
//
// Reports are lines that begin with '@', which the judging side turns into messages. Forging one changes only words.
#define _GNU_SOURCE // REG_RIP
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>
#include <unistd.h>
#include "learner.h"

// --- faults

// The program's load address, from which debug information counts.
extern const char __executable_start[] __attribute__((weak)), etext[] __attribute__((weak));

enum { STACK_WORDS = 64, STACK_REACH = 1 << 20, CALLERS_MAX = 4 };

// Functions of AddressSanitizer about the current report.
extern void *__asan_get_report_address(void) __attribute__((weak));
extern int __asan_get_report_access_type(void) __attribute__((weak));

static void say(const char *what, unsigned long long number)
{
    char line[64];
    int length = snprintf(line, sizeof line, "\n@%s %llx\n", what, number);
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        return;
}

typedef struct Place {
    uintptr_t code, stack, frame; // 0: unknown on this machine
    bool was_writing;
} Place;

static Place place_of(const ucontext_t *state)
{
#if defined __linux__ && defined __x86_64__
    return (Place){
        (uintptr_t)state->uc_mcontext.gregs[REG_RIP], (uintptr_t)state->uc_mcontext.gregs[REG_RSP],
        (uintptr_t)state->uc_mcontext.gregs[REG_RBP], (state->uc_mcontext.gregs[REG_ERR] & 2) != 0};
#elif defined __linux__ && defined __aarch64__
    return (Place){(uintptr_t)state->uc_mcontext.pc, (uintptr_t)state->uc_mcontext.sp,
                   (uintptr_t)state->uc_mcontext.regs[29], false};
#else
    (void)state;
    return (Place){0};
#endif
}

static bool is_ours(uintptr_t code)
{
    return code >= (uintptr_t)__executable_start && code < (uintptr_t)etext;
}

static void say_address(uintptr_t code)
{
    if (is_ours(code))
        say("code", (unsigned long long)(code - (uintptr_t)__executable_start));
}

// Its callers, by frame pointers: a fault in attnscope.h is one of the function that called it.
static void say_callers(const Place *place)
{
    uintptr_t frame = place->frame, below = place->stack;
    for (int i = 0; i < CALLERS_MAX; i++) {
        if (frame < below || frame - place->stack > STACK_REACH || frame % sizeof frame != 0)
            return;
        const uintptr_t *pair =
            (const uintptr_t *)frame; // the caller's frame, and where it goes on
        say_address(pair[1] - 1);
        below = frame + 1;
        frame = pair[0];
    }
}

// The position in the program: for a fault in the C library, the first address on the stack that lies in the program.
static void say_code(const Place *place)
{
    uintptr_t code = place->code;
    const uintptr_t *word = (const uintptr_t *)place->stack;
    for (int i = 0; code && !is_ours(code) && i < STACK_WORDS; i++)
        code = is_ours(word[i]) ? word[i] - 1 : place->code;
    say_address(code);
    if (is_ours(place->code))
        say_callers(place);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    Place place = place_of(context);
    uintptr_t address = (uintptr_t)info->si_addr;
    if (number == SIGSEGV && place.stack - address + WIRE_GUARD < STACK_REACH)
        say("stack", 0);
    else
        say_code(&place);
    if (number == SIGSEGV || number == SIGBUS) {
        if (address < WIRE_GUARD)
            say("null", 0);
        learner_memory_explain(info->si_addr, place.was_writing);
    }
#ifdef __linux__
    if (number == SIGSYS)
        say("call", (unsigned long long)info->si_syscall);
#endif
    // The handler is reset: returning runs into the same fault again, except for a refused system call.
    if (number == SIGSYS)
        raise(SIGSYS);
}

// AddressSanitizer calls this before its report.
void __asan_on_error(void);
void __asan_on_error(void)
{
    if (__asan_get_report_address && __asan_get_report_access_type)
        learner_memory_explain(__asan_get_report_address(), __asan_get_report_access_type() == 1);
}

// Makes signals that end the process report the position first.
static void learner_fault_watch(void)
{
    static char stack[65536]; // the usual stack may be exhausted
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND)};
    static const int signals[] = {SIGSYS, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    for (int i = 0; i < 5; i++)
        sigaction(signals[i], &action, NULL);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
}

// --- main

// The linker requires this symbol, so that a main in the learner's file is an error and not a replacement.
extern const int attnscope_worker;
const int attnscope_worker = WIRE_VERSION;

// The sanitizers' settings, as the environment is empty. The judging side resolves addresses, learner_main.c handles
// signals, and leaks are not checked: that needs a thread and a debugger's rights.
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "exitcode=86:disable_coredump=0:detect_leaks=0:symbolize=0:allocator_may_return_null=1:"
           "max_allocation_size_mb=512:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill="
           "0:"
           "handle_abort=0:print_legend=0:print_cmdline=0:color=never:"
           "max_malloc_fill_size=536870912:malloc_fill_byte=254:"
           "detect_stack_use_after_return=0:quarantine_size_mb=16:allow_user_poisoning=1";
}

const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
    return "print_stacktrace=1:symbolize=0:color=never";
}

// For a debugger: runs one call from a file (worker_save_call), and prints the result.
static int run_case(const char *path, const char *came_back, const char *said_no)
{
    WireRequest request;
    WireReply said;
    int file = open(path, O_RDONLY);
    if (file < 0 || read(file, &request, sizeof request) != (ssize_t)sizeof request ||
        !learner_request_is_sound(&request) || dup2(file, WIRE_INPUTS) < 0 ||
        dup2(file, WIRE_OUTPUTS) < 0) {
        fprintf(stderr, "%s is not a call that was saved for this program\n", path);
        return 2;
    }
    said = learner_answer(&request);
    puts(said.kind == WIRE_ANSWERED ? came_back : said_no);
    return 0;
}

int main(int count, char **words)
{
    setvbuf(stdout, NULL, _IOLBF, 0); // so that output before a crash is seen
    learner_fault_watch();
    learner_memory_begin();
    if (count == 4)
        return run_case(words[1], words[2], words[3]);
    learner_serve();
    _exit(0);
}
