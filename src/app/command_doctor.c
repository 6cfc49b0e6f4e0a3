// attnscope doctor: looks at this machine, says what is well, what is not and what to do.
#include <jansson.h>
#include <string.h>
#include "app.h"
#include "app_words.h"
#include "doctor.h"
#include "lecture_list.h"
#include "utf8.h"

static const char *const states[DOCTOR_STATES] = {
    [DOCTOR_WELL] = "well", [DOCTOR_LACKS] = "lacking", [DOCTOR_ILL] = "missing"};

static bool is_named(const AppOptions *options, const char *name)
{
    for (int i = 0; i < options->argument_count; i++)
        if (strcmp(options->arguments[i], name) == 0)
            return true;
    return options->argument_count == 0;
}

// The first check from *number on that was asked for, all when none was named; NULL: there is none.
static const DoctorCheck *next_wanted(const AppOptions *options, int *number)
{
    const DoctorCheck *check;
    while ((check = doctor_check(*number)) != NULL && !is_named(options, check->name))
        ++*number;
    return check;
}

// False after a sentence, where a word names no check.
static bool knows_all(const AppOptions *options)
{
    char names[256] = "";
    const DoctorCheck *check;
    for (int i = 0; (check = doctor_check(i)) != NULL; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 check->name);
    for (int i = 0; i < options->argument_count; i++) {
        int number = 0;
        while ((check = doctor_check(number)) && strcmp(check->name, options->arguments[i]) != 0)
            number++;
        if (check)
            continue;
        app_fail(APP_MISUSED, TELL(DOCTOR_LOOKS), names, options->arguments[i]);
        return false;
    }
    return true;
}

// --- text

static void print_check(const Doctor *doctor, const DoctorCheck *check)
{
    static const char *const marks[DOCTOR_STATES] = {
        [DOCTOR_WELL] = "\u2713", [DOCTOR_LACKS] = "!", [DOCTOR_ILL] = "\u2717"};
    printf("%s\n", check->title.in[language_beside(doctor->language)]);
    for (int i = 0; i < doctor->count; i++) {
        const DoctorFinding *finding = &doctor->findings[i];
        printf("  %s %s\n", marks[finding->state], finding->says);
        if (finding->advice)
            printf("    %s\n", finding->advice);
    }
}

static void print_all(Doctor *doctor, const AppOptions *options, int count[DOCTOR_STATES])
{
    const DoctorCheck *check;
    for (int i = 0; (check = next_wanted(options, &i)) != NULL; i++) {
        doctor_look(doctor, check);
        print_check(doctor, check);
        fflush(stdout); // a check may take a second
        count[doctor_state(doctor)]++;
    }
    DoctorWord sum = count[DOCTOR_ILL]     ? DOCTOR_SAYS_SUM_ILL
                     : count[DOCTOR_LACKS] ? DOCTOR_SAYS_SUM_LACKS
                                           : DOCTOR_SAYS_SUM_WELL;
    printf("\n%s\n", doctor_word(doctor, sum));
}

// --- JSON

static json_t *check_json(const Doctor *doctor, const DoctorCheck *check)
{
    json_t *findings = json_array();
    for (int i = 0; i < doctor->count; i++) {
        const DoctorFinding *finding = &doctor->findings[i];
        json_array_append_new(findings,
                              json_pack("{s:s, s:s, s:s*}", "state", states[finding->state], "says",
                                        finding->says, "advice", finding->advice));
    }
    return json_pack("{s:s, s:s, s:s, s:o}", "check", check->name, "title",
                     check->title.in[language_beside(doctor->language)], "state",
                     states[doctor_state(doctor)], "findings", findings);
}

static bool dump_all(Doctor *doctor, const AppOptions *options, int count[DOCTOR_STATES])
{
    json_t *list = json_array();
    const DoctorCheck *check;
    bool whole = true;
    for (int i = 0; (check = next_wanted(options, &i)) != NULL; i++) {
        doctor_look(doctor, check);
        whole = json_array_append_new(list, check_json(doctor, check)) == 0 && whole;
        count[doctor_state(doctor)]++;
    }
    json_t *all =
        json_pack("{s:i, s:b, s:o}", "schema", 1, "usable", count[DOCTOR_ILL] == 0, "checks", list);
    whole = all && whole && json_dumpf(all, stdout, JSON_INDENT(2)) == 0;
    putchar('\n');
    json_decref(all);
    return whole;
}

// --- the command

static int examine(const AppOptions *options, bool json)
{
    static Doctor doctor; // with what the compiler says: large
    int count[DOCTOR_STATES] = {0};
    doctor = (Doctor){.language = language_written(), .mends = options->mends};
    bool whole = true;
    if (json)
        whole = dump_all(&doctor, options, count);
    else
        print_all(&doctor, options, count);
    doctor_finish(&doctor);
    if (!whole && !ferror(stdout))
        return app_fail(APP_FAILED, TELL(NO_MEMORY_RESULT));
    return count[DOCTOR_ILL] ? APP_FAILED : APP_DONE;
}

static int run(AppOptions *options)
{
    if (!knows_all(options))
        return APP_MISUSED;
    bool json = options->format && strcmp(options->format, "json") == 0;
    if (options->format && !json && strcmp(options->format, "text") != 0)
        return app_fail(APP_MISUSED, TELL(FORMAT_TEXT_JSON), options->format);
    return examine(options, json);
}

const AppCommand command_doctor = {
    .name = "doctor",
    .arguments = "[CHECK ...] [--mend] [--format text|json] [--lang en|ko]",
    .summary = WORDS("Find what is missing on this machine, and how to fix it",
                     "이 컴퓨터에 필요한 것이 있는지, 없으면 어떻게 하는지"),
    .details = WORDS(
        "Checks lessons and helper programs, disk space, kernels, the terminal, the window,\n"
        "fonts, the compiler, the sandbox for learners' functions (it builds and runs a correct\n"
        "function there), built programs, progress, the input history, and leftovers of killed\n"
        "programs. Name checks to run only those: doctor progress history.\n"
        "The exit status is 1 if something required is missing.\n"
        "  --mend         remove leftovers and damaged programs; move broken progress lines\n"
        "                 to a file next to it\n"
        "  --format F     text or json [text]\n"
        "  --lang en|ko   the language [the locale's]\n",
        "강의와 보조 프로그램, 디스크 공간, 커널, 터미널, 창, 글꼴, 컴파일러, 학습자의 함수를\n"
        "둘러싼 울타리(맞다고 알려진 함수를 그 안에서 빌드하고 실행해 봅니다), 빌드한 프로그램,\n"
        "진도, 입력한 줄, 강제로 끝난 프로그램이 남긴 것을 살펴봅니다. 이름을 쓰면 그것만\n"
        "봅니다: doctor progress history. 필요한 것이 빠져 있으면 1로 끝납니다.\n"
        "  --mend         남은 파일과 망가진 프로그램을 지웁니다. 진도의 깨진 줄은 옆의 파일로\n"
        "                 옮깁니다\n"
        "  --format F     text, 또는 프로그램이 읽을 json [text]\n"
        "  --lang en|ko   언어 [로캘의 언어]\n"),
    .options = "format lang mend",
    .words = ""
#define DOCTOR_CHECK(name, ...) #name " "
#include "doctor.def"
#undef DOCTOR_CHECK
    ,
    .formats = "text json",
    .run = run,
};
