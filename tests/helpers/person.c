// person: see person.h.
#define _GNU_SOURCE // memmem
#include "person.h"

#include "suite.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MILLISECONDS = 100, POLLS_MAX = 3000 };

static int on_property(VTermProp property, VTermValue *value, void *context)
{
    Person *person = context;
    if (property == VTERM_PROP_ALTSCREEN)
        person->alternate_screen = value->boolean;
    if (property == VTERM_PROP_CURSORVISIBLE)
        person->cursor_visible = value->boolean;
    if (property == VTERM_PROP_MOUSE)
        person->mouse = value->number != VTERM_PROP_MOUSE_NONE;
    return 1;
}

static const VTermScreenCallbacks callbacks = {.settermprop = on_property};

static void on_output(const char *bytes, size_t length, void *context)
{
    const Person *person = context;
    ck_assert_int_eq(write(person->master, bytes, length), (ssize_t)length);
}

static void open_terminal(Person *person)
{
    struct winsize size = {.ws_row = (unsigned short)person->rows,
                           .ws_col = (unsigned short)person->columns};
    person->master = posix_openpt(O_RDWR | O_NOCTTY);
    ck_assert_int_ge(person->master, 0);
    ck_assert_int_eq(grantpt(person->master), 0);
    ck_assert_int_eq(unlockpt(person->master), 0);
    person->slave = open(ptsname(person->master), O_RDWR | O_NOCTTY);
    ck_assert_int_ge(person->slave, 0);
    ck_assert_int_eq(ioctl(person->master, TIOCSWINSZ, &size), 0);
    ck_assert_int_eq(tcgetattr(person->slave, &person->modes), 0);

    person->vterm = vterm_new(person->rows, person->columns);
    vterm_set_utf8(person->vterm, 1);
    person->screen = vterm_obtain_screen(person->vterm);
    vterm_screen_enable_altscreen(person->screen, 1);
    vterm_screen_set_callbacks(person->screen, &callbacks, person);
    vterm_screen_reset(person->screen, 1);
    vterm_output_set_callback(person->vterm, on_output, person);
    person->cursor_visible = true;
}

static void become_shell(Person *person, const char *script)
{
    const char *program = getenv("ATTNSCOPE_PROGRAM");
    setsid();
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL); // whoever started the tests in the background had some ignored
    ioctl(person->slave, TIOCSCTTY, 0);
    for (int descriptor = 0; descriptor < 3; descriptor++)
        dup2(person->slave, descriptor);
    close(person->master);
    close(person->slave);
    execl("/bin/sh", "sh", "-c", script, "sh", program ? program : "", (char *)NULL);
    _exit(127);
}

void person_sit_down(Person *person, int columns, int rows, const char *script)
{
    memset(person, 0, sizeof *person);
    person->columns = columns;
    person->rows = rows;
    open_terminal(person);
    setenv("TERM", "xterm-256color", 0);
    setenv("XDG_STATE_HOME", "/dev/null", 0); // no place to keep what is typed
    int alive[2];
    ck_assert_int_eq(pipe(alive), 0);
    person->shell = fork();
    ck_assert_int_ge(person->shell, 0);
    if (person->shell == 0)
        become_shell(person, script);
    close(alive[1]);
    person->alive = alive[0];
}

static void stand_up(Person *person)
{
    waitpid(person->shell, NULL, 0);
    vterm_free(person->vterm);
    close(person->alive);
}

void person_leave(Person *person)
{
    pid_t program = person_program(person);
    if (program > 0)
        kill(-program, SIGKILL);
    kill(-person->shell, SIGKILL);
    close(person->master);
    close(person->slave);
    stand_up(person);
}

void person_closes_window(Person *person)
{
    char byte;
    struct pollfd source = {.fd = person->alive, .events = POLLIN};
    close(person->master);
    close(person->slave);
    int ready = poll(&source, 1, POLL_MILLISECONDS * POLLS_MAX);
    ck_assert_msg(ready == 1 && read(person->alive, &byte, 1) == 0,
                  "a process lives on without a terminal");
    stand_up(person);
}

void person_type(Person *person, const char *keys)
{
    size_t length = strlen(keys);
    ck_assert_int_eq(write(person->master, keys, length), (ssize_t)length);
}

void person_pastes(Person *person, const char *text)
{
    vterm_keyboard_start_paste(person->vterm);
    person_type(person, text);
    vterm_keyboard_end_paste(person->vterm);
}

enum { LEFT_BUTTON = 1, WHEEL_UP = 4, WHEEL_DOWN = 5 };

static void press_button(Person *person, int row, int column, int button)
{
    vterm_mouse_move(person->vterm, row, column, VTERM_MOD_NONE);
    vterm_mouse_button(person->vterm, button, true, VTERM_MOD_NONE);
    vterm_mouse_button(person->vterm, button, false, VTERM_MOD_NONE);
}

void person_clicks(Person *person, int row, int column)
{
    press_button(person, row, column, LEFT_BUTTON);
}

void person_turns_wheel(Person *person, int row, int column, int wheel)
{
    press_button(person, row, column, wheel < 0 ? WHEEL_UP : WHEEL_DOWN);
}

void person_resize(Person *person, int columns, int rows)
{
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    person->columns = columns;
    person->rows = rows;
    vterm_set_size(person->vterm, rows, columns);
    ck_assert_int_eq(ioctl(person->master, TIOCSWINSZ, &size), 0);
}

pid_t person_program(Person *person)
{
    return tcgetpgrp(person->master);
}

void person_signal(Person *person, int number)
{
    pid_t program = person_program(person);
    ck_assert_int_gt(program, 0);
    ck_assert_int_eq(kill(-program, number), 0);
}

// One poll; false when nothing came.
static bool look(Person *person)
{
    char bytes[4096];
    struct pollfd source = {.fd = person->master, .events = POLLIN};
    if (poll(&source, 1, POLL_MILLISECONDS) <= 0)
        return false;
    ssize_t count = read(person->master, bytes, sizeof bytes);
    if (count <= 0)
        return false;
    vterm_input_write(person->vterm, bytes, (size_t)count);
    size_t room = sizeof person->bytes - 1 - person->length;
    size_t kept = (size_t)count < room ? (size_t)count : room;
    memcpy(person->bytes + person->length, bytes, kept);
    person->length += kept;
    return true;
}

const char *person_sees(Person *person)
{
    static char text[1 << 18];
    size_t length = 0;
    for (int row = 0; row < person->rows; row++) {
        VTermRect line = {.start_row = row, .end_row = row + 1, .end_col = person->columns};
        length +=
            vterm_screen_get_text(person->screen, text + length, sizeof text - length - 2, line);
        text[length++] = '\n';
    }
    text[length] = '\0';
    return text;
}

bool person_comes_to_see(Person *person, const char *text, bool shown)
{
    int polls = 0;
    while ((strstr(person_sees(person), text) != NULL) != shown && polls < POLLS_MAX)
        polls += !look(person);
    return polls < POLLS_MAX;
}

static void wait_until(Person *person, const char *text, bool shown)
{
    ck_assert_msg(person_comes_to_see(person, text, shown),
                  "waited in vain for \"%s\" to %s; the screen is\n%s", text,
                  shown ? "appear" : "go", person_sees(person));
}

void person_waits_for(Person *person, const char *text)
{
    wait_until(person, text, true);
}

void person_waits_for_bytes(Person *person, const char *text)
{
    int polls = 0;
    while (!memmem(person->bytes, person->length, text, strlen(text)) && polls < POLLS_MAX)
        polls += !look(person);
    ck_assert_msg(polls < POLLS_MAX, "waited in vain for \"%s\" to be written", text);
}

void person_waits_until_gone(Person *person, const char *text)
{
    wait_until(person, text, false);
}

void person_watches(Person *person, int polls)
{
    while (polls > 0)
        polls -= !look(person);
}

bool person_has_terminal_back(Person *person)
{
    struct termios now;
    ck_assert_int_eq(tcgetattr(person->slave, &now), 0);
    return now.c_iflag == person->modes.c_iflag && now.c_oflag == person->modes.c_oflag &&
           now.c_cflag == person->modes.c_cflag && now.c_lflag == person->modes.c_lflag &&
           memcmp(now.c_cc, person->modes.c_cc, sizeof now.c_cc) == 0 &&
           !person->alternate_screen && person->cursor_visible && !person->mouse;
}

void person_finds(Person *person, const char *text, int *row, int *column)
{
    const char *screen = person_sees(person), *place = strstr(screen, text);
    ck_assert_msg(place != NULL, "\"%s\" is not on the screen\n%s", text, screen);
    *row = *column = 0;
    for (const char *byte = screen; byte < place; byte++)
        *row += *byte == '\n';
    // columns, not bytes: look for the cell that the text starts with
    const char *start = place;
    while (start > screen && start[-1] != '\n')
        start--;
    for (const char *byte = start; byte < place; byte++)
        *column += (*byte & 0xc0) != 0x80;
}

uint32_t person_sees_at(Person *person, int row, int column, int *columns)
{
    VTermScreenCell cell;
    vterm_screen_get_cell(person->screen, (VTermPos){.row = row, .col = column}, &cell);
    *columns = cell.width;
    return cell.chars[0];
}
