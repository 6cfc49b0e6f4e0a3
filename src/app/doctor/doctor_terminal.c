// doctor_terminal: whether the stepper can be shown where the person sits.
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "app.h"
#include "doctor.h"
#include "screen.h"
#include "room.h"
#include "terminal.h"

enum { COLOURS_GOOD = 256 };

static void look_at_type(Doctor *doctor)
{
    enum { FOR_TERMINFO = 256 << 10 };
    const char *type = getenv("TERM");
    if (!room_ahead(FOR_TERMINFO)) {
        doctor_say(doctor, DOCTOR_LACKS, DOCTOR_SAYS_NO_MEMORY);
        return;
    }
    int colours = terminal_knows(type);
    if (colours < 0) {
        doctor_say(doctor, DOCTOR_LACKS, DOCTOR_SAYS_TERM_UNKNOWN, type ? type : "");
        doctor_advise(doctor, DOCTOR_SAYS_TERM_ADVICE);
    } else {
        doctor_say(doctor, colours < COLOURS_GOOD ? DOCTOR_LACKS : DOCTOR_WELL, DOCTOR_SAYS_TERM,
                   type, colours);
        if (colours < COLOURS_GOOD)
            doctor_advise(doctor, DOCTOR_SAYS_TERM_COLOURS_ADVICE);
    }
}

static void look_at_size(Doctor *doctor)
{
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
        doctor_say(doctor, DOCTOR_WELL, DOCTOR_SAYS_NO_TERMINAL);
        return;
    }
    bool fits = size.ws_col >= LAYOUT_COLUMNS_MIN && size.ws_row >= LAYOUT_ROWS_MIN;
    doctor_say(doctor, fits ? DOCTOR_WELL : DOCTOR_LACKS, DOCTOR_SAYS_TERMINAL_SIZE, size.ws_col,
               size.ws_row);
    if (!fits)
        doctor_advise(doctor, DOCTOR_SAYS_TERMINAL_SIZE_ADVICE, LAYOUT_COLUMNS_MIN,
                      LAYOUT_ROWS_MIN);
}

// main has chosen C.UTF-8 where the person's locale says nothing of letters.
static void look_at_letters(Doctor *doctor)
{
    bool is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    const char *chosen = setlocale(LC_CTYPE, NULL);
    if (is_utf8) {
        doctor_say(doctor, DOCTOR_WELL, DOCTOR_SAYS_LETTERS, chosen);
        return;
    }
    doctor_say(doctor, DOCTOR_LACKS, DOCTOR_SAYS_LETTERS_FEW, chosen, nl_langinfo(CODESET));
    doctor_advise(doctor, DOCTOR_SAYS_LETTERS_ADVICE);
}

void doctor_terminal(Doctor *doctor)
{
    look_at_type(doctor);
    look_at_size(doctor);
    look_at_letters(doctor);
}
