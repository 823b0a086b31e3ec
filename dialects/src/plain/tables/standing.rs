//! Words by which a change is reported, rejected, or has to wait.

use crate::plain::phrases::WordList;

// What calls a remedy a wrong one.
#[rustfmt::skip]
pub(in crate::plain) static FAULTY: WordList = WordList::new(&[
    "wrong", "incorrect", "bad", "naive", "flawed", "tempting", "misguided", "rejected", "discarded", "fails", "failed", "falscher", "falsche", "falsches", "falsch", "naiver", "naive", "naives",
    "schlechter", "schlechte", "fehlerhafter", "mauvaise", "mauvais", "fausse", "faux", "incorrecte", "naïve", "incorrecta", "incorrecto", "errónea", "erróneo", "mala", "mal", "ingenua", "equivocada",
    "equivocado", "errada", "errado", "incorreta", "sbagliata", "sbagliato", "errata", "неправильное", "неверное", "неправильный", "неверный",
]);

// What may be shown as a remedy.
#[rustfmt::skip]
pub(in crate::plain) static REMEDIES: WordList = WordList::new(&[
    "fix", "fixes", "solution", "solutions", "approach", "approaches", "way", "patch", "patches", "idea", "ideas", "attempt", "attempts", "workaround", "answer", "alternative", "alternatives", "variant", "option", "options", "proposal",
    "design", "version", "change", "changes", "lösung", "lösungen", "ansatz", "ansätze", "weg", "korrektur", "versuch", "versuche", "idee", "variante", "alternativen", "fassung", "correction", "corrections", "approche", "approches", "piste",
    "pistes", "façon", "manière", "idée", "tentative", "corrección", "solución", "enfoque", "enfoques", "forma", "manera", "alternativa", "alternativas", "intento", "propuesta", "cambio", "correção", "solução", "abordagem", "maneira", "tentativa",
    "correzione", "soluzione", "approccio", "modo", "решение", "исправление", "подход", "способ", "вариант", "попытка",
]);

// Words of a heading that put all below it aside.
#[rustfmt::skip]
pub(in crate::plain) static REJECTED: WordList = WordList::new(&[
    "rejected", "discarded", "abandoned", "dismissed", "considered", "failed", "wrong", "tempting", "verworfen", "verworfene", "verworfener", "verworfenes", "abgelehnt", "abgelehnte", "abgelehnter", "erwogen", "erwogene", "falscher",
    "rejetée", "rejetées", "rejeté", "rejetés", "écartée", "écartées", "écarté", "abandonnée", "envisagée", "envisagées", "mauvaise", "rechazado", "rechazada", "rechazados", "rechazadas", "descartado", "descartada", "descartados", "descartadas",
    "considerada", "consideradas", "rejeitado", "rejeitada", "descartato", "scartato", "scartata", "respinto", "отклонено", "отклонённый", "отвергнутый", "отвергнутые", "рассмотренные",
]);

// Words of such a heading, or before a remedy, that say nothing.
#[rustfmt::skip]
pub(in crate::plain) static HEADING_WORDS: WordList = WordList::new(&[
    "the", "a", "an", "one", "another", "but", "and", "i", "we", "that", "other", "first", "here", "is", "obvious", "most", "ein", "eine", "einen", "der", "die", "das", "und", "aber", "andere", "une", "un", "la", "le", "les", "mais", "et",
    "autre", "una", "el", "los", "las", "pero", "y", "otro", "otra", "o", "um", "uma", "mas", "il", "e", "ma",
]);

// Headings that say so as a whole.
#[rustfmt::skip]
pub(in crate::plain) const REJECTED_HEADINGS: &[&str] = &[
    "what not to do", "don't do this", "do not do this", "how not to do it", "history", "what we tried", "what i tried", "what was tried", "verlauf", "vorgeschichte", "historie", "was man nicht tun sollte", "was du nicht tun solltest", "so nicht",
    "à ne pas faire", "ce qu'il ne faut pas faire", "historique", "lo que no hay que hacer", "lo que no se debe hacer", "qué no hacer", "historial", "historia", "o que não fazer", "histórico", "cosa non fare", "cronologia", "storia", "чего не делать",
    "как не надо", "история", "历史", "歷史", "历史记录", "履歴", "経緯", "이력",
];

// Headings that may stand above the old state of what another one shows.
#[rustfmt::skip]
pub(in crate::plain) const STALE_HEADINGS: &[&str] = &[
    "before", "vorher", "avant", "antes", "prima", "до", "之前", "修改前", "変更前", "이전",
];

#[rustfmt::skip]
pub(in crate::plain) const EAST_REJECTED: &[&str] = &[
    "否决的", "被否决", "放弃的方案", "不要这样做", "不该这样做", "拒绝这个", "拒绝该", "会拒绝", "却下した", "不採用", "やってはいけない", "거절한", "채택하지 않은",
];
pub(in crate::plain) const EAST_REMEDIES: &[&str] = &[
    "错误的修复",
    "错误的做法",
    "错误的方案",
    "错误的方法",
    "这是错误的",
    "誤った修正",
    "間違った修正",
    "잘못된 수정",
];

// Who speaks does what the sentence says.
#[rustfmt::skip]
pub(in crate::plain) static FIRST_PERSON: WordList = WordList::new(&[
    "i", "i've", "i'd", "i'm", "i'll", "we", "we've", "we'll", "let", "let's", "should", "must", "ich", "wir", "je", "j'ai", "nous", "yo", "eu", "io", "я", "мы",
]);

// Others who propose changes.
#[rustfmt::skip]
pub(in crate::plain) static ASSISTANTS: WordList = WordList::new(&[
    "assistant", "assistant's", "chatgpt", "copilot", "gemini", "dependabot", "renovate", "bot", "linter", "assistent", "asistente", "assistente", "ассистент",
]);
pub(in crate::plain) const EAST_ASSISTANTS: &[&str] =
    &["另一个助手", "其他助手", "别的助手", "別のアシスタント", "다른 도우미"];

#[rustfmt::skip]
pub(in crate::plain) static PROPOSES: WordList = WordList::new(&[
    "proposes", "proposed", "suggests", "suggested", "recommends", "recommended", "wants", "wanted", "wrote", "offers", "offered", "did", "vorgeschlagen", "vorschlägt", "schlägt", "schlug", "empfiehlt", "empfahl", "propose", "proposé", "suggère",
    "suggéré", "recommande", "propone", "propuso", "sugiere", "sugirió", "recomienda", "recomendó", "propõe", "propôs", "sugere", "sugeriu", "suggerisce", "предлагает", "предложил", "предложила",
]);
pub(in crate::plain) const EAST_PROPOSALS: &[&str] = &["建议", "提议", "提案", "推荐", "提出", "제안"];

#[rustfmt::skip]
pub(in crate::plain) static COPULAS: WordList = WordList::new(&[
    "is", "was", "would", "ist", "war", "wäre", "est", "était", "serait", "es", "era", "sería", "é", "foi", "seria", "è", "sarebbe",
]);

// Words that stand for what is shown.
#[rustfmt::skip]
pub(in crate::plain) static THIS: WordList = WordList::new(&[
    "this", "that", "it", "these", "the", "das", "dies", "diese", "dieses", "es", "cela", "ça", "ceci", "celle-ci", "esto", "eso", "este", "isto", "isso", "questo", "это",
]);

// Words with which a place begins.
#[rustfmt::skip]
pub(in crate::plain) static PLACES: WordList = WordList::new(&["in", "from", "on", "at", "im", "in", "aus", "dans", "de", "en", "del", "no", "na", "em", "nel", "nella", "в", "из"]);

pub(in crate::plain) const RELATIVE: &[&str] = &[
    "which",
    "that is",
    "that's",
    "was falsch",
    "das ist",
    "ce qui",
    "lo cual",
    "lo que",
    "o que",
    "il che",
    "что",
];

// Words with which a line below takes a change back, besides those of all clauses.
#[rustfmt::skip]
pub(in crate::plain) const ALSO_REJECTED: &[&str] = &[
    "i'd reject", "i would reject", "i reject", "i'd not", "i would not", "i wouldn't", "i don't recommend", "i'd avoid", "i would avoid", "this is wrong", "that is wrong", "that's wrong", "this was the wrong", "that was the wrong", "this is the wrong",
    "that is the wrong", "don't merge it", "do not merge it", "don't merge this", "do not merge this", "reject it", "reject this", "ich würde das ablehnen", "ich würde es ablehnen", "das würde ich ablehnen", "das ist falsch", "je rejetterais", "je le rejetterais",
    "c'est faux", "yo lo rechazaría", "lo rechazaría", "yo rechazaría", "rechazaría", "esto es incorrecto", "eu rejeitaria", "rifiuterei", "lo rifiuterei", "я бы отклонил", "это неправильно",
];

// What a project goes through.
#[rustfmt::skip]
pub(in crate::plain) static EVENTS: WordList = WordList::new(&[
    "deployment", "deploy", "migration", "migrations", "release", "rollout", "upgrade", "cutover", "backfill", "go-live", "maintenance", "freeze", "auslieferung", "freigabe", "umstellung", "migrationen", "déploiement", "migrations", "livraison",
    "despliegue", "migración", "migraciones", "lanzamiento", "implantação", "migração", "lançamento", "rilascio", "migrazione", "развёртывания", "развертывания", "миграции", "релиза",
]);

pub(in crate::plain) const EAST_EVENTS: &[&str] =
    &["部署", "迁移", "发布", "上线", "デプロイ", "マイグレーション", "リリース", "배포", "마이그레이션"];
pub(in crate::plain) const EAST_AFTER: &[&str] =
    &["之后", "完成后", "以后", "后再", "後に", "完了後", "した後", "てから", "이후", "끝난", "후에"];

// Words that wait.
#[rustfmt::skip]
pub(in crate::plain) const ONCE: &[&str] = &[
    "after", "once", "as soon as", "when", "nach", "sobald", "nachdem", "wenn", "après", "une fois", "dès", "después de", "después del", "tras", "una vez", "cuando", "após", "depois da", "depois do", "uma vez", "dopo", "una volta", "после", "когда",
];

// The same, and not earlier.
#[rustfmt::skip]
pub(in crate::plain) const ONLY: &[&str] = &[
    "only after", "only once", "only when", "only if", "erst nach", "erst wenn", "erst sobald", "nur nach", "nur wenn", "seulement après", "seulement une fois", "seulement si", "uniquement après", "solo después", "sólo después", "solo cuando", "sólo cuando",
    "solo si", "sólo si", "só depois", "somente após", "apenas após", "solo dopo", "solo se", "только после", "только если",
];

pub(in crate::plain) const BEFORE: &[&str] =
    &["before", "until", "bevor", "vor", "avant", "antes", "prima", "до"];
#[rustfmt::skip]
pub(in crate::plain) static CONTRARY: WordList = WordList::new(&["nicht", "pas", "no", "não", "non", "не"]);

// Words that may stand behind an event that is over.
#[rustfmt::skip]
pub(in crate::plain) static DONE: WordList = WordList::new(&[
    "has", "have", "is", "was", "run", "ran", "done", "finished", "complete", "completed", "succeeded", "been", "applied", "out", "live", "through", "over", "in", "production", "ist", "gelaufen", "durch", "fertig", "abgeschlossen", "wurde", "ausgeführt",
    "est", "a", "été", "terminée", "terminé", "passée", "exécutée", "haya", "ha", "sido", "terminado", "terminada", "termine", "corrido", "ejecutado", "esté", "tiver", "terminar", "è", "finita", "terminata", "завершится", "завершена",
]);

// Orders to apply what is shown.
#[rustfmt::skip]
pub(in crate::plain) const ORDERS: &[&str] = &[
    "do this", "do that", "do it", "apply this", "apply it", "apply that", "run this", "run it", "merge this", "merge it", "use this", "use it", "make this change", "please apply", "please do", "wende das", "wende es", "wenden sie", "mach das", "mache das",
    "à faire", "à appliquer", "appliquez", "faites-le", "hazlo", "aplica esto", "aplícalo", "aplique", "faça isso", "applica", "fallo", "сделайте это", "примените",
];

// Words with which it is said where, or for which version, something does not hold.
#[rustfmt::skip]
pub(in crate::plain) static RESTRICTING: WordList = WordList::new(&[
    "to", "on", "in", "for", "at", "with", "outside", "auf", "für", "bei", "im", "à", "sur", "dans", "pour", "en", "a", "al", "para", "em", "na", "no", "su", "nel", "per", "в", "на", "для",
]);

// Words that mean the project at hand.
#[rustfmt::skip]
pub(in crate::plain) static HERE: WordList = WordList::new(&["this", "here", "your", "diesem", "diesen", "dieses", "hier", "ce", "cette", "votre", "este", "esta", "tu", "questo", "этот", "этом"]);
