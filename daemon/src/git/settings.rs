//! What a person chooses about git.

/// Where commits go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum GitMode {
    /// On the branch that is checked out.
    #[default]
    Branch,
    /// On `refs/clada/…`, beside the branch.
    Refs,
    /// Nowhere.
    Off,
}

/// What is committed before an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum GitBefore {
    /// The files that it will change, if they are dirty.
    #[default]
    Touched,
    /// Everything that is dirty.
    All,
}
