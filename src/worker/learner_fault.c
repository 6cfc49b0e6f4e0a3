// What a learner's process says before a signal or a sanitizer ends it: where it happened, for the
// judging side to make a sentence of. The lines begin with '@'; forging them
// changes nothing but words.
#include "learner.h"

#include <signal.h>
#include <stdio.h>
#include <ucontext.h>
#include <unistd.h>

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

void learner_fault_watch(void)
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
