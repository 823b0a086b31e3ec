//! Data that could be read before an answer and cannot be read after it: JSON, notebooks, YAML and TOML.
//!
//! Pure. What has comments where its format has none could not be read before, and is not spoken of.

use std::path::Path;

use super::guard::extension;

const LARGEST: usize = 1 << 20;

type FormatReader = fn(&str) -> Result<(), String>;

pub(super) fn is_data(path: &Path) -> bool {
    let ending = extension(path);
    matches!(&*ending, "json" | "ipynb" | "webmanifest" | "geojson" | "yaml" | "yml" | "toml")
}

pub(super) fn broken(path: &Path, old: &str, new: &str) -> Option<(&'static str, String)> {
    if old == new || old.len().max(new.len()) > LARGEST {
        return None;
    }
    let ending = extension(path);
    let (format, read): (_, FormatReader) = match &*ending {
        "json" | "ipynb" | "webmanifest" | "geojson" => ("JSON", |text| {
            serde_json::from_str::<serde::de::IgnoredAny>(text).map(drop).map_err(|error| error.to_string())
        }),
        "yaml" | "yml" => ("YAML", |text| {
            let mut documents = serde_yaml::Deserializer::from_str(text);
            documents
                .try_for_each(|document| {
                    serde::Deserialize::deserialize(document).map(|_: serde::de::IgnoredAny| ())
                })
                .map_err(|error| error.to_string())
        }),
        "toml" => {
            ("TOML", |text| text.parse::<toml::Table>().map(drop).map_err(|error| toml_place(&error, text)))
        }
        _ => return None,
    };
    read(old).ok()?;
    Some((format, read(new).err()?))
}

fn toml_place(error: &toml::de::Error, text: &str) -> String {
    let line = error.span().map(|span| text.get(..span.start).unwrap_or_default().matches('\n').count() + 1);
    let line = line.map(|line| format!(" at line {line}")).unwrap_or_default();
    format!("{}{line}", error.message())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_data_that_an_answer_breaks_is_told() {
        for (path, old, new, expected) in [
            ("n.ipynb", "{\"a\": [\"x\"]}", "{\"a\": [\"x\n\"]}", Some("JSON")),
            ("a.json", "{\"a\": 1}", "{\"a\": 1,}", Some("JSON")),
            ("a.json", "{ // x\n\"a\": 1}", "{ // x\n\"a\": 1,,}", None),
            ("a.json", "{\"a\": 1}", "{\"a\": 2}", None),
            ("a.yml", "a: 1\nb: 2\n", "a: 1\n b: 2\n", Some("YAML")),
            ("a.yaml", "a: 1\n---\nb: 2\n", "a: 1\n---\nb: [2\n", Some("YAML")),
            ("a.yaml", "a: 1\n---\nb: 2\n", "a: 1\n---\nb: 3\n", None),
            ("Cargo.toml", "[a]\nx = 1\n", "[a]\nx = 1\nx = 2\n", Some("TOML")),
            ("Cargo.toml", "[a]\nx = 1\n", "[a]\nx = 2\n", None),
            ("a.py", "x = (1)\n", "x = (1\n", None),
        ] {
            assert_eq!(broken(Path::new(path), old, new).map(|(format, _)| format), expected, "{path} {new}");
        }
    }
}
