// attnscope doctor: checks whether this machine has what the program needs. A check is a row of doctor.def and a
// function that reports findings.
#include <errno.h>
#include <jansson.h>
#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "app.h"
#include "app_words.def"
#include "arena.h"
#include "display_list.h"
#include "fence.h"
#include "input_file.h"
#include "judging.h"
#include "kernel.h"
#include "lecture.h"
#include "place.h"
#include "progress.h"
#include "screen.h"
#include "state_file.h"
#include "tui.h"
#include "utf8.h"
#include "window.h"
#include "words.h"
#include "worker_build.h"

typedef enum DoctorState {
    DOCTOR_WELL,
    DOCTOR_LACKS, // optional
    DOCTOR_ILL,   // required
    DOCTOR_STATES
} DoctorState;

// A finding, and what to do about it.
typedef struct DoctorFinding {
    DoctorState state;
    const char *says, *advice; // in the arena; advice may be NULL
} DoctorFinding;

enum { DOCTOR_FINDINGS_MAX = 16 };

// The result of building and judging a known function.
typedef struct DoctorTrial {
    bool is_done;
    Judging judging;
    Error failure; // why it could not start, or ""
} DoctorTrial;

typedef struct Doctor {
    bool mends;                                  // remove or repair what is safe
    DoctorFinding findings[DOCTOR_FINDINGS_MAX]; // of the current check
    int count;
    DoctorTrial trial;
    Arena arena;
} Doctor;

typedef void DoctorLook(Doctor *doctor);

#define DOCTOR_CHECK(name, english, korean) static DoctorLook doctor_##name;
#include "doctor.def"
#undef DOCTOR_CHECK

typedef struct DoctorCheck {
    const char *name; // "fence", for scripts
    Words title;
    DoctorLook *look;
} DoctorCheck;

// --- findings, in the user's language

// The worst finding.
static DoctorState doctor_state(const Doctor *doctor)
{
    DoctorState worst = DOCTOR_WELL;
    for (int i = 0; i < doctor->count; i++)
        worst = doctor->findings[i].state > worst ? doctor->findings[i].state : worst;
    return worst;
}

static const char *settled(Doctor *doctor, char text[], size_t room)
{
    Error err;
    words_settle(text, room);
    const char *kept = arena_text(&doctor->arena, text, &err);
    return kept ? kept : TELL(DOCTOR_NO_MEMORY);
}

// Adds a finding. The advice, or NULL, is for one that is not well.
__attribute__((format(printf, 4, 5))) static void
doctor_say(Doctor *doctor, DoctorState state, const char *advice, const char *says, ...)
{
    char text[2048];
    va_list arguments;
    if (doctor->count == DOCTOR_FINDINGS_MAX)
        return;
    DoctorFinding *finding = &doctor->findings[doctor->count++];
    va_start(arguments, says);
    vsnprintf(text, sizeof text, says, arguments);
    va_end(arguments);
    *finding = (DoctorFinding){state, settled(doctor, text, sizeof text), NULL};
    if (!advice || state == DOCTOR_WELL)
        return;
    snprintf(text, sizeof text, "%s", advice);
    finding->advice = settled(doctor, text, sizeof text);
}

// --- a trial with a known function
//
// Builds and judges a right function like a learner's, in a temporary workspace. That needs everything an exercise
// needs: compiler, library, keeper, sandbox, judge.

enum { SOURCE_BYTES_MAX = 1 << 16 };

static const char exercise_name[] = "scale";

static void made(void *context, WorkspaceWork work, const char *path)
{
    (void)context, (void)work, (void)path;
}

// Puts the solution in place of the stub.
static bool solve(const Workspace *workspace, int number, Arena *arena, Error *err)
{
    unsigned char *bytes;
    size_t length;
    const Exercise *exercise = &workspace->exercises.exercises[number];
    const char *from = arena_format(arena, err, "%s/solution.c", exercise->folder);
    const char *to = workspace_path(workspace, number, arena, err);
    if (!from || !to || !input_file_all(from, SOURCE_BYTES_MAX, arena, &bytes, &length, err))
        return false;
    FILE *out = fopen(to, "we");
    bool written = out && fwrite(bytes, 1, length, out) == length;
    if (out && fclose(out) != 0)
        written = false;
    return written || error_unwritten(err, errno, to);
}

static bool try_in(const char *folder, Doctor *doctor, Error *err)
{
    Workspace workspace;
    if (!workspace_make(folder, language_written(), made, NULL, err) ||
        !workspace_open(&workspace, folder, NULL, err))
        return false;
    int number = exercise_list_find(&workspace.exercises, exercise_name, err);
    bool good = number >= 0 && solve(&workspace, number, &doctor->arena, err);
    if (good)
        judging_run(&doctor->trial.judging, &workspace, number, 1, NULL);
    workspace_close(&workspace);
    return good;
}

// Redirects progress and cache during the trial, away from the user's own.
static bool go_to(const char *name, const char *folder, Arena *arena, const char **before,
                  Error *err)
{
    const char *value = getenv(name);
    *before = value ? arena_text(arena, value, err) : NULL;
    if (value && !*before)
        return false;
    return setenv(name, folder, 1) == 0 || error_number(err, errno, "%s", error_reason(errno));
}

// Runs the trial at the first call; later checks share the result.
static const DoctorTrial *doctor_trial(Doctor *doctor)
{
    static const char *const places[] = {"XDG_CACHE_HOME", "XDG_STATE_HOME"};
    const char *before[2] = {NULL, NULL};
    Temporary folder;
    DoctorTrial *trial = &doctor->trial;
    if (trial->is_done)
        return trial;
    trial->is_done = true;
    if (!judging_folder(&folder, &trial->failure))
        return trial;
    int gone = 0;
    while (gone < 2 &&
           go_to(places[gone], folder.path, &doctor->arena, &before[gone], &trial->failure))
        gone++;
    if (gone == 2 && try_in(folder.path, doctor, &trial->failure))
        trial->failure.text[0] = '\0';
    while (gone-- > 0)
        if ((before[gone] ? setenv(places[gone], before[gone], 1) : unsetenv(places[gone])) != 0)
            error_number(&trial->failure, errno, "%s", error_reason(errno));
    temporary_drop(&folder);
    return trial;
}

// --- places: the lessons, the libraries and the helper programs

typedef struct Wanted {
    Place place;
    const char *name;
} Wanted;

static const Wanted wanted[] = {
    {PLACE_LESSONS, "scenarios"},
    {PLACE_LESSONS, "exercises/exercises.txt"},
    {PLACE_LIBRARIES, "libworker-scale.a"},
#define PLACE_PROGRAM(name, variable) {PLACE_PROGRAMS, name},
#include "place_programs.def"
#undef PLACE_PROGRAM
};

static bool find(const Wanted *row, char path[PLACE_PATH_MAX], Error *err)
{
    return row->place == PLACE_PROGRAMS ? place_program(row->name, path, err)
                                        : place_find(row->place, row->name, path, err);
}

static void doctor_places(Doctor *doctor)
{
    char path[PLACE_PATH_MAX];
    Error err;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (find(&wanted[i], path, &err))
            doctor_say(doctor, DOCTOR_WELL, NULL, TELL(DOCTOR_FOUND), path);
        else
            doctor_say(doctor, DOCTOR_ILL, NULL, "%s", err.text);
}

// --- leftovers of killed programs, where this program writes and in the current folder

static void look_at(Doctor *doctor, const char *folder)
{
    char size[ROOM_TEXT_MAX];
    TemporaryLeft left = temporary_sweep(folder, doctor->mends);
    if (left.count == 0)
        return;
    doctor_say(doctor, doctor->mends ? DOCTOR_WELL : DOCTOR_LACKS, TELL(DOCTOR_MEND_ADVICE),
               doctor->mends ? TELL(DOCTOR_LEFT_REMOVED) : TELL(DOCTOR_LEFT), folder, left.count,
               room_text(left.bytes, size));
}

static void doctor_leftovers(Doctor *doctor)
{
    char state[STATE_PATH_MAX];
    WorkerCacheState cache;
    Error err;
    look_at(doctor, temporary_place());
    if (state_file_path("", state, &err))
        look_at(doctor, state);
    if (worker_cache_look(&cache, false, &err))
        look_at(doctor, cache.folder);
    look_at(doctor, ".");
    if (doctor->count == 0)
        doctor_say(doctor, DOCTOR_WELL, NULL, TELL(DOCTOR_LEFT_NONE));
}

// --- disk space
//
// A writable folder can be on a full disk, so a file of the expected size is created there briefly.

enum { BUILT_BYTES = 8 << 20, NOTED_BYTES = 64 << 10 };

static void look_at_room(Doctor *doctor, const char *folder, size_t bytes, DoctorState otherwise,
                         const char *advice)
{
    char size[ROOM_TEXT_MAX];
    Error err;
    void *file = room_map_file(folder, bytes, &err);
    if (!file) {
        doctor_say(doctor, otherwise, advice, "%s", err.text);
        return;
    }
    munmap(file, bytes);
    doctor_say(doctor, DOCTOR_WELL, NULL, TELL(DOCTOR_ROOM), folder, room_text(bytes, size));
}

// A missing or read-only folder is reported by the checks of cache and progress.
static void doctor_room(Doctor *doctor)
{
    WorkerCacheState cache;
    char state[STATE_PATH_MAX];
    Error err;
    look_at_room(doctor, temporary_place(), BUILT_BYTES, DOCTOR_ILL,
                 arena_format(&doctor->arena, &err, TELL(DOCTOR_ROOM_ADVICE), "TMPDIR"));
    if (worker_cache_look(&cache, false, &err))
        look_at_room(
            doctor, cache.folder, BUILT_BYTES, DOCTOR_ILL,
            arena_format(&doctor->arena, &err, TELL(DOCTOR_ROOM_ADVICE), "XDG_CACHE_HOME"));
    if (!state_file_path("progress", state, &err) || !state_file_make_folders(state, &err))
        return;
    *strrchr(state, '/') = '\0';
    look_at_room(doctor, state, NOTED_BYTES, DOCTOR_LACKS, TELL(DOCTOR_STATE_ADVICE));
}

// --- kernels
//
// Which instructions large products use. All kernels give the same bits; without a fast one it takes longer.

static void doctor_kernels(Doctor *doctor)
{
    char names[128];
    if (kernel_get(1))
        doctor_say(doctor, DOCTOR_WELL, NULL, TELL(DOCTOR_KERNEL), kernel_choose()->name,
                   app_kernel_names(names));
    else
        doctor_say(doctor, DOCTOR_LACKS, NULL, TELL(DOCTOR_KERNEL_PLAIN));
}

// --- terminal: can it show the stepper?

enum { COLOURS_GOOD = 256 };

static void look_at_type(Doctor *doctor)
{
    enum { FOR_TERMINFO = 256 << 10 };
    const char *type = getenv("TERM");
    bool has_memory = room_ahead(FOR_TERMINFO);
    int colours = has_memory ? terminal_is_known(type) : 0;
    if (!has_memory)
        doctor_say(doctor, DOCTOR_LACKS, NULL, TELL(DOCTOR_NO_MEMORY));
    else if (colours < 0)
        doctor_say(doctor, DOCTOR_LACKS, TELL(DOCTOR_TERM_ADVICE), TELL(DOCTOR_TERM_UNKNOWN),
                   type ? type : "");
    else
        doctor_say(doctor, colours < COLOURS_GOOD ? DOCTOR_LACKS : DOCTOR_WELL,
                   TELL(DOCTOR_TERM_COLOURS_ADVICE), TELL(DOCTOR_TERM), type, colours);
}

static void look_at_size(Doctor *doctor)
{
    Error err;
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
        doctor_say(doctor, DOCTOR_WELL, NULL, TELL(DOCTOR_NO_TERMINAL));
        return;
    }
    bool fits = size.ws_col >= LAYOUT_COLUMNS_MIN && size.ws_row >= LAYOUT_ROWS_MIN;
    doctor_say(doctor, fits ? DOCTOR_WELL : DOCTOR_LACKS,
               arena_format(&doctor->arena, &err, TELL(DOCTOR_TERMINAL_SIZE_ADVICE),
                            LAYOUT_COLUMNS_MIN, LAYOUT_ROWS_MIN),
               TELL(DOCTOR_TERMINAL_SIZE), size.ws_col, size.ws_row);
}

// main chose C.UTF-8 if the locale has no character set.
static void look_at_letters(Doctor *doctor)
{
    const char *letters = nl_langinfo(CODESET), *chosen = setlocale(LC_CTYPE, NULL);
    if (strcmp(letters, "UTF-8") == 0)
        doctor_say(doctor, DOCTOR_WELL, NULL, TELL(DOCTOR_LETTERS), chosen);
    else
        doctor_say(doctor, DOCTOR_LACKS, TELL(DOCTOR_LETTERS_ADVICE), TELL(DOCTOR_LETTERS_FEW),
                   chosen, letters);
}

static void doctor_terminal(Doctor *doctor)
{
    look_at_type(doctor);
    look_at_size(doctor);
    look_at_letters(doctor);
}

// --- display: opens a window briefly

enum { WIDTH = 320, HEIGHT = 200 };

static const char *value(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

static void doctor_display(Doctor *doctor)
{
    const char *wayland = value("WAYLAND_DISPLAY"), *x11 = value("DISPLAY");
    Window window;
    Error err;
    if (!wayland && !x11) {
        doctor_say(doctor, DOCTOR_LACKS, TELL(DOCTOR_NO_DISPLAY_ADVICE), TELL(DOCTOR_NO_DISPLAY));
    } else if (window_open(&window, "attnscope", WIDTH, HEIGHT, &err)) {
        doctor_say(doctor, DOCTOR_WELL, NULL, TELL(DOCTOR_WINDOW_OPENS),
                   wayland && !window.under_x11 ? "Wayland" : "X11", wayland ? wayland : x11);
        window_close(&window);
    } else {
        doctor_say(doctor, DOCTOR_LACKS, TELL(DOCTOR_NO_DISPLAY_ADVICE), "%s", err.text);
    }
}

// --- fonts
//
// Draws a picture as --png does, with Latin and with Korean letters. The drawing program reports letters that no font
// has.

typedef enum Drawn { DRAWN, DRAWN_WITHOUT_LETTERS, NOT_DRAWN } Drawn;

static Drawn draw(const char *letters, const char *path, Error *err)
{
    Window window;
    DisplayList list = {.width = 0};
    if (!window_open_unseen(&window, err))
        return NOT_DRAWN;
    display_list_clear(&list, 200, 60, 0xffffff);
    display_text(&list, (DisplayItem){.x = 10, .y = 30, .size = 24, .alpha = 255}, letters);
    bool lacks = false;
    bool saved = window_save(&window, &list, path) && app_picture_wait(&window, &lacks, err);
    display_list_finish(&list);
    window_close(&window);
    return !saved ? NOT_DRAWN : lacks ? DRAWN_WITHOUT_LETTERS : DRAWN;
}

static void print_drawn(Doctor *doctor, Drawn drawn, const char *there, const char *missing,
                        const Error *err)
{
    if (drawn == NOT_DRAWN)
        doctor_say(doctor, DOCTOR_ILL, NULL, "%s", err->text);
    else
        doctor_say(doctor, drawn == DRAWN ? DOCTOR_WELL : DOCTOR_LACKS, TELL(DOCTOR_FONT_ADVICE),
                   "%s", drawn == DRAWN ? there : missing);
}

static void doctor_fonts(Doctor *doctor)
{
    Temporary folder;
    Error err = {.text = ""};
    if (!judging_folder(&folder, &err)) {
        doctor_say(doctor, DOCTOR_ILL, NULL, "%s", err.text);
        return;
    }
    const char *path = arena_format(&doctor->arena, &err, "%s/picture.png", folder.path);
    Drawn latin = path ? draw("attention 0.25", path, &err) : NOT_DRAWN;
    print_drawn(doctor, latin, TELL(DOCTOR_FONT_LATIN), TELL(DOCTOR_FONT_NO_LATIN), &err);
    if (latin != NOT_DRAWN)
        print_drawn(doctor, draw("어텐션", path, &err), TELL(DOCTOR_FONT_KOREAN),
                    TELL(DOCTOR_FONT_NO_KOREAN), &err);
    temporary_drop(&folder);
}

// --- compiler: tried with a known function

static void doctor_compiler(Doctor *doctor)
{
    const DoctorTrial *trial = doctor_trial(doctor);
    Error err;
    const Judging *judging = &trial->judging;
    const char *compiler = judging->plain.compiler;
    bool checks = judging->guarded.sanitized;
    if (trial->failure.text[0]) {
        doctor_say(doctor, DOCTOR_ILL, NULL, "%s", trial->failure.text);
    } else if (!judging->plain.path[0]) { // nothing was built
        doctor_say(doctor, DOCTOR_ILL,
                   compiler[0]
                       ? arena_format(&doctor->arena, &err, TELL(DOCTOR_COMPILER_ADVICE), compiler)
                       : NULL,
                   "%s", judging_why(judging));
    } else {
        doctor_say(doctor, DOCTOR_WELL, NULL, TELL(DOCTOR_COMPILER), compiler);
        doctor_say(doctor, checks ? DOCTOR_WELL : DOCTOR_LACKS, TELL(DOCTOR_NO_SANITIZER_ADVICE),
                   "%s", checks ? TELL(DOCTOR_SANITIZER) : TELL(DOCTOR_NO_SANITIZER));
    }
}

// --- sandbox: its parts, and whether a known function passes in it

static void look_at_parts(Doctor *doctor)
{
    WorkerFence fence;
    char text[WORKER_FENCE_TEXT_MAX];
    Error err;
    if (!worker_fence(&fence, &err)) {
        doctor_say(doctor, DOCTOR_ILL, NULL, "%s", err.text);
        return;
    }
    doctor_say(doctor, DOCTOR_WELL, NULL, TELL(DOCTOR_FENCE), worker_fence_text(fence.text, text));
    if (!(fence.parts & FENCE_FILES))
        doctor_say(doctor, DOCTOR_LACKS, TELL(DOCTOR_NO_LANDLOCK_ADVICE), TELL(DOCTOR_NO_LANDLOCK));
    if (!(fence.parts & FENCE_CALLS))
        doctor_say(doctor, DOCTOR_LACKS, TELL(DOCTOR_NO_SECCOMP_ADVICE), TELL(DOCTOR_NO_SECCOMP));
}

static void look_at_trial(Doctor *doctor)
{
    const DoctorTrial *trial = doctor_trial(doctor);
    const Judging *judging = &trial->judging;
    const VerdictTest *failed = verdict_first_failure(&judging->verdict);
    const char *why = failed ? verdict_in_language(failed->why) : NULL;
    char text[WORKER_FENCE_TEXT_MAX];
    if (trial->failure.text[0])
        doctor_say(doctor, DOCTOR_ILL, NULL, "%s", trial->failure.text);
    else if (!judging->plain.path[0])
        doctor_say(doctor, DOCTOR_ILL, NULL, TELL(DOCTOR_TRIAL_NOT_BUILT));
    else if (judging->end != JUDGING_DONE)
        doctor_say(doctor, DOCTOR_ILL, NULL, "%s", judging_why(judging));
    else if (judging_passed(judging))
        doctor_say(doctor, DOCTOR_WELL, NULL, TELL(DOCTOR_TRIAL),
                   worker_fence_text(judging->verdict.fence, text));
    else
        doctor_say(doctor, DOCTOR_ILL, NULL, TELL(DOCTOR_TRIAL_FAILED), why ? why : "");
}

static void doctor_fence(Doctor *doctor)
{
    look_at_parts(doctor);
    look_at_trial(doctor);
}

// --- cache of built programs

static void doctor_cache(Doctor *doctor)
{
    WorkerCacheState state;
    char size[ROOM_TEXT_MAX];
    Error err;
    if (!worker_cache_look(&state, doctor->mends, &err)) {
        doctor_say(doctor, DOCTOR_ILL, NULL, "%s", err.text);
        return;
    }
    doctor_say(doctor, DOCTOR_WELL, NULL, TELL(DOCTOR_CACHE), state.folder, state.programs,
               room_text(state.bytes, size));
    if (state.damaged > 0)
        doctor_say(doctor, doctor->mends ? DOCTOR_WELL : DOCTOR_LACKS, TELL(DOCTOR_MEND_ADVICE),
                   doctor->mends ? TELL(DOCTOR_CACHE_MENDED) : TELL(DOCTOR_CACHE_DAMAGED),
                   state.damaged);
}

// --- state files

// Checks that the file can be changed: its folder and lock.
static void doctor_state_look(Doctor *doctor, const char *path)
{
    Error err = {.text = ""};
    int lock = state_file_lock(path, &err);
    doctor_say(doctor, lock >= 0 ? DOCTOR_WELL : DOCTOR_LACKS, TELL(DOCTOR_STATE_ADVICE), "%s",
               lock >= 0 ? TELL(DOCTOR_STATE_WRITABLE) : err.text);
    state_file_unlock(lock);
}

// Reports the version that wrote it (0: not given); `known` is the newest supported.
static void doctor_state_version(Doctor *doctor, const char *path, int version, int known)
{
    if (access(path, F_OK) != 0)
        doctor_say(doctor, DOCTOR_WELL, NULL, TELL(DOCTOR_STATE_NONE), path);
    else if (version > known)
        doctor_say(doctor, DOCTOR_LACKS, TELL(DOCTOR_STATE_NEWER_ADVICE), TELL(DOCTOR_STATE_NEWER),
                   path, version, known);
    else if (version > 0)
        doctor_say(doctor, DOCTOR_WELL, NULL, TELL(DOCTOR_STATE_READ), path, version);
    else
        doctor_say(doctor, DOCTOR_WELL, NULL, TELL(DOCTOR_STATE_OLD), path);
}

// --- progress: broken lines are set aside, never deleted

static void count_lines(Doctor *doctor, const Progress *progress)
{
    int pages = 0, newer = 0;
    for (const ProgressLine *line = progress->lines; line; line = line->next) {
        pages += line->kind == PROGRESS_PAGE;
        newer += line->kind == PROGRESS_OTHER && !line->is_broken;
    }
    doctor_say(doctor, DOCTOR_WELL, NULL, TELL(DOCTOR_PROGRESS_PAGES), pages);
    if (newer > 0)
        doctor_say(doctor, DOCTOR_WELL, NULL, TELL(DOCTOR_STATE_OTHERS), newer);
}

static void look_at_broken(Doctor *doctor, const char *path, const Progress *progress)
{
    int broken = 0;
    Error err = {.text = ""};
    for (const ProgressLine *line = progress->lines; line; line = line->next)
        broken += line->is_broken;
    if (broken == 0)
        return;
    if (!doctor->mends)
        doctor_say(doctor, DOCTOR_LACKS, TELL(DOCTOR_MEND_ADVICE), TELL(DOCTOR_PROGRESS_BROKEN),
                   broken);
    else if (progress_set_aside(path, &err))
        doctor_say(doctor, DOCTOR_WELL, NULL, TELL(DOCTOR_PROGRESS_SET_ASIDE), path, broken);
    else
        doctor_say(doctor, DOCTOR_LACKS, NULL, "%s", err.text);
}

static void doctor_progress(Doctor *doctor)
{
    Error err;
    Progress progress;
    const char *path = progress_path(&doctor->arena, &err);
    if (!path) {
        doctor_say(doctor, DOCTOR_LACKS, NULL, "%s", err.text);
        return;
    }
    if (progress_read(&progress, path, &err)) {
        doctor_state_version(doctor, path, progress.version, PROGRESS_VERSION);
        count_lines(doctor, &progress);
        look_at_broken(doctor, path, &progress);
    } else {
        doctor_say(doctor, DOCTOR_LACKS, TELL(DOCTOR_STATE_ADVICE), "%s", err.text);
    }
    progress_finish(&progress);
    doctor_state_look(doctor, path);
}

// --- history of the prompt: broken lines disappear with the next line typed

static void doctor_history(Doctor *doctor)
{
    char path[STATE_PATH_MAX];
    HistoryState state;
    Error err;
    if (!state_file_path("history", path, &err)) {
        doctor_say(doctor, DOCTOR_LACKS, NULL, "%s", err.text);
        return;
    }
    if (history_file_look(path, &state, &err)) {
        doctor_state_version(doctor, path, state.version, HISTORY_VERSION);
        doctor_say(doctor, DOCTOR_WELL, NULL, TELL(DOCTOR_HISTORY_LINES), state.typed);
        if (state.others > 0)
            doctor_say(doctor, DOCTOR_WELL, NULL, TELL(DOCTOR_STATE_OTHERS), state.others);
        if (state.not_typed > 0)
            doctor_say(doctor, DOCTOR_WELL, NULL, TELL(DOCTOR_HISTORY_BROKEN), state.not_typed);
    } else {
        doctor_say(doctor, DOCTOR_LACKS, TELL(DOCTOR_STATE_ADVICE), "%s", err.text);
    }
    doctor_state_look(doctor, path);
}

// --- the checks, as text or JSON

static const DoctorCheck checks[] = {
#define DOCTOR_CHECK(name, english, korean) {#name, WORDS(english, korean), doctor_##name},
#include "doctor.def"
#undef DOCTOR_CHECK
};

enum { CHECKS = sizeof checks / sizeof *checks };

static const char *const states[DOCTOR_STATES] = {
    [DOCTOR_WELL] = "well", [DOCTOR_LACKS] = "lacking", [DOCTOR_ILL] = "missing"};

// Without arguments, every check runs.
static bool is_named(const AppOptions *options, const char *name)
{
    for (int i = 0; i < options->argument_count; i++)
        if (strcmp(options->arguments[i], name) == 0)
            return true;
    return options->argument_count == 0;
}

// Reports an unknown name and returns false.
static bool knows_all(const AppOptions *options)
{
    char names[256] = "";
    for (int i = 0; i < CHECKS; i++)
        text_add(names, sizeof names, "%s%s", i ? ", " : "", checks[i].name);
    for (int i = 0; i < options->argument_count; i++) {
        bool is_known = false;
        for (int check = 0; check < CHECKS; check++)
            is_known = is_known || strcmp(checks[check].name, options->arguments[i]) == 0;
        if (!is_known)
            return app_refuse(TELL(DOCTOR_LOOKS), names, options->arguments[i]);
    }
    return true;
}

static void print_check(const Doctor *doctor, const DoctorCheck *check)
{
    static const char *const marks[DOCTOR_STATES] = {
        [DOCTOR_WELL] = "\u2713", [DOCTOR_LACKS] = "!", [DOCTOR_ILL] = "\u2717"};
    printf("%s\n", words_tell(check->title));
    for (int i = 0; i < doctor->count; i++) {
        const DoctorFinding *finding = &doctor->findings[i];
        printf("  %s %s\n", marks[finding->state], finding->says);
        if (finding->advice)
            printf("    %s\n", finding->advice);
    }
    fflush(stdout); // the next check may take a second
}

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
                     words_tell(check->title), "state", states[doctor_state(doctor)], "findings",
                     findings);
}

// Prints the list, which it releases. False without memory.
static bool print_json(json_t *list, bool is_usable)
{
    json_t *all = json_pack("{s:i, s:b, s:o}", "schema", 1, "usable", is_usable, "checks", list);
    bool whole = all && json_dumpf(all, stdout, JSON_INDENT(2)) == 0;
    putchar('\n');
    json_decref(all);
    return whole;
}

static int examine(const AppOptions *options, bool json)
{
    static Doctor doctor; // large, with compiler output
    int count[DOCTOR_STATES] = {0};
    json_t *list = json ? json_array() : NULL;
    bool whole = true;
    doctor = (Doctor){.mends = options->mends};
    for (int i = 0; i < CHECKS; i++) {
        if (!is_named(options, checks[i].name))
            continue;
        doctor.count = 0;
        checks[i].look(&doctor);
        count[doctor_state(&doctor)]++;
        if (json)
            whole = json_array_append_new(list, check_json(&doctor, &checks[i])) == 0 && whole;
        else
            print_check(&doctor, &checks[i]);
    }
    if (json)
        whole = print_json(list, count[DOCTOR_ILL] == 0) && whole;
    else
        printf("\n%s\n", count[DOCTOR_ILL]     ? TELL(DOCTOR_SUM_ILL)
                         : count[DOCTOR_LACKS] ? TELL(DOCTOR_SUM_LACKS)
                                               : TELL(DOCTOR_SUM_WELL));
    judging_finish(&doctor.trial.judging);
    arena_finish(&doctor.arena);
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
