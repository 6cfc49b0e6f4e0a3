// Building a learner's file: what is compiled, what not twice, and what is said where nothing comes of it.
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "fence.h"
#include "scratch.h"
#include "suite.h"
#include "worker_case.h"

static WorkerProgram program;
static Error err;

static bool build_in(const char *root, const char *source, const char *compiler)
{
    char header[1024];
    snprintf(header, sizeof header, "%s/exercises/header/attnscope.h", getenv("ATTNSCOPE_LESSONS"));
    WorkerBuild how = {.source = source,
                       .root = root,
                       .header = header,
                       .exercise = "test-score",
                       .compiler = compiler,
                       .optimisation = 1};
    err.text[0] = '\0';
    return worker_build(&how, &program, &err);
}

static bool build(const char *source, const char *compiler)
{
    return build_in(NULL, source, compiler);
}

static bool build_text(const char *name, const char *text)
{
    return build(scratch_write(name, text, strlen(text)), NULL);
}

static const char right[] = "#include \"attnscope.h\"\n"
                            "void score(const Tensor *q, const Tensor *k, Tensor *scores)\n"
                            "{\n    (void)q, (void)k, (void)scores;\n}\n";

TEST(the_same_file_is_compiled_once)
{
    ck_assert_msg(build_text("mine.c", right), "%s\n%s", err.text, program.said);
    ck_assert(!program.was_built);
    ck_assert(build_text("mine.c", right) && program.was_built);
    ck_assert_str_eq(program.said, "");
}

TEST(a_change_is_compiled)
{
    char text[sizeof right + 32];
    ck_assert(build_text("mine.c", right));
    snprintf(text, sizeof text, "%sint extra = %d;\n", right, 1);
    ck_assert(build_text("mine.c", text) && !program.was_built);
}

TEST(a_header_beside_it_counts)
{
    char text[sizeof right + 32];
    snprintf(text, sizeof text, "#include \"own.h\"\n%s", right);
    scratch_write("own.h", "enum { OWN = 1 };\n", 18);
    ck_assert_msg(build_text("mine.c", text), "%s", program.said);
    scratch_write("own.h", "enum { OWN = 2 };\n", 18);
    ck_assert(build_text("mine.c", text) && !program.was_built);
    ck_assert(build_text("mine.c", text) && program.was_built);
}

TEST(warnings_are_kept_for_the_next_time)
{
    for (int again = 0; again < 2; again++) {
        ck_assert_msg(worker_case_build("worker/warned.c", "test-score", false, &program, &err),
                      "%s", err.text);
        ck_assert_int_eq(program.was_built, again);
        ck_assert_msg(strstr(program.said, "unused_number") != NULL, "%s", program.said);
    }
}

typedef struct Refusal {
    const char *file, *sentence, *said;
} Refusal;

static const Refusal refusals[] = {
    {"worker/not_c.c", "not_c.c does not compile", "not_c.c:6"},
    {"worker/own_main.c", "own_main.c has its own main: remove it", "main"},
    {"worker/sets_sanitizer.c", "defines __asan_default_options, but", "definition"},
    {"worker/misnamed.c", "misnamed.c does not define score,", "score"},
    {"worker/nothing.c", "nothing.c does not define score,", "score"},
    {"worker/kept_back.c", "kept_back.c defines score as static", "score"},
    {"worker/lacks_helper.c", "lacks_helper.c calls dot_product, but", "dot_product"},
};

LOOP_TEST(what_does_not_build_is_told, 4)
{
    for (int sanitize = 0; sanitize < 2; sanitize++) {
        ck_assert(!worker_case_build(refusals[_i].file, "test-score", sanitize, &program, &err));
        ck_assert_msg(strstr(err.text, refusals[_i].sentence) != NULL, "%s", err.text);
        ck_assert_msg(strstr(program.said, refusals[_i].said) != NULL, "%s", program.said);
    }
}

TEST(a_file_that_never_ends_is_given_up)
{
    ck_assert(!build_text("zero.c", "#include \"/dev/zero\"\n"));
    ck_assert_str_ne(err.text, "");
    ck_assert(!build_text("large.c", "char large[8ull << 30] = {1};\n"));
    ck_assert_str_ne(err.text, "");
}

// A folder of somebody who builds at this moment stays; one of a process that is gone does not.
TEST(what_an_interrupted_build_left_is_taken_away)
{
    char old[1024], fresh[1024];
    const char *cache = getenv("XDG_CACHE_HOME");
    pid_t gone = fork();
    if (gone == 0)
        _exit(0);
    ck_assert_int_eq(waitpid(gone, NULL, 0), gone);
    ck_assert(build_text("mine.c", right)); // now there is a cache
    snprintf(old, sizeof old, "%s/attnscope/workers/.attnscope-%ld-0.dir", cache, (long)gone);
    snprintf(fresh, sizeof fresh, "%s/attnscope/workers/.attnscope-%ld-0.dir", cache,
             (long)getppid());
    ck_assert(mkdir(old, 0700) == 0 && mkdir(fresh, 0700) == 0);
    ck_assert(build_text("other.c", right));
    ck_assert_int_ne(access(old, F_OK), 0);
    ck_assert_int_eq(access(fresh, F_OK), 0);
    rmdir(fresh);
}

// A cache of the test's own, with one program.
static void open_cache(void)
{
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", scratch_write("cache", "", 0));
    ck_assert(unlink(folder) == 0 && mkdir(folder, 0700) == 0);
    setenv("XDG_CACHE_HOME", folder, 1);
    ck_assert_msg(build_text("mine.c", right) && !program.was_built, "%s", err.text);
}

// Puts programs there that were used `seconds` ago.
static void keep_programs(int count, int seconds)
{
    for (int i = 0; i < count; i++) {
        char path[1024];
        struct timespec used = {.tv_sec = time(NULL) - seconds};
        snprintf(path, sizeof path, "%s/attnscope/workers/%d-%d-sanitized",
                 getenv("XDG_CACHE_HOME"), seconds, i);
        int file = open(path, O_CREAT | O_WRONLY, 0700);
        ck_assert_int_ge(file, 0);
        ck_assert_int_eq(futimens(file, (struct timespec[2]){used, used}), 0);
        close(file);
    }
}

static int count_programs(int seconds)
{
    char pattern[1024];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/attnscope/workers/%d-*-sanitized",
             getenv("XDG_CACHE_HOME"), seconds);
    int count = glob(pattern, 0, NULL, &found) == 0 ? (int)found.gl_pathc : 0;
    globfree(&found);
    return count;
}

static void build_another(void)
{
    char text[sizeof right + 32];
    snprintf(text, sizeof text, "%sint extra = %d;\n", right, 2);
    ck_assert_msg(build_text("mine.c", text) && !program.was_built, "%s", err.text);
}

// The cache keeps 64 programs, and those that other processes may be running: here 80.
TEST(a_program_in_use_stays_in_the_cache)
{
    open_cache();
    keep_programs(80, 10);
    keep_programs(20, 1000);
    build_another();
    ck_assert_int_eq(count_programs(10), 80);
    ck_assert_int_eq(count_programs(1000), 0);
    ck_assert(build_text("mine.c", right) && program.was_built);
}

// With two new programs and 40 that were used an hour ago, there is room for 22 older ones.
TEST(old_programs_leave_the_cache)
{
    open_cache();
    keep_programs(40, 3600);
    keep_programs(60, 7200);
    build_another();
    ck_assert_int_eq(count_programs(3600), 40);
    ck_assert_int_eq(count_programs(7200), 22);
}

TEST(paths_may_hold_spaces_and_other_letters)
{
    ck_assert_msg(build_text("내 점수 (1).c", right), "%s\n%s", err.text, program.said);
}

// --- what was handed in, and nothing else

typedef struct Asks {
    const char *text, *sentence;
} Asks;

// "secret.h" lies beside the submission's folder, "linked.h" in it and leads there.
static const Asks asks[] = {
    {"#include \"/etc/passwd\"\n", "includes \"/etc/passwd\", which is outside"},
    {"\n\r#include \"../secret.h\"\n", "mine.c:3 includes \"../secret.h\", which is outside"},
    {"#include \"sub/../../secret.h\"\n", "mine.c:1 includes"},
    {"#include <../secret.h>\n", "includes <../secret.h>, which is outside"},
    {"# /* x */ \\\ninclude \"../secret.h\"\n", "mine.c:1 includes"},
    {"%:include \"../secret.h\"\n", "mine.c:1 includes"},
    {"#import \"../secret.h\"\n", "mine.c:1 includes"},
    {"#embed \"/dev/tty\"\n", "mine.c:1 includes \"/dev/tty\""},
    {"#include \"linked.h\"\n", "includes \"linked.h\", which is a link that points outside"},
    {"#include \"around/secret.h\"\n", "\"around/secret.h\", which is a link that points outside"},
    {"#include \"pipe.h\"\n", "\"pipe.h\", which is not a text file"},
    {"#if __has_include(\"/secret/solution.c\")\n#endif\n", "mine.c:1 asks for \"/secret"},
    {"#if 1 && __has_include(<09-scale/solution.c>)\n#endif\n", "which is not a file of the"},
    {"#pragma GCC dependency \"../secret.h\"\n", "mine.c:1 asks for \"../secret.h\""},
    {"__asm__(\".incbin \\\"/etc/passwd\\\"\");\n", "makes the assembler read \"/etc/passwd\""},
    {"__asm__(\"\\t.include \\\"/etc/passwd\\\"\");\n", "makes the assembler read"},
};

static void put_secret(void)
{
    static const char secret[] = "enum { SECRET = 1 };\n";
    scratch_write("secret.h", secret, sizeof secret - 1);
    scratch_folder("handed");
    scratch_folder("handed/sub");
    ck_assert_int_eq(symlink(scratch_path("secret.h"), scratch_path("handed/linked.h")), 0);
    ck_assert_int_eq(symlink(scratch_path("."), scratch_path("handed/around")), 0);
    ck_assert_int_eq(mkfifo(scratch_path("handed/pipe.h"), 0600), 0);
}

LOOP_TEST(what_is_not_of_the_submission_is_refused_and_named, sizeof asks / sizeof *asks)
{
    char text[256];
    put_secret();
    snprintf(text, sizeof text, "%s%s", asks[_i].text, right);
    ck_assert_msg(!build_text("handed/mine.c", text), "%s", asks[_i].text);
    ck_assert_msg(strstr(err.text, asks[_i].sentence) != NULL, "%s", err.text);
    ck_assert_msg(strstr(program.said, "mine.c:") && strstr(program.said, ": error: "), "%s",
                  program.said);
    ck_assert_int_eq(program.end, WORKER_BUILD_REFUSED);
}

// What no reading of the text finds: the fence stops it, or what the compiler says that it has read.
static const char *const hidden[] = {
    "#define NAME \"../../../../secret.h\"\n#include NAME\n",
    "#define NAME \"%s\"\n#include NAME\n",
    "#define NAME <%s>\n#include NAME\n",
    "__asm__(\".inc\" \"bin \\\"%s\\\"\");\n",
};

LOOP_TEST(what_a_macro_hides_is_refused, sizeof hidden / sizeof *hidden)
{
    char text[2048];
    put_secret();
    int length = snprintf(text, sizeof text, hidden[_i], scratch_path("secret.h"));
    snprintf(text + length, sizeof text - (size_t)length, "%s", right);
    ck_assert(!build_text("handed/mine.c", text));
    ck_assert_int_eq(program.end, WORKER_BUILD_REFUSED);
    if (program.fence_parts & FENCE_FILES)
        ck_assert_msg(strstr(program.said, "secret.h") != NULL, "%s", program.said);
}

// A line that says to be of another file must not make the compiler quote that file.
TEST(no_file_is_quoted_that_only_a_line_mark_names)
{
    char text[1024];
    put_secret();
    snprintf(text, sizeof text, "#line 1 \"%s\"\nint wrong = ;\n", scratch_path("secret.h"));
    ck_assert(!build_text("handed/mine.c", text));
    if (program.fence_parts & FENCE_FILES)
        ck_assert_msg(!strstr(program.said, "SECRET"), "%s", program.said);
}

TEST(what_belongs_to_the_submission_is_there)
{
    char text[512];
    put_secret();
    scratch_write("handed/sub/own.h", "#include \"../more.h\"\n", 21);
    scratch_write("handed/more.h", "enum { MORE = 1 };\n", 19);
    snprintf(text, sizeof text,
             "// #include \"../secret.h\"\n/* __has_include(\"/x\") */\n"
             "static const char *said = \"\\\" // no comment\"; // .incbin \"/x\"\n"
             "#if __has_include(<nowhere.h>)\n#endif\n"
             "#include \"sub/own.h\"\n%sint more = MORE; const char **also = &said;\n",
             right);
    ck_assert_msg(build_text("handed/mine.c", text), "%s\n%s", err.text, program.said);
    ck_assert_str_eq(program.said, "");
    scratch_write("handed/more.h", "enum { MORE = 2 };\n", 19);
    ck_assert_msg(build_text("handed/mine.c", text) && !program.was_built, "%s", err.text);
}

// The folder that files may come from may lie above the source.
TEST(a_file_above_the_source_may_belong_to_the_submission)
{
    char text[512], root[512];
    scratch_folder("anna");
    scratch_folder("anna/exercises");
    scratch_write("anna/own.h", "enum { OWN = 1 };\n", 18);
    scratch_write("other.h", "enum { OTHER = 1 };\n", 20);
    snprintf(root, sizeof root, "%s/", scratch_path("anna"));
    snprintf(text, sizeof text, "#include \"../own.h\"\n%s", right);
    const char *source = scratch_write("anna/exercises/mine.c", text, strlen(text));
    ck_assert(!build(source, NULL));
    ck_assert_msg(build_in(root, source, NULL), "%s\n%s", err.text, program.said);
    snprintf(text, sizeof text, "#include \"../../other.h\"\n%s", right);
    scratch_write("anna/exercises/mine.c", text, strlen(text));
    ck_assert(!build_in(root, source, NULL));
}

typedef struct Odd {
    const char *name, *sentence;
} Odd;

TEST(a_source_that_is_no_file_of_the_submission_is_refused)
{
    put_secret();
    scratch_folder("handed/folder.c");
    scratch_write("handed/large.c", "", 0);
    ck_assert_int_eq(truncate(scratch_path("handed/large.c"), 5ll << 30), 0);
    static const Odd odd[] = {{"linked.h", "points outside the submission"},
                              {"pipe.h", "is not a text file"},
                              {"folder.c", "is a folder"},
                              {"large.c", "is larger than 1 MiB"},
                              {"around/secret.h", "points outside the submission"}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        char root[512], source[512];
        snprintf(root, sizeof root, "%s/", scratch_path("handed"));
        snprintf(source, sizeof source, "%s%s", root, odd[i].name);
        ck_assert(!build_in(root, source, NULL));
        ck_assert_msg(strstr(err.text, odd[i].sentence) != NULL, "%s", err.text);
        ck_assert_int_eq(program.end, WORKER_BUILD_REFUSED);
    }
}

// A disk that lost power has the name and not the bytes.
TEST(a_damaged_program_is_built_again)
{
    char path[WORKER_PATH_MAX + 16];
    ck_assert(build_text("mine.c", right));
    ck_assert_int_eq(truncate(program.path, 3000), 0);
    ck_assert(build_text("mine.c", right) && !program.was_built);
    ck_assert(build_text("mine.c", right) && program.was_built);
    snprintf(path, sizeof path, "%s.record", program.path);
    ck_assert_int_eq(truncate(path, 0), 0);
    ck_assert(build_text("mine.c", right) && !program.was_built);
}

TEST(what_has_no_end_uses_up_its_time)
{
    static const char bomb[] = "#define A x+x+x+x+x+x+x+x\n#define x B\n"
                               "#define B (C+C+C+C+C+C+C+C)\n#define C (D+D+D+D+D+D+D+D)\n"
                               "#define D (E+E+E+E+E+E+E+E)\n#define E (F+F+F+F+F+F+F+F)\n"
                               "#define F (G+G+G+G+G+G+G+G)\n#define G (1+1+1+1+1+1+1+1)\n"
                               "int a = A;\n";
    ck_assert(!build_text("bomb.c", bomb));
    ck_assert_int_ne(program.end, WORKER_BUILD_FAILED);
    ck_assert_int_ne(program.end, WORKER_BUILD_DONE);
}

TEST(what_held_the_compiler_is_told_each_time)
{
    char first[sizeof program.fence];
    ck_assert(build_text("mine.c", right));
    strcpy(first, program.fence);
    ck_assert_msg(strstr(first, "a private copy, limits") == first, "%s", first);
    ck_assert(build_text("mine.c", right) && program.was_built);
    ck_assert_str_eq(program.fence, first);
}

TEST(no_compiler_is_a_sentence)
{
    ck_assert(!build(test_file("worker/score.c"), "no-such-compiler"));
    ck_assert_msg(strstr(err.text, "compiler no-such-compiler not found") != NULL, "%s", err.text);
    setenv("PATH", "/nowhere", 1);
    unsetenv("CC");
    ck_assert(!build(test_file("worker/score.c"), NULL));
    ck_assert_msg(strstr(err.text, "there is no C compiler") != NULL, "%s", err.text);
}

TEST(a_cache_that_cannot_be_made_is_a_sentence)
{
    setenv("XDG_CACHE_HOME", scratch_write("file", "", 0), 1);
    ck_assert(!build(test_file("worker/score.c"), NULL));
    ck_assert_msg(strstr(err.text, "XDG_CACHE_HOME") != NULL, "%s", err.text);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    ck_assert(!build(test_file("worker/score.c"), NULL));
    ck_assert_msg(strstr(err.text, "neither XDG_CACHE_HOME nor HOME") != NULL, "%s", err.text);
}

// What a compiler without the sanitizers' libraries says, and what happens then.
TEST(a_compiler_without_sanitizers_is_enough)
{
    static const char script[] = "#!/bin/sh\n"
                                 "case \"$*\" in *-fsanitize*)\n"
                                 "  echo 'ld: cannot find -lasan'; exit 1;;\n"
                                 "esac\n"
                                 "exec cc \"$@\"\n";
    const char *compiler = scratch_write("plain-cc", script, sizeof script - 1);
    ck_assert_int_eq(chmod(compiler, 0700), 0);
    setenv("CC", compiler, 1);
    ck_assert_msg(worker_case_build("worker/score.c", "test-score", true, &program, &err), "%s\n%s",
                  err.text, program.said);
    ck_assert(!program.sanitized);
    ck_assert_msg(strstr(program.said, "has no AddressSanitizer") != NULL, "%s", program.said);
}

FIXTURE_ONCE(worker_case_begin, worker_case_finish)

SUITE_WITH("worker_build", scratch_open, scratch_close)
