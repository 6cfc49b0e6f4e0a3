// What the files of the learner's process share. They are linked with the learner's object by the
#ifndef LEARNER_H
#define LEARNER_H

#include <sys/socket.h>
#include "stage.h"

// --- the wire
//
// The messages between the judging process and the learner's process: a request and a reply, each one
// datagram of fixed size; and the descriptors that the learner's process starts with.
//
// The tensors lie in two memory files that both processes map: inputs, which the learner's process cannot
// open for writing, and outputs. Each storage has whole pages of its file and ends at a page's end, so that
// the memory behind it is unmapped. The rest of its first page is filled with WIRE_CANARY.

enum {
    WIRE_VERSION = 2,
    WIRE_NAME_MAX = 32,
    WIRE_TEXT_MAX = 256,
    WIRE_TENSORS_MAX = STAGE_READS_MAX + STAGE_WRITES_MAX, // reads first
#ifdef __x86_64__
    WIRE_PAGE = 4096, // all of it is filled and checked at each call
#else
    WIRE_PAGE = 65536, // a multiple of the page size of every machine
#endif
    WIRE_GUARD = 65536, // bytes around a storage that nothing may touch

    WIRE_CONTROL = 3,
    WIRE_INPUTS = 4,
    WIRE_OUTPUTS = 5,

    WIRE_CANARY = 0xC5,
    WIRE_UNWRITTEN = 0xFD, // every byte of an output before the call: as a float, -4.2e+37
    WIRE_NEVER_SET =
        0xFE, // each byte of memory that nothing was written to, under AddressSanitizer
    WIRE_EXIT_SANITIZER = 86,
};

// Keeps datagrams in order, and reports when the other end is gone.
#ifdef __linux__
enum { WIRE_SOCKET = SOCK_SEQPACKET };
#else
enum { WIRE_SOCKET = SOCK_STREAM };
#endif

// A call can be saved to a file: the request, at WIRE_PAGE the inputs, then the outputs. Offsets then count
// from the start of the file.
//
// A storage: bytes [place + pages - bytes, place + pages) of the file of inputs or outputs.
typedef struct WireRegion {
    char name[WIRE_NAME_MAX]; // the tensor it is for, or the first of several
    int32_t is_output;
    int32_t element; // bytes
    uint64_t place, pages, bytes;
} WireRegion;

typedef struct WireTensor {
    int32_t region; // -1: no storage
    int32_t dtype;
    int32_t rank;
    int32_t unused;
    int64_t offset; // in elements, from the start of the region
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
    int32_t is_saved; // read from a file, which must not change
    WireRegion regions[WIRE_TENSORS_MAX];
    WireTensor tensors[WIRE_TENSORS_MAX];
    WireOptions options;
} WireRequest;

typedef enum WireKind {
    WIRE_READY, // the process waits for a request
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

// The keeper's report to the judging process over the lifeline: once when the fence is up, once at the end.
typedef struct WireReport {
    int32_t has_ended;
    int32_t process;      // the learner's, while it runs
    int32_t lacks;        // why it could not start (errno), or 0
    int32_t status;       // as from waitpid
    int32_t was_ended;    // the keeper ended it
    int32_t too_large;    // ...because of its memory
    int32_t left_behind;  // processes still running at the end
    int32_t parts;        // of the fence, as bits (fence.h)
    int32_t milliseconds; // CPU time, including its children
    int32_t megabytes;    // peak memory of one process
    char fence[128];
} WireReport;

// --- the process
//
// Linked with the learner's object by the learner's compiler; needs only the C library.

// Defined by the exercise's call.c: calls the learner's function. Returns false if the function reports
// failure.
bool exercise_call(StageArgs *args);

// Checks a request's counts and regions: a saved call may be damaged.
bool learner_request_is_sound(const WireRequest *request);

// Runs one call.
WireReply learner_answer(const WireRequest *request);

// Reports ready, then answers requests until the other end closes. Returns false if it was closed from the
// start.
bool learner_serve(void);

// Fills memory with a pattern, so that reads before writes show: malloc's once, the stack's before a call.
void learner_memory_begin(void);
void learner_memory_fill_stack(void);

// Maps a request's storages between guard pages and fills the arguments; those that lie as in the last request are
// still mapped. Returns false if mapping failed.
bool learner_memory_map(const WireRequest *request, StageArgs *args);

// Describes an output, as the learner's function left it, in terms of the request.
void learner_memory_describe(const WireRequest *request, const Tensor *tensor, WireTensor *out);

// Ends a call: no fault is about its storages any longer. They stay mapped for the next call.
void learner_memory_leave(void);

void learner_memory_unmap(void);

// Writes to standard error which tensor an address lies in or next to, as a line for the judging process:
// "@fault wrote past-end scores 24 24". Async-signal-safe.
void learner_memory_explain(const void *address, bool is_write);

#endif
