// talking_screen: see talking_screen.h.
#include "talking_screen.h"

#include "suite.h"
#include <string.h>

Cells cells;
const char *screen;

const char *draw_again(void)
{
    screen_show(&it.session, &cells);
    return screen = shown(&cells);
}

const char *draw(int columns, int rows)
{
    ck_assert(cells_resize(&cells, columns, rows, &it.err));
    return draw_again();
}

void say_and_draw(const char *words)
{
    say(words);
    draw_again();
}

bool shows(const char *words)
{
    return strstr(screen, words) != NULL;
}

void expect(const char *words)
{
    ck_assert_msg(shows(words), "no \"%s\" in\n%s", words, screen);
}

void close_screen(void)
{
    cells_finish(&cells);
    close_all();
}
