// bench_peer: another program that runs the same workloads; tests/bench/README.md has the protocol.
#include "bench.h"
#include "bench_words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 256 };

static bool start(BenchPeer *peer, const char *command, Error *err)
{
    int to[2], from[2];
    if (pipe(to) != 0)
        return error_set(err, TELL(PEER_PIPE_TO), error_reason(errno));
    if (pipe(from) != 0) {
        close(to[0]);
        close(to[1]);
        return error_set(err, TELL(PEER_PIPE_FROM), error_reason(errno));
    }
    peer->process = fork();
    if (peer->process == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        close(to[0]);
        close(to[1]);
        close(from[0]);
        close(from[1]);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    peer->in = fdopen(to[1], "w");
    peer->out = fdopen(from[0], "r");
    return peer->process > 0 && peer->in && peer->out
               ? true
               : error_set(err, TELL(PEER_NOT_STARTED), error_reason(errno));
}

// Sends a line and reads the answer's line.
static bool ask(BenchPeer *peer, const char *line, char answer[LINE_MAX_BYTES], Error *err)
{
    if (fprintf(peer->in, "%s\n", line) < 0 || fflush(peer->in) != 0 ||
        !fgets(answer, LINE_MAX_BYTES, peer->out))
        return error_set(err, TELL(PEER_SILENT), line);
    answer[strcspn(answer, "\n")] = '\0';
    return true;
}

bool bench_peer_open(BenchPeer *peer, const char *command, const BenchWorkload *workload,
                     int threads, Error *err)
{
    char line[LINE_MAX_BYTES], answer[LINE_MAX_BYTES];
    *peer = (BenchPeer){.process = -1};
    if (!start(peer, command, err))
        return false;
    snprintf(line, sizeof line, "open %s %d %d %d %d %s %d", workload->name, workload->batch,
             workload->length, workload->width, workload->heads, workload->mask, threads);
    if (!ask(peer, line, answer, err))
        return false;
    return strcmp(answer, "ready") == 0 || error_set(err, TELL(PEER_NOT_READY), answer, line);
}

bool bench_peer_run(BenchPeer *peer, double *seconds, Error *err)
{
    char answer[LINE_MAX_BYTES], *rest;
    if (!ask(peer, "run", answer, err))
        return false;
    *seconds = strtod(answer, &rest);
    return (rest != answer && *rest == '\0') || error_set(err, TELL(PEER_NO_SECONDS), answer);
}

void bench_peer_close(BenchPeer *peer)
{
    if (peer->in)
        fclose(peer->in);
    if (peer->out)
        fclose(peer->out);
    if (peer->process > 0)
        waitpid(peer->process, NULL, 0);
    *peer = (BenchPeer){.process = -1};
}
