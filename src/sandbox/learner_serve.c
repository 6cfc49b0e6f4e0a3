// Takes requests, calls the function, replies.
//
// The other side trusts nothing here: the learner's code shares this memory.
#include "learner.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>

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
        .update = given->update,
        .rate = given->rate,
        .beta1 = given->beta1,
        .beta2 = given->beta2,
        .epsilon = given->epsilon,
    };
}

WireReply learner_answer(const WireRequest *request)
{
    WireReply said = {.version = WIRE_VERSION, .number = request->number, .kind = WIRE_NO_MEMORY};
    StageArgs args = {.options = NULL};
    StageOptions options = options_from(&request->options);
    if (!learner_memory_map(request, &args))
        return said;
    args.options = &options;
    learner_memory_fill_stack();
    said.kind = exercise_call(&args) ? WIRE_ANSWERED : WIRE_REFUSED;
    fflush(stdout); // output belongs to this call
    for (int i = 0; i < STAGE_WRITES_MAX; i++)
        learner_memory_describe(request, &args.out[i], &said.out[i]);
    learner_memory_leave();
    return said;
}

bool learner_serve(void)
{
    WireRequest request;
    WireReply said = {.version = WIRE_VERSION, .kind = WIRE_READY};
    if (!reply(&said))
        return false;
    while (receive(&request)) {
        said = learner_answer(&request);
        if (!reply(&said))
            break;
    }
    return true;
}
