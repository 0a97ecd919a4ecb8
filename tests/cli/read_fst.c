// Prints the first and the last time of an FST file, then the value changes of signals: name, time, value a line.
//   read_fst FILE.fst SIGNAL...
#include <stdio.h>
#include <string.h>

#include "fstapi.h"

static char** wanted;
static int count;
static fstHandle handles[16];

static void Print(void* user, uint64_t time, fstHandle handle, const unsigned char* value) {
  for (int i = 0; i < count; ++i)
    if (handles[i] == handle) printf("%s %llu %s\n", wanted[i], (unsigned long long)time, value);
}

int main(int argc, char** argv) {
  wanted = argv + 2;
  count = argc - 2;
  void* file = argc < 3 || count > 16 ? NULL : fstReaderOpen(argv[1]);
  if (!file) {
    fprintf(stderr, "read_fst: cannot read\n");
    return 1;
  }
  struct fstHier* node;
  while ((node = fstReaderIterateHier(file))) {
    if (node->htyp == FST_HT_SCOPE)
      fstReaderPushScope(file, node->u.scope.name, NULL);
    else if (node->htyp == FST_HT_UPSCOPE)
      fstReaderPopScope(file);
    if (node->htyp != FST_HT_VAR) continue;
    char name[1024];
    const char* scope = fstReaderGetCurrentFlatScope(file);
    snprintf(name, sizeof name, "%s.%s", scope ? scope : "", node->u.var.name);
    for (char* c = name; *c; ++c)
      if (*c == ' ') memmove(c, c + 1, strlen(c)), --c;
    for (int i = 0; i < count; ++i)
      if (strcmp(name, wanted[i]) == 0) handles[i] = node->u.var.handle;
  }
  for (int i = 0; i < count; ++i)
    if (!handles[i]) {
      fprintf(stderr, "read_fst: no signal %s\n", wanted[i]);
      return 1;
    }
  printf("%llu %llu\n", (unsigned long long)fstReaderGetStartTime(file), (unsigned long long)fstReaderGetEndTime(file));
  fstReaderSetFacProcessMaskAll(file);
  fstReaderIterBlocks(file, Print, NULL, NULL);
  fstReaderClose(file);
  return 0;
}
