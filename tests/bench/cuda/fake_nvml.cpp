// Stands in for NVIDIA's management library: what it answers is made up. $FAKE_NVML: "" works, "no_driver" does not
// start, "power_cap" is held back by that alone. Compiled with FAKE_NVML_BARE it has only what nothing works without;
// with FAKE_NVML_EMPTY not even that.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

extern "C" {

int fake_nvml_starts = 0;  // less the ends

#ifndef FAKE_NVML_EMPTY

int nvmlInit_v2() {
  const char* mood = std::getenv("FAKE_NVML");
  if (mood != nullptr && std::strcmp(mood, "no_driver") == 0) return 9;
  ++fake_nvml_starts;
  return 0;
}
int nvmlShutdown() {
  --fake_nvml_starts;
  return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device) {
  if (std::string(id) != "0000:18:00.0") return 6;
  *device = &fake_nvml_starts;
  return 0;
}

#ifndef FAKE_NVML_BARE

const char* nvmlErrorString(int status) { return status == 9 ? "Driver Not Loaded" : "Not Found"; }
int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  std::snprintf(text, size, "%s", "999.12.34");
  return 0;
}
int nvmlDeviceGetUUID(void*, char* text, unsigned size) {
  std::snprintf(text, size, "%s", "GPU-00000000-1111-2222-3333-444444444444");
  return 0;
}
int nvmlDeviceGetClockInfo(void*, int type, unsigned* megahertz) {
  *megahertz = type == 1 ? 1755 : 2619;
  return 0;
}
int nvmlDeviceGetMaxClockInfo(void*, int type, unsigned* megahertz) {
  *megahertz = type == 1 ? 1980 : 2619;
  return 0;
}
int nvmlDeviceGetApplicationsClock(void*, int type, unsigned* megahertz) {
  *megahertz = type == 1 ? 1410 : 2619;
  return 0;
}
int nvmlDeviceGetDefaultApplicationsClock(void*, int type, unsigned* megahertz) {
  *megahertz = type == 1 ? 1980 : 2619;
  return 0;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 412500;
  return 0;
}
int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
  *milliwatts = 700000;
  return 0;
}
int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) {
  *celsius = 61;
  return 0;
}
// The old name alone: a driver from before the new one.
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  const char* mood = std::getenv("FAKE_NVML");
  *reasons = mood != nullptr && std::strcmp(mood, "power_cap") == 0 ? 0x04 : 0x01 | 0x04 | 0x40;
  return 0;
}
int nvmlDeviceGetEccMode(void*, unsigned* current, unsigned* pending) {
  *current = 1;
  *pending = 0;
  return 0;
}
// Not supported: this kind of device has no MIG.
int nvmlDeviceGetMigMode(void*, unsigned*, unsigned*) { return 3; }

#endif
#endif

}  // extern "C"
