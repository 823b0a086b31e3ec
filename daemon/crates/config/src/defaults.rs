//! The default lists of globs and texts, in one place. Strings only: the code that compiles a glob decides
//! what it matches. A glob without a slash is a name in any folder; one that begins with `**/` matches in
//! every folder; one that begins with `/` is absolute; others begin at the root.

/// The author of commits (`git.author`).
pub(crate) const GIT_AUTHOR: &str = "clada";

/// The message of a commit (`git.commit_message_format`).
pub(crate) const GIT_MESSAGE: &str = "AI: {operation_summary}";

/// Paths that an answer may not name (`denied`), besides `.git` and `.clada`, which no setting allows.
pub const DENIED: &[&str] = &[
    "**/.ssh/**",
    "/etc/**",
    // The target of macOS's link `/etc`.
    "/private/etc/**",
    "/sys/**",
    "/proc/**",
];

/// Files whose content is never shown to a model (`secrets.globs`).
pub const SECRETS: &[&str] =
    &[".env*", "*.pem", "*.key", "id_rsa*", "id_ed25519*", "*.tfstate", ".npmrc", ".netrc", "*.kdbx"];

/// Folders that `embed` does not enter (`embed.excluded_directories`).
pub(crate) const EMBED_DIRECTORIES: &[&str] = &[".git", "node_modules", "target", ".venv", "__pycache__"];

/// Extensions of files that `embed` leaves out (`embed.excluded_extensions`).
pub(crate) const EMBED_EXTENSIONS: &[&str] = &["exe", "bin", "so", "dylib", "dll", "o", "a"];

/// Files that run by themselves (`ask`), each with the reason in one sentence. To write one is to have a
/// command run without anybody starting it, so writing one needs approval as a command does.
///
/// The line is drawn at *by themselves*: when a folder is opened, entered or checked out, when any ordinary
/// tool starts in it, or when it is pushed. A `Makefile`, a `build.rs`, a `package.json` or a test is run on
/// purpose by users who know that it is code; asking for each would only teach them to say yes. Files that
/// run something only if they contain certain words are recognised by their texts: `fs::keyed`.
pub const ASK: &[(&str, &str)] = &[
    (".vscode/tasks.json", "the editor may run its tasks as soon as the folder is opened"),
    ("**/.vscode/tasks.json", "the editor may run its tasks as soon as the folder is opened"),
    (".envrc", "direnv runs it in a shell that enters the folder"),
    (".husky/**", "git runs what is in it at commits, checkouts and pushes"),
    ("**/.husky/**", "git runs what is in it at commits, checkouts and pushes"),
    (".github/workflows/**", "GitHub runs it, with the repository's secrets, as soon as it is pushed"),
    ("**/.github/workflows/**", "GitHub runs it, with the repository's secrets, as soon as it is pushed"),
    ("**/.github/actions/**", "workflows run it, with the repository's secrets, as soon as it is pushed"),
    (".cargo/config.toml", "it can name programs that every call of cargo runs, the editor's included"),
    ("**/.cargo/config.toml", "it can name programs that every call of cargo runs, the editor's included"),
    ("**/.cargo/config", "it can name programs that every call of cargo runs, the editor's included"),
    (
        "**/.vscode/settings.json",
        "it can make the editor run programs of the project, such as its git or a language server",
    ),
    (
        "**/.vscode/launch.json",
        "one key in the editor runs the command that it names, and nobody reads it before",
    ),
    ("**/.vscode/mcp.json", "the editor starts the tool servers that it names"),
    ("*.code-workspace", "the editor may run its tasks as soon as the workspace is opened"),
    ("**/.idea/**", "JetBrains editors run startup tasks and file watchers from it"),
    ("**/.zed/**", "the Zed editor takes language servers and tasks from it"),
    ("**/.helix/**", "the Helix editor takes language servers from it"),
    (".nvim.lua", "Neovim may run it when it starts in the folder"),
    (".nvimrc", "Neovim may run it when it starts in the folder"),
    (".vimrc", "Vim may run it when it starts in the folder"),
    (".lvimrc", "Vim's local settings are run from it when a file beside it is opened"),
    (".exrc", "vi may run it when it starts in the folder"),
    (".dir-locals.el", "Emacs evaluates it when a file beside it is opened"),
    (".gdbinit", "gdb runs it when it starts in the folder"),
    (".lldbinit", "lldb runs it when it starts in the folder"),
    (
        "**/.devcontainer/**",
        "opening the folder can run its `initializeCommand` on this machine, outside of the container",
    ),
    (
        ".devcontainer.json",
        "opening the folder can run its `initializeCommand` on this machine, outside of the container",
    ),
    ("**/.claude/**", "Claude Code runs hooks and starts tool servers from it"),
    ("**/.cursor/**", "Cursor runs hooks and starts tool servers from it"),
    ("**/.gemini/**", "Gemini CLI runs hooks and starts tool servers from it"),
    ("**/.codex/**", "Codex takes what it may run unasked, and tool servers, from it"),
    ("opencode.json", "opencode starts tool servers from it and takes from it what it may run unasked"),
    ("opencode.jsonc", "opencode starts tool servers from it and takes from it what it may run unasked"),
    (".mcp.json", "coding agents start the tool servers that it names"),
    ("mise.toml", "mise runs hooks and sets variables from it in a shell that enters the folder"),
    (".mise.toml", "mise runs hooks and sets variables from it in a shell that enters the folder"),
    (".bashrc", "a shell runs it when it starts, if the folder is a home folder"),
    (".bash_profile", "a shell runs it when it starts, if the folder is a home folder"),
    (".profile", "a shell runs it when it starts, if the folder is a home folder"),
    (".zshrc", "zsh runs it when it starts, if the folder is a home folder"),
    (".zshenv", "zsh runs it when it starts, if the folder is a home folder"),
    (".zprofile", "zsh runs it when it starts, if the folder is a home folder"),
    (".gitconfig", "it can name programs that git runs, if the folder is a home folder"),
    ("**/.hg/hgrc", "it can name hooks and extensions that every call of Mercurial runs"),
    (".gitmodules", "it names repositories that git fetches and checks out by itself"),
    ("**/.githooks/**", "git runs what is in it, if it is named as the folder of hooks"),
    (".pre-commit-config.yaml", "pre-commit runs what it names at every commit"),
    ("lefthook.y*ml", "lefthook runs what it names at commits and pushes"),
    (".lefthook.y*ml", "lefthook runs what it names at commits and pushes"),
    (".gitlab-ci.yml", "GitLab runs it, with secrets, as soon as it is pushed"),
    ("**/.circleci/**", "CircleCI runs it, with secrets, as soon as it is pushed"),
    ("**/.gitea/workflows/**", "Gitea runs it, with secrets, as soon as it is pushed"),
    ("**/.forgejo/workflows/**", "Forgejo runs it, with secrets, as soon as it is pushed"),
    ("**/.woodpecker/**", "Woodpecker runs it, with secrets, as soon as it is pushed"),
    (".woodpecker.yml", "Woodpecker runs it, with secrets, as soon as it is pushed"),
    ("**/.buildkite/**", "Buildkite runs it, with secrets, as soon as it is pushed"),
    (".drone.yml", "Drone runs it, with secrets, as soon as it is pushed"),
    (".travis.yml", "Travis CI runs it, with secrets, as soon as it is pushed"),
    ("azure-pipelines.yml", "Azure Pipelines run it, with secrets, as soon as it is pushed"),
    ("bitbucket-pipelines.yml", "Bitbucket runs it, with secrets, as soon as it is pushed"),
    ("Jenkinsfile", "Jenkins runs it, with secrets, as soon as it is pushed"),
    ("rust-toolchain", "it can name a folder whose programs then stand for cargo and rustc"),
    ("rust-toolchain.toml", "it can name a folder whose programs then stand for cargo and rustc"),
    (".bazelrc", "every call of bazel takes options from it, which can name programs to run"),
    (
        "**/.bundle/config",
        "every call of bundler obeys it, and it can name where programs and gems come from",
    ),
    (".yarnrc", "it can name a program that every call of yarn runs, the editor's included"),
    (".yarnrc.yml", "it can name a program that every call of yarn runs, the editor's included"),
    ("**/.yarn/**", "every call of yarn runs the release and the plugins in it"),
    (".pnpmfile.cjs", "every call of pnpm runs it"),
    ("**/.mvn/**", "every call of Maven loads the extensions that it names"),
    ("**/gradle/wrapper/**", "`gradlew` runs what is in it, and the editor calls that"),
    ("sitecustomize.py", "Python runs it whenever it starts with the folder on its path"),
    ("usercustomize.py", "Python runs it whenever it starts with the folder on its path"),
];

/// Returns the reason for which a file that `glob` matches needs approval; `None` for
/// a glob of the user's own.
#[must_use]
pub fn why_asked(glob: &str) -> Option<&'static str> {
    ASK.iter().find(|(known, _)| *known == glob).map(|(_, why)| *why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_glob_that_is_asked_about_has_one_reason() {
        for (index, (glob, why)) in ASK.iter().enumerate() {
            assert!(!why.is_empty() && !why.ends_with('.') && !why.contains('\n'), "{glob}");
            assert!(ASK[..index].iter().all(|(other, _)| other != glob), "{glob} stands twice");
        }
    }
}
