// app_language: who has said which language: the person, or the workspace; see app.h.
#include "app.h"

#include <stdlib.h>

static const char *asked; // by --lang or ATTNSCOPE_LANG
static int own = -1;      // of a workspace; -1: that is not known

void app_language_ask(Language language)
{
    language_choose(language);
    asked = language_name(language);
    setenv("ATTNSCOPE_LANG", asked, 1); // the programs that this one starts speak it, too
}

const char *app_language_asked(void)
{
    return asked;
}

void app_language_own(Language language)
{
    own = (int)language;
    if (!asked)
        language_choose(language);
}

int app_language_of_workspace(void)
{
    return own;
}
