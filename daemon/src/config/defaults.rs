//! The lists of globs and texts that hold when nobody says otherwise, in one place. Strings only: what a glob
//! matches is decided where it is compiled. A glob without a slash is a name, in whichever folder; one that
//! begins with `**/` matches in every folder; one that begins with `/` is absolute; others begin at the root.

/// Who commits are by (`git.author`).
pub const GIT_AUTHOR: &str = "clada";

/// What a commit says (`git.commit_message_format`).
pub const GIT_MESSAGE: &str = "AI: {operation_summary}";

/// Paths that an answer may not name (`denied`), besides `.git` and `.clada`, which nothing lifts.
pub const DENIED: &[&str] = &[
    "**/.ssh/**",
    "/etc/**",
    // What /etc is on macOS, once its link is followed.
    "/private/etc/**",
    "/sys/**",
    "/proc/**",
];

/// Files whose content is held back (`secrets.globs`).
pub const SECRETS: &[&str] =
    &[".env*", "*.pem", "*.key", "id_rsa*", "id_ed25519*", "*.tfstate", ".npmrc", ".netrc", "*.kdbx"];

/// Folders that `embed` does not go into (`embed.excluded_directories`).
pub const EMBED_DIRECTORIES: &[&str] = &[".git", "node_modules", "target", ".venv", "__pycache__"];

/// Endings of files that `embed` leaves out (`embed.excluded_extensions`).
pub const EMBED_EXTENSIONS: &[&str] = &["exe", "bin", "so", "dylib", "dll", "o", "a"];

/// Files that run by themselves (`ask`): whoever writes one has a command run without anybody starting it,
/// so writing one needs approval as a command does.
///
/// The line is drawn at *by themselves*: when a folder is opened, entered or checked out, when any ordinary
/// tool starts in it, or when it is pushed. A `Makefile`, a `build.rs`, a `package.json` or a test is run on
/// purpose by somebody who knows that it is code; asking for each would only teach people to say yes.
pub const ASK: &[&str] = &[
    // The editor runs tasks when the folder is opened (`runOn: folderOpen`).
    ".vscode/tasks.json",
    // The shell runs it when the folder is entered.
    ".envrc",
    // git runs them at every commit, checkout or push.
    ".husky/**",
    // The forge runs them, with its secrets, as soon as they are pushed.
    ".github/workflows/**",
    // `build.rustc-wrapper`, `target.*.runner` and aliases: run by every cargo call, and editors call cargo.
    ".cargo/config.toml",
    // The same, in folders below the root: a part of a repository is opened by itself often enough, and the root
    // may hold several. Workflows call actions by path.
    "**/.vscode/tasks.json",
    "**/.husky/**",
    "**/.cargo/config.toml",
    "**/.github/workflows/**",
    "**/.github/actions/**",
    // The same file under its old name.
    "**/.cargo/config",
    // Can point the editor at a program of the tree (git.path, language servers, terminal profiles).
    "**/.vscode/settings.json",
    // One key starts it, and its `preLaunchTask` is any command: nobody reads it before pressing.
    "**/.vscode/launch.json",
    // Starts tool servers.
    "**/.vscode/mcp.json",
    // A workspace file holds tasks, settings and launches in one.
    "*.code-workspace",
    // Startup tasks, file watchers and run configurations of the JetBrains editors.
    "**/.idea/**",
    // Other editors and debuggers: read, and in part run, when a file or the folder is opened.
    "**/.zed/**",
    "**/.helix/**",
    ".nvim.lua",
    ".nvimrc",
    ".vimrc",
    ".exrc",
    ".dir-locals.el",
    ".gdbinit",
    ".lldbinit",
    // `initializeCommand` runs on the machine itself, not in the container, when the folder is opened.
    "**/.devcontainer/**",
    ".devcontainer.json",
    // Coding agents run hooks and start tool servers from these when they open the folder.
    "**/.claude/**",
    "**/.cursor/**",
    "**/.gemini/**",
    ".mcp.json",
    // Tool managers that hook into the shell as direnv does.
    "mise.toml",
    ".mise.toml",
    // Shells and git read these when the root is a home folder, or the folder of somebody's dotfiles.
    ".bashrc",
    ".bash_profile",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".gitconfig",
    // Names repositories that git fetches and checks out by itself.
    ".gitmodules",
    // Hooks of git under other names.
    "**/.githooks/**",
    ".pre-commit-config.yaml",
    "lefthook.y*ml",
    ".lefthook.y*ml",
    // Continuous integration elsewhere: runs, with secrets, when pushed.
    ".gitlab-ci.yml",
    "**/.circleci/**",
    "**/.gitea/workflows/**",
    "**/.forgejo/workflows/**",
    "**/.woodpecker/**",
    ".woodpecker.yml",
    "**/.buildkite/**",
    ".drone.yml",
    ".travis.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "Jenkinsfile",
    // A toolchain may be a path, and its programs then stand for cargo and rustc.
    "rust-toolchain",
    "rust-toolchain.toml",
    // Package managers load these programs at every call, and editors call package managers.
    ".yarnrc",
    ".yarnrc.yml",
    "**/.yarn/**",
    ".pnpmfile.cjs",
    "**/.mvn/**",
    "**/gradle/wrapper/**",
    // Python imports these whenever it starts with the folder on its path.
    "sitecustomize.py",
    "usercustomize.py",
];
