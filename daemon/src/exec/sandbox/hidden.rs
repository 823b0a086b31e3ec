//! What no command is to see: where programs keep a person's keys.

use std::path::{Path, PathBuf};

/// Below the home folder: keys, passwords, tokens and cookies.
pub const SECRETS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".password-store",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".pgpass",
    ".my.cnf",
    ".vault-token",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".terraform.d/credentials.tfrc.json",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".config/gcloud",
    ".config/git/credentials",
    ".config/op",
    ".config/rclone",
    ".config/containers",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".mozilla",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    "Library/Keychains",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Firefox",
];

/// The secrets of a home folder, whether they are there or not.
#[must_use]
pub fn secrets(home: &Path) -> Vec<PathBuf> {
    SECRETS.iter().map(|secret| home.join(secret)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_lie_below_the_home_folder() {
        let secrets = secrets(Path::new("/home/x"));
        assert!(secrets.contains(&PathBuf::from("/home/x/.ssh")));
        assert!(secrets.iter().all(|secret| secret.starts_with("/home/x")));
    }
}
