#include "storage/place/file_descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace steelyard {
namespace {

int open_null() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }
bool is_open(int number) { return ::fcntl(number, F_GETFD) >= 0; }

TEST(FileDescriptorTest, ClosesWhatItOwnsOnce) {
  const int number = open_null();
  ASSERT_GE(number, 0);
  {
    FileDescriptor first(number);
    const FileDescriptor second(std::move(first));
    EXPECT_FALSE(first);
    EXPECT_TRUE(second);
    EXPECT_EQ(second.number(), number);
    EXPECT_TRUE(first.close()) << "nothing is left to close";
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(FileDescriptorTest, TellsThatClosingFailed) {
  const int number = open_null();
  FileDescriptor descriptor(number);
  ASSERT_EQ(::close(number), 0);
  EXPECT_FALSE(descriptor.close());
  EXPECT_FALSE(descriptor);
}

}  // namespace
}  // namespace steelyard
