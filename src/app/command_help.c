// attnscope help: the commands, one command, or a topic; also as a manual page, or as what a shell
// needs to complete words.
#include "app.h"

#include <string.h>
#include "help_format.h"
#include "app_words.h"

// The page that is asked for. False after a sentence.
static bool find_page(const AppOptions *options, HelpPage *page)
{
    const char *name = options->argument_count > 0 ? options->arguments[0] : NULL;
    *page = (HelpPage){NULL, NULL};
    if (!name)
        return true;
    for (int i = 0; help_topic(i); i++)
        if (strcmp(help_topic(i)->name, name) == 0)
            page->topic = help_topic(i);
    if (!page->topic)
        page->command = app_find(name);
    return page->topic || page->command;
}

static void print_text(const HelpPage *page)
{
    if (page->topic)
        fputs(words_tell(page->topic->text), stdout);
    else if (page->command)
        app_print_command_help(page->command, stdout);
    else
        app_print_help(true, stdout);
}

static int run(AppOptions *options)
{
    HelpPage page;
    if (!find_page(options, &page))
        return APP_MISUSED;
    const HelpFormat *format = options->format ? help_format(options->format) : NULL;
    if (options->format && !format)
        return app_fail(APP_MISUSED, TELL(HELP_FORMAT), command_help.formats, options->format);
    if (format && !format->has_pages && (page.command || page.topic))
        return app_fail(APP_MISUSED, TELL(HELP_ALL), format->name, format->name);
    if (format)
        format->print(&page, stdout);
    else
        print_text(&page);
    return APP_DONE;
}

static const Words forms[] = {
#define HELP_FORMAT(x, english, korean) WORDS(#x "\n" english, #x "\n" korean),
#include "help_formats.def"
#undef HELP_FORMAT
};

static const AppList lists[] = {APP_LIST("formats", forms), {.name = NULL}};

const AppCommand command_help = {
    .name = "help",
    .arguments = "[COMMAND|scenario|formula] [--format F]",
    .summary = WORDS("Explain a command; 'help scenario' explains scenario files",
                     "명령에 대한 설명. 'help scenario'는 시나리오 파일의 형식입니다"),
    .details = WORDS("attnscope help scenario   how to write a scenario\n"
                     "attnscope help formula    how to write a formula\n"
                     "  --format F     print the help in another format:\n"
                     "@formats\n",
                     "attnscope help scenario   시나리오를 직접 쓰는 방법\n"
                     "attnscope help formula    수식을 쓰는 방법\n"
                     "  --format F     다른 형식의 설명:\n"
                     "@formats\n"),
    .lists = lists,
    .options = "format",
    .words = "scenario formula",
    .names = APP_NAMES_COMMAND,
    .formats = ""
#define HELP_FORMAT(x, ...) #x " "
#include "help_formats.def"
#undef HELP_FORMAT
    ,
    .run = run,
};
