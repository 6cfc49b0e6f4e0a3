%:include "linked.c"
