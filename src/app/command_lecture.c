// attnscope walk and the course that it begins with: lectures and exercises, and where one stopped. attnscope lecture
// check checks an own lecture.
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "app.h"
#include "app_exercise.h"
#include "app_words.def"
#include "export.h"
#include "lecture.h"
#include "open_lecture.h"
#include "progress.h"
#include "screen.h"

// --- rows

enum { COURSE_ROWS_MAX = 256 };

typedef struct CourseList {
    CourseRow rows[COURSE_ROWS_MAX];
    int count;
    const Progress *progress;
    Arena arena; // of the rows' texts
} CourseList;

// Appends a row; NULL and err if there is no room.
static CourseRow *course_add(CourseList *course, Error *err)
{
    if (course->count == COURSE_ROWS_MAX) {
        error_set(err, TELL(COURSE_LONG), COURSE_ROWS_MAX);
        return NULL;
    }
    return &course->rows[course->count++];
}

// --- lectures

typedef struct Tally {
    int read, questions, answered;
} Tally;

static Tally count(const Lecture *lecture, const Progress *progress)
{
    Tally tally = {.read = 0};
    for (int i = 0; i < lecture->page_count; i++) {
        const LecturePage *page = &lecture->pages[i];
        PageMark mark = progress_mark(progress, lecture->name, page->name);
        tally.read += mark != PAGE_UNSEEN;
        tally.questions += page->question.kind != QUESTION_NONE;
        tally.answered += page->question.kind != QUESTION_NONE && mark >= PAGE_LATER;
    }
    return tally;
}

// The page where the user stopped, or NULL.
static const LecturePage *stopped_at(const Lecture *lecture, const Progress *progress)
{
    const ProgressLine *last = progress_last(progress, PROGRESS_PAGE, lecture->name);
    int page = last ? lecture_find(lecture, last->key) : -1;
    return page < 0 ? NULL : &lecture->pages[page];
}

static bool list_lecture(CourseList *course, const Lecture *lecture, Error *err)
{
    CourseRow *row = course_add(course, err);
    Tally tally = count(lecture, course->progress);
    const LecturePage *page = stopped_at(lecture, course->progress);
    const ProgressLine *last = progress_last(course->progress, PROGRESS_PAGE, NULL);
    bool read = tally.read == lecture->page_count;
    if (!row)
        return false;
    row->title = arena_text(&course->arena, lecture->title, err);
    row->about = arena_text(&course->arena, lecture->about, err);
    row->state = arena_format(
        &course->arena, err, "%s %2d/%-2d  %s %2d/%-2d",
        open_lecture_word(language_now(), WORD_COURSE_READ), tally.read, lecture->page_count,
        open_lecture_word(language_now(), WORD_COURSE_ANSWERED), tally.answered, tally.questions);
    row->goes_on = page && !read ? arena_text(&course->arena, page->title, err) : NULL;
    row->done = read && tally.answered == tally.questions;
    row->passed = read;
    row->last = last && strcmp(last->name, lecture->name) == 0;
    return row->title && row->about && row->state;
}

// An unfinished own lecture must not hide the others.
static bool list_unreadable(CourseList *course, const LectureEntry *entry, const Error *why,
                            Error *err)
{
    CourseRow *row = course_add(course, err);
    if (!row)
        return false;
    row->title = arena_text(&course->arena, entry->name, err);
    row->about = arena_text(&course->arena, why->text, err);
    row->state = "?";
    row->passed = true;
    return row->title && row->about;
}

static bool lectures_list(CourseList *course, Error *err)
{
    LectureList lectures;
    int first = course->count;
    bool good = lecture_list_open(&lectures, err);
    for (int i = 0; good && i < lectures.count; i++) {
        const LectureEntry *entry = &lectures.entries[i];
        Lecture lecture;
        Error unread = {.text = ""};
        good = lecture_open(&lecture, entry->name, entry->folder, language_written(), &unread)
                   ? list_lecture(course, &lecture, err)
                   : list_unreadable(course, entry, &unread, err);
        lecture_finish(&lecture);
    }
    if (good && course->count > first)
        course->rows[first].heading = open_lecture_word(language_now(), WORD_COURSE_LECTURES);
    lecture_list_close(&lectures);
    return good;
}

static int lectures_start(int number, const AppOptions *options)
{
    LectureList lectures;
    Error err = {.text = ""};
    if (!lecture_list_open(&lectures, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    int code = app_walk_lecture(&lectures.entries[number], options);
    lecture_list_close(&lectures);
    return code;
}

// --- exercises

// The workspace around the current folder, or the last one used. Returns false if there is none.
static bool open_workspace(Workspace *workspace, const char *language)
{
    Arena arena = {0};
    Error err;
    const char *folder = workspace_is_near(NULL) ? NULL : workspace_remembered(&arena);
    bool opened =
        (folder || workspace_is_near(NULL)) && workspace_open(workspace, folder, language, &err);
    arena_finish(&arena);
    return opened;
}

static bool list_exercise(CourseList *course, const Exercise *exercise, const WorkspaceFile *file,
                          Error *err)
{
    char points[64];
    CourseRow *row = course_add(course, err);
    if (!row)
        return false;
    snprintf(points, sizeof points, exercise_word(SAY_POINTS), file->points, exercise->points);
    row->title = arena_format(&course->arena, err, "%2d  %s", exercise->order, exercise->name);
    row->about = arena_text(&course->arena, exercise->title, err);
    row->state =
        arena_format(&course->arena, err, "%s  %s", app_exercise_state(file->state), points);
    row->done = row->passed = file->state == WORKSPACE_DONE;
    return row->title && row->about && row->state;
}

static bool list_all(CourseList *course, const ExerciseList *exercises_list,
                     const Workspace *workspace, Error *err)
{
    bool good = true;
    for (int i = 0; good && i < exercises_list->count; i++) {
        WorkspaceFile file = {.state = WORKSPACE_NEW};
        Error unread;
        if (workspace)
            workspace_look(workspace, i, &file, &unread);
        good = list_exercise(course, &exercises_list->exercises[i], &file, err);
        if (good && i == 0)
            course->rows[course->count - 1].heading = exercise_word(SAY_COURSE);
    }
    return good;
}

// If exercises cannot be read, there are no rows; attnscope list exercises says why.
static bool exercises_list(CourseList *course, Error *err)
{
    Workspace workspace;
    ExerciseList exercises;
    Error unread;
    const char *language = language_name(language_written());
    bool good = true;
    if (open_workspace(&workspace, language)) {
        good = list_all(course, &workspace.exercises, &workspace, err);
        workspace_close(&workspace);
    } else if (exercise_list_open(&exercises, language_written(), &unread)) {
        good = list_all(course, &exercises, NULL, err);
        exercise_list_close(&exercises);
    }
    return good;
}

static int exercises_start(int number, const AppOptions *options)
{
    Workspace workspace;
    if (!open_workspace(&workspace, options->lang))
        return app_fail(APP_FAILED, TELL(COURSE_EXERCISES));
    int code = app_watch(&workspace, number);
    workspace_close(&workspace);
    return code;
}

// --- the course

// Where to go on: the last row used, or if that is done the next that is not.
static int row_to_choose(const CourseList *course)
{
    int last = 0;
    for (int i = 0; i < course->count; i++)
        last = course->rows[i].last ? i : last;
    for (int i = last; i < course->count; i++)
        if (!course->rows[i].passed)
            return i;
    return last;
}

// Shows the course until a row is picked. *number is the row; the first exercise is row *lectures.
static bool choose(bool *chosen, int *number, int *lectures, Error *err)
{
    Progress progress = {.lines = NULL};
    Error unread;
    Arena arena = {0};
    CourseList *course = arena_take(&arena, 1, sizeof *course, err);
    const char *path = progress_path(&arena, &unread);
    bool good = course != NULL;
    if (path)
        progress_read(&progress, path, &unread);
    if (good) {
        course->progress = &progress;
        good = lectures_list(course, err);
        *lectures = course->count;
        good = good && exercises_list(course, err);
    }
    if (good) {
        Course shown = {
            .rows = course->rows, .count = course->count, .chosen = row_to_choose(course)};
        good = course_run(&shown, chosen, err);
        *number = shown.chosen;
    }
    if (course)
        arena_finish(&course->arena);
    progress_finish(&progress);
    arena_finish(&arena);
    return good;
}

int app_course(const AppOptions *options)
{
    Error err = {.text = ""};
    int code = APP_DONE, number, lectures;
    bool chosen = true;
    while (chosen && code == APP_DONE) { // each return shows where to go on
        if (!choose(&chosen, &number, &lectures, &err))
            code = app_fail(APP_FAILED, "%s", err.text);
        else if (chosen)
            code = number < lectures ? lectures_start(number, options)
                                     : exercises_start(number - lectures, options);
    }
    return code;
}

static void print_problem(void *context, const char *text)
{
    int *problems = context;
    (*problems)++;
    printf("%s\n", text);
}

// The state of a check.
typedef struct Checking {
    const char *folder;
    int columns, rows; // of the screen for every page; 0: do not draw
    int problems;
} Checking;

static void check_file(Lecture *lecture, const char *path, Checking *checking)
{
    Error err = {.text = ""};
    if (lecture_read(lecture, "lecture", path, &err)) {
        open_lecture_check(lecture, print_problem, &checking->problems);
        if (checking->columns > 0 && checking->problems == 0) {
            lecture_screen_check(lecture, checking->columns, checking->rows, print_problem,
                                 &checking->problems);
            lecture_slide_check(lecture, checking->columns, checking->rows, print_problem,
                                &checking->problems);
        }
    } else {
        app_fail(APP_FAILED, "%s", err.text);
        checking->problems++;
    }
}

static int check(Checking *checking)
{
    Lecture english = {.page_count = 0}, korean = {.page_count = 0};
    Arena arena = {0};
    Error err = {.text = ""};
    bool is_file = text_ends(checking->folder, ".md");
    const char *path =
        is_file ? checking->folder : arena_format(&arena, &err, "%s/lecture.md", checking->folder);
    const char *other =
        is_file ? NULL : arena_format(&arena, &err, "%s/lecture.ko.md", checking->folder);
    bool has_other = other && access(other, F_OK) == 0;
    bool has_one = path && (is_file || access(path, F_OK) == 0); // Korean alone is a lecture, too
    if (has_one)
        check_file(&english, path, checking);
    if (has_other)
        check_file(&korean, other, checking);
    if (!has_one && !has_other) {
        app_fail(APP_FAILED, TELL(LECTURE_NONE), checking->folder, checking->folder);
        checking->problems++;
    }
    if (english.page_count > 0 && korean.page_count > 0)
        open_lecture_compare(&english, &korean, print_problem, &checking->problems);
    if (checking->problems == 0)
        printf(TELL(LECTURE_HOLDS), checking->folder,
               english.page_count > 0 ? english.page_count : korean.page_count,
               checking->columns > 0 ? TELL(LECTURE_SEEN) : "");
    lecture_finish(&english);
    lecture_finish(&korean);
    arena_finish(&arena);
    return checking->problems == 0 ? APP_DONE : APP_FAILED;
}

static int run(AppOptions *options)
{
    if (options->argument_count != 2 || strcmp(options->arguments[0], "check") != 0)
        return app_fail(APP_MISUSED, TELL(LECTURE_WANTS));
    Checking checking = {.folder = options->arguments[1]};
    if (options->size && !app_size(options->size, &checking.columns, &checking.rows))
        return APP_MISUSED;
    return check(&checking);
}

static const Words kinds[] = {
#define QUESTION_KIND(NAME, name, word, fields, english, korean) \
    WORDS(word "\n" english, word "\n" korean),
#include "lecture_kinds.def"
};

static const AppList lists[] = {APP_LIST("kinds", kinds), {.name = NULL}};

const AppCommand command_lecture = {
    .name = "lecture",
    .arguments = "check FOLDER [--size 80x24]",
    .summary = WORDS("Check a lecture you wrote: commands, references, answers",
                     "직접 쓴 강의를 검사합니다: 명령, 참조, 답"),
    .details = WORDS(
        "FOLDER holds lecture.md, lecture.ko.md (Korean), or both; it may also be one file.\n"
        "Each problem is one line that starts with file:line. Read the lecture with\n"
        "attnscope walk ./FOLDER.\n"
        "  --size WxH   also draw every page on a screen of this size. What the text names must\n"
        "               be visible: numbers, rows and columns of the current tensor, shape and\n"
        "               strides in the memory panel, and labels (`=label running sum`)\n"
        "\n"
        "A lecture is Markdown: one # title, a line about it, then ## pages. A page heading ends\n"
        "in {#name}, the same in every language. Text has paragraphs, lists, emphasis and code.\n"
        "`=attn_weights[0,0,1]` in backquotes becomes that number of the trace, as the page's\n"
        "commands (set, formula) leave it. So do\n"
        "`=attn_weights[0,0]` (a row), `=shape q`, `=stride q`, `=place q[0,0,1]`, `=scale`,\n"
        "sum, max, argmax and zeros of a part (`=sum attn_weights[0,:,0]`), and what head 1.0\n"
        "reads from 0.0 (`=composition k[0,0,1,0]`; `=composition k`: random), and which share of\n"
        "the targets is answered right (`=right probabilities`). A scenario name\n"
        "selects another scenario: `=four-heads: scale`; `=four-heads: apart output` is the\n"
        "largest difference between it and the page. `=label maximum` is a word on the\n"
        "screen. Blocks start with three backquotes and one of these words:\n"
        "  attnscope  set the scene: scenario NAME, then commands as after ':' in the stepper.\n"
        "             NAME is one of list scenarios, NAME.yaml next to the lecture, or a file\n"
        "             of weights or attention maps next to it, with its extension; text \"I go\n"
        "             home\" changes the input, and names the words of maps (tensor maps);\n"
        "             window opens a window, or shows the map if no window can open\n"
        "             show formula pytorch shapes memory, or nothing: the lines to show about\n"
        "             each step, from this page on\n"
        "             picture map: what a slide shows large; also numbers (the matrix), row (the\n"
        "             cursor's), sum (where its number came from), formula, table (the lines of\n"
        "             the text's code block). Without it: what is open beside the numbers, or the\n"
        "             numbers. Numbers that the text names are always on the slide\n"
        "  attnscope answered   commands to run after the answer\n"
        "  question   YAML: kind, ask, answer (a reference), right, wrong (explains), hint (after\n"
        "             a first wrong answer; each kind has a default). The kinds:\n"
        "@kinds\n"
        "  notes      for the speaker: paragraphs\n"
        "  slide      the text for a projector, at most three lines\n"
        "  keys       a paragraph about keys; slides and HTML leave it out\n"
        "  python, c  code\n",
        "FOLDER에는 lecture.md나 한국어 강의 lecture.ko.md가 있습니다. 파일 하나를 써도 됩니다.\n"
        "잘못된 곳마다 한 줄이고, file:line이 먼저 나옵니다. attnscope walk ./FOLDER로 봅니다.\n"
        "  --size WxH   모든 쪽을 이 크기의 화면에 그려 보기도 합니다. 글에서 말하는 것은\n"
        "               화면에도 보여야 합니다: 보고 있는 텐서의 숫자와 행과 열, 메모리 패널 옆의\n"
        "               모양과 스트라이드, 이름표(`=label 여기까지의 합`)\n"
        "\n"
        "강의는 Markdown입니다: # 제목 하나, 소개 한 줄, 그리고 쪽마다 ##. 쪽의 제목은\n"
        "{#name}으로 끝나고, 모든 언어에서 같습니다. 글에는 문단, 목록, 강조, 코드가 있습니다.\n"
        "역따옴표 안의 `=attn_weights[0,0,1]`은 그 숫자가 됩니다. 쪽의 명령(set, formula)이 바꾼\n"
        "뒤의 숫자입니다. `=attn_weights[0,0]`(행),\n"
        "`=shape q`, `=stride q`, `=place q[0,0,1]`, `=scale`, 일부의 sum, max, argmax, zeros\n"
        "(`=sum attn_weights[0,:,0]`), 다른 시나리오의 것 `=four-heads: scale`도 됩니다.\n"
        "`=composition k[0,0,1,0]`은 헤드 1.0이 0.0에서 읽는 정도, `=composition k`는 무작위,\n"
        "`=right probabilities`는 정답(targets) 가운데 맞힌 몫이고,\n"
        "`=four-heads: apart output`은 그 시나리오와 이 쪽의 가장 큰 차이입니다.\n"
        "`=label 최댓값`은 화면에 있는 말입니다.\n"
        "역따옴표 세 개로 시작하는 블록:\n"
        "  attnscope  장면을 만듭니다: scenario NAME, 그다음 스테퍼에서 ':' 뒤에 쓰는 명령.\n"
        "             NAME은 list scenarios에 있는 이름, 강의 옆의 NAME.yaml, 또는 강의 옆에 있는\n"
        "             가중치나 어텐션 맵의 파일(확장자까지)입니다. text \"나는 집에 간다\"는 "
        "문장을\n"
        "             바꿉니다. 어텐션 맵(tensor maps)에서는 단어의 이름입니다.\n"
        "             window는 창을 열고, 열 수 없으면 터미널에 히트맵을 보여 줍니다.\n"
        "             show formula pytorch shapes memory는 이 쪽부터 단계에서 보일 것입니다\n"
        "             picture map은 슬라이드에 크게 보일 것입니다. numbers(행렬), row(커서의 행),\n"
        "             sum(커서의 숫자가 나온 계산), formula(식), table(글의 코드 블록)도 "
        "있습니다.\n"
        "             쓰지 않으면 숫자 옆에 연 것이나 숫자입니다. 글에 나온 숫자는 언제나 "
        "보입니다\n"
        "  attnscope answered   질문에 답한 다음에 할 명령\n"
        "  question   YAML: kind, ask, answer(참조), right, wrong(설명), hint. kind의 종류:\n"
        "@kinds\n"
        "  notes      발표자용 문단\n"
        "  slide      빔프로젝터에 보일 것, 세 줄까지\n"
        "  keys       누를 것에 대한 문단: 슬라이드와 HTML에는 나오지 않습니다\n"
        "  python, c  코드로 보입니다\n"),
    .lists = lists,
    .options = "size",
    .words = "check",
    .names = APP_NAMES_FOLDER,
    .run = run,
};

// --- attnscope walk

enum { MINUTES_MAX = 1000 };

// Cuts the page off "02#scale".
static const char *take_page(char *argument)
{
    char *hash = argument ? strchr(argument, '#') : NULL;
    if (hash)
        *hash = '\0';
    return hash ? hash + 1 : NULL;
}

static int run_named(const AppOptions *options)
{
    Error err = {.text = ""};
    LectureList list;
    if (!lecture_list_open(&list, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    const LectureEntry *entry = lecture_list_choose(&list, options->arguments[0], &err);
    int code = entry ? app_walk_lecture(entry, options) : app_fail(APP_MISUSED, "%s", err.text);
    lecture_list_close(&list);
    return code;
}

static int follow_notes(const AppOptions *options)
{
    double minutes = 0;
    AppRange range = {"minutes", 1, MINUTES_MAX, APP_WHOLE};
    if (!app_read_number(range, options->minutes, &minutes))
        return APP_MISUSED;
    Error err = {.text = ""};
    Arena arena = {0};
    const char *path = presenting_path(&arena, &err);
    bool good = path && lecture_notes_follow(path, (int)minutes, stdout, &err);
    arena_finish(&arena);
    return app_result(good, &err);
}

// False for a page of HTML under the name of something else.
static bool is_named_html(const char *path)
{
    const char *ending = path ? app_picture_ending(path) : NULL;
    bool is_other = ending && (strcasecmp(ending, ".pdf") == 0 || strcasecmp(ending, ".png") == 0);
    return !is_other || app_refuse(TELL(WALK_HTML_ENDING), path);
}

// Reports options of which one would be ignored, and returns false.
static bool walk_options_fit(const AppOptions *options)
{
    int ways = (options->html != NULL) + (options->slides != NULL) + (options->worksheet != NULL);
    bool shows = options->presents || options->script;
    if (ways > 1 || (ways == 1 && shows))
        return app_refuse(TELL(WALK_ONE_WAY));
    if (options->seed && !options->worksheet)
        return app_refuse(TELL(WALK_SEED_SHEET));
    if (options->minutes && !options->notes)
        return app_refuse(TELL(WALK_MINUTES_NOTES));
    return is_named_html(options->html) && is_named_html(options->worksheet);
}

static int run_walk(AppOptions *options)
{
    if (!walk_options_fit(options))
        return APP_MISUSED;
    options->page = take_page(options->arguments[0]);
    if (options->notes && !options->html)
        return follow_notes(options);
    if (options->argument_count > 1)
        return app_fail(APP_MISUSED, TELL(WALK_ONE));
    bool has_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (options->argument_count == 0 &&
        (options->html || options->slides || options->worksheet || !has_terminal))
        return app_fail(APP_MISUSED, TELL(WALK_WHICH));
    return options->argument_count == 0 ? app_course(options) : run_named(options);
}

const AppCommand command_walk = {
    .name = "walk",
    .arguments = "[LECTURE] [--lang en|ko] [--present] [--notes [--minutes N]] [--html OUT] "
                 "[--slides DIR|FILE.pdf] "
                 "[--worksheet OUT [--seed N]] [--script "
                 "FILE] [--png OUT.png] [--size 100x30]",
    .is_first = true,
    .summary = WORDS("Read a lecture next to the stepper: text, numbers, questions",
                     "스테퍼 옆의 강의: 글, 숫자, 질문"),
    .details = WORDS(
        "  LECTURE         01-idea, 01 or idea; without it, the list of lectures. 02#weights\n"
        "                  starts at the page named weights. ./mine or ./mine.md is your own\n"
        "                  lecture (create one with attnscope init lecture mine)\n"
        "  --lang en|ko    the language [the locale's]\n"
        "  --present       for a projector: large letters and numbers. PageDown continues and\n"
        "                  shows answers, PageUp goes back, v starts a vote, b blanks the screen.\n"
        "                  Digits count votes, and v again shows them\n"
        "  --notes         in a second terminal: the speaker's notes of the current page, its\n"
        "                  answer, what is asked next, and the time. Space turns the page of the\n"
        "                  presentation, p turns back, q quits. --minutes N plans the time\n"
        "  --html OUT      write the lecture as one HTML page; --notes adds the speaker's notes\n"
        "  --slides DIR    save each slide as a picture in DIR: 01.png, 02.png ..., 16:9;\n"
        "                  --size 72x24 makes them 4:3. FILE.pdf gets all of them, with the\n"
        "                  notes after each page\n"
        "  --worksheet OUT write the questions as an HTML page to print, on A4 or Letter: text,\n"
        "                  tables and empty boxes, then the answers. --seed N writes ten\n"
        "                  questions with other numbers for each N\n"
        "  --script FILE   run the commands in FILE and print the screens; needs no terminal\n"
        "  --png OUT.png   save the screen as a picture; --dark makes it light on dark\n"
        "  --size WxH      the size of the screens\n"
        "\n"
        "Space continues, P goes back, C lists the pages, A answers, T shows the speaker's notes,\n"
        "L returns to the lecture. All keys of the stepper work at any time; ? shows them.\n",
        "  LECTURE         01-idea, 01, idea. 쓰지 않으면 강의의 목록.\n"
        "                  02#weights는 그 이름의 쪽에서 시작합니다. ./mine이나 ./mine.md는\n"
        "                  직접 쓴 강의입니다(attnscope init lecture mine으로 시작)\n"
        "  --lang en|ko    언어 [로캘의 언어]\n"
        "  --present       빔프로젝터용: 글은 적게, 제목과 숫자는 크게. PageDown은 앞으로 가며 "
        "답을 보여\n"
        "                  주고, PageUp은 뒤로, v는 투표, b는 빈 화면입니다. 숫자를\n"
        "                  누르면 표를 세고, v를 다시 누르면 보여 줍니다\n"
        "  --notes         둘째 터미널에서: 지금 보여 주는 쪽의 메모, 답, 다음 질문, 시간.\n"
        "                  Space로 발표 화면을 넘기고 p로 되돌리며 q로 끝냅니다.\n"
        "                  --minutes N은 계획한 시간\n"
        "  --html OUT      강의 전체를 HTML 한 페이지로. --notes는 발표자 메모를 더합니다\n"
        "  --slides DIR    쪽마다 수업 화면 그대로의 그림을 DIR에: 01.png, 02.png ... 16:9이고\n"
        "                  --size 72x24은 4:3입니다. FILE.pdf는 모두를 한 파일로, 쪽마다의 메모는\n"
        "                  그 뒤에\n"
        "  --worksheet OUT 질문을 종이에, HTML 페이지로: 글과 표와 빈칸, 그 뒤에 답. 용지는\n"
        "                  로캘의 A4나 레터. --seed N은 N마다 숫자가 다른 문제 열 개\n"
        "  --script FILE   파일에 쓴 대로 하고 화면을 출력합니다. 터미널이 없어도 됩니다\n"
        "  --png OUT.png   화면을 그림으로 저장합니다. --dark는 어두운 바탕\n"
        "  --size WxH      그 화면의 크기\n"
        "\n"
        "Space는 계속, P는 이전 쪽, C는 차례, A는 답하기, T는 발표자 메모, L은 어디에서든\n"
        "강의로 돌아옵니다. 스테퍼에서 누르는 것은 언제든 그대로 통합니다. ?를 누르면 모두 "
        "나옵니다.\n"),
    .options = "lang present html slides worksheet seed notes minutes script size png dark",
    .names = APP_NAMES_LECTURE,
    .run = run_walk,
};
