//! Builds the configuration of a private folder: the harmless keys of the user's and the
//! project's, and nothing else.
//!
//! A key is harmless if its value neither runs nor reads anything: it determines how git compares
//! files and how it shows results. Files that a repository's configuration includes are left out,
//! since they may lie anywhere.

use std::path::Path;

use clada_fs::{Symlinks, read_regular};

use super::region::{Located, text_of};
use super::unfit::Unfit;
use crate::user_gitignore::{ConfigEntry, GitUser, entries, entries_of, file_of};

const MAX_CONFIG: u64 = 1 << 20;

/// Extensions of the repository format under which git's files are understood: those that say how to read
/// them, and those that make no difference to reading.
const EXTENSIONS: &[&str] = &[
    "noop",
    "noop-v1",
    "objectformat",
    "partialclone",
    "preciousobjects",
    "refstorage",
    "relativeworktrees",
    "worktreeconfig",
];

/// Harmless keys without a subsection, by section; `*` is the whole section.
const PLAIN: &[(&str, &[&str])] = &[
    (
        "core",
        &[
            "abbrev",
            "autocrlf",
            "bigfilethreshold",
            "checkstat",
            "commentchar",
            "commitgraph",
            "eol",
            "filemode",
            "ignorecase",
            "multipackindex",
            "notesref",
            "precomposeunicode",
            "preloadindex",
            "quotepath",
            "safecrlf",
            "sparsecheckout",
            "sparsecheckoutcone",
            "symlinks",
            "trustctime",
            "usereplacerefs",
            "warnambiguousrefs",
            "whitespace",
        ],
    ),
    ("advice", &["*"]),
    ("branch", &["sort"]),
    ("column", &["*"]),
    (
        "diff",
        &[
            "algorithm",
            "autorefreshindex",
            "colormoved",
            "context",
            "dirstat",
            "dstprefix",
            "indentheuristic",
            "interhunkcontext",
            "mnemonicprefix",
            "noprefix",
            "relative",
            "renamelimit",
            "renames",
            "srcprefix",
            "statgraphwidth",
            "statnamewidth",
            "suppressblankempty",
            "wordregex",
            "wserrorhighlight",
        ],
    ),
    ("format", &["pretty"]),
    ("i18n", &["*"]),
    ("index", &["sparse"]),
    (
        "log",
        &[
            "abbrevcommit",
            "date",
            "decorate",
            "diffmerges",
            "excludedecoration",
            "follow",
            "graphcolors",
            "initialdecorationset",
            "mailmap",
            "showroot",
        ],
    ),
    ("notes", &["displayref"]),
    ("pretty", &["*"]),
    ("push", &["default"]),
    ("remote", &["pushdefault"]),
    ("status", &["*"]),
    ("versionsort", &["*"]),
];

/// Harmless keys with a subsection: upstreams, and the patterns by which a driver finds words and headings.
const NAMED: &[(&str, &[&str])] = &[
    ("branch", &["merge", "pushremote", "rebase", "remote"]),
    ("diff", &["algorithm", "binary", "funcname", "wordregex", "xfuncname"]),
    ("remote", &["fetch", "push"]),
];

#[derive(Debug, Default)]
pub(super) struct KeptConfig {
    pub(super) text: String,
    pub(super) is_bare: bool,
    pub(super) excludes: Option<Vec<u8>>,
    pub(super) attributes: Option<Vec<u8>>,
}

impl KeptConfig {
    pub(super) fn read(located: &Located, user: Option<&GitUser>) -> Result<KeptConfig, Unfit> {
        let own = of_project(located)?;
        let user_entries = user.map(|user| entries_of(user, &located.own)).unwrap_or_default();
        let format = last(&own, "extensions", "objectformat").and_then(|entry| entry.value.clone());
        let mut kept_config = KeptConfig {
            is_bare: !located.is_linked() && last(&own, "core", "bare").is_some_and(says_yes),
            ..KeptConfig::default()
        };
        kept_config.section("core", None);
        kept_config.key("repositoryFormatVersion", Some(if format.is_some() { "1" } else { "0" }));
        kept_config.key("bare", Some(if kept_config.is_bare { "true" } else { "false" }));
        if let Some(format) = &format {
            kept_config.section("extensions", None);
            kept_config.key("objectFormat", Some(format));
        }
        for entry in user_entries.iter().chain(&own).filter(|entry| is_harmless(entry)) {
            kept_config.section(&entry.section, entry.subsection.as_deref());
            kept_config.key(&entry.key, entry.value.as_deref());
        }
        if let Some(user) = user {
            // An empty name means no list, as in git; no name means git's default place.
            let list = |key: &str, default: &str| {
                let named = last(&user_entries, "core", key).and_then(|entry| entry.value.as_deref());
                let file = match named {
                    Some("") => return None,
                    Some(named) => file_of(user, named, &located.top),
                    None => user.configuration.join("git").join(default),
                };
                read_regular(&file, Symlinks::Follow, MAX_CONFIG).ok()
            };
            kept_config.excludes = list("excludesfile", "ignore");
            kept_config.attributes = list("attributesfile", "attributes");
        }
        Ok(kept_config)
    }

    pub(super) fn name_list(&mut self, key: &str, file: &Path) {
        self.section("core", None);
        self.key(key, Some(&file.to_string_lossy()));
    }

    fn section(&mut self, name: &str, subsection: Option<&str>) {
        let header = match subsection {
            None => format!("[{name}]\n"),
            Some(subsection) => {
                format!("[{name} \"{}\"]\n", subsection.replace('\\', "\\\\").replace('"', "\\\""))
            }
        };
        self.text.push_str(&header);
    }

    fn key(&mut self, key: &str, value: Option<&str>) {
        let line = match value {
            None => format!("\t{key}\n"),
            Some(value) => {
                let value = value.replace('\\', "\\\\").replace('"', "\\\"");
                format!("\t{key} = \"{}\"\n", value.replace('\n', "\\n").replace('\t', "\\t"))
            }
        };
        self.text.push_str(&line);
    }
}

fn is_harmless(entry: &ConfigEntry) -> bool {
    let table = if entry.subsection.is_some() { NAMED } else { PLAIN };
    let is_listed = table.iter().any(|(section, keys)| {
        *section == entry.section && keys.iter().any(|key| *key == "*" || *key == entry.key)
    });
    // git would ask another program for the details of a signature.
    let signature = entry.value.as_deref().is_some_and(|value| value.contains("%G"));
    // Such a value cannot be written as one line, and no real name contains it.
    let odd = |text: &str| text.contains(['\n', '\r', '\0']);
    let is_odd = [&entry.subsection, &entry.value].into_iter().flatten().any(|text| odd(text));
    is_listed && !signature && !is_odd
}

pub(super) fn work_tree(located: &Located) -> Result<Option<String>, Unfit> {
    if located.is_linked() {
        // For a linked worktree only its own configuration counts.
        let own = parsed(located, &located.own.join("config.worktree"))?;
        return Ok(last(&own, "core", "worktree").and_then(|entry| entry.value.clone()));
    }
    Ok(last(&of_project(located)?, "core", "worktree").and_then(|entry| entry.value.clone()))
}

/// Refuses a repository whose format or extensions are unknown: its files may mean something else.
pub(super) fn known_extensions(located: &Located) -> Result<(), Unfit> {
    let entries = of_project(located)?;
    let number = |entry: &ConfigEntry| entry.value.as_deref().unwrap_or_default().trim().parse::<u32>().ok();
    if let Some(version) = last(&entries, "core", "repositoryformatversion")
        && number(version).is_none_or(|version| version > 1)
    {
        let version = version.value.as_deref().unwrap_or_default();
        return Err(Unfit::Unknown(format!("the format '{}'", clada_protocol::visible_line(version))));
    }
    for entry in entries.iter().filter(|entry| entry.section == "extensions") {
        let value = entry.value.as_deref().unwrap_or_default();
        let shown = || clada_protocol::visible_line(value).into_owned();
        if entry.key == "refstorage" && !value.eq_ignore_ascii_case("files") {
            return Err(Unfit::Unknown(format!("refs kept as '{}' (extensions.refStorage)", shown())));
        }
        if entry.key == "objectformat" && !matches!(value, "sha1" | "sha256") {
            return Err(Unfit::Unknown(format!("objects named by '{}' (extensions.objectFormat)", shown())));
        }
        if entry.subsection.is_some() || !EXTENSIONS.contains(&entry.key.as_str()) {
            return Err(Unfit::Unknown(format!("the extension '{}'", entry.key)));
        }
    }
    // Without this folder, git reads no reftable whatever the configuration says.
    if located.common.join("reftable").symlink_metadata().is_ok() {
        return Err(Unfit::Unknown("refs kept as 'reftable'".to_owned()));
    }
    Ok(())
}

fn of_project(located: &Located) -> Result<Vec<ConfigEntry>, Unfit> {
    let mut entries = parsed(located, &located.common.join("config"))?;
    if last(&entries, "extensions", "worktreeconfig").is_some_and(says_yes) {
        entries.extend(parsed(located, &located.own.join("config.worktree"))?);
    }
    Ok(entries)
}

fn parsed(located: &Located, file: &Path) -> Result<Vec<ConfigEntry>, Unfit> {
    let text = text_of(located, file, MAX_CONFIG)?.unwrap_or_default();
    Ok(entries(&String::from_utf8_lossy(&text)))
}

fn last<'a>(entries: &'a [ConfigEntry], section: &str, key: &str) -> Option<&'a ConfigEntry> {
    entries
        .iter()
        .rev()
        .find(|entry| entry.section == section && entry.subsection.is_none() && entry.key == key)
}

fn says_yes(entry: &ConfigEntry) -> bool {
    let value = entry.value.as_deref().map(str::to_ascii_lowercase);
    matches!(value.as_deref(), None | Some("true" | "yes" | "on" | "1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_run_or_read_something_are_not_kept() {
        let harmless = |text: &str| entries(text).iter().filter(|entry| is_harmless(entry)).count();
        for text in [
            "[core]\nfsmonitor = x\nhooksPath = x\npager = x\nsshCommand = x\neditor = x\nworktree = /\n",
            "[core]\nattributesFile = x\nexcludesFile = x\nalternateRefsCommand = x\ngitProxy = x\n",
            "[filter \"e\"]\nclean = x\nsmudge = x\nprocess = x\nrequired = true\n",
            "[diff \"e\"]\ncommand = x\ntextconv = x\ncachetextconv = true\n[diff]\nexternal = x\norderFile = x\n",
            "[include]\npath = x\n[includeIf \"gitdir:**\"]\npath = x\n[alias]\nstatus = !x\n",
            "[gpg]\nprogram = x\n[credential]\nhelper = x\n[merge \"e\"]\ndriver = x\n[pager]\nlog = x\n",
            "[remote \"e\"]\nurl = ext::x\nuploadpack = x\nvcs = x\n[submodule \"e\"]\nupdate = !x\n",
            "[mailmap]\nfile = x\nblob = x\n[format]\npretty = %G?\n[pretty]\nx = \"a%GK\"\n[log]\nshowSignature = true\n",
            "[branch \"a\\\nb\"]\nmerge = x\n",
        ] {
            assert_eq!(harmless(text), 0, "{text}");
        }
        let text = "[core]\nautocrlf\nquotePath = false\n[branch \"a \\\"b\\\\\"]\nremote = o\nmerge = refs/heads/x\n";
        assert_eq!(harmless(text), 4);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut kept_config = KeptConfig::default();
        kept_config.section("branch", Some("a \"b\\"));
        kept_config.key("merge", Some(" x\t\"y\" \\ # ; z "));
        kept_config.key("rebase", None);
        let read = entries(&kept_config.text);
        assert_eq!(read[0].subsection.as_deref(), Some("a \"b\\"));
        assert_eq!(read[0].value.as_deref(), Some(" x\t\"y\" \\ # ; z "));
        assert_eq!((read[1].key.as_str(), read[1].value.as_deref()), ("rebase", None));
    }
}
