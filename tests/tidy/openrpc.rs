//! The document of the protocol: that it is current with all that is made of it, and that it keeps to
//! OpenRPC 1.4.1. `CLADA_BLESS=1` writes it again.
//!
//! Schemas need a feature of `clada-protocol` that no member of the workspace switches on, so that no
//! program and no test is compiled with it. The example that needs it is therefore run by cargo: it compiles
//! one small crate once more, and cargo holds no lock while tests run.

use std::collections::BTreeSet;
use std::process::Command;

use clada_protocol::notification::NOTIFICATIONS;
use clada_protocol::{ErrorKind, METHODS, OPENRPC};
use serde_json::Value;

use super::checkout;

#[test]
#[ignore = "takes minutes, or programs that few machines have: bash .ci/run runs it"]
fn the_document_and_what_is_made_of_it_are_current() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["run", "--quiet", "--locked", "--offline", "--features", "schema", "--example", "openrpc"]);
    command.arg("--manifest-path").arg(checkout().join("protocol/Cargo.toml"));
    if std::env::var_os("CLADA_BLESS").is_none() {
        command.args(["--", "--check"]);
    }
    let ran = command.output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}\nCLADA_BLESS=1 writes them again");
}

/// The texts of a list's members.
fn texts<'d>(list: &'d Value, name: &str) -> Vec<&'d str> {
    list.as_array().unwrap().iter().map(|item| item[name].as_str().unwrap()).collect()
}

/// Calls `look` with every object in `value`.
fn each_object<'d>(value: &'d Value, look: &mut dyn FnMut(&'d serde_json::Map<String, Value>)) {
    match value {
        Value::Object(members) => {
            look(members);
            members.values().for_each(|member| each_object(member, look));
        }
        Value::Array(items) => items.iter().for_each(|item| each_object(item, look)),
        _ => {}
    }
}

/// Asserts that an object has these members, and no others but extensions.
fn assert_members(what: &Value, required: &[&str], optional: &[&str]) {
    let members = what.as_object().unwrap();
    for name in required {
        assert!(members.contains_key(*name), "{name} is missing: {what:#}");
    }
    for name in members.keys() {
        let is_known = required.contains(&name.as_str()) || optional.contains(&name.as_str());
        assert!(is_known || name.starts_with("x-"), "{name} is no member of it: {what:#}");
    }
}

#[test]
fn the_document_has_the_form_of_openrpc() {
    let document: Value = serde_json::from_str(OPENRPC).unwrap();
    assert_members(&document, &["openrpc", "info", "methods"], &["components", "servers"]);
    assert_eq!(document["openrpc"], "1.4.1");
    assert_members(&document["info"], &["title", "version"], &["description", "license"]);
    assert_members(&document["components"], &["schemas", "errors"], &[]);
    let of_method = ["name", "summary", "paramStructure", "params", "result", "errors"];
    for method in document["methods"].as_array().unwrap() {
        assert_members(method, &of_method, &["description"]);
        assert_eq!(method["paramStructure"], "by-name");
        let params = method["params"].as_array().unwrap();
        for descriptor in params.iter().chain([&method["result"]]) {
            assert_members(descriptor, &["name", "schema"], &["description", "required"]);
        }
        let names = texts(&method["params"], "name");
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
        // OpenRPC has required parameters come first.
        let required: Vec<bool> = params.iter().map(|param| param["required"].as_bool().unwrap()).collect();
        assert!(
            required.is_sorted_by(|one, next| one >= next),
            "{}: required ones come first",
            method["name"]
        );
        for reserved in method["x-person-params"].as_array().unwrap() {
            assert!(names.contains(&reserved.as_str().unwrap()), "{}: {reserved}", method["name"]);
        }
        let errors = texts(&method["errors"], "$ref");
        assert_eq!(errors.iter().collect::<BTreeSet<_>>().len(), errors.len(), "{errors:?}");
    }
    for error in document["components"]["errors"].as_object().unwrap().values() {
        assert_eq!(error.as_object().unwrap().keys().collect::<Vec<_>>(), ["code", "message"]);
    }
}

#[test]
fn references_lead_to_types_and_every_type_is_referred_to() {
    let document: Value = serde_json::from_str(OPENRPC).unwrap();
    let mut referred = BTreeSet::new();
    each_object(&document, &mut |object| {
        if let Some(path) = object.get("$ref") {
            let path = path.as_str().unwrap();
            assert!(document.pointer(path.strip_prefix('#').unwrap()).is_some(), "{path} leads nowhere");
            // What stands beside a reference counts for nothing in draft 7.
            assert_eq!(object.len(), 1, "{object:?}");
            referred.insert(path);
        }
    });
    for kind in ["schemas", "errors"] {
        for name in document["components"][kind].as_object().unwrap().keys() {
            let path = format!("#/components/{kind}/{name}");
            // The error of a request is referred to by JSON-RPC itself.
            assert!(referred.contains(path.as_str()) || name == "RpcError", "nothing refers to {path}");
        }
    }
}

#[test]
fn the_document_has_every_method_notification_and_kind_of_failure() {
    let document: Value = serde_json::from_str(OPENRPC).unwrap();
    assert_eq!(
        texts(&document["methods"], "name"),
        METHODS.iter().map(|method| method.name).collect::<Vec<_>>()
    );
    let told: Vec<_> = NOTIFICATIONS.iter().map(|told| told.name).collect();
    assert_eq!(texts(&document["x-notifications"], "name"), told);
    let kinds = &document["components"]["schemas"]["ErrorKind"];
    let codes: Vec<_> = ErrorKind::ALL.iter().map(|kind| (kind.name(), i64::from(kind.code()))).collect();
    let described = kinds["x-codes"].as_object().unwrap().iter();
    assert_eq!(
        described.map(|(name, code)| (name.as_str(), code.as_i64().unwrap())).collect::<Vec<_>>(),
        codes
    );
    assert_eq!(kinds["enum"].as_array().unwrap().len(), codes.len());
}
