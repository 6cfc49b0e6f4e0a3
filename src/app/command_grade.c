// attnscope grade: a folder of submissions is checked, for whoever teaches.
#include "app_exercise.h"
#include "grading.h"
#include "lecture_list.h"

static int grade(const AppOptions *options, Grading *grading)
{
    Error err = {.text = ""};
    grading->needs_fence = options->requires_fence;
    grading->folder = options->arguments[0];
    grading->only = options->argument_count > 1 ? options->arguments[1] : NULL;
    if (!grading_run(grading, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    if (grading->all_not_judged == 0)
        return APP_DONE;
    fflush(stdout);
    return app_fail(APP_FAILED,
                    "%d exercise%s could not be judged on this machine, tried twice; that says "
                    "nothing about the submissions",
                    grading->all_not_judged, grading->all_not_judged == 1 ? "" : "s");
}

static int run(int argc, char **argv)
{
    AppOptions options;
    static Grading grading; // with a workspace: large
    if (!app_options(argc, argv, command_grade.options, &options) ||
        !app_knows_language(options.lang))
        return APP_MISUSED;
    if (options.wants_help) {
        app_print_command_help(app_find("grade"), stdout);
        return app_finish_output();
    }
    const char *language = options.lang ? options.lang : lecture_language(app_locale());
    grading = (Grading){.format = grading_format(options.format),
                        .language = language[0] == 'k' ? LECTURE_KOREAN : LECTURE_ENGLISH,
                        .out = stdout};
    if (options.argument_count < 1 || options.argument_count > 2)
        return app_fail(APP_MISUSED,
                        "which folder? attnscope grade submissions, if they are there");
    if (!grading.format)
        return app_fail(APP_MISUSED, "--format is text, json or junit, not '%s'", options.format);
    if (!app_exercise_seed(&options, &grading.seed))
        return APP_MISUSED;
    int code = grade(&options, &grading);
    int written = app_finish_output();
    return code == APP_DONE ? written : code;
}

const AppCommand command_grade = {
    .name = "grade",
    .arguments =
        "FOLDER [NAME] [--format text|json|junit] [--seed N] [--require-fence] [--lang en|ko]",
    .summary = "a folder of submissions, for whoever teaches",
    .details =
        "Each folder in FOLDER is somebody's: a workspace, or only its files (scale.c ...).\n"
        "With a NAME that exercise alone. Nothing is noted as your own progress. It ends\n"
        "with 0 when everything could be checked, whatever passed. What learners wrote is\n"
        "compiled and run behind a fence, and reads no files but its own.\n"
        "  --format F     text is a table, json has everything, junit is for test servers\n"
        "  --seed N       other numbers [1]\n"
        "  --require-fence  nothing is run where a part of the fence is missing\n"
        "  --lang en|ko   the language [the locale's]\n",
    .options = "format lang seed require-fence",
    .names = APP_NAMES_FOLDER | APP_NAMES_EXERCISE,
    .formats = ""
#define GRADING_FORMAT(x) #x " "
#include "grading_formats.def"
#undef GRADING_FORMAT
    ,
    .run = run,
};
