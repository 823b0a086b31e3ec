//! `approve.*`: the commands that the user has approved for good.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clada_apply::{Trusted, program_file};
use clada_exec::Network;
use clada_exec::words::{self, Command};
use clada_protocol::{
    ApproveAddParams, ApproveListParams, ApproveRemoveParams, ApproveResult, ApprovedCommand, ErrorKind,
    RpcError,
};
use clada_store::StoreError;

use super::request::ProjectRequest;
use crate::trust::{Proposal, ProposalError, TrustEntry, TrustStore};

const COMMAND: usize = 10_000;

impl ProjectRequest {
    pub(crate) fn approve_list(&self, _params: &ApproveListParams) -> Result<ApproveResult, RpcError> {
        let root = self.root();
        let entries = match TrustStore::is_there(&self.environment().state) {
            true => self.trust_store()?.list(root).map_err(|error| of_store(&error))?,
            false => Vec::new(),
        };
        let (proposal, problem) = match Proposal::read(root) {
            Ok(proposal) => (proposal, None),
            Err(error) => (Proposal::default(), Some(error.to_string())),
        };
        let proposed = proposal.commands.iter();
        let only_proposed = proposed.filter(|command| entries.iter().all(|entry| entry.command != **command));
        let mut commands: Vec<ApprovedCommand> = only_proposed
            .map(|command| ApprovedCommand {
                command: command.clone(),
                listed: true,
                ..ApprovedCommand::default()
            })
            .collect();
        commands.extend(entries.iter().map(|entry| ApprovedCommand {
            command: entry.command.clone(),
            dir: Some(entry.folder.to_string_lossy().into_owned()),
            program: entry.program.as_ref().map(|program| program.to_string_lossy().into_owned()),
            network: entry.network,
            approved: true,
            listed: proposal.commands.contains(&entry.command),
        }));
        commands.sort_by(|one, other| (&one.command, &one.dir).cmp(&(&other.command, &other.dir)));
        Ok(ApproveResult { commands, problem })
    }

    pub(crate) fn approve_add(&self, params: &ApproveAddParams) -> Result<ApproveResult, RpcError> {
        let command = params.command.trim();
        refuse_senseless(command)?;
        let folder = self.folder(params.dir.as_deref().unwrap_or("."))?;
        let (root, folder) = (self.root(), resolved(&folder)?);
        let program = match &params.program {
            Some(program) => PathBuf::from(program),
            None => self.program_of(command, &folder, &params.env)?,
        };
        let added = self.seconds();
        let mut proposal = Proposal::read(root).map_err(|error| of_proposal(&error))?;
        proposal.commands.insert(command.to_owned());
        let time = jiff::Timestamp::from_second(added).unwrap_or_default().to_string();
        proposal.added.entry(command.to_owned()).or_insert(time);
        let entry = TrustEntry {
            command: command.to_owned(),
            folder,
            program: Some(program),
            network: params.network,
            added,
        };
        self.trust_store()?.add(root, &entry).map_err(|error| of_store(&error))?;
        proposal.write(root).map_err(|error| of_proposal(&error))?;
        self.approve_list(&ApproveListParams { root: params.root.clone() })
    }

    pub(crate) fn approve_remove(&self, params: &ApproveRemoveParams) -> Result<ApproveResult, RpcError> {
        let root = self.root();
        let command = params.command.trim();
        let mut store = self.trust_store()?;
        store.remove(root, command).map_err(|error| of_store(&error))?;
        let mut proposal = Proposal::read(root).map_err(|error| of_proposal(&error))?;
        if proposal.commands.remove(command) {
            proposal.added.remove(command);
            proposal.write(root).map_err(|error| of_proposal(&error))?;
        }
        self.approve_list(&ApproveListParams { root: params.root.clone() })
    }

    pub(super) fn trusted(&self) -> Vec<Trusted> {
        let root = self.root();
        if !TrustStore::is_there(&self.environment().state) {
            return Vec::new();
        }
        let entries = TrustStore::open(&self.environment().state).and_then(|store| store.list(root));
        let (Ok(entries), Ok(proposal)) = (entries, Proposal::read(root)) else { return Vec::new() };
        let listed = entries.into_iter().filter(|entry| proposal.commands.contains(&entry.command));
        listed
            .map(|entry| Trusted {
                command: entry.command,
                folder: entry.folder,
                program: entry.program,
                network: if entry.network { Network::On } else { Network::Off },
            })
            .collect()
    }

    fn program_of(
        &self,
        command: &str,
        folder: &Path,
        env: &BTreeMap<String, String>,
    ) -> Result<PathBuf, RpcError> {
        let name = match words::command(command) {
            Ok(Command::Foreign { words, .. }) => words.into_iter().next().unwrap_or_default(),
            Ok(Command::ReadOnly(reading)) => reading.program.to_owned(),
            // It is clada's own and runs no program.
            Ok(Command::BuiltIn(_)) | Err(_) => return Ok(PathBuf::new()),
        };
        let environment = self.command_environment(self.settings()?, env);
        program_file(&name, folder, &environment).ok_or_else(|| {
            let shown = clada_protocol::visible_line(&name).into_owned();
            RpcError::new(ErrorKind::FileNotFound, format!("{shown} not found in PATH (ENOENT)")).hint(
                "an approval is for one program: install it, or approve the command when it is asked about",
            )
        })
    }

    pub(super) fn seconds(&self) -> i64 {
        i64::try_from(self.environment().since_epoch().as_secs()).unwrap_or(i64::MAX)
    }

    pub(super) fn trust_store(&self) -> Result<TrustStore, RpcError> {
        TrustStore::open(&self.environment().state).map_err(|error| of_store(&error))
    }
}

fn refuse_senseless(command: &str) -> Result<(), RpcError> {
    let refuse = |message: String, hint: String| {
        Err(RpcError::new(ErrorKind::CommandNotAllowed, format!("{message} (COMMAND_NOT_ALLOWED)"))
            .hint(hint))
    };
    if command.len() > COMMAND {
        return refuse(format!("The command has more than {COMMAND} bytes"), "write a script".to_owned());
    }
    match words::command(command) {
        Err(refusal) => refuse(refusal.to_string(), refusal.hint()),
        Ok(Command::BuiltIn(_) | Command::ReadOnly(_) | Command::Foreign { .. }) => Ok(()),
    }
}

fn resolved(path: &Path) -> Result<PathBuf, RpcError> {
    path.canonicalize().map_err(|error| {
        RpcError::new(ErrorKind::Io, format!("Cannot resolve '{}': {error}", path.display()))
    })
}

pub(super) fn of_store(error: &StoreError) -> RpcError {
    RpcError::new(ErrorKind::Io, format!("The list of what you have approved cannot be used: {error}"))
        .hint(error.hint().to_string())
}

fn of_proposal(error: &ProposalError) -> RpcError {
    RpcError::new(ErrorKind::Io, error.to_string())
        .hint("look at the file, and remove it if it is not what it should be")
}
