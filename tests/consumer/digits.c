/* Runs the demo's network from C on all of its images, and compares the scores with expected ones.
 * usage: digits PACKAGE IMAGES EXPECTED */
#include <stdio.h>
#include <string.h>

#include "runtime/c/vta.h"

enum { kPixels = 64, kDigits = 10 };

static int Fail(const vta_error *error) {
  fprintf(stderr, "%s\n", error->message);
  return 1;
}

int main(int argc, char **argv) {
  vta_error error;
  vta_model *model;
  vta_session *session;
  float image[kPixels], scores[kDigits], expected[kDigits];
  unsigned char pixels[kPixels];
  int images = 0, equal = 0;
  FILE *input, *reference;

  if (argc != 4) return 2;
  if (vta_model_load(argv[1], &model, &error) != VTA_OK) return Fail(&error);
  const char *device = vta_model_needs_device(model) ? VTA_FUNCTIONAL : NULL;
  if (vta_session_create(model, device, 0, &session, &error) != VTA_OK) return Fail(&error);

  input = fopen(argv[2], "rb");
  reference = fopen(argv[3], "rb");
  if (!input || !reference) return 2;
  while (fread(pixels, 1, kPixels, input) == kPixels) {
    for (int i = 0; i < kPixels; ++i) image[i] = (float)pixels[i] * 0.0625f;
    if (vta_set_input(session, 0, image, sizeof image, &error) != VTA_OK ||
        vta_run(session, &error) != VTA_OK ||
        vta_get_output(session, 0, scores, sizeof scores, &error) != VTA_OK)
      return Fail(&error);
    if (fread(expected, sizeof *expected, kDigits, reference) != kDigits) return 2;
    equal += memcmp(scores, expected, sizeof scores) == 0;
    ++images;
  }
  fclose(input);
  fclose(reference);
  vta_session_free(session);
  vta_model_free(model);
  printf("%d of %d equal\n", equal, images);
  return equal == images ? 0 : 1;
}
