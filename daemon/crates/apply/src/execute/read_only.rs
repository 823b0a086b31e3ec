//! Actions that only read, within what the result has room for.

use clada_protocol::ErrorKind;

use crate::effect::ReadOnlyAction;
use crate::execute::executor::{Done, Executor};
use crate::failure::Failure;
use crate::readonly::action::run;

impl Executor<'_> {
    pub(super) fn read_only(&mut self, action: &ReadOnlyAction) -> Result<Done, Failure> {
        let stopped = || (self.stop)().is_some();
        let seen = run(self.roots, self.rules, action, self.budget.remaining(), &self.unread, &stopped);
        let seen = seen.map_err(|failure| match (self.stop)() {
            Some(stop) if failure.kind == ErrorKind::Cancelled => {
                Failure { data: failure.data, ..stop.ended() }
            }
            _ => failure,
        })?;
        if seen.no_room {
            self.budget.note_cut();
        }
        Ok(Done::Output(seen))
    }
}
