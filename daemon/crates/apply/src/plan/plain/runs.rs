//! Files that run by themselves, or configure what runs, beyond those that the policy asks about.
//!
//! A table of names. A change of one is shown first.

const NAMES: &[&str] = &[
    "package.json",
    "cargo.toml",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "requirements.txt",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "gemfile",
    "rakefile",
    "makefile",
    "gnumakefile",
    "justfile",
    "cmakelists.txt",
    "dockerfile",
    "containerfile",
    "docker-compose.yml",
    "docker-compose.yaml",
    "compose.yml",
    "compose.yaml",
    "jenkinsfile",
    "procfile",
    "vagrantfile",
    "build.rs",
    "conftest.py",
    "tox.ini",
    "noxfile.py",
    "pytest.ini",
    "composer.json",
    "deno.json",
    "deno.jsonc",
    "bunfig.toml",
    "pnpm-workspace.yaml",
    "lerna.json",
    "nx.json",
    "turbo.json",
    "tsconfig.json",
    "agents.md",
    "claude.md",
    "gemini.md",
    "copilot-instructions.md",
    "gulpfile.js",
    "gruntfile.js",
    "manage.py",
    "mix.exs",
    "package.swift",
    "podfile",
    "fastfile",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "appveyor.yml",
    "netlify.toml",
    "vercel.json",
    "fly.toml",
    "render.yaml",
    "serverless.yml",
    "cloudbuild.yaml",
    "wrangler.toml",
    "skaffold.yaml",
    "buildspec.yml",
];
const ENDINGS: &[&str] = &[
    ".config.js",
    ".config.ts",
    ".config.mjs",
    ".config.cjs",
    ".config.mts",
    ".csproj",
    ".fsproj",
    ".vcxproj",
    ".sln",
    ".gradle",
    ".mk",
    ".cmake",
    ".service",
    ".timer",
    ".pth",
    ".gemspec",
    ".cabal",
    ".tf",
    ".ipynb",
];

/// Returns true if the file at `path` runs by itself or configures what runs.
pub(super) fn configures(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let is_of_ci = path.starts_with(".github/")
        || path.contains("/.github/")
        || path.starts_with(".circleci/")
        || path.starts_with(".gitlab");
    is_of_ci
        || NAMES.contains(&&*name)
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        || name.starts_with("dockerfile.")
        || name.starts_with("tsconfig.")
}
