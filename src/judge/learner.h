// What the files of the learner's process share. They are linked with the learner's object by the
#ifndef LEARNER_H
#define LEARNER_H

#include <sys/socket.h>
#include "stage.h"

// --- the wire
//
// What the judging process and the learner's process say to each other: a request and a reply, each
// one datagram of a fixed size; and the descriptors under which the learner's process finds things.
//
// The tensors themselves lie in two files in memory that both processes map: inputs (which the
// learner's process cannot open for writing) and outputs. Each storage has whole pages of its file
// for itself and ends where they end, so that what lies beyond is not mapped; what is left in front is
// filled with WIRE_CANARY.

enum {
    WIRE_VERSION = 1,
    WIRE_NAME_MAX = 32,
    WIRE_TEXT_MAX = 256,
    WIRE_TENSORS_MAX = STAGE_READS_MAX + STAGE_WRITES_MAX, // reads first
    WIRE_PAGE = 65536, // a multiple of the page size of every machine

    WIRE_CONTROL = 3,
    WIRE_INPUTS = 4,
    WIRE_OUTPUTS = 5,

    WIRE_CANARY = 0xC5,
    WIRE_UNWRITTEN = 0xFD, // each byte of an output before the call: as a float, -4.2e+37
    WIRE_NEVER_SET =
        0xFE, // each byte of memory that nothing was written to, under AddressSanitizer
    WIRE_EXIT_SANITIZER = 86,
};

// Datagrams that keep their order, on a connection whose other end is known to be gone.
#ifdef __linux__
enum { WIRE_SOCKET = SOCK_SEQPACKET };
#else
enum { WIRE_SOCKET = SOCK_STREAM };
#endif

// A call may also be saved in a file: the request, at WIRE_PAGE the inputs, then the outputs. Places
// then count from the file's beginning.
//
// A storage: bytes [place + pages - bytes, place + pages) of the file of inputs or outputs.
typedef struct WireRegion {
    char name[WIRE_NAME_MAX]; // of the tensor it is for, or the first of several
    int32_t is_output;
    int32_t element; // bytes
    uint64_t place, pages, bytes;
} WireRegion;

typedef struct WireTensor {
    int32_t region; // -1: there is no storage
    int32_t dtype;
    int32_t rank;
    int32_t unused;
    int64_t offset; // in elements, from the beginning of the region
    int64_t shape[TENSOR_RANK_MAX];
    int64_t stride[TENSOR_RANK_MAX];
} WireTensor;

typedef struct WireOptions {
    int64_t pad_id, heads;
    float scale, mask_value;
    double dropout_p;
    uint64_t dropout_seed;
    int64_t update;
    float rate, beta1, beta2, epsilon;
    int32_t causal, mask_padding, has_scale_name, unused;
    char scale_name[WIRE_NAME_MAX];
} WireOptions;

typedef struct WireRequest {
    uint32_t version, number;
    int32_t region_count;
    int32_t is_saved; // read from a file, which must stay as it is
    WireRegion regions[WIRE_TENSORS_MAX];
    WireTensor tensors[WIRE_TENSORS_MAX];
    WireOptions options;
} WireRequest;

typedef enum WireKind {
    WIRE_READY, // the process has started and waits for a request
    WIRE_ANSWERED,
    WIRE_REFUSED,
    WIRE_NO_MEMORY, // for the tensors
} WireKind;

typedef struct WireReply {
    uint32_t version, number; // the request's
    int32_t kind, unused;
    WireTensor out[STAGE_WRITES_MAX];
    char text[WIRE_TEXT_MAX]; // why it was refused
} WireReply;

// What the keeper tells the judging process over the lifeline, once the fence stands and once at the
// end.
typedef struct WireReport {
    int32_t has_ended;
    int32_t process;      // the learner's, while it has not ended
    int32_t lacks;        // why it could not begin: an errno; 0: it has
    int32_t status;       // as waitpid gives it
    int32_t was_ended;    // the keeper ended it
    int32_t too_large;    // because of its memory
    int32_t left_behind;  // processes that were still there
    int32_t parts;        // of the fence, as bits (fence.h)
    int32_t milliseconds; // of CPU time that it and those that it started have taken
    int32_t megabytes;    // of memory that one of them had at most
    char fence[128];
} WireReport;

// --- the process
//
// What the files of the learner's process share. They are linked with the learner's object by the
// learner's compiler, and need nothing but the C library.

// What the exercise's call.c defines: calls the learner's function with these arguments. False when
// the function says no.
bool exercise_call(StageArgs *args);

// Whether a request can be what the judging side writes: everything that it counts is within bounds,
// and every tensor lies in its region. A file with a saved call may be damaged.
bool learner_request_is_sound(const WireRequest *request);

// Makes one call.
WireReply learner_answer(const WireRequest *request);

// Says that it is ready, then takes requests until nobody is there. False when nobody was.
bool learner_serve(void);

// Fills memory that the learner's function may be given: of malloc, once; of the stack, before a call.
void learner_memory_begin(void);
void learner_memory_fill_stack(void);

// Maps a request's storages, each between pages that nobody may touch, and fills the arguments.
// False when the system does not give the memory.
bool learner_memory_map(const WireRequest *request, StageArgs *args);

// An output as the learner's function left it, in the terms of the request.
void learner_memory_describe(const WireRequest *request, const Tensor *tensor, WireTensor *out);

void learner_memory_unmap(void);

// Writes to standard error which tensor an address lies in or beside: a line for
// the judging process ("@fault wrote past-end scores 24 24"). Safe in a signal handler.
void learner_memory_explain(const void *address, bool is_write);

#endif
