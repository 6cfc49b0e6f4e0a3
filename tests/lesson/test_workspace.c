// A learner's workspace: made once, mended with a copy kept, and never written over.
#include "workspace.h"

#include "scratch.h"
#include "suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define STUB "#include \"attnscope.h\"\n\nint scale;\n"
#define PLACE "my work 연습장"

static Error err;
static int wrote, kept;
static char last_kept[512];

static void tell(void *context, WorkspaceWork work, const char *path)
{
    (void)context;
    wrote += work == WORKSPACE_WROTE;
    kept += work == WORKSPACE_KEPT;
    if (work == WORKSPACE_KEPT)
        snprintf(last_kept, sizeof last_kept, "%s", path);
}

static void put(const char *name, const char *text)
{
    scratch_write(name, text, strlen(text));
}

static void put_exercise(const char *folder, const char *file, const char *text)
{
    char name[128];
    snprintf(name, sizeof name, "exercises/%s/%s", folder, file);
    put(name, text);
}

// Lessons of two exercises.
static void open_scratch(void)
{
    static const char *const folders[] = {"1-score", "2-scale"};
    scratch_open();
    scratch_folder("exercises");
    for (int i = 0; i < 2; i++) {
        char folder[64];
        snprintf(folder, sizeof folder, "exercises/%s", folders[i]);
        scratch_folder(folder);
        put_exercise(folders[i], "exercise.yaml", "points: 10\n");
        put_exercise(folders[i], "exercise.c", STUB);
        put_exercise(folders[i], "task.md", "# Title\n\nThe task.\n");
        put_exercise(folders[i], "hints.md", "## 1\na\n## 2\nb\n## 3\nc\n## Lecture\nx#y\n");
    }
    scratch_folder("exercises/header");
    put("exercises/header/attnscope.h", "// header\n");
    put("exercises/workspace.md", "# Readme\n");
    put("exercises/workspace.ko.md", "# 안내\n");
    setenv("ATTNSCOPE_LESSONS", scratch_path("."), 1);
    setenv("XDG_STATE_HOME", scratch_path("state"), 1);
    wrote = kept = 0;
}

static bool make(const char *name)
{
    return workspace_make(scratch_path(name), LANGUAGE_ENGLISH, tell, NULL, &err);
}

static const char *text_of(const char *name)
{
    static char text[4096];
    size_t length;
    unsigned char *bytes = scratch_read(scratch_path(name), &length);
    snprintf(text, sizeof text, "%.*s", (int)length, (const char *)bytes);
    free(bytes);
    return text;
}

static Workspace workspace;

static WorkspaceState state_of(int number)
{
    WorkspaceFile file;
    ck_assert_msg(workspace_look(&workspace, number, &file, &err), "%s", err.text);
    return file.state;
}

// Opens it, so that its progress is what it is now.
static void reopen(void)
{
    workspace_close(&workspace);
    ck_assert_msg(workspace_open(&workspace, scratch_path(PLACE), NULL, &err), "%s", err.text);
}

static void note(int number, bool passed)
{
    WorkspaceFile file;
    ck_assert(workspace_look(&workspace, number, &file, &err));
    const ProgressLine check = {.name = workspace.exercises.exercises[number].name,
                                .key = file.digest,
                                .number = 7,
                                .passed = passed};
    ck_assert_msg(progress_note_check(workspace.progress_path, &check, &err), "%s", err.text);
    reopen();
}

TEST(it_is_made_whole_where_the_path_has_blanks_and_korean_letters)
{
    ck_assert_msg(make(PLACE), "%s", err.text);
    ck_assert_int_eq(wrote, 5);
    ck_assert_str_eq(text_of(PLACE "/exercises/scale.c"), "// Title\n//\n// The task.\n\n" STUB);
    ck_assert_str_eq(text_of(PLACE "/exercises/attnscope.h"), "// header\n");
    ck_assert_str_eq(text_of(PLACE "/README.md"), "# Readme\n");
}

TEST(what_is_in_the_way_is_not_touched)
{
    scratch_folder(PLACE);
    put(PLACE "/README.md", "mine");
    ck_assert(!make(PLACE));
    ck_assert_ptr_nonnull(strstr(err.text, "README.md already exists"));
    ck_assert_str_eq(text_of(PLACE "/README.md"), "mine");
    ck_assert_int_eq(access(scratch_path(PLACE "/.attnscope"), F_OK), -1);
    ck_assert_int_eq(access(scratch_path(PLACE "/exercises"), F_OK), -1);
}

TEST(made_again_it_gets_what_is_missing_and_nothing_else)
{
    ck_assert(make(PLACE));
    put(PLACE "/exercises/scale.c", "mine");
    put(PLACE "/README.md", "mine too");
    unlink(scratch_path(PLACE "/exercises/score.c"));
    put(PLACE "/exercises/attnscope.h", "// an older header\n");
    wrote = 0;
    ck_assert_msg(make(PLACE), "%s", err.text);
    ck_assert_int_eq(wrote, 1);
    ck_assert_int_eq(kept, 1);
    ck_assert_str_eq(text_of(PLACE "/exercises/scale.c"), "mine");
    ck_assert_str_eq(text_of(PLACE "/README.md"), "mine too");
    ck_assert_str_eq(text_of(PLACE "/exercises/attnscope.h"), "// header\n");
    ck_assert_str_eq(text_of(PLACE "/exercises/attnscope.h.1"), "// an older header\n");
}

TEST(done_is_what_passed_as_it_is)
{
    ck_assert(make(PLACE));
    reopen();
    ck_assert_int_eq(state_of(1), WORKSPACE_NEW);
    put(PLACE "/exercises/scale.c", "one");
    ck_assert_int_eq(state_of(1), WORKSPACE_BEGUN);
    note(1, false);
    ck_assert_int_eq(state_of(1), WORKSPACE_FAILED);
    put(PLACE "/exercises/scale.c", "two");
    note(1, true);
    ck_assert_int_eq(state_of(1), WORKSPACE_DONE);
    put(PLACE "/exercises/scale.c", "three");
    ck_assert_int_eq(state_of(1), WORKSPACE_CHANGED);
    put(PLACE "/exercises/scale.c", "two");
    ck_assert_int_eq(state_of(1), WORKSPACE_DONE);
    unlink(scratch_path(PLACE "/exercises/scale.c"));
    ck_assert_int_eq(state_of(1), WORKSPACE_MISSING);
    workspace_close(&workspace);
}

TEST(a_stub_in_another_language_or_under_another_task_is_as_it_was_made)
{
    ck_assert(make(PLACE));
    reopen();
    put(PLACE "/exercises/scale.c", "// 과제\n//\n\n" STUB);
    ck_assert_int_eq(state_of(1), WORKSPACE_NEW);
    put(PLACE "/exercises/scale.c", "int mine;\n" STUB);
    ck_assert_int_eq(state_of(1), WORKSPACE_BEGUN);
    workspace_close(&workspace);
}

TEST(what_to_do_now)
{
    ck_assert(make(PLACE));
    reopen();
    ck_assert_int_eq(workspace_current(&workspace, &err), 0);
    note(1, false); // the last that was tried
    ck_assert_int_eq(workspace_current(&workspace, &err), 1);
    note(1, true); // after the last comes the first
    ck_assert_int_eq(workspace_current(&workspace, &err), 0);
    note(0, true);
    ck_assert_int_eq(workspace_current(&workspace, &err), -1);
    workspace_close(&workspace);
}

TEST(a_reset_keeps_every_copy)
{
    ck_assert(make(PLACE));
    reopen();
    put(PLACE "/exercises/scale.c", "one");
    ck_assert_msg(workspace_reset(&workspace, 1, tell, NULL, &err), "%s", err.text);
    ck_assert_str_eq(last_kept, scratch_path(PLACE "/exercises/scale.c.1"));
    put(PLACE "/exercises/scale.c", "two");
    ck_assert(workspace_reset(&workspace, 1, tell, NULL, &err));
    ck_assert_str_eq(text_of(PLACE "/exercises/scale.c.1"), "one");
    ck_assert_str_eq(text_of(PLACE "/exercises/scale.c.2"), "two");
    ck_assert_int_eq(state_of(1), WORKSPACE_NEW);
    workspace_close(&workspace);
}

// A limit on the length of files is what a full disk looks like to the one who writes.
static void fill_disk(rlim_t bytes)
{
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, RLIM_INFINITY});
}

TEST(a_full_disk_loses_nothing)
{
    ck_assert(make(PLACE));
    reopen();
    put(PLACE "/exercises/scale.c", "more than ten bytes");
    fill_disk(10);
    ck_assert(!workspace_reset(&workspace, 1, tell, NULL, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "cannot write"));
    ck_assert_str_eq(text_of(PLACE "/exercises/scale.c"), "more than ten bytes");
    ck_assert_int_eq(access(scratch_path(PLACE "/exercises/scale.c.1"), F_OK), -1);
    workspace_close(&workspace);
}

TEST(a_disk_that_fills_under_way_leaves_no_half_file)
{
    put_exercise("1-score", "task.md",
                 "# Title\n\nA task that is longer than all other files are.\n");
    fill_disk(72); // room for the mark and the header, and not for this exercise
    ck_assert(!make(PLACE));
    ck_assert_ptr_nonnull(strstr(err.text, "cannot write"));
    ck_assert_int_eq(access(scratch_path(PLACE "/.attnscope"), F_OK), 0);
    ck_assert_int_eq(access(scratch_path(PLACE "/exercises/score.c"), F_OK), -1);
    fill_disk(RLIM_INFINITY);
    ck_assert_msg(make(PLACE), "%s", err.text);
    ck_assert_int_eq(wrote, 5);
}

TEST(a_folder_that_cannot_be_written_is_said)
{
    ck_assert(make(PLACE));
    reopen();
    put(PLACE "/exercises/scale.c", "mine");
    chmod(scratch_path(PLACE "/exercises"), 0555);
    chmod(scratch_path("."), 0755);
    if (geteuid() == 0)
        ck_assert_int_eq(seteuid(65534), 0);
    bool reset = workspace_reset(&workspace, 1, tell, NULL, &err);
    if (getuid() == 0)
        ck_assert_int_eq(seteuid(0), 0);
    chmod(scratch_path(PLACE "/exercises"), 0755);
    ck_assert(!reset);
    ck_assert_ptr_nonnull(strstr(err.text, "Permission denied"));
    ck_assert_str_eq(text_of(PLACE "/exercises/scale.c"), "mine");
    workspace_close(&workspace);
}

TEST(it_is_found_from_anywhere_inside)
{
    ck_assert(make(PLACE));
    ck_assert_int_eq(chdir(scratch_path(PLACE "/exercises")), 0);
    ck_assert_msg(workspace_open(&workspace, NULL, NULL, &err), "%s", err.text);
    ck_assert_str_eq(workspace.folder, "../");
    workspace_close(&workspace);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert(!workspace_open(&workspace, NULL, NULL, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "attnscope init"));
}

TEST(where_it_was_last_is_remembered_while_it_is_there)
{
    Arena arena = {0};
    ck_assert(make(PLACE));
    ck_assert_ptr_null(workspace_remembered(&arena));
    reopen();
    ck_assert(workspace_remember(&workspace, &err));
    char *whole = realpath(scratch_path(PLACE), NULL);
    const char *folder = workspace_remembered(&arena);
    ck_assert_ptr_nonnull(folder);
    ck_assert_str_eq(folder, whole);
    unlink(scratch_path(PLACE "/.attnscope"));
    ck_assert_ptr_null(workspace_remembered(&arena));
    free(whole);
    workspace_close(&workspace);
    arena_finish(&arena);
}

TEST(its_language_is_kept)
{
    ck_assert(workspace_make(scratch_path(PLACE), LANGUAGE_KOREAN, tell, NULL, &err));
    ck_assert_str_eq(text_of(PLACE "/README.md"), "# 안내\n");
    ck_assert(workspace_open(&workspace, scratch_path(PLACE), NULL, &err));
    ck_assert_int_eq(workspace.language, LANGUAGE_KOREAN);
    workspace_close(&workspace);
    ck_assert(workspace_open(&workspace, scratch_path(PLACE), "en", &err));
    ck_assert_int_eq(workspace.language, LANGUAGE_ENGLISH);
    workspace_close(&workspace);
}

TEST(a_workspace_of_a_later_program_says_what_to_do)
{
    ck_assert(make(PLACE));
    put(PLACE "/.attnscope", "version: 2\n");
    ck_assert(!workspace_open(&workspace, scratch_path(PLACE), NULL, &err));
    ck_assert_ptr_nonnull(strstr(err.text, ".attnscope:1:10:"));
    ck_assert_ptr_nonnull(strstr(err.text, "update attnscope"));
}

SUITE_APART("workspace", open_scratch, scratch_close)
