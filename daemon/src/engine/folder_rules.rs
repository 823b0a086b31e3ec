//! The rules that projects above and below a root have for their own files.
//!
//! A project's `.clada/config.yaml` denies, holds back and asks about files of that project, whichever root a request
//! names. Only files of the user count, or of the owner of the root: in a folder for temporary files anybody could
//! put one.

use std::collections::HashSet;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use clada_config::{INSTRUCTIONS, Key, Origin, ProjectLists, Settings};
use clada_fs::{
    FileKind, FolderRules, PathPolicy, PolicyGlobs, Roots, RulesSource, Verdict, WalkItem, WalkOptions,
};
use clada_protocol::{CallerKind, RpcError, visible_path};
use clada_watch::{Care, Part, Visited};

use super::policies::open_roots;
use super::request::ProjectRequest;
use super::state::Engine;

const MAX_NAMED: usize = 10;

#[derive(Debug)]
struct ConfigurationFiles {
    engine: Arc<Engine>,
    owners: [u32; 2],
}

impl RulesSource for ConfigurationFiles {
    fn rules_of(&self, folder: &Path) -> Option<PolicyGlobs> {
        let own = folder.join(".clada");
        let is_users =
            |path: &Path| path.symlink_metadata().is_ok_and(|metadata| self.owners.contains(&metadata.uid()));
        // Of a link it is its owner that counts: where it leads is not looked at.
        if !is_users(&own) || (own.is_dir() && !is_users(&own.join("config.yaml"))) {
            return None;
        }
        let layer = self.engine.folder_layers.layer(folder);
        let ProjectLists { denied, secrets, ask } = self.engine.config.project_lists(&layer)?;
        Some(PolicyGlobs { denied, secrets, ask, ..PolicyGlobs::default() })
    }
}

fn has_default_ask(settings: &Settings) -> bool {
    settings.origins(Key::Ask).first() == Some(&Origin::Default)
}

impl ProjectRequest {
    pub(super) fn instructions_warning<'p>(
        &self,
        paths: impl Iterator<Item = &'p Path>,
    ) -> Result<Option<String>, RpcError> {
        if self.whose() == CallerKind::Agent {
            return Ok(None);
        }
        let list = self.engine.policies.instructions()?;
        let is_one =
            |path: &Path| matches!(list.verdict_for_write(path, &[&self.root().join(path)]), Verdict::Ask(_));
        let mut named: Vec<String> = paths
            .filter(|path| is_one(path))
            .map(|path| visible_path(&path.to_string_lossy()).into_owned())
            .collect();
        named.sort();
        named.dedup();
        named.truncate(MAX_NAMED);
        Ok((!named.is_empty()).then(|| {
            format!("Coding agents read {} as instructions: look at what it says now", named.join(", "))
        }))
    }

    pub(super) fn folder_rules(&self) -> Arc<FolderRules> {
        Arc::clone(self.folder_rules.get_or_init(|| {
            let user = rustix::process::geteuid().as_raw();
            let owner = self.root().metadata().map_or(user, |metadata| metadata.uid());
            let files = ConfigurationFiles { engine: Arc::clone(self.engine()), owners: [user, owner] };
            let rules = FolderRules::new(Arc::new(files), self.root());
            rules.fix(self.root());
            Arc::new(rules)
        }))
    }

    pub(super) fn policy(&self, include_secrets: bool) -> Result<PathPolicy, RpcError> {
        let settings = self.settings()?;
        let asks_more = self.whose() == CallerKind::Agent && has_default_ask(settings);
        let more = if asks_more { INSTRUCTIONS } else { &[] };
        self.engine.policies.policy(settings, more, include_secrets, self.folder_rules())
    }

    /// Finds the rules of all folders in `roots` that git does not ignore, before a command can change any.
    pub(super) fn fix_folder_rules(&self, roots: &Roots) {
        let stopped = || self.context().stop().is_some();
        let walked_from = usize::from(self.fix_surveyed(roots, &stopped));
        let options = || WalkOptions { cancelled: &stopped, ..WalkOptions::default() };
        let inside = (walked_from..roots.paths().count()).filter_map(|index| roots.root(index));
        let walks = inside.filter_map(|root| roots.walk(&root, options()).ok());
        // A walk asks for the rules of each file that it comes to.
        walks.for_each(|walk| walk.take_while(|item| !matches!(item, WalkItem::Truncated)).for_each(drop));
    }

    fn fix_surveyed(&self, roots: &Roots, stopped: &dyn Fn() -> bool) -> bool {
        let (Some(survey), Some(open)) = (self.project().snapshots().survey(), open_roots(roots)) else {
            return false;
        };
        let Some(surveyed) = survey.look(&open, Care::Events, self.environment().timestamp(), stopped) else {
            return false;
        };
        let (mut folders, mut looked_up) = (Vec::new(), HashSet::new());
        surveyed.visit(&Part::All, &mut |item| match item {
            Visited::Entry { path, stat, is_ignored: false } if stat.kind == FileKind::Directory => {
                folders.push(path.to_path_buf());
            }
            // What has a name that is clada's own, or git's, and what cannot be looked into.
            Visited::Owned(path) => drop(path.parent().map(|folder| looked_up.insert(folder.to_path_buf()))),
            Visited::Closed(path) => drop(looked_up.insert(path.to_path_buf())),
            Visited::Entry { .. } => {}
        });
        let rules = self.folder_rules();
        for folder in folders {
            let absolute = self.root().join(&folder);
            if looked_up.contains(&folder) { rules.fix(&absolute) } else { rules.fix_without_own(&absolute) }
        }
        true
    }
}
