// The sentences about a learner's function (worker_sentences.def), filled in, in both languages.
#ifndef WORKER_SENTENCES_H
#define WORKER_SENTENCES_H

#include "worker.h"

typedef enum WorkerSentence {
#define SENTENCE(name, english, korean) SENTENCE_##name,
#include "worker_sentences.def"
#undef SENTENCE
} WorkerSentence;

// What {0}, {1} and {2} stand for; those that the sentence does not have may be NULL.
typedef struct Given {
    const char *texts[3];
} Given;

// Sets the end and what is said about it; {p} is answer->place. Returns `end`.
WorkerEnd worker_say(WorkerAnswer *answer, WorkerEnd end, WorkerSentence sentence, Given given);

#endif
