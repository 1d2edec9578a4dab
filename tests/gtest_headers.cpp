// Exists so that the test programs share one precompiled gtest (see cmake/layers.cmake).
