// attnscope walk: a lecture beside the stepper; and the list of lectures.
#include "app.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "app_words.def"
#include "export.h"
#include "lecture.h"

enum { MINUTES_MAX = 1000 };

// "02#scale": cuts the page's name off.
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
    char *end = NULL;
    long minutes = options->minutes ? strtol(options->minutes, &end, 10) : 0;
    if (options->minutes && (*end || minutes < 1 || minutes > MINUTES_MAX))
        return app_fail(APP_MISUSED, TELL(WALK_MINUTES), options->minutes);
    Error err = {.text = ""};
    Arena arena = {0};
    const char *path = presenting_path(&arena, &err);
    bool good = path && lecture_notes_follow(path, (int)minutes, stdout, &err);
    arena_finish(&arena);
    return good ? APP_DONE : app_fail(APP_FAILED, "%s", err.text);
}

static int run(AppOptions *options)
{
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
    .run = run,
};
