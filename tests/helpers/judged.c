// judged: see judged.h.
#include "judged.h"
#include "json.h"

#include "suite.h"
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "worker_case.h"

enum { PATH_ROOM = 1024, TEXT_ROOM = 1 << 16, FOLDERS_MAX = 64 };

void judged_begin(void)
{
    worker_case_begin();
}

void judged_finish(void)
{
    worker_case_finish();
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, TEXT_ROOM);
    size_t length = file && text ? fread(text, 1, TEXT_ROOM - 1, file) : 0;
    if (length == 0) // perhaps before the first test: nothing of Check's can be used
        fprintf(stderr, "%s cannot be read\n", path), exit(EXIT_FAILURE);
    fclose(file);
    return text;
}

char *judged_text(const char *folder, const char *file)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/exercises/%s/%s", getenv("ATTNSCOPE_LESSONS"), folder, file);
    return read_file(path);
}

const char *const *judged_folders(void)
{
    static const char *folders[FOLDERS_MAX];
    if (folders[0])
        return folders;
    char *rest = NULL, *list = judged_text(".", "exercises.txt");
    int count = 0;
    for (char *name = strtok_r(list, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest))
        folders[count++] = name;
    return folders;
}

void judged_build(const char *folder, const char *source, JudgedHow how, WorkerProgram *program)
{
    Error err;
    char header[PATH_ROOM], path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/%s-%d.c", getenv("XDG_CACHE_HOME"), folder + 3, (int)getpid());
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(source, file), 0);
    fclose(file);
    snprintf(header, sizeof header, "%s/exercises/header/attnscope.h", getenv("ATTNSCOPE_LESSONS"));
    WorkerBuild asked = {.source = path,
                         .header = header,
                         .exercise = folder + 3,
                         .compiler = how.compiler,
                         .sanitize = how.sanitize,
                         .optimisation = how.optimisation};
    ck_assert_msg(worker_build(&asked, program, &err), "%s: %s\n%s", folder, err.text,
                  program->said);
    ck_assert_msg(how.may_warn || !program->said[0], "%s warns: %s", folder, program->said);
    ck_assert_msg(!how.sanitize || program->sanitized, "no sanitizer: %s", program->said);
}

static void run_judge(const char *exercise, const char *program, const char *out, const char *chain,
                      long long seed)
{
    char number[32];
    snprintf(number, sizeof number, "%lld", seed);
    const char *judge = getenv("ATTNSCOPE_JUDGE");
    pid_t child = fork();
    if (child == 0) {
        execl(judge, judge, exercise, "--program", program, "--out", out, "--seed", number,
              chain ? "--chain" : (char *)NULL, chain, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(status == 0, "%s ended with %d", judge, status);
}

static bool read_verdict(Verdict *verdict, const char *path, Error *err)
{
    json_t *record = json_whole_file(path, VERDICT_BYTES_MAX, err);
    bool good = record && verdict_take(verdict, record, path, err);
    json_decref(record);
    return good;
}

void judged(const char *folder, const char *source, JudgedHow how, long long seed, Verdict *verdict)
{
    Error err;
    WorkerProgram program;
    char out[PATH_ROOM];
    snprintf(out, sizeof out, "%s/%d.json", getenv("XDG_CACHE_HOME"), (int)getpid());
    judged_build(folder, source, how, &program);
    run_judge(folder + 3, program.path, out, how.chain, seed);
    ck_assert_msg(read_verdict(verdict, out, &err), "%s", err.text);
}
