//! What all types of the socket have in common: names in camel case, no member for what is absent, a schema.

use macro_rules_attribute::attribute_alias;

attribute_alias! {
    // A result, or a part of parameters or of a result. Members that this version does not know are ignored.
    #[apply(wire_type)] =
        #[::serde_with::skip_serializing_none]
        #[derive(Debug, Clone, Default, PartialEq, Eq, ::serde::Serialize, ::serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(::schemars::JsonSchema))]
        #[serde(rename_all = "camelCase")];

    // Parameters of a method: unknown ones are refused, so that a slip is not taken for an absent one. A flag that is
    // absent is false.
    #[apply(wire_params)] =
        #[::serde_with::skip_serializing_none]
        #[::serde_with::apply(bool => #[serde(default, skip_serializing_if = "std::ops::Not::not")])]
        #[derive(Debug, Clone, Default, PartialEq, Eq, ::serde::Serialize, ::serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(::schemars::JsonSchema))]
        #[serde(rename_all = "camelCase", deny_unknown_fields)];
}
