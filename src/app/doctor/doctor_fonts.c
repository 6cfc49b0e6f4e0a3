// doctor_fonts: draws a picture as --png does, once with Latin letters and once with Korean ones. The
// program that draws it says which letter no font has.
#include "display_list.h"
#include "doctor.h"
#include "window.h"
#include "app_words.h"

typedef enum Drawn { DRAWN, DRAWN_WITHOUT_LETTERS, NOT_DRAWN } Drawn;

// Waits until the picture is in its file.
static Drawn wait_for(Window *window, Error *err)
{
    Drawn drawn = DRAWN;
    WindowEvent event;
    while (window_wait(window, -1))
        while (window_next(window, &event)) {
            if (event.kind == WINDOW_SAVED)
                return drawn;
            if (event.kind == WINDOW_NOTE)
                drawn = DRAWN_WITHOUT_LETTERS;
            if (event.kind == WINDOW_FAILED || event.kind == WINDOW_LOST) {
                error_set(err, "%s", event.word);
                return NOT_DRAWN;
            }
        }
    error_set(err, TELL(FONTS_NO_PICTURE));
    return NOT_DRAWN;
}

static Drawn draw(const char *letters, const char *path, Error *err)
{
    Window window;
    DisplayList list = {.width = 0};
    if (!window_open_unseen(&window, err))
        return NOT_DRAWN;
    display_list_clear(&list, 200, 60, 0xffffff);
    display_text(&list, (DisplayItem){.x = 10, .y = 30, .size = 24, .alpha = 255}, letters);
    Drawn drawn = window_save(&window, &list, path) ? wait_for(&window, err) : NOT_DRAWN;
    display_list_finish(&list);
    window_close(&window);
    return drawn;
}

static void tell(Doctor *doctor, Drawn drawn, DoctorWord there, DoctorWord missing,
                 const Error *err)
{
    if (drawn == DRAWN)
        doctor_say(doctor, DOCTOR_WELL, there);
    else if (drawn == DRAWN_WITHOUT_LETTERS)
        doctor_say(doctor, DOCTOR_LACKS, missing);
    else
        doctor_say_error(doctor, DOCTOR_ILL, err);
    if (drawn == DRAWN_WITHOUT_LETTERS)
        doctor_advise(doctor, DOCTOR_SAYS_FONT_ADVICE);
}

void doctor_fonts(Doctor *doctor)
{
    Temporary folder;
    Error err = {.text = ""};
    if (!judging_folder(&folder, &err)) {
        doctor_say_error(doctor, DOCTOR_ILL, &err);
        return;
    }
    const char *path = arena_format(&doctor->arena, &err, "%s/picture.png", folder.path);
    Drawn latin = path ? draw("attention 0.25", path, &err) : NOT_DRAWN;
    tell(doctor, latin, DOCTOR_SAYS_FONT_LATIN, DOCTOR_SAYS_FONT_NO_LATIN, &err);
    if (latin != NOT_DRAWN)
        tell(doctor, draw("어텐션", path, &err), DOCTOR_SAYS_FONT_KOREAN,
             DOCTOR_SAYS_FONT_NO_KOREAN, &err);
    temporary_drop(&folder);
}
