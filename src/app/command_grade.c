// attnscope grade: grades a folder of submissions.
#include <stdlib.h>
#include <unistd.h>
#include "app_exercise.h"
#include "grading.h"
#include "lecture.h"
#include "app_words.def"

enum { JOBS_MAX = 64 };

// Parses --jobs; default: the number of cores. Reports an error and returns false.
static bool read_jobs(const AppOptions *options, int *jobs)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    double number = cores > JOBS_MAX ? JOBS_MAX : cores < 1 ? 1 : (double)cores;
    bool good = app_read_number((AppRange){"jobs", 1, JOBS_MAX, APP_WHOLE}, options->jobs, &number);
    *jobs = good ? (int)number : 0;
    return good;
}

static int grade(const AppOptions *options, Grading *grading)
{
    Error err = {.text = ""};
    grading->needs_fence = options->requires_fence;
    grading->folder = options->arguments[0];
    grading->only = options->argument_count > 1 ? options->arguments[1] : NULL;
    if (!grading_run(grading, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    fflush(stdout);
    if (grading->journal_failed) // results were written, but not cached
        app_fail(APP_FAILED, "%s", grading->journal_why.text);
    if (grading->all_nowhere > 0)
        app_fail(APP_FAILED, grading->all_nowhere == 1 ? TELL(NOWHERE_ONE) : TELL(NOWHERE),
                 grading->all_nowhere);
    if (grading->all_not_judged == 0)
        return grading->journal_failed || grading->all_nowhere > 0 ? APP_FAILED : APP_DONE;
    return app_fail(APP_FAILED,
                    grading->all_not_judged == 1 ? TELL(NOT_JUDGED_ONE) : TELL(NOT_JUDGED),
                    grading->all_not_judged);
}

static int init(const AppOptions *options)
{
    Error err = {.text = ""};
    char usual[64];
    snprintf(usual, sizeof usual, "attnscope-%.32s", options->init);
    if (options->argument_count > 1)
        return app_fail(APP_MISUSED, TELL(INIT_ONE));
    bool named = options->argument_count == 1;
    if (!grading_init(options->init, named ? options->arguments[0] : usual, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    return APP_DONE;
}

static int run(AppOptions *options)
{
    static Grading grading; // large, with a workspace
    grading = (Grading){.format = grading_format(options->format), .out = stdout};
    if (options->init)
        return init(options);
    if (options->argument_count != 1 && options->argument_count != 2)
        return app_fail(APP_MISUSED, options->argument_count ? TELL(GRADE_ONE) : TELL(GRADE_WHICH));
    if (!grading.format)
        return app_fail(APP_MISUSED, TELL(FORMAT_ONE_OF), command_grade.formats, options->format);
    grading.journal_path = options->journal;
    grading.course_path = options->course;
    grading.report_path = options->report;
    grading.pairs_path = options->pairs;
    grading.report_has_names = options->names;
    if (!app_exercise_seed(options, &grading.seed) || !read_jobs(options, &grading.jobs))
        return APP_MISUSED;
    return grade(options, &grading);
}

static const Words forms[] = {
#define GRADING_FORMAT(x, english, korean) WORDS(#x "\n" english, #x "\n" korean),
#include "grading_formats.def"
#undef GRADING_FORMAT
};

static const Words platforms[] = {
#define GRADING_PLATFORM(x, english, korean) WORDS(#x "\n" english, #x "\n" korean),
#include "grading_platforms.def"
#undef GRADING_PLATFORM
};

static const AppList lists[] = {
    APP_LIST("formats", forms), APP_LIST("platforms", platforms), {.name = NULL}};

const AppCommand command_grade = {
    .name = "grade",
    .arguments = "FOLDER [NAME] [--format F] [--seed N] [-j N] [--course FILE] "
                 "[--journal FILE] [--report FILE.html [--names]] [--pairs FILE.html] "
                 "[--require-fence] [--lang en|ko]",
    .is_first = true,
    .summary =
        WORDS("Grade a folder of submissions", "제출물이 든 폴더를 채점합니다(가르치는 사람용)"),
    .details = WORDS(
        "Each folder in FOLDER is one submission: a workspace, or just its files (scale.c ...).\n"
        "With NAME, only that exercise is graded. Your own progress does not change. The exit\n"
        "status is 0 if every submission was found and checked, even if some failed. Code runs\n"
        "in a sandbox and can read only its own files.\n"
        "  --format F     the output format [text]:\n"
        "@formats\n"
        "Results are cached in a journal. Stop and rerun at any time: finished work is not\n"
        "repeated, even with another --format, and changed files are graded again. Limits: one\n"
        "minute per submission, 512 MB per function.\n"
        "  --course FILE  course rules: exercises, points, deadline, late days, hints,\n"
        "                 best or last version, seeds, sandbox [course.yaml in FOLDER]\n"
        "  -j N, --jobs N  grade N submissions in parallel [number of cores]\n"
        "  --journal FILE  the journal file; none disables it [in the cache]\n"
        "  --report FILE  write a class report: who passed, which mistakes, equal wrong\n"
        "                 numbers, what to say in the next lecture; --names adds names\n"
        "  --pairs FILE   write a page that shows similar submissions side by side\n"
        "  --init PLATFORM  write the files that a platform needs to grade with attnscope\n"
        "                 into FOLDER; its README.md has the next steps:\n"
        "@platforms\n"
        "  --seed N       use other random inputs [1]\n"
        "  --require-fence  refuse to run code if any part of the sandbox is unavailable\n"
        "  --lang en|ko   the language [the locale's]\n"
        "A course.yaml; every line is optional:\n"
        "  name: Attention, autumn\n"
        "  exercises:                        # default: all exercises\n"
        "    - {name: score, points: 20}\n"
        "    - {name: dropout, extra: true}  # extra credit\n"
        "  deadline: 2026-12-01 23:59        # local time; append Z or +09:00 for another\n"
        "  late: {days: 3, cost: 10}         # percent of the points per day\n"
        "  hint_cost: 5                      # percent of an exercise per hint\n"
        "  versions: best                    # of one person; or last, the default\n"
        "  seeds: a secret                   # other random inputs for each person\n"
        "  fence: whole                      # as --require-fence; or any\n"
        "The time of an archive or folder is its submission time. exercises/hints.txt in the\n"
        "submission records the hints used; a student can edit it.\n",
        "FOLDER 안의 폴더 하나가 한 사람의 것입니다: 작업 폴더이거나, 그 파일들(scale.c ...)만\n"
        "있어도 됩니다. NAME을 쓰면 그 연습문제만 봅니다. 내 진도에는 아무것도 적지 않습니다.\n"
        "무엇이 맞고 틀렸든 모두 찾아서 검사했으면 0으로 끝납니다. 학습자가 쓴 것은 울타리\n"
        "안에서 컴파일하고 실행하며, 자기 것이 아닌 파일은 읽지 못합니다.\n"
        "  --format F     결과의 형식 [text]:\n"
        "@formats\n"
        "한 번 판정한 것은 그 판정이 달려 있는 것과 함께 일지에 남습니다. 언제 멈추고 다시\n"
        "시작해도 이어서 합니다. --format이 달라도 다시 판정하지 않고, 고친 것은 새로 판정합니다.\n"
        "제출물 하나에 모두 1분, 그 함수마다 512MB를 씁니다.\n"
        "  --course FILE  과목에서 세는 방법: 연습문제, 점수, 마감, 늦어도 되는 날, 가장 좋은 "
        "판이나\n"
        "                 마지막 판, 시드, 울타리 [FOLDER의 course.yaml]\n"
        "  -j N, --jobs N  한 번에 채점할 제출물 수 [코어 수만큼]\n"
        "  --journal FILE  일지를 둘 곳. none은 남기지 않습니다 [캐시 안]\n"
        "  --report FILE  반 전체에 대한 페이지도: 누가 통과했는지, 어떤 실수인지, 똑같이 틀린\n"
        "                 숫자, 다음 강의에서 할 말. --names를 쓰면 이름이 들어갑니다\n"
        "  --pairs FILE   서로 비슷한 제출물 쌍을 나란히 보여 주는 페이지\n"
        "  --init PLATFORM  그곳에서 attnscope로 채점하는 데 필요한 것을 FOLDER에 씁니다. 그\n"
        "                 README.md에 다음 할 일이 있습니다:\n"
        "@platforms\n"
        "  --seed N       다른 숫자로 [1]\n"
        "  --require-fence  울타리의 일부라도 없으면 아무것도 실행하지 않습니다\n"
        "  --lang en|ko   언어 [로캘의 언어]\n"
        "course.yaml의 예입니다. 어느 줄이든 없어도 됩니다.\n"
        "  name: Attention, autumn\n"
        "  exercises:                        # 없으면 모두\n"
        "    - {name: score, points: 20}\n"
        "    - {name: dropout, extra: true}  # 만점에 넣지 않는 가산점\n"
        "  deadline: 2026-12-01 23:59        # 뒤에 Z나 +09:00을 쓰면 그 시간대\n"
        "  late: {days: 3, cost: 10}         # 하루마다 깎는 점수(%)\n"
        "  hint_cost: 5                      # 힌트마다 깎는 그 연습문제의 점수(%)\n"
        "  versions: best                    # 한 사람의 여러 판 가운데. last면 마지막 것\n"
        "  seeds: a secret                   # 사람마다 다른 숫자\n"
        "  fence: whole                      # --require-fence와 같음. any면 상관없음\n"
        "제출한 때는 압축 파일이나 폴더의 시각입니다. 힌트는 제출물의 exercises/hints.txt에서 "
        "세며,\n"
        "제출한 사람이 고칠 수 있습니다.\n"),
    .lists = lists,
    .options = "course format init jobs journal lang names pairs report seed require-fence",
    .names = APP_NAMES_FOLDER | APP_NAMES_EXERCISE,
    .formats = ""
#define GRADING_FORMAT(x, ...) #x " "
#include "grading_formats.def"
#undef GRADING_FORMAT
    ,
    .run = run,
};
