#include "sim/rtl/model.h"

#include <dlfcn.h>

#include "isa/support/error.h"

namespace vta::sim {

Model::Model(const std::string& path) : path_(path) {
  library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library_) throw Error(path, "", "", StrCat("cannot be loaded: ", dlerror()));
  const auto find = [&]<typename Function>(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    if (!function) throw Error(path, name, "", "is not in this model");
  };
  VtaModelNew make;
  VtaModelPorts ports;
  find(make, "vta_model_new");
  find(delete_, "vta_model_delete");
  find(ports, "vta_model_ports");
  find(eval_, "vta_model_eval");
  find(edge_, "vta_model_edge");
  find(message_, "vta_model_message");
  find(wave_open_, "vta_model_wave_open");
  find(wave_dump_, "vta_model_wave_dump");
  find(wave_close_, "vta_model_wave_close");
  model_ = make();
  ports_ = ports(model_);
}

Model::~Model() {
  if (model_) {
    CloseWaves();
    delete_(model_);
  }
  if (library_) dlclose(library_);
}

void Model::Fail() const { throw Error("RTL", "cycle", std::to_string(cycle_), message_(model_)); }

void Model::OpenWaves(const std::string& path) {
  if (!wave_open_(model_, path.c_str())) throw Error(path, "", "", "cannot be written");
  waves_ = true;
}

void Model::CloseWaves() {
  if (waves_) wave_close_(model_);
  waves_ = false;
}

}  // namespace vta::sim
