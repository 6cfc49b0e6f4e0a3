// worker_save_call: a call in a file, as wire.h describes it.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "new_file.h"
#include "worker_internal.h"
#include "worker_words.h"

// Places count from the beginning of the file from now on.
static void move_places(WireRequest *request, size_t input_bytes)
{
    request->is_saved = true;
    for (int r = 0; r < request->region_count; r++)
        request->regions[r].place += WIRE_PAGE + (request->regions[r].is_output ? input_bytes : 0);
}

static bool write_all(const Worker *worker, const WireRequest *request, const char *path)
{
    static const char nothing[WIRE_PAGE];
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    fwrite(request, sizeof *request, 1, file);
    fwrite(nothing, WIRE_PAGE - sizeof *request, 1, file);
    for (int i = 0; i < 2; i++)
        if (worker->running.bytes[i] > 0)
            fwrite(worker->running.memory[i], worker->running.bytes[i], 1, file);
    bool written = !ferror(file);
    return fclose(file) == 0 && written;
}

static bool save(Worker *worker, const StageCall *call, const StageArgs *args, const char *path,
                 Error *err)
{
    WorkerLayout layout;
    MachineFault fault;
    Arena arena = {.chunks = NULL};
    NewFile file;
    bool kept = false;
    if ((worker_memory_fill(worker, call, args, &layout, &fault) || machine_error(&fault, err)) &&
        new_file_begin(&file, path, &arena, err)) {
        move_places(&layout.request, worker->running.bytes[0]);
        if (write_all(worker, &layout.request, file.temporary)) {
            kept = new_file_keep(&file, err);
        } else {
            error_set(err, TELL(CANNOT_WRITE), path, error_reason(errno));
            new_file_drop(&file);
        }
    }
    arena_finish(&arena);
    return kept;
}

bool worker_save_call(const StageCall *call, const StageArgs *args, const char *path, Error *err)
{
    Worker worker = {.running = {.file = {-1, -1}}};
    MachineFault fault;
    int unused = -1;
    bool saved = (worker_memory_open(&worker, &unused, &fault) || machine_error(&fault, err)) &&
                 save(&worker, call, args, path, err);
    if (unused >= 0)
        close(unused);
    worker_memory_close(&worker);
    return saved;
}
