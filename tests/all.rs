//! All tests that use flowcheck from outside, in one binary: it links once, and its modules share their support.

mod support;

mod assumptions;
mod cli;
mod control;
mod encoding;
mod execution;
mod flows;
mod influence;
mod models;
mod places;
mod pointers;
mod policy;
mod random;
mod reading;
mod readme;
mod real;
mod robust;
mod slices;
mod threads;
mod tidy;
