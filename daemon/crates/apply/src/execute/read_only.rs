//! Actions that only read, within what the result has room for.

use clada_protocol::ErrorKind;

use crate::effect::Look;
use crate::execute::executor::{Done, Executor};
use crate::failure::Failure;
use crate::readonly::action::look;

impl Executor<'_> {
    pub(super) fn look(&mut self, asked: &Look) -> Result<Done, Failure> {
        let stopped = || (self.stop)().is_some();
        let seen = look(self.roots, self.rules, asked, self.budget.left(), &self.unread, &stopped);
        let seen = seen.map_err(|failure| match (self.stop)() {
            Some(stop) if failure.kind == ErrorKind::Cancelled => {
                Failure { data: failure.data, ..stop.ended() }
            }
            _ => failure,
        })?;
        if seen.no_room {
            self.budget.note_cut();
        }
        Ok(Done::Seen(seen))
    }
}
