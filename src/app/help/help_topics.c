// help_topics: what help tells about beside commands: topics, variables of the environment, what words may
// name. See help_format.h.
#include "help_format.h"

#include "scenario_format.h"

static const HelpVariable variables[] = {
#define HELP_VARIABLE(name, english, korean) {name, WORDS(english, korean)},
#include "help_environment.def"
#undef HELP_VARIABLE
};

static const HelpNames all_names[] = {
    {APP_NAMES_SCENARIO, "scenarios"},
    {APP_NAMES_LECTURE, "lectures"},
    {APP_NAMES_EXERCISE, "exercises"},
    {APP_NAMES_MISTAKE, "mistakes"},
    {APP_NAMES_FILE, NULL},
    {APP_NAMES_FOLDER, NULL},
};

const HelpVariable *help_variable(int number)
{
    return number < (int)(sizeof variables / sizeof *variables) ? &variables[number] : NULL;
}

const HelpNames *help_names(int number)
{
    return number < (int)(sizeof all_names / sizeof *all_names) ? &all_names[number] : NULL;
}

const HelpTopic *help_topic(int number)
{
    static HelpTopic topics[] = {
        {.name = "scenario",
         .about = WORDS("the format of scenario files", "시나리오 파일의 형식")},
        {.name = "formula", .about = WORDS("how formulas are written", "수식을 쓰는 법")},
    };
    topics[0].text = scenario_format; // generated, and so no constants here
    topics[1].text = formula_grammar;
    return number < (int)(sizeof topics / sizeof *topics) ? &topics[number] : NULL;
}
