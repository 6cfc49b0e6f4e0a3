// The main of the learner's process, and what it reports before a signal or a sanitizer ends it.
// keeper_main.c put up the fence before this program started.
//
// Reports are lines that begin with '@'; the judging side makes sentences of them. Forging one
// changes nothing but words.
#define _GNU_SOURCE // REG_RIP
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>
#include <unistd.h>
#include "learner.h"

// --- faults

// The beginning of the program in memory; addresses in its debug information count from there.
extern const char __executable_start[] __attribute__((weak)), etext[] __attribute__((weak));

enum { STACK_WORDS = 64, STACK_REACH = 1 << 20 };

// AddressSanitizer's own: what the report that is being written is about.
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
    uintptr_t code, stack; // 0: this machine does not tell
    bool was_writing;
} Place;

static Place place_of(const ucontext_t *state)
{
#if defined __linux__ && defined __x86_64__
    return (Place){(uintptr_t)state->uc_mcontext.gregs[REG_RIP],
                   (uintptr_t)state->uc_mcontext.gregs[REG_RSP],
                   (state->uc_mcontext.gregs[REG_ERR] & 2) != 0};
#elif defined __linux__ && defined __aarch64__
    return (Place){(uintptr_t)state->uc_mcontext.pc, (uintptr_t)state->uc_mcontext.sp, false};
#else
    (void)state;
    return (Place){0};
#endif
}

static bool is_ours(uintptr_t code)
{
    return code >= (uintptr_t)__executable_start && code < (uintptr_t)etext;
}

// Where in the program it happened: in a function of the C library, the one that called it is found
// as the first address on the stack that lies in the program.
static void say_code(const Place *place)
{
    uintptr_t code = place->code;
    const uintptr_t *word = (const uintptr_t *)place->stack;
    for (int i = 0; code && !is_ours(code) && i < STACK_WORDS; i++)
        code = is_ours(word[i]) ? word[i] - 1 : place->code;
    if (is_ours(code))
        say("code", (unsigned long long)(code - (uintptr_t)__executable_start));
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    Place place = place_of(context);
    uintptr_t address = (uintptr_t)info->si_addr;
    if (number == SIGSEGV && place.stack - address + WIRE_PAGE < STACK_REACH)
        say("stack", 0);
    else
        say_code(&place);
    if (number == SIGSEGV || number == SIGBUS) {
        if (address < WIRE_PAGE)
            say("null", 0);
        learner_memory_explain(info->si_addr, place.was_writing);
    }
#ifdef __linux__
    if (number == SIGSYS)
        say("call", (unsigned long long)info->si_syscall);
#endif
    // The handler was for once: returning runs into the same fault again, except for a call that
    // was refused.
    if (number == SIGSYS)
        raise(SIGSYS);
}

// Called by AddressSanitizer before it writes its report.
void __asan_on_error(void);
void __asan_on_error(void)
{
    if (__asan_get_report_address && __asan_get_report_access_type)
        learner_memory_explain(__asan_get_report_address(), __asan_get_report_access_type() == 1);
}

// From now on, a signal that ends the process first says where it happened.
static void learner_fault_watch(void)
{
    static char stack[65536]; // the usual one may be what has run out
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

// The linker is told to look for this, so that a main in the learner's file is an error and not a
// replacement.
extern const int attnscope_worker;
const int attnscope_worker = WIRE_VERSION;

// AddressSanitizer and UBSan ask for their settings here, as the environment is empty. Addresses are
// made into places in the source by the judging side. Signals are left to learner_main.c. Leaks
// are not looked for: that takes a thread and the rights of a debugger.
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

// For a debugger: one call, whose request and tensors are in a file (worker_save_call); and what is
// printed then.
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
    setvbuf(stdout, NULL, _IOLBF, 0); // what was printed before a crash is seen
    learner_fault_watch();
    learner_memory_begin();
    if (count == 4)
        return run_case(words[1], words[2], words[3]);
    learner_serve();
    _exit(0);
}
