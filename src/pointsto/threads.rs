//! What runs beside the program gets its arguments from nobody that is known.

use super::bodies::Analysis;
use super::solver::VarId;
use crate::ir::Operand;

impl Analysis<'_> {
    /// Pointers among the parameters of what runs beside the program are from outside.
    pub(super) fn threads(&mut self) {
        let (program, options) = (self.program, self.options);
        let outside = self.outside();
        for func in &options.threads {
            let Some(body) = super::body_of(program, self.models, *func) else { continue };
            for param in &body.params {
                let ty = body.insts[*param].ty;
                let holds = program.types.pointee(ty).is_some() || program.types.is_aggregate(ty);
                if holds && let Some((var, count)) = self.operand(*func, Operand::Value(*param)) {
                    (0..count).for_each(|i| self.solver.add(VarId(var.0 + i), outside));
                }
            }
        }
    }
}
