// What a library says of a failure, for a sentence in the person's language.
#ifndef LIBRARY_TEXT_H
#define LIBRARY_TEXT_H

// "did not find expected key"; "'이름:'이 있어야 할 곳입니다", as library_words.def has it. What is not
// in that list is quoted, so that no sentence goes over into another language: libyaml이 이렇게 말합니다:
// "...". It lasts until the same thread asks again.
const char *library_text(const char *library, const char *said);

#endif
