//! Helpers of the tests.

pub mod crates;
pub mod guests;
pub mod http;
pub mod layers;
pub mod names;
pub mod pages;
pub mod registry;
pub mod reply;
pub mod schema;
pub mod terminal;
pub mod texts;
pub mod tls;
pub mod world;
