//! An empty library. Its build script checks the toolchain, and the crates below all others depend on it, so that the check
//! comes before most of a build.
