// The main of the learner's process: takes requests, calls the learner's function, replies.
//
// Nothing here is trusted by the other side: the learner's code shares this memory and may do as it
// likes. What holds it was put up before this program started (keeper_main.c).
#include "learner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
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
           "detect_stack_use_after_return=0:quarantine_size_mb=16:allow_user_poisoning=1";
}

const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
    return "print_stacktrace=0:color=never";
}

static bool receive(WireRequest *request)
{
    ssize_t got;
    do
        got = recv(WIRE_CONTROL, request, sizeof *request, 0);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *request && learner_request_is_sound(request);
}

static bool reply(const WireReply *what)
{
    ssize_t sent;
    do
        sent = send(WIRE_CONTROL, what, sizeof *what, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)sizeof *what;
}

static StageOptions options_from(const WireOptions *given)
{
    return (StageOptions){
        .pad_id = given->pad_id,
        .heads = (ptrdiff_t)given->heads,
        .scale = given->scale,
        .scale_name = given->has_scale_name ? given->scale_name : NULL,
        .mask_value = given->mask_value,
        .causal = given->causal,
        .mask_padding = given->mask_padding,
        .dropout_p = given->dropout_p,
        .dropout_seed = given->dropout_seed,
    };
}

static WireReply answer(const WireRequest *request)
{
    WireReply said = {.version = WIRE_VERSION, .number = request->number, .kind = WIRE_REFUSED};
    StageArgs args = {.options = NULL};
    StageOptions options = options_from(&request->options);
    if (!learner_memory_map(request, &args)) {
        strcpy(said.text, "there is no memory for its tensors");
        return said;
    }
    args.options = &options;
    if (exercise_call(&args))
        said.kind = WIRE_ANSWERED;
    fflush(stdout); // what it prints belongs to this call
    for (int i = 0; i < STAGE_WRITES_MAX; i++)
        learner_memory_describe(request, &args.out[i], &said.out[i]);
    learner_memory_unmap();
    return said;
}

// For a debugger: one call, whose request and tensors are in a file (worker_save_call).
static int run_case(const char *path)
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
    said = answer(&request);
    puts(said.kind == WIRE_ANSWERED ? "The function came back." : "The function said no.");
    return 0;
}

int main(int count, char **words)
{
    WireRequest request;
    WireReply said = {.version = WIRE_VERSION, .kind = WIRE_READY};
    setvbuf(stdout, NULL, _IOLBF, 0); // what was printed before a crash is seen
    learner_fault_watch();
    if (count == 2)
        return run_case(words[1]);
    while (reply(&said) && receive(&request))
        said = answer(&request);
    _exit(0);
}
