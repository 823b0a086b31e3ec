//! Words that put a file into another project than the one at hand.
//!
//! ````text
//! In another repository, create `a.ts`:            Other
//! ### `a.ts` (in your app, not here)               Other
//! The worker repository needs `a.ts`:              Named: the project may be called so
//! ## Frontend (Next.js repo)                       Named
//! In this repository:                              none
//! ````

use super::phrases::{Phrases, WordList, has_east};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Project {
    // One that is called by a name, which may be that of this one.
    Named,
    Other,
}

#[rustfmt::skip]
static REPOSITORIES: Phrases = Phrases::new(&[
    "repo", "repository", "repo's", "repository's", "repositories", "codebase", "dépôt", "repositorio", "repositório", "репозиторий", "репозитории", "репозитория",
]);

// What may be a project of its own.
#[rustfmt::skip]
static PROJECTS: Phrases = Phrases::new(&[
    "project", "app", "application", "service", "package", "projekt", "anwendung", "dienst", "projet", "proyecto", "aplicación", "servicio", "projeto", "aplicativo", "serviço", "progetto",
    "проект", "проекте", "проекта", "сервисе",
]);

// Words before those that do not say which.
#[rustfmt::skip]
static OWN: WordList = WordList::new(&[
    "the", "this", "your", "our", "my", "same", "current", "whole", "entire", "git", "github", "gitlab", "local", "existing", "project", "main", "root", "public", "private", "new", "a", "an",
    "mono", "in", "to", "of", "for", "from", "and", "or", "with", "full", "per", "no", "any", "source", "diesem", "dieses", "dem", "das", "deinem", "im", "ce", "cette", "le", "du", "votre",
    "este", "el", "del", "tu", "o", "do", "seu", "il", "questo", "этот", "этом", "вашем", "ваш",
]);

#[rustfmt::skip]
static OTHER: WordList = WordList::new(&[
    "other", "another", "separate", "different", "neighbouring", "neighboring", "sister", "sibling", "own", "anderen", "anderes", "andere", "anderem", "separaten", "separates", "eigenes",
    "eigenen", "eigenem", "autre", "l'autre", "séparé", "propre", "otro", "otra", "separado", "propio", "outro", "outra", "próprio", "altro", "altra", "separato", "proprio", "другой", "другом", "другого",
    "соседнем", "соседний", "отдельном", "отдельный",
]);

#[rustfmt::skip]
static NOT_HERE: Phrases = Phrases::new(&[
    "not here", "not this one", "not in this one", "not in this repo", "not in this repository", "not in this project", "nicht hier", "nicht in diesem", "pas ici", "pas celui-ci", "no aquí",
    "no en este", "não aqui", "não neste", "non qui", "non in questo", "не здесь", "не в этом",
]);

const USES: &[&str] = &[
    "uses",
    "consumes",
    "imports",
    "using",
    "consuming",
    "importing",
    "verwendet",
    "nutzt",
    "utilise",
    "usa",
    "utiliza",
    "использует",
];

#[rustfmt::skip]
const OTHER_EAST: &[&str] = &[
    "另一个仓库", "另外一个仓库", "其他仓库", "其它仓库", "单独的仓库", "独立的仓库", "别的仓库", "另一个代码库", "别的项目", "相邻的项目", "别のリポジトリ", "他のリポジトリ", "別リポジトリ", "他のプロジェクト",
    "다른 저장소", "별도 저장소", "별도의 저장소", "다른 리포지토리",
];

// Returns the other project that `line` may put a file into.
pub(super) fn of_line(line: &str) -> Option<Project> {
    read(line, false)
}

// The same of a heading or label, whose words are names: "Infra repo".
pub(super) fn of_heading(line: &str) -> Option<Project> {
    read(line, true)
}

fn read(line: &str, is_heading: bool) -> Option<Project> {
    if has_east(line, OTHER_EAST) {
        return Some(Project::Other);
    }
    if is_heading && is_named_in_east(line) {
        return Some(Project::Named);
    }
    if !REPOSITORIES.may_be_in(line) && !PROJECTS.may_be_in(line) && !line.contains('-') {
        return None;
    }
    let text: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let lower = text.to_lowercase();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '\'' | '’' | '.' | '`' | '/');
    let is_name = |word: &&str| word.contains(char::is_alphanumeric) || *word == "`";
    let words: Vec<&str> = lower
        .split(|c: char| !is_part(c))
        .map(|word| word.trim_matches(['.', '-', '\'']))
        .filter(is_name)
        .collect();
    let is_repository = |word: &str| REPOSITORIES.rows().contains(&word);
    let is_project = |word: &str| PROJECTS.rows().contains(&word);
    let nouns = || (0..words.len()).filter(|at| is_repository(words[*at]) || is_project(words[*at]));
    if nouns().next().is_some() && NOT_HERE.are_in(&lower) {
        return Some(Project::Other);
    }
    let of_noun = |at: usize| {
        let near = &words[at.saturating_sub(2)..at];
        let is_other = near.iter().any(|word| OTHER.has(word));
        let uses =
            matches!(words.get(at + 1), Some(&("that" | "which" | "das" | "der" | "qui" | "que" | "che")))
                && words.iter().skip(at + 2).take(2).any(|word| USES.contains(word));
        if uses && words[..at].iter().rev().take(3).any(|word| is_within(word)) {
            return Some(Project::Other);
        }
        let name = *words[..at].last()?;
        // "The worker repository", and in a heading "Worker repository", "In the frontend project".
        let is_named = || !OWN.has(name) && !OTHER.has(name) && name != "`";
        let is_placed = || at > 1 && words[at - 2] == "the";
        // "El repositorio del frontend"
        let is_of = || match words.get(at + 1..at + 3) {
            Some([of, what]) => {
                matches!(*of, "de" | "del" | "du" | "do" | "da" | "des" | "della")
                    && !OWN.has(what)
                    && !is_project(what)
            }
            _ => false,
        };
        if is_repository(words[at]) {
            return match () {
                () if is_other && !near.contains(&"no") => Some(Project::Other),
                () if is_of() || is_named() && (is_heading || is_placed()) => Some(Project::Named),
                () => None,
            };
        }
        let is_in = words[..at].iter().rev().take(3).any(|word| is_within(word));
        let is_strange = is_other || is_heading && is_named() && is_placed();
        (is_in && is_strange).then_some(Project::Named)
    };
    // "Im Frontend-Projekt"
    let is_compound = |word: &&str| {
        let (name, noun) = word.rsplit_once('-').unwrap_or_default();
        !OWN.has(name) && !name.is_empty() && (is_repository(noun) || matches!(noun, "projekt" | "projekts"))
    };
    let compound = words.iter().find(|word| is_compound(word)).map(|_| Project::Named);
    nouns().filter_map(of_noun).chain(compound).max()
}

// "在前端仓库中"
fn is_named_in_east(line: &str) -> bool {
    const REPOSITORIES: &[&str] = &["仓库", "リポジトリ", "저장소"];
    const OWN: &[&str] = &["本", "此", "这", "该", "当前", "我们", "同一", "この", "当", "이 저장소"];
    let name = REPOSITORIES.iter().find_map(|word| line.split_once(word)).map(|(before, _)| before);
    name.is_some_and(|name| {
        let name = name.trim_start_matches(|c: char| !c.is_alphabetic() || c == '在');
        !name.is_empty() && !OWN.iter().any(|word| line.contains(word))
    })
}

fn is_within(word: &str) -> bool {
    matches!(
        word,
        "in" | "into"
            | "inside"
            | "within"
            | "im"
            | "ins"
            | "dans"
            | "en"
            | "em"
            | "no"
            | "na"
            | "nel"
            | "nella"
            | "в"
    )
}

#[cfg(test)]
mod tests {
    use super::{Project, of_heading, of_line};

    #[test]
    fn sentences_put_files_into_other_projects() {
        for (line, expected) in [
            ("Your mobile app lives in its own repository.", Some(Project::Other)),
            ("In the project that uses this package, create `src/crew.ts`:", Some(Project::Other)),
            ("`src/a.ts` (in your React app, not here):", Some(Project::Other)),
            ("In your stats service (not this one) you need `a.go`:", Some(Project::Other)),
            ("А так это сделано в отдельном репозитории, файл `a.ts`:", Some(Project::Other)),
            ("Das liegt in einem anderen Repository:", Some(Project::Other)),
            ("前端（另一个仓库）", Some(Project::Other)),
            ("The worker repository needs this:", Some(Project::Named)),
            ("Im Frontend-Repo:", Some(Project::Named)),
            ("En el repositorio del frontend, crea `a.ts`:", Some(Project::Named)),
            ("En el repositorio del proyecto, crea `a.ts`:", None),
            ("In another service, add `a.go`:", Some(Project::Named)),
            ("Update the repository class in `a.py`:", None),
            ("Add `a.py` to your repo:", None),
            ("In the project's root, create `a.py`:", None),
            ("Here's the service that uses the cache, `a.py`:", None),
            ("Use a different package, `zod`:", None),
            ("No other repository needs it:", None),
            ("Do the check in the app, not in the view:", None),
        ] {
            assert_eq!(of_line(line), expected, "{line}");
        }
    }

    #[test]
    fn headings_name_other_projects() {
        for (line, expected) in [
            ("## In the frontend repository", Some(Project::Named)),
            ("### Infra repo", Some(Project::Named)),
            ("# Frontend (Next.js repo)", Some(Project::Named)),
            ("## Im Frontend-Projekt", Some(Project::Named)),
            ("## In the mobile app", Some(Project::Named)),
            ("### Service B (the stats service, separate repo)", Some(Project::Other)),
            ("## In this repository", None),
            ("## Repository", None),
            ("## The whole repo", None),
            ("## Project structure", None),
            ("## The service", None),
            ("### `src/repo/user-repo.ts`", None),
            ("## In diesem Projekt", None),
        ] {
            assert_eq!(of_heading(line), expected, "{line}");
        }
    }
}
