// Scripted screens: every tests/screens/NAME.WxH.keys gives the text of NAME.WxH.screen. The first
// line of a script names its scenario; a second line "# text ..." replaces the sentence. Or the first
// line is "# lecture NAME.md", "# slides NAME.md": a lecture of tests/lectures, on a projector.
//
// The screens were read by a person when they were written down: their numbers are the ones that
// documents 001 and 002 print and that the golden files hold. A screen that changes on purpose is
// written anew with `attnscope trace SCENARIO --script NAME.WxH.keys --size WxH` (or `walk LECTURE`,
// with ATTNSCOPE_LESSONS=tests/lectures), and read again.
#include "open_lecture.h"
#include "scenario_file.h"
#include "tui.h"

#include "suite.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static glob_t scripts;

static void read_line(FILE *file, const char *start, char text[256])
{
    char line[256];
    long place = ftell(file);
    text[0] = '\0';
    if (!fgets(line, sizeof line, file) || strncmp(line, start, strlen(start)) != 0)
        fseek(file, place, SEEK_SET);
    else
        snprintf(text, 256, "%.*s", (int)strcspn(line + strlen(start), "\n"), line + strlen(start));
}

static void play_script(Session *session, const char *path, FILE *script, FILE *out)
{
    Error err = {.text = ""};
    int columns, rows;
    const char *size = strchr(strrchr(path, '/'), '.');
    ck_assert_int_eq(sscanf(size, ".%dx%d", &columns, &rows), 2);
    ck_assert_msg(tui_script(session, script, columns, rows, out, &err), "%s: %s", path, err.text);
}

static void play_scenario(const char *path, FILE *script, const char *name, FILE *out)
{
    Error err = {.text = ""};
    Scenario scenario;
    Session session;
    char text[256];
    read_line(script, "# text ", text);
    ScenarioRequest request = {.what = name, .text = text[0] ? text : NULL};
    ck_assert_msg(scenario_open(&scenario, &request, &err), "%s", err.text);
    ck_assert_msg(session_open(&session, &scenario, &err), "%s", err.text);
    play_script(&session, path, script, out);
    session_close(&session);
    scenario_finish(&scenario);
}

static void play_lecture(const char *path, FILE *script, const char *name, bool presents, FILE *out)
{
    Error err = {.text = ""};
    Lecture lecture;
    OpenLecture open;
    Session session;
    char file[512];
    snprintf(file, sizeof file, "lectures/%s", name);
    ck_assert_msg(lecture_read(&lecture, "t", test_file(file), &err), "%s", err.text);
    ck_assert_msg(open_lecture_start(&open, &session, &lecture, 0, NULL, &err), "%s", err.text);
    open.presents = presents;
    play_script(&session, path, script, out);
    session_close(&session);
    open_lecture_close(&open);
    lecture_finish(&lecture);
}

static void play(const char *path, FILE *out)
{
    char name[256];
    FILE *script = fopen(path, "r");
    read_line(script, "# ", name);
    if (strncmp(name, "lecture ", 8) == 0)
        play_lecture(path, script, name + 8, false, out);
    else if (strncmp(name, "slides ", 7) == 0)
        play_lecture(path, script, name + 7, true, out);
    else
        play_scenario(path, script, name, out);
    fclose(script);
}

START_TEST(a_script_gives_the_screens_that_were_written_down)
{
    const char *path = scripts.gl_pathv[_i];
    char expected_path[1024], line[4096], expected[4096];
    snprintf(expected_path, sizeof expected_path, "%.*sscreen",
             (int)(strlen(path) - strlen("keys")), path);
    FILE *screen = fopen(expected_path, "r"), *out = tmpfile();
    ck_assert_msg(screen != NULL, "%s is missing", expected_path);
    play(path, out);
    rewind(out);
    for (int number = 1;; number++) {
        bool more = fgets(line, sizeof line, out),
             wanted = fgets(expected, sizeof expected, screen);
        if (!more && !wanted)
            break;
        ck_assert_msg(more && wanted && strcmp(line, expected) == 0, "%s:%d:\nwanted %sis     %s",
                      expected_path, number, wanted ? expected : "the end\n",
                      more ? line : "the end\n");
    }
    fclose(screen);
    fclose(out);
}
END_TEST

int main(void)
{
    char pattern[1024];
    snprintf(pattern, sizeof pattern, "%s/*.keys", test_file("screens"));
    if (glob(pattern, 0, NULL, &scripts) != 0)
        return EXIT_FAILURE;
    Suite *suite = suite_create("screens");
    TCase *cases = tcase_create("screens");
    tcase_add_loop_test(cases, a_script_gives_the_screens_that_were_written_down, 0,
                        (int)scripts.gl_pathc);
    suite_add_tcase(suite, cases);
    int code = suite_run(suite);
    globfree(&scripts);
    return code;
}
