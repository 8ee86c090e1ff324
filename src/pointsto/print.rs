//! What pointers point to, as text: a line for each value that holds a pointer, and for each cell.

use std::fmt::Write;

use super::PointsTo;
use crate::ir::{Function, Operand, Program};

/// All functions that are reached, in order.
pub fn text(points_to: &PointsTo, program: &Program) -> String {
    let mut out = String::new();
    for (func, function, body) in program.bodies() {
        if !points_to.is_reached(func) {
            continue;
        }
        let _ = writeln!(out, "{func} {}:", function.name);
        for block in &body.blocks {
            for value in &block.insts {
                let Some(places) = points_to.of_value(func, *value) else { continue };
                if places.is_empty() {
                    continue;
                }
                let names: Vec<String> = places.iter().map(|p| points_to.objects.place_name(p, program)).collect();
                let variable = body.insts[*value].var.map_or("", |local| body.locals[local].name.as_str());
                let space = if variable.is_empty() { "" } else { " " };
                let _ = writeln!(out, "  {value}{space}{variable} -> {}", names.join(", "));
            }
        }
    }
    out
}

/// The names of what an operand may point to.
pub fn names(points_to: &PointsTo, program: &Program, function: &Function, operand: Operand) -> Vec<String> {
    let func = program.functions.enumerate().find(|(_, f)| std::ptr::eq(*f, function)).map(|(id, _)| id);
    let Some(func) = func else { return Vec::new() };
    points_to.of(func, operand).iter().map(|place| points_to.objects.place_name(place, program)).collect()
}
