// Detectors of one stage: YOLOv8 (Jocher et al.), its nano form.
#pragma once

#include "compiler/models/network_builder.h"

namespace vta::compiler {

/// 320x320, 80 classes: 2,100 places with a box and a score for each class.
void BuildYolov8n(NetworkBuilder& builder);

}  // namespace vta::compiler
