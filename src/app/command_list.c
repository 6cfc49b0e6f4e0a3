// attnscope list: what there is to look at, one line each.
#include "app.h"

#include <string.h>
#include "scenario_list.h"
#include "utf8.h"

static int run(int argc, char **argv)
{
    AppOptions options;
    if (!app_options(argc, argv, "", &options))
        return APP_MISUSED;
    if (options.wants_help) {
        app_print_command_help(app_find("list"), stdout);
        return app_finish_output();
    }
    if (options.argument_count > 0 && strcmp(options.arguments[0], "scenarios") != 0)
        return app_fail(APP_MISUSED, "list knows 'scenarios', not '%s'", options.arguments[0]);

    Error err = {.text = ""};
    ScenarioList list;
    if (!scenario_list_open(&list, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    int width = 0;
    for (int i = 0; i < list.count; i++)
        width = utf8_width(list.entries[i].name) > width ? utf8_width(list.entries[i].name) : width;
    for (int i = 0; i < list.count; i++) {
        const ScenarioEntry *entry = &list.entries[i];
        printf("%s%*s  %-3s  %s\n", entry->name, width - utf8_width(entry->name), "",
               entry->document ? entry->document : "-", entry->about ? entry->about : "");
    }
    scenario_list_close(&list);
    return app_finish_output();
}

const AppCommand command_list = {
    .name = "list",
    .arguments = "[scenarios]",
    .summary = "the scenarios there are, with the document each comes from",
    .details = "Each line: name, document, what it shows.\n",
    .run = run,
};
