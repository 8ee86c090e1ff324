//! The system dependence graph: what in a program can influence what.

pub mod control;
