//! The words by which lines above and below a candidate say that it is done, under a condition, or not at all.

use crate::plain::phrases::{Phrases, WordList};

/// What words above say of a candidate; the later ones win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Lead {
    /// Nothing against it.
    #[default]
    Open,
    /// Only under a condition, or later.
    Condition,
    /// It is reported or quoted, wrong, or from before.
    Report,
    Against,
}

/// What a row of the table says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::plain) enum Says {
    /// Nothing: an idiom that begins with words of another row.
    Nothing,
    /// Forbids, where a clause begins with it.
    Not,
    /// Forbids, wherever it is.
    MustNot,
    /// A condition, where a clause begins with it.
    When,
    /// A condition, wherever it is.
    Maybe,
    /// A purpose that no change has, whatever follows.
    Breaks,
    /// A purpose of something that is run: a deed for it is no change.
    Tests,
    /// Somebody else, or a record, says or does it.
    Other,
    /// The same at the end of a line.
    Ends,
    /// The same, where code below has its own table.
    Tells,
    /// A fault: all of a short clause, or of what is shown.
    Fault,
    /// Said of code that is shown: it is not as it should be.
    Stale,
    /// What is shown: "version", "file".
    Thing,
    // A verb of what is to be done: what is behind it is its object.
    Orders,
    /// It is to be done.
    Does,
}

#[rustfmt::skip]
pub(in crate::plain) const ROWS: &[(Says, &[&str])] = &[
    (Says::Nothing, &[
        "not only", "not just", "don't forget", "do not forget", "don't worry", "never mind", "no problem", "no worries",
        "don't need", "do not need", "doesn't need", "no longer", "not needed", "not used", "not required", "never used",
        "no changes", "no change", "no other", "i did", "we did", "you did", "i've done", "i suggested", "you suggested", "we suggested", "you proposed", "i proposed",
        "we proposed", "you recommended", "i recommended", "is recommended", "are recommended", "is suggested", "is proposed", "i said", "you said",
        "you asked", "as you suggested", "if it exists", "if it still exists", "if present", "if it is there", "if they exist",
        "in that case", "nicht nur", "nicht mehr", "non seulement", "no solo", "non solo", "não só", "не только",
        "больше не", "when done", "once done", "once you've", "once you have", "when you're done", "the following",
        "in this case", "should be used", "not yet", "keine sorge",
    ]),
    (Says::Not, &[
        "instead of", "rather than", "anstatt", "au lieu de", "en lugar de", "en vez de", "em vez de", "invece di", "вместо",
        "don't", "do not", "dont", "never", "avoid", "avoid doing", "not like", "not this", "not so", "refrain from", "under no circumstances",
        "nicht so", "nie", "niemals", "auf keinen fall", "vermeide", "vermeiden sie", "bitte nicht", "kein", "keine",
        "ne", "n'", "jamais", "évitez", "évite", "éviter", "nunca", "evita", "evite", "evitar", "jamás", "não", "jamais faça",
        "non", "mai", "evitare", "niet", "nooit", "vermijd", "nie rób", "nigdy", "unikaj", "nikdy", "не", "никогда", "избегайте",
        "ніколи", "inte", "aldrig", "jangan", "đừng", "không",
    ]),
    (Says::MustNot, &[
        "must not", "mustn't", "must never", "should not", "shouldn't", "should never", "shall not", "may not", "ought not",
        "not to do", "not do", "not to be", "cannot be", "don't do", "never do", "do not do", "not allowed", "forbidden",
        "prohibited", "off limits", "off-limits", "don't need to", "do not need to", "no need to", "needn't", "without doing",
        "advise against", "recommend against", "rather than doing", "would be a mistake", "is a mistake", "would be wrong",
        "darf nicht", "dürfen nicht", "sollte nicht", "solltest du nicht", "soll nicht", "nicht tun", "nicht machen", "verboten",
        "nicht werden", "ne devez pas", "ne doit pas", "ne faites pas", "ne pas faire", "à ne pas", "interdit", "no debes", "no debe",
        "no deberías", "no hagas", "no hay que", "prohibido", "não deve", "não faça", "proibido", "non devi", "non deve",
        "non fare", "vietato", "niet doen", "mag niet", "нельзя", "не следует", "не надо", "не должен", "не должны", "не делайте",
        "nie wolno", "nie należy", "to avoid",
    ]),
    (Says::When, &[
        "if", "only if", "even if", "unless", "in case", "should you", "should the", "optionally", "optional", "whenever", "when you",
        "when deploying", "when the tests", "when going", "when ready", "once you", "once nothing", "once no", "once all",
        "once everything", "once it", "once the", "as soon as", "later", "later on", "eventually", "some day", "someday", "afterwards if",
        "after you run", "after running", "after you deploy", "after deploying", "after the release", "after the migration",
        "until", "provided", "assuming", "suppose", "supposing", "say you",
        "to roll back", "to rollback", "to undo", "to revert", "to restore", "to clean up", "to cleanup", "to uninstall", "to go back",
        "rollback", "roll back", "cleanup after", "fallback", "plan b", "last resort", "as a last resort", "worst case", "troubleshooting",
        "falls", "wenn", "sobald", "später", "nur wenn", "bei bedarf", "zum zurücksetzen", "um es rückgängig", "nach dem",
        "si", "au cas", "en cas", "lorsque", "quand", "dès que", "plus tard", "facultatif", "pour annuler", "éventuellement",
        "cuando", "en caso", "opcional", "opcionalmente", "más tarde", "más adelante", "para deshacer", "para revertir",
        "se você", "se quiser", "se os", "se o", "caso", "quando", "mais tarde", "para desfazer", "se vuoi", "se i", "se il", "se la",
        "nel caso", "più tardi", "per annullare", "facoltativo", "indien", "als je", "zodra", "если", "когда", "как только", "позже",
        "чтобы откатить", "jeśli", "jeżeli", "pokud", "eğer", "jika", "nếu", "om du", "якщо",
    ]),
    (Says::Maybe, &[
        "if needed", "if necessary", "if you want", "if you like", "if you wish", "if you prefer", "if you ever", "if desired",
        "if required", "with your change", "with your changes", "after your change", "used to", "you changed", "you made", "you've made", "already made", "if it fails", "if this fails", "if that fails", "if anything goes wrong", "if something goes wrong", "only if", "you can also",
        "you may also", "you could also", "you could", "you might", "you may want", "you might want", "falls nötig", "falls gewünscht",
        "bei bedarf", "si nécessaire", "si besoin", "si vous voulez", "si es necesario", "si quieres",
        "se necessário", "se quiser", "se necessario", "при необходимости", "по желанию", "❌", "🚫", "⛔", "✗", "✘", "👎",
    ]),
    (Says::Breaks, &[
        "to break", "to reproduce", "to simulate", "to provoke", "to trigger", "to exploit", "to demonstrate", "to sabotage",
        "to cause", "steps to reproduce", "reproduction", "reproduce", "repro", "proof of concept", "exploit", "um es kaputt",
        "zum reproduzieren", "um den fehler", "pour reproduire", "para reproducir", "para reproduzir", "per riprodurre",
        "чтобы воспроизвести", "чтобы сломать",
    ]),
    (Says::Tests, &[
        "to test", "to verify", "to check", "to confirm", "to see", "to debug", "to experiment", "to try", "test for", "quick test",
        "sanity check", "experiment", "zum testen", "um zu testen", "um zu prüfen", "pour tester", "pour vérifier", "para probar",
        "para comprobar", "para testar", "per provare", "per verificare", "чтобы проверить", "после тестов",
    ]),
    (Says::Other, &[
        "attacker", "attackers", "hacker", "adversary", "teammate", "teammate's", "teammates", "colleague", "colleagues",
        "colleague's", "coworker", "co-worker", "coworker's", "someone", "someone else", "somebody", "junior developer",
        "her `", "his `", "their `", "leur `", "leurs `", "его `",
        "previous assistant", "other assistant", "another assistant", "previous answer", "other answer", "previous model",
        "chatgpt", "copilot", "stack overflow", "git history", "git log", "git did", "history shows", "last commit", "previous commit",
        "commit before", "earlier commit", "older commit", "old commit", "commit message", "commit title", "pr description", "pr title", "the docs say", "documentation says", "their branch", "the other branch",
        "exercise", "exercises", "homework", "übung", "hausaufgabe", "exercice", "ejercicio", "exercício", "esercizio", "упражнение", "refers to", "bezieht sich auf", "se refiere a", "refere-se a", "si riferisce a", "относится к", "the problem is", "the issue is", "the cause is", "the culprit is", "the bug is", "here's the issue", "here's the problem",
        "here is the issue", "here is the problem", "i can see", "at lines", "currently", "das problem ist", "le problème est", "el problema es", "o problema é",
        "il problema è", "проблема в",
        "the ticket says", "the issue says", "issue asks", "what happened", "release notes", "angreifer", "jemand", "kollege", "kollegin", "kollegen", "git-historie",
        "commit-nachricht", "attaquant", "quelqu'un", "collègue", "message de commit", "historique git", "atacante", "alguien",
        "compañero", "mensaje de commit", "alguém", "colega", "mensagem de commit", "attaccante", "qualcuno", "collega",
        "let me break down", "let me explain how", "let me walk you through how", "can be seen in", "is seen in", "as seen in", "zu sehen in", "sieht man in", "se voit dans", "voit dans", "se ve en",
        "se puede ver en", "se vê em", "pode ser visto em", "si vede in", "видно в",
        "messaggio di commit", "злоумышленник", "кто-то", "коллега", "сообщение коммита",
    ]),
    (Says::Ends, &[
        "the same as", "equivalent to", "equivalent would be", "identical to", "short for", "shorthand for", "dasselbe wie", "gleichbedeutend mit", "entspricht", "équivaut à",
        "équivalent à", "lo mismo que", "equivale a", "o mesmo que", "lo stesso di",
        "suggested", "suggests", "proposed", "recommended", "recommends", "claimed", "said", "wrote", "did", "had done", "asked for",
        "will contain", "would contain", "will have", "would have", "will generate", "used to be", "looked like", "vorschlug",
        "vorgeschlagen", "schrieb", "tat", "enthalten", "suggéré", "proposé", "contiendra", "sugirió", "propuso", "contendrá", "era así",
        "era", "sugeriu", "conterá", "ha suggerito", "conterrà", "предложил", "предложила", "будет содержать",
    ]),
    (Says::Tells, &[
        "shows", "showed", "says", "reported", "was", "zeigt", "montre", "muestra", "mostra", "показывает", "reads", "contains",
    ]),
    (Says::Fault, &[
        "wrong", "incorrect", "bad", "mistake", "mistakes", "common mistakes", "don'ts", "pitfall", "pitfalls", "anti-pattern",
        "anti-patterns", "antipattern", "bad idea", "bad practice", "terrible", "dangerous", "harmful", "rejected", "discarded",
        "falsch", "fehler", "häufige fehler", "schlecht", "schlechte idee", "faux", "erreurs", "mauvais", "mauvaise", "mauvaise idée", "incorrecte",
        "incorrecto", "errores", "mala", "mala idea", "mal", "errado", "erros", "incorreto", "ruim", "má ideia", "sbagliato", "errori",
        "errato", "cattiva idea", "fout", "verkeerd", "źle", "błąd", "špatně", "неправильно", "неверно", "ошибка", "ошибки", "плохо",
        "плохая идея",
    ]),
    (Says::Stale, &[
        "old", "naive", "typical", "usual", "buggy", "broken", "faulty", "vulnerable", "insecure", "flawed", "original", "previous", "former", "earlier", "unpatched",
        "unfixed", "wrong", "incorrect", "bad", "rejected", "falsche", "falschen", "falscher", "falsches", "fehlerhafte", "fehlerhaften",
        "ursprüngliche", "vorherige", "kaputte", "erronée", "originale", "ancienne", "ancien", "défectueuse", "errónea",
        "erróneo", "incorrecta", "errada", "incorreta", "sbagliata", "originario", "precedente", "неправильный", "неверный",
        "исходный", "прежний", "ошибочный",
    ]),
    (Says::Thing, &[
        "version", "code", "implementation", "way", "approach", "example", "variant", "copy", "state", "usage", "use", "draft", "attempt", "content",
        "contents", "listing", "snippet", "fassung", "fassung von", "beispiel", "exemple", "ejemplo", "versión", "versão", "versione",
        "версия", "код", "file",
    ]),
    (Says::Orders, &[
        "do", "use", "make", "write", "put", "set", "change", "replace", "update", "add", "create", "edit", "modify", "apply", "save", "rename", "delete", "remove", "move", "fix",
        "rewrite", "fixing", "updating", "changing", "adding", "creating", "replacing", "paste", "open", "insert", "swap", "drop", "ändere", "ersetze", "erstelle", "aktualisiere", "füge",
        "lösche", "verwende", "remplacez", "créez", "ajoutez", "modifiez", "utilisez", "actualiza", "reemplaza", "crea", "agrega", "añade", "cambia", "usa", "substitua", "crie", "adicione",
        "sostituisci", "aggiungi", "modifica", "обновите", "замените", "создайте", "добавьте", "измените", "используйте",
        "refactor", "implement", "append", "adjust", "extend", "ändern", "ersetzen", "erstellen", "aktualisieren", "hinzufügen", "einfügen", "ergänzen", "anpassen", "verwenden", "löschen",
        "entfernen", "korrigieren", "umbenennen", "ersetzt", "ergänze", "korrigiere", "entferne", "modifier", "remplacer", "créer", "ajouter", "utiliser", "corriger", "supprimer",
        "corrigez", "supprimez", "actualizar", "reemplazar", "crear", "agregar", "añadir", "cambiar", "modificar", "eliminar", "corregir", "refactorizar", "ajustar", "usar", "implementar",
        "atualizar", "substituir", "criar", "adicionar", "alterar", "remover", "corrigir", "refatorar", "aggiornare", "sostituire", "creare", "aggiungere", "modificare", "correggere",
        "rimuovere", "usare", "обновить", "заменить", "создать", "добавить", "изменить", "использовать", "исправить", "удалить", "исправьте", "удалите",
    ]),
    (Says::Does, &[
        "here", "here's", "updated", "should", "must", "needs", "need", "fixes", "fixed", "new", "corrected", "correct", "final", "complete", "full", "instead", "keep", "let's", "i'll",
        "we'll", "changed", "modified", "revised", "improved", "refactored", "rewritten", "adjusted", "added", "entire", "whole", "becomes", "let", "lets", "allow", "allows", "prevent",
        "prevents", "protect", "blocks", "stops", "hier", "neue", "stattdessen", "geänderte", "korrigierte", "aktualisierte", "vollständige", "komplette", "angepasste", "verbesserte",
        "neuen", "voici", "corrigé", "modifié", "nouveau", "nouvelle", "complet", "complète", "aquí", "actualizado", "corregido", "nuevo", "completo", "aqui", "ecco", "вот", "обновлённый",
        "обновленный", "исправленный", "новый", "полный",
    ]),
];

/// The same of scripts without blanks between words, wherever they are.
pub(in crate::plain) const EAST: &[(Lead, &[&str])] = &[
    (
        Lead::Against,
        &[
            "不要",
            "切勿",
            "请勿",
            "禁止",
            "不应",
            "不能",
            "避免",
            "别这",
            "错误做法",
            "错误示例",
            "ないでください",
            "してはいけ",
            "しないで",
            "べきではな",
            "避けて",
            "悪い例",
            "하지 마",
            "하면 안",
            "금지",
            "잘못된",
        ],
    ),
    (
        Lead::Report,
        &[
            "攻击者",
            "同事",
            "有人",
            "是指",
            "指的是",
            "提交信息",
            "提交记录",
            "历史记录",
            "攻撃者",
            "同僚",
            "履歴",
            "공격자",
            "동료",
            "커밋 메시지",
        ],
    ),
    (
        Lead::Condition,
        &[
            "如果",
            "若要",
            "若需",
            "假如",
            "可选",
            "回滚",
            "撤销",
            "必要时",
            "もし",
            "場合は",
            "任意",
            "元に戻す",
            "必要なら",
            "만약",
            "경우",
            "선택 사항",
            "되돌리",
        ],
    ),
];

/// Words that may be at the beginning of a clause before what it says.
#[rustfmt::skip]
pub(in crate::plain) static BEFORE: WordList = WordList::new(&[
    "please", "and", "but", "so", "then", "also", "you", "we", "just", "really", "again", "what", "things", "the", "a", "an", "this",
    "that", "bitte", "und", "aber", "du", "sie", "por", "favor", "y", "pero", "et", "mais", "vous", "e", "ma", "mas", "и", "но",
    "step", "for", "only", "your", "some", "these",
]);

/// Words of [`Says::Does`] that do not say what is done.
#[rustfmt::skip]
pub(in crate::plain) static WEAK: WordList = WordList::new(&[
    "here", "here's", "hier", "voici", "aquí", "aqui", "ecco", "вот", "do", "open", "let", "lets", "let's", "allow", "allows", "prevent",
    "prevents", "protect", "blocks", "stops", "should", "must", "needs", "need", "keep",
]);

/// Words behind those of [`WEAK`] with which a sentence begins that shows what is to be: "Here's a seed script".
pub(in crate::plain) const SHOWN: &[&str] = &[
    "a", "an", "the", "your", "my", "ein", "eine", "die", "der", "das", "un", "une", "le", "la", "el", "uma",
    "um", "o",
];

/// Words behind "should" that say how it is to be.
pub(in crate::plain) const TO_BE: &[&str] = &["be", "become", "look", "contain", "have", "read", "now"];

/// Words of a line that may stand before what it shows, besides those that have something done.
#[rustfmt::skip]
pub(in crate::plain) static PLAIN: WordList = WordList::new(&[
    "file", "files", "path", "filename", "the", "this", "a", "an", "of", "in", "for", "to", "with", "and", "your", "code", "contents", "content",
    "is", "are", "as", "below", "following", "follows", "step", "change", "changes", "here", "here's", "steps", "die", "der", "das", "datei", "le",
    "la", "fichier", "el", "archivo", "o", "arquivo", "il", "in", "at", "on", "root", "folder", "directory", "project", "hier", "voici",
    "aquí", "aqui", "ecco", "вот", "файл", "voilà", "into", "es", "est", "ist", "ordner", "im", "next", "then", "finally", "first", "now", "and",
    "also", "second", "third", "lastly", "dann", "zuerst", "ensuite", "enfin", "luego", "depois",
]);

/// Words besides [`PLAIN`] of a line that leads to deeds.
#[rustfmt::skip]
pub(in crate::plain) static DEEDS: WordList = WordList::new(&[
    "what", "do", "did", "i", "forget", "deleted", "renamed", "removed", "moved", "plan", "clean", "cleanup", "up", "you", "we", "don't", "need", "needed", "not", "used", "any", "longer", "no", "these",
    "they", "finish", "refactoring", "that", "after", "nothing", "else", "imports", "it", "since", "once", "done", "tasks", "todo", "zum", "schluss",
    "außerdem", "pour", "finir", "por", "último", "最后", "最後に", "наконец",
]);

// Words that may be between those of [`BEFORE`] and the verb of what is to be done: "Now let me also change".
#[rustfmt::skip]
pub(in crate::plain) static AUXILIARIES: WordList = WordList::new(&[
    "now", "let", "let's", "lets", "me", "us", "i", "i'll", "we'll", "you'll", "i'm", "we're", "will", "going", "gonna", "want", "need", "needs", "have", "has", "to",
    "can", "should", "must", "here", "first", "next", "finally", "second", "lastly", "simply", "okay", "ok", "sure", "great", "perfect",
    "jetzt", "ich", "werde", "wir", "müssen", "musst", "kannst", "können", "sollten", "solltest", "zuerst", "dann", "nun",
    "ahora", "voy", "a", "vamos", "puedes", "debes", "hay", "que", "primero", "luego", "je", "vais", "maintenant", "nous", "allons", "devez", "pouvez", "il", "faut",
    "agora", "vou", "precisa", "deve", "pode", "primeiro", "ora", "devi", "puoi", "dobbiamo", "bisogna", "теперь", "нужно", "надо", "необходимо", "давайте", "сначала",
]);

// Words of a line above a list that says to whom its items are addressed: "Here is what you need to do:".
#[rustfmt::skip]
pub(in crate::plain) const ADDRESSES: &[&str] = &[
    "you", "we", "let's", "we'll", "i'll", "i", "need", "needed", "steps", "sie", "du", "wir", "ich", "schritte", "vous", "nous", "étapes", "pasos", "passos", "você", "passi",
    "нужно", "необходимо", "надо", "вам", "шаги", "您", "你", "我们", "需要", "步骤", "手順", "필요",
];

// Words with which a sentence begins that says what the one before it is good for.
#[rustfmt::skip]
pub(in crate::plain) const EXPLAINS: &[&str] = &[
    "this ensures", "this will", "this makes", "this allows", "this lets", "this way", "this gives", "this keeps", "this helps", "this fixes", "this adds", "it will", "that way",
    "dadurch", "damit", "so wird", "cela permet", "cela garantit", "esto asegura", "esto permite", "esto hará", "isso garante", "isso permite", "questo permette", "это позволит",
];

/// Words that make of a sentence something that may be, that was, or that is not.
#[rustfmt::skip]
pub(in crate::plain) static DOUBTS: WordList = WordList::new(&[
    "would", "could", "might", "not", "never", "no", "cannot", "imagine", "suppose", "hypothetically", "pretend", "was", "were", "had",
    "contained", "until", "before", "unless", "nicht", "nie", "kein", "keine", "könnte", "könnten", "würde", "wäre", "sähe", "hätte",
    "war", "bisher", "früher", "vorher", "ne", "pas", "jamais", "pourrait", "serait", "avant", "était", "contenait", "nunca", "jamás", "podría",
    "wrongly", "mistakenly", "accidentally", "incorrectly", "naively", "considered", "tempting",
    "sería", "antes", "era", "não", "poderia", "seria", "non", "mai", "potrebbe", "sarebbe", "prima", "не", "нет", "бы", "раньше", "был",
]);

/// The same of scripts without blanks between words, and those that have something done.
pub(in crate::plain) const EAST_DOUBTS: &[&str] =
    &["不", "没", "別", "之前", "以前", "原来", "目前", "现在的", "現在の", "現在は", "ない", "않", "이전"];

#[rustfmt::skip]
pub(in crate::plain) const EAST_DOES: &[&str] = &[
    "更新", "修改", "新", "完整", "替换", "替換", "创建", "建立", "添加", "改为", "改成", "变更", "変更", "作成", "追加", "置き換え", "全体", "完全",
    "書き換え", "수정", "생성", "추가", "전체", "변경", "바꾸", "文件", "檔案", "ファイル", "파일",
];

/// Words with which these scripts ask for a change of what is shown.
pub(in crate::plain) const EAST_WANTS: &[&str] = &[
    "改",
    "添",
    "加上",
    "加入",
    "写",
    "寫",
    "放到",
    "放在",
    "放入",
    "删",
    "刪",
    "换",
    "換",
    "设",
    "設",
    "使用以下",
    "使用下",
    "请",
    "請",
    "需要",
    "应",
    "應",
    "てください",
    "ましょう",
    "必要",
    "削除",
    "使って",
    "使い",
    "설정",
    "삭제",
    "사용하",
    "하세요",
    "해야",
    "필요",
];

/// Words with which a clause begins that only explains the one before.
#[rustfmt::skip]
pub(in crate::plain) static SUBORDINATE: WordList = WordList::new(&[
    "which", "because", "since", "so", "as", "who", "whose", "weil", "damit", "da", "parce", "afin", "car", "porque", "perché", "поскольку",
    "потому", "чтобы",
]);

/// Words for a notation, whose samples are no edits.
#[rustfmt::skip]
pub(in crate::plain) const NOTATION: &[&str] = &[
    "block", "blocks", "format", "formats", "dialect", "dialects", "syntax", "notation", "tool", "tools", "call", "calls", "codex",
    "csl", "sham", "cml", "aider", "replacer", "werkzeug", "aufruf", "bloc", "outil", "appel", "bloque", "formato", "sintaxis", "herramienta", "llamada",
    "bloco", "sintaxe", "ferramenta", "chamada", "blocco", "sintassi", "strumento", "chiamata", "формат", "блок", "синтаксис", "вызов",
];

/// Words that show what something is like.
#[rustfmt::skip]
pub(in crate::plain) const LIKE: &[&str] = &[
    "looks like", "look like", "like this", "like so", "looks so", "for reference", "as a reference", "called with", "sieht so aus", "so aus:", "zur referenz",
    "ressemble à", "comme ceci", "pour référence", "se ve así", "es así", "como referencia", "fica assim", "é assim", "para referência",
    "è così", "per riferimento", "выглядит так", "для справки", "如下", "这样", "このよう", "다음과 같",
];

/// Conditions that one reader meets and another does not.
#[rustfmt::skip]
pub(in crate::plain) const IF: &[&str] = &[
    "if", "only if", "unless", "in case", "optionally", "falls", "wenn", "nur wenn", "si", "au cas", "en cas", "en caso",
    "se", "caso", "nel caso", "если", "indien", "als", "jeśli", "eğer",
];

#[rustfmt::skip]
pub(in crate::plain) const READER: &[&str] = &[
    "you", "your", "you're", "you've", "sie", "du", "ihr", "vous", "tu", "votre", "usted", "usas", "utilizas", "quieres",
    "você", "usar", "quiser", "usi", "vuoi", "вы", "вам", "ты", "у", "je", "używasz", "chcesz",
];

/// Words above an edit block that forbid it, or call it somebody's whose work is under review.
#[rustfmt::skip]
pub(in crate::plain) const FORBID: &[&str] = &[
    "not apply", "n't apply", "not merge", "n't merge", "not to do", "n't do this", "not do this", "n't use this", "not use this", "never do this",
    "that broke", "reviewing the diff", "you linked", "you pasted", "your pasted", "introduced the bug", "introduced this bug", "(illustrative)", "for illustration", "diff under review", "nicht anwenden", "nicht übernehmen", "n'appliquez pas", "ne pas appliquer",
    "no apliques", "não aplique", "non applicare", "не применяйте", "不要应用", "適用しないで", "적용하지 마",
];

// Words by which others did not take a change.
#[rustfmt::skip]
pub(in crate::plain) const REJECTED: &[&str] = &[
    "was rejected", "were rejected", "got rejected", "was reverted", "were reverted", "got reverted", "was declined", "was turned down", "was dropped", "was never merged", "wasn't merged", "was not merged",
    "abgelehnt wurde", "wurde abgelehnt", "verworfen wurde", "a été rejeté", "a été refusé", "a été annulé", "fue rechazado", "se rechazó", "foi rejeitado", "foi recusado", "è stato rifiutato", "è stato respinto",
    "был отклонён", "был отклонен", "отклонили",
];

// Words that call what they lead to a text for other readers.
#[rustfmt::skip]
pub(in crate::plain) static FOR_READERS: Phrases = Phrases::new(&[
    "blog post", "blog article", "newsletter", "handout", "bug report", "draft of the mail", "draft of the email", "mail to", "email to", "e-mail to", "message to", "slide", "slides",
    "blogbeitrag", "handzettel", "fehlerbericht", "article de blog", "rapport de bug", "artículo del blog", "entrada del blog", "post do blog", "articolo del blog", "статьи для блога",
]);

// What a program does with a file that it makes.
#[rustfmt::skip]
pub(in crate::plain) const MAKERS: &[&str] = &[
    "create", "creates", "generate", "generates", "write", "writes", "produce", "produces", "emit", "emits", "output", "outputs", "scaffold", "scaffolds",
    "erstellt", "erzeugt", "schreibt", "crée", "génère", "crea", "genera", "cria", "gera", "создаёт", "создает",
];

/// Words with which an answer turns against what it showed.
#[rustfmt::skip]
pub(in crate::plain) const TURNS: &[&str] = &[
    "wait", "hold on", "on second thought", "scratch that", "hmm", "oops", "sorry", "never mind", "actually", "moment", "doch", "halt", "warte", "korrektur", "attendez", "en fait", "espera", "en realidad", "corrección", "aspetta",
    "correzione", "espere", "correção", "подождите", "стоп",
];

/// Words that do so alone in a clause: "Edit: it is wrong."
#[rustfmt::skip]
pub(in crate::plain) const ALONE: &[&str] = &[
    "edit", "correction", "an example", "just an example", "only an example", "as an example", "sample", "ein beispiel", "nur ein beispiel", "un exemple",
    "un ejemplo", "um exemplo", "un esempio", "пример",
];

/// Words that take back what an answer showed, or forbid it.
#[rustfmt::skip]
pub(in crate::plain) const REVOKES: &[&str] = &[
    "don't apply", "do not apply", "don't change the file", "do not change the file", "don't use this", "do not use this", "don't use it", "do not use it",
    "don't do this", "do not do this", "ignore the change", "ignore the above", "ignore that", "take that back", "don't recommend this",
    "do not recommend this", "above is wrong", "that's not right", "that's wrong", "and it failed", "but it failed", "which failed", "it did not work",
    "it didn't work", "was rejected", "nicht ändern", "nicht anwenden", "nicht übernehmen", "schlug fehl", "ne changez pas", "n'appliquez pas", "a échoué",
    "no cambies", "no apliques", "y falló", "não altere", "não aplique", "e falhou", "non applicare", "ed è fallito", "не меняйте", "не применяйте",
    "не сработало",
];

/// The same of code, which no model was taught to show.
#[rustfmt::skip]
pub(in crate::plain) const REMARKS: &[&str] = &[
    "not recommended", "just to illustrate", "only to illustrate", "for illustration", "only an illustration",
];

pub(in crate::plain) const EAST_REVOKES: &[&str] = &[
    "请不要修改",
    "不要应用",
    "是错误的",
    "等等",
    "変更しないで",
    "適用しないで",
    "적용하지 마",
    "失败了",
    "失敗し",
    "실패했",
];

/// Words of a label before a deed, besides [`PLAIN`].
#[rustfmt::skip]
pub(in crate::plain) const LABELS: &[&str] = &[
    "line", "lines", "section", "function", "class", "method", "block", "solution", "action", "task", "edit", "port", "config", "configuration", "settings", "backend",
    "frontend", "api", "server", "client", "required", "important", "quick", "simple", "easy", "todo", "zeile", "lösung", "schritt", "étape", "paso", "passo", "шаг", "one", "two", "choice", "option",
];

/// Words with which a label begins that calls an edit block a sample, or one of before.
#[rustfmt::skip]
pub(in crate::plain) const SAMPLES: &[&str] = &[
    "example", "an example", "for example", "for instance", "e.g", "sample", "hypothetical", "illustration", "illustrative", "format", "proposal", "previously",
    "rejected", "old patch", "old diff", "old version", "what we tried", "beispiel", "zum beispiel", "exemple", "par exemple", "ejemplo", "por ejemplo", "exemplo", "esempio", "пример",
];
