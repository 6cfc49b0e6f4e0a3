// picture_svg: see picture_svg.h.
#include "picture_svg.h"

#include <stdlib.h>
#include "figure_svg.h"
#include "html_text.h"
#include "words.h"

static const Words no_memory =
    WORDS("no memory for what the picture shows", "그림을 설명할 메모리가 없습니다");

typedef struct Whole {
    const Session *session;
    const DisplayList *list;
} Whole;

static bool write_whole(const void *what, FILE *out, Error *err)
{
    const Whole *whole = what;
    char *about = NULL;
    size_t bytes = 0;
    FILE *words = open_memstream(&about, &bytes);
    if (!words)
        return error_set(err, words_tell(no_memory));
    picture_about(whole->session, words);
    bool told = fclose(words) == 0;
    if (told)
        figure_svg_file(whole->list, picture_tensor_name(whole->session), about, out);
    free(about);
    return told || error_set(err, words_tell(no_memory));
}

bool picture_svg_save(const Session *session, PictureView *view, const char *path, Error *err)
{
    Whole whole = {session, &view->list};
    return picture_view_draw_whole(view, session, err) && html_save(path, write_whole, &whole, err);
}
