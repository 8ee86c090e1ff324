//! Errors in what the user wrote outside C: the command line, `compile_commands.json`, the policy. Shown by `miette`, exit code 2.

use std::sync::Arc;

use miette::{Diagnostic, NamedSource, SourceSpan};

/// The run could not be made.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum UserError {
    /// Nothing in a file is to blame: a missing path, a wrong option.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to do next.
        #[help]
        help: Option<String>,
    },
    /// A place in a file of the user is to blame.
    #[error("{message}")]
    InFile {
        /// What is wrong.
        message: String,
        /// The file; shared, so that a result with this error stays small.
        #[source_code]
        source_code: Arc<NamedSource<String>>,
        /// Where in it.
        #[label("{label}")]
        at: SourceSpan,
        /// The remark at that place.
        label: String,
        /// What to do next.
        #[help]
        help: Option<String>,
    },
}

impl UserError {
    /// An error with advice.
    pub fn usage(message: impl Into<String>, help: impl Into<String>) -> UserError {
        UserError::Usage { message: message.into(), help: Some(help.into()) }
    }
}
