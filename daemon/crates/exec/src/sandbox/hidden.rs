//! The paths that no command may see: the places where programs keep a user's keys.

use std::path::{Path, PathBuf};

pub(crate) const SECRETS: &[&str] = &[
    // Keys, and programs that keep them.
    ".ssh",
    ".gnupg",
    ".age",
    ".config/age",
    ".config/sops",
    ".minisign",
    ".pki",
    ".putty",
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".config/1Password",
    ".config/op",
    ".config/Bitwarden",
    ".config/Bitwarden CLI",
    ".config/keepassxc",
    ".vault-token",
    // Passwords and tokens of machines and services.
    ".netrc",
    ".authinfo",
    ".authinfo.gpg",
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    ".snowsql",
    ".wgetrc",
    ".env",
    ".config/anthropic",
    ".config/configstore",
    ".config/pip/pip.conf",
    ".subversion/auth",
    ".dbt/profiles.yml",
    ".aws",
    ".azure",
    ".oci",
    ".boto",
    ".s3cfg",
    ".databrickscfg",
    ".kube",
    ".docker",
    ".config/containers",
    ".config/gcloud",
    ".config/rclone",
    ".config/doctl",
    ".config/hcloud",
    ".config/heroku",
    ".config/stripe",
    ".config/netlify",
    ".config/.wrangler",
    ".wrangler",
    ".cloudflared",
    ".fly",
    ".kaggle",
    ".terraform.d/credentials.tfrc.json",
    ".terraformrc",
    ".pulumi/credentials.json",
    // Tokens of forges and registries.
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".bunfig.toml",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".bundle/config",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".nuget/NuGet/NuGet.Config",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    ".sbt/.credentials",
    ".ivy2/.credentials",
    // Language models and the programs that work with them: tokens and conversations.
    ".codex",
    ".gemini",
    ".config/github-copilot",
    ".local/share/opencode",
    ".huggingface",
    ".cache/huggingface/token",
    ".cache/huggingface/stored_tokens",
    // Browsers, mail and editors: cookies, sessions, letters.
    ".mozilla",
    ".thunderbird",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/vivaldi",
    ".config/opera",
    ".config/Code",
    ".config/Cursor",
    ".config/JetBrains",
    ".config/Signal",
    ".config/Slack",
    ".config/discord",
    ".config/evolution",
    ".local/share/evolution",
    // Wallets.
    ".bitcoin",
    ".bitmonero",
    ".dashcore",
    ".dogecoin",
    ".electrum",
    ".ethereum",
    ".litecoin",
    ".near-credentials",
    ".walletwasabi",
    ".zcash",
    ".config/Exodus",
    ".config/Ledger Live",
    ".config/atomic",
    ".config/solana",
    ".foundry/keystores",
    // The screen, and histories of typed input.
    ".Xauthority",
    ".ICEauthority",
    ".lesshst",
    ".viminfo",
    ".local/share/fish/fish_history",
    ".local/state/bash/history",
    ".local/state/zsh/history",
    "Library/Keychains",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Firefox",
];

const BEGINNINGS: [&str; 1] = [".claude"];

/// Suffixes of hidden names directly in the home folder. Histories of typed input may hold passwords.
const ENDINGS: [&str; 2] = ["_history", ".kdbx"];

/// Version managers and caches of package managers below the home folder. They are visible also when the rest
/// of the home folder is hidden.
const TOOLS: &[&str] = &[
    ".asdf",
    ".bun",
    ".bundle/cache",
    ".cabal",
    ".cache/ccache",
    ".cache/composer",
    ".cache/deno",
    ".cache/go-build",
    ".cache/ms-playwright",
    ".cache/node",
    ".cache/pip",
    ".cache/pnpm",
    ".cache/puppeteer",
    ".cache/pypoetry",
    ".cache/uv",
    ".cache/yarn",
    ".cargo",
    ".ccache",
    ".composer/cache",
    ".conan2",
    ".conda",
    ".deno",
    ".dotnet",
    ".elan",
    ".fnm",
    ".gem",
    ".ghcup",
    ".goenv",
    ".gradle/caches",
    ".gradle/wrapper",
    ".hex",
    ".ivy2/cache",
    ".jenv",
    ".juliaup",
    ".julia",
    ".local/bin",
    ".local/lib",
    ".local/pipx",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/pipx",
    ".local/share/pnpm",
    ".local/share/uv",
    ".local/share/virtualenvs",
    ".m2/repository",
    ".mix",
    ".nix-profile",
    ".nodenv",
    ".npm",
    ".nuget/packages",
    ".nvm",
    ".opam",
    ".phpenv",
    ".pub-cache",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".rvm",
    ".sdkman",
    ".stack",
    ".swiftly",
    ".virtualenvs",
    ".volta",
    ".yarn",
    "anaconda3",
    "go",
    "mambaforge",
    "miniconda3",
    "miniforge3",
];

/// Files of the system with passwords and keys, which a user may be able to read: root can.
const OF_THE_SYSTEM: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/master.passwd",
    "/etc/krb5.keytab",
    "/etc/ssl/private",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/wireguard",
    "/etc/NetworkManager/system-connections",
    "/var/lib/NetworkManager",
];

const HOST_KEYS: (&str, &str, &str) = ("/etc/ssh", "ssh_host_", "_key");

#[must_use]
pub(crate) fn secrets_of_the_system() -> Vec<PathBuf> {
    let (folder, beginning, ending) = HOST_KEYS;
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let keys = entries.map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        name.starts_with(beginning.as_bytes()) && name.ends_with(ending.as_bytes())
    });
    let known = OF_THE_SYSTEM.iter().map(PathBuf::from);
    known.chain(keys).filter(|path| path.symlink_metadata().is_ok()).collect()
}

/// Returns the secrets of a home folder: those with known names, whether they exist or not, and existing ones
/// whose names have a known prefix or suffix.
#[must_use]
pub fn secrets(home: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(home).into_iter().flatten().flatten();
    let formed = entries.map(|entry| entry.file_name()).filter(|name| {
        let name = name.as_encoded_bytes();
        BEGINNINGS.iter().any(|beginning| name.starts_with(beginning.as_bytes()))
            || ENDINGS.iter().any(|ending| name.ends_with(ending.as_bytes()))
    });
    let known = SECRETS.iter().map(|secret| home.join(secret));
    known.chain(formed.map(|name| home.join(name))).collect()
}

#[must_use]
pub(crate) fn tools(home: &Path) -> Vec<PathBuf> {
    TOOLS.iter().map(|tool| home.join(tool)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_secrets_are_known_by_the_form_of_their_names_too() {
        let home = tempfile::tempdir().unwrap();
        for name in [".claude.json", ".psql_history", ".bashrc"] {
            rustix::fs::mkdir(home.path().join(name), rustix::fs::Mode::RWXU).unwrap();
        }
        let secrets = secrets(home.path());
        let has = |name: &str| secrets.contains(&home.path().join(name));
        assert!(has(".claude.json") && has(".psql_history") && !has(".bashrc"));
        for name in [".wgetrc", ".config/anthropic", ".config/pip/pip.conf", ".bunfig.toml", ".env"] {
            assert!(has(name), "{name}");
        }
        for name in
            [".codex", ".gemini", ".s3cfg", ".Xauthority", ".config/Cursor", ".thunderbird", ".electrum"]
        {
            assert!(has(name), "{name}");
        }
    }

    #[test]
    fn secrets_lie_below_the_home_folder() {
        let secrets = secrets(Path::new("/home/x"));
        assert!(secrets.contains(&PathBuf::from("/home/x/.ssh")));
        assert!(secrets.iter().all(|secret| secret.starts_with("/home/x")));
    }
}
