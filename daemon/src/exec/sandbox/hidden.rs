//! What no command is to see: where programs keep a person's keys, and sockets of services that would act for it.

use std::path::{Component, Path, PathBuf};

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

/// Sockets that have a name, from the text of `/proc/net/unix`: whoever connects to one asks a service outside of
/// the sandbox to act, and a file system that cannot be written to does not prevent that.
#[must_use]
pub fn sockets(listed: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = listed
        .lines()
        .skip(1)
        .filter_map(|line| line.find(" /").map(|at| PathBuf::from(&line[at + 1..])))
        .filter(|path| !path.components().any(|component| component == Component::ParentDir))
        .collect();
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_with_a_path_are_listed() {
        let listed = "Num       RefCount Protocol Flags    Type St Inode Path\n\
            0000: 00000003 00000000 00000000 0001 03 123\n\
            0000: 00000002 00000000 00010000 0001 01 124 /run/user/0/bus\n\
            0000: 00000002 00000000 00010000 0001 01 125 @/tmp/abstract\n\
            0000: 00000002 00000000 00010000 0001 01 126 /run/with a space\n\
            0000: 00000003 00000000 00000000 0001 03 127 /run/user/0/bus\n";
        assert_eq!(sockets(listed), ["/run/user/0/bus", "/run/with a space"].map(PathBuf::from));
        assert_eq!(sockets(""), Vec::<PathBuf>::new());
    }

    #[test]
    fn secrets_lie_below_the_home_folder() {
        let secrets = secrets(Path::new("/home/x"));
        assert!(secrets.contains(&PathBuf::from("/home/x/.ssh")));
        assert!(secrets.iter().all(|secret| secret.starts_with("/home/x")));
    }
}
