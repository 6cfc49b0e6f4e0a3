// The main of the learner's process. What holds it was put up before this program started
// (keeper_main.c).
#include "learner.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

// The linker is told to look for this, so that a main in the learner's file is an error and not a
// replacement.
extern const int attnscope_worker;
const int attnscope_worker = WIRE_VERSION;

// AddressSanitizer and UBSan ask for their settings here, as the environment is empty. Addresses are
// made into places in the source by the judging side. Signals are left to learner_fault.c. Leaks
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
