//! All tests that use flowcheck from outside, in one binary: it links once, and its modules share their support.

mod support;

mod assumptions;
mod check;
mod cli;
mod cli_check;
mod control;
mod displayed;
mod encoding;
mod examples;
mod execution;
mod flows;
mod influence;
mod models;
mod oracle;
mod places;
mod pointers;
mod policy;
mod random;
mod ranges;
mod reading;
mod readme;
mod real;
mod robust;
mod slices;
mod threads;
mod tidy;
mod verdicts;
