//! `hello`: agrees on a protocol.

use clada_protocol::handshake::{HelloParams, HelloResult, PLAN_AS_TEXT, PROTOCOL};
use clada_protocol::{ErrorKind, RpcError};

/// The oldest protocol that this version speaks.
const OLDEST: u32 = 1;

/// The features of this version beyond the protocol.
const FEATURES: &[&str] = &["framing.lines", "batch", "cancel", "edits.lines", "edits.mixed", PLAN_AS_TEXT];

pub(super) fn answer(params: &HelloParams) -> Result<HelloResult, RpcError> {
    let [oldest, newest] = params.protocol.unwrap_or([OLDEST, PROTOCOL]);
    let common = newest.min(PROTOCOL);
    if common < oldest.max(OLDEST) {
        let message = format!(
            "the client speaks protocols {oldest} to {newest}, this daemon ({}) {OLDEST} to {PROTOCOL}",
            env!("CARGO_PKG_VERSION")
        );
        let error = RpcError::new(ErrorKind::NotAvailable, message)
            .with("protocol", vec![OLDEST, PROTOCOL])
            .with("version", env!("CARGO_PKG_VERSION"));
        return Err(error.hint(if oldest > PROTOCOL {
            "end this daemon with `shutdown` and start a newer one"
        } else {
            "use a newer client"
        }));
    }
    Ok(HelloResult {
        server: "clada-daemon".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        protocol: common,
        features: FEATURES.iter().map(|&feature| feature.to_owned()).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_common_protocol_is_spoken() {
        let hello = |protocol| answer(&HelloParams { protocol, ..HelloParams::default() });
        assert_eq!(hello(None).unwrap().protocol, PROTOCOL);
        assert_eq!(hello(Some([1, 99])).unwrap().protocol, PROTOCOL);
        let error = hello(Some([98, 99])).unwrap_err();
        assert_eq!(error.data["protocol"], serde_json::json!([OLDEST, PROTOCOL]));
        assert!(hello(Some([0, 0])).is_err());
        assert!(hello(Some([3, 1])).is_err());
    }
}
