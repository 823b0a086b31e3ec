//! Values that a message leaves out, since their absence means the same.

pub(crate) fn is_zero(number: &usize) -> bool {
    *number == 0
}

pub(crate) fn is_false(flag: &bool) -> bool {
    !*flag
}
