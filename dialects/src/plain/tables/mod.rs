//! The words by which prose says what a fence below it is: tables, in the languages of the table of elisions.
//!
//! A row is a word or phrase in lower case; words of scripts with blanks match whole words, those of others (the
//! tables that end in `EAST`) match anywhere.

pub(super) mod lead;
pub(super) mod standing;

use super::phrases::Phrases;

// Programs whose names begin a command.
#[rustfmt::skip]
pub(super) const PROGRAMS: &[&str] = &[
    "apt", "apt-get", "aws", "az", "bash", "bin/rails", "brew", "bun", "bundle", "cargo", "cat", "cd",
    "chmod", "chown", "clada", "cmake", "code", "composer", "conda", "cp", "createdb", "curl", "deno",
    "django-admin", "docker", "docker-compose", "dotnet", "echo", "eslint", "export", "firebase", "flask",
    "flutter", "gcc", "gcloud", "gem", "gh", "git", "go", "gradle", "grep", "helm", "heroku", "java",
    "javac", "jest", "kubectl", "ls", "make", "manage.py", "mkdir", "mv", "mvn", "mypy", "mysql", "next",
    "nix", "node", "npm", "npx", "openssl", "pdm", "php", "pip", "pip3", "pipenv", "pnpm", "poetry",
    "prettier", "prisma", "psql", "pwd", "py", "pytest", "python", "python3", "rails", "rake", "redis-cli",
    "rm", "rsync", "ruby", "ruff", "rustup", "scp", "sed", "set", "sh", "source", "sqlite3", "ssh",
    "streamlit", "sudo", "supabase", "systemctl", "tail", "tar", "terraform", "touch", "tsc", "uv",
    "uvicorn", "uvx", "vercel", "vim", "vite", "wget", "wrangler", "yarn", "zsh", "xcodebuild", "swift",
    "dart", "expo", "eas", "tox", "nox", "hatch", "black", "isort", "nano", "mix", "stack", "cabal", "ghc",
    "sbt", "lein", "adb", "ansible-playbook", "cls", "dir", "del", "copy", "move", "type", "winget",
    "choco", "./gradlew", "./mvnw", "gradlew", "mvnw", "act", "just", "open", "printf", "gunicorn",
    "celery", "rustc", "clang", "g++", "powershell",
];

// Words directly before a path that is not the file to change.
#[rustfmt::skip]
pub(super) const ASIDE_BEFORE: &[&str] = &[
    "like", "from", "modelled on", "modeled on", "same folder as", "same directory as", "same dir as",
    "similar to", "based on", "unlike", "next to", "alongside", "as in", "same as", "same way as",
    "such as", "copied from", "taken from", "used by", "imported by", "called by", "called from",
    "import from", "see", "refer to", "besides", "instead of", "analogous to", "mirrors", "mirroring",
    "matches", "matching", "than", "pattern of", "style of", "structure of",
    "e.g.", "via", "imports", "wie",
    "ähnlich wie", "basiert auf", "neben", "analog zu", "siehe", "depuis", "basé sur", "à côté de",
    "voir", "desde", "basado en", "junto a", "igual que", "similar a", "a partir de", "baseado em",
    "ao lado de", "basato su", "accanto a", "zoals", "uit", "naast", "från",
    "obok", "podle", "vedle", "gibi", "seperti", "dari", "giống", "như", "từ", "как", "из",
    "по образцу", "рядом с", "як", "поруч із", "like in", "pattern in", "patterns in", "style in",
    "ejecuta", "run", "running",
    "comme", "como", "come", "som", "jak", "jako",
    "copy of", "derived from", "modelled after", "modeled after", "basierend auf", "ausgehend von", "auf basis",
    "auf basis von", "auf grundlage", "auf grundlage von", "nach dem vorbild", "nach dem vorbild von",
    "nach dem muster", "nach dem muster von", "anhand", "anhand von", "kopie von", "basant sur", "à partir",
    "sur la base", "sur le modèle", "d'après", "copie de", "basándote en", "basándose en", "basándome en",
    "con base en", "en base a", "tomando como base", "a partir", "copia de", "com base em", "com base no", "cópia de",
    "sulla base di", "a partire da", "copia di", "на основе", "на базе", "на основании", "копия",
];

// Verbs with which such a word names the file to change: "remove x from p".
#[rustfmt::skip]
pub(super) static TAKES_FROM: Phrases = Phrases::new(&[
    "remove", "delete", "drop", "strip", "extract", "entferne", "lösche", "supprimez", "retirez", "elimina",
    "quita", "remova", "rimuovi", "verwijder", "usuń", "удалите", "уберите",
]);

// The same, after it.
#[rustfmt::skip]
pub(super) const ASIDE_AFTER: &[&str] = &[
    "のように", "と同じ", "と同様", "を参考", "を参照", "に倣", "に似", "の隣", "から", "一样", "一樣", "类似", "類似", "相同", "同一目录", "同目录",
    "同级", "旁边", "처럼", "와 같은", "과 같은", "와 비슷한", "을 참고", "를 참고", "옆",
    "に基づ", "に基い", "をもとに", "を元に", "を基に", "をベースに", "を土台に", "を雛形に", "をひな形に", "をテンプレート", "为模板", "作为模板",
    "为基础", "作为基础", "为蓝本", "为范本", "作为参考", "为参考", "為基礎", "為範本", "을 기반", "를 기반", "에 기반", "을 바탕",
    "를 바탕", "을 토대", "를 토대", "을 템플릿", "를 템플릿", "as a template", "as the template", "as template",
    "as a base", "as the base", "as a basis", "as a starting point", "as a reference", "as a model", "als vorlage",
    "als grundlage", "als basis", "als muster", "comme modèle", "comme base", "como plantilla", "como base",
    "como modelo", "como referencia", "come base", "come modello", "как шаблон", "в качестве шаблона",
];

// What may stand between a path and such a word: the file, its content.
#[rustfmt::skip]
pub(super) const CONTENTS_EAST: &[&str] = &["ファイル", "の内容", "の中身", "文件", "的内容", "파일", "의 내용", "의"];

// Verbs by which the path behind them is the source of another one.
#[rustfmt::skip]
pub(super) const COPIES: &[&str] = &[
    "copy", "duplicate", "clone", "kopiere", "kopieren", "kopier", "copiez", "copier", "copia", "copie", "copiar", "copiate",
    "скопируйте", "копируйте", "复制", "拷贝",
];

// The same, behind the source.
#[rustfmt::skip]
pub(super) const COPIES_BEHIND: &[&str] = &[
    "をコピー", "を複製", "을 복사", "를 복사", "复制为", "复制成", "复制到", "拷贝为", "複製為", "kopieren", "kopierst",
];

// Words between two paths that mean the same.
#[rustfmt::skip]
pub(super) const JOINING: &[&str] = &[
    "and", "or", "und", "oder", "et", "ou", "y", "o", "e", "en", "i", "и", "和", "や", "と", "및", "ve", "dan",
    "và", "&", ",", "/", "、", "，", "+",
];

// Words that may be between those and the path.
#[rustfmt::skip]
pub(super) const ARTICLES: &[&str] = &[
    "the", "your", "our", "this", "that", "existing", "file", "files", "module", "component", "class", "in",
    "of", "one", "ones", "a", "an", "current", "der", "die", "das", "den", "dem", "datei", "le", "la", "les", "fichier",
    "du", "el", "los", "archivo", "o", "arquivo", "il", "het", "de", "bestand", "файла", "файл", "文件",
    "other", "old", "original", "content", "contents", "inhalt", "inhalts", "contenu", "contenido", "conteúdo", "contenuto",
    "del", "do", "da", "содержимого",
];

// Words that say of a label that it names a file; a path behind them counts more than others.
#[rustfmt::skip]
pub(super) const FILE_WORDS: &[&str] = &[
    "file", "path", "filename", "filepath", "file path", "file name", "full path", "location", "datei",
    "dateiname", "dateipfad", "pfad", "fichier", "nom du fichier", "chemin", "archivo", "fichero", "ruta",
    "nombre del archivo", "arquivo", "caminho", "nome do arquivo", "ficheiro", "nome del file", "percorso",
    "bestand", "bestandsnaam", "pad", "fil", "filnamn", "plik", "ścieżka", "soubor", "cesta", "dosya",
    "berkas", "lokasi", "tệp", "đường dẫn", "файл", "путь", "имя файла", "шлях", "文件", "文件名", "文件路径", "路径",
    "檔案", "檔案名稱", "路徑", "ファイル", "ファイル名", "ファイルパス", "パス", "파일", "파일명", "파일 경로", "경로", "الملف", "المسار",
    "फ़ाइल",
];

// Words that call a file new.
#[rustfmt::skip]
pub(super) static NEW: Phrases = Phrases::new(&[
    "new", "create", "creating", "created", "newly", "neu", "neue", "neuen", "erstelle", "erstellen",
    "anlegen", "nouveau", "nouvelle", "créer", "créez", "crée", "nuevo", "nueva", "crea", "crear", "cree",
    "novo", "nova", "crie", "criar", "nuovo", "creare", "nieuw", "nieuwe", "maak", "ny", "skapa", "nowy",
    "utwórz", "nový", "vytvořte", "yeni", "oluştur", "oluşturun", "baru", "buat", "tạo", "mới", "новый",
    "новое", "создать", "создайте", "создай", "новий", "створіть",
]);

#[rustfmt::skip]
pub(super) const NEW_EAST: &[&str] = &[
    "新建", "创建", "新增", "新文件", "建立", "創建", "新檔案", "新規", "作成", "새 파일", "새로운", "생성",
];

// What writes files when it runs.
#[rustfmt::skip]
pub(super) const WRITERS: &[&str] = &[
    "the script", "this script", "the program", "the command", "the tool", "das skript", "dieses skript", "das programm", "der befehl", "le script", "ce script",
    "le programme", "la commande", "el script", "este script", "el programa", "o script", "o programa", "lo script", "il programma", "скрипт", "программа",
    "该脚本", "此脚本", "脚本", "程序", "スクリプトは", "스크립트는", "스크립트가",
];

#[rustfmt::skip]
pub(super) const WRITES: &[&str] = &[
    "creates", "will create", "generates", "will generate", "writes", "will write", "produces", "will produce", "outputs", "saves", "erzeugt", "erstellt", "schreibt",
    "crée", "génère", "écrit", "crea", "genera", "escribe", "cria", "gera", "scrive", "создаёт", "создает", "пишет", "会生成", "会创建", "生成", "创建", "输出",
    "作成", "出力", "생성", "만듭니다",
];

// Words with which a file is created that is named behind them.
#[rustfmt::skip]
pub(super) static CREATES: Phrases = Phrases::new(&[
    "create", "creating", "created", "save as", "save it as", "save this as", "touch", "add a file", "add a new", "add the file", "write a new", "make a new",
    "make a file", "erstelle", "erstellen", "anlegen", "lege", "speichere", "créer", "créez", "crée", "créons", "enregistrez", "crea", "crear", "cree", "creamos",
    "guarda", "crie", "criar", "creare", "maak", "skapa", "utwórz", "vytvořte", "oluştur", "oluşturun", "buat", "tạo", "создать", "создайте", "создай", "создадим",
    "створіть",
]);

pub(super) const CREATES_EAST: &[&str] = &[
    "新建",
    "创建",
    "新增文件",
    "建立",
    "創建",
    "新檔案",
    "新文件",
    "新しいファイル",
    "新規",
    "作成",
    "새 파일",
    "새로운 파일",
    "생성",
];

// Verbs of creation that stand behind their object.
pub(super) const CREATES_BEHIND: &[&str] = &["erstellen", "anlegen", "neu anlegen", "neu erstellen"];

// What a "new" one is, where no verb says that it is created.
#[rustfmt::skip]
pub(super) static CREATED_THINGS: Phrases = Phrases::new(&[
    "file", "component", "module", "script", "page", "test", "datei", "komponente", "modul", "skript", "fichier", "composant", "archivo", "componente",
    "módulo", "arquivo", "файл", "компонент", "модуль", "скрипт", "tệp", "plik", "bestand",
]);

// Words between what is new and the file that has it.
pub(super) const IN_ANOTHER: &[&str] =
    &["in", "to", "into", "of", "from", "for", "inside", "im", "dans", "en", "em", "в"];

// Words that show a file as it is now, even where the fence is named as an edit is.
#[rustfmt::skip]
pub(super) static STATES: Phrases = Phrases::new(&[
    "currently", "now have", "now has", "looking at", "look at", "looking back", "you have", "you've got",
    "we have", "at the moment", "before the change", "before this change", "before the fix",
    "before my change", "previously", "current code", "current implementation", "current content",
    "current version", "current configuration", "existing code is", "existing implementation",
    "as it stands", "used to be", "was originally", "original code", "old code", "old version",
    "the problem is here", "problem is in", "bug is here", "issue is here", "relevant", "are correct",
    "is correct", "determines", "as seen in",
    "derzeit", "aktuell", "momentan", "actuellement", "actualmente", "atualmente", "attualmente", "hiện tại",
    "сейчас", "в настоящее время",
]);

// Words of sentences and headings that show the old or a wrong state, an output, a usage, a comparison.
#[rustfmt::skip]
pub(super) static LEAD_INS: Phrases = Phrases::new(&[
    "pseudo", "pseudocode", "pseudo-code", "problematic",     "looked like", "will output", "will print", "would print", "which becomes",
    "is equivalent to", "equivalent to", "compiles to", "equivale a", "equivalente a", "is creating",
    // Examples
    "example usage", "usage example", "e.g",     "use it like", "used like", "call it like", "sample usage", "sample output",
    "sample response",     // Explanations
    "mean different", "mean the following", "means the following", "stand for", "stands for",
    "in plain words",
    "step through", "walk through",     // Wrong, comparison, going back
    "❌", "🚫", "not recommended", "don't recommend", "do not recommend", "wouldn't recommend", "would not recommend",
    "advise against", "recommend against", "i'd avoid", "i would avoid", "first version", "earlier version",
    "older version", "empfehle ich nicht", "rate ich ab", "ne recommande pas", "no lo recomiendo", "não recomendo",
    "non lo consiglio", "не рекомендую", "anti-pattern", "antipattern", "for comparison", "in comparison",
    "compare with", "revert to", "revert it", "revert this", "to the original", "roll back", "to undo", "go back to", "restore the original", "stack trace",
    "traceback", "you should see", "you would see", "expected output",
    "expect to see", "log shows", "logs show",
    // German, Dutch, Swedish
    "derzeit", "aktuell", "momentan", "bisher", "vorher", "gibt aus",
    "nicht so", "zum vergleich", "rückgängig", "momenteel", "bijvoorbeeld",
    "för närvarande", "till exempel",
    // French, Italian, Spanish, Portuguese, Romanian
    "actuellement", "à titre de comparaison", "attualmente",     "per confronto", "actualmente", "para comparar",     "uso directo", "casos de uso", "atualmente", "para comparação", "în prezent",
    "de exemplu",
    // Polish, Czech, Turkish, Indonesian, Vietnamese
    "obecnie", "na przykład", "aktuálně", "například", "şu anda", "örneğin", "saat ini", "misalnya",
    "hiện tại", "ví dụ",
    // Russian, Ukrainian
    "сейчас", "в настоящее время", "выведет", "не делайте", "для сравнения",     "наразі", "наприклад",
]);

// Lead-ins that may be said of what is to be as well: "Here's a working example", "after the change it looks like this".
#[rustfmt::skip]
pub(super) static OPEN_LEAD_INS: Phrases = Phrases::new(&[
    "already", "looks like", "look like", "will show", "for example", "for instance", "how to use", "to use it", "can be used",
    "an example of", "work as follows", "works as follows", "works like this", "work like this", "you see", "to confirm", "to verify",
    "you'll see", "you will see", "bereits", "zum beispiel", "z.b", "sieht so aus", "déjà", "par exemple", "per esempio",
    "ad esempio", "por ejemplo", "ya tienes", "por exemplo", "например", "выглядит так",
]);

// Words that say so where a sentence or heading ends or begins with them.
#[rustfmt::skip]
pub(super) const LEAD_IN_ENDS: &[&str] = &[
    "had", "it was", "this was", "that was", "prints", "print", "outputs", "output",
    "the output", "yields", "produces", "results in", "resulting in", "generates",
    "example response", "usage",     "syntax", "the syntax", "markers like", "lines like", "errors like", "warnings like", "messages like", "similar to", "calls like", "statements like", "patterns like", "logs", "this fails", "that fails",     "this breaks", "doesn't compile", "does not compile", "won't compile", "will not compile", "doesn't work",
    "does not work", "won't work",     "kompiliert nicht", "funktioniert nicht", "ne compile pas", "ne marche pas",     "no compila", "no funciona", "não compila", "não funciona", "non compila", "non funziona",
    "не компилируется", "не работает", "ausgabe", "verwendung", "uitvoer",
    "utskrift", "affiche", "sortie", "utilisation", "salida", "muestra", "uso",
    "saída", "uscita", "przykład", "wynik", "výstup", "çıktı", "contoh", "keluaran",
    "đầu ra", "kết quả", "вывод", "использование", "приклад",
];

// Of these, what may be said of what is to be as well.
#[rustfmt::skip]
pub(super) const OPEN_LEAD_IN_ENDS: &[&str] = &[
    "response", "the response", "reads", "contains", "contains this", "says", "shows", "gives", "returns", "example", "examples", "error message",
    "error", "the error", "something like", "code like", "beispiel", "exemple", "ejemplo", "exemplo", "esempio",
    "пример",
];

// Words with which the case begins that code handles.
pub(super) static CASES: Phrases = Phrases::new(&[
    "if",
    "when",
    "whenever",
    "in case",
    "falls",
    "wenn",
    "si",
    "lorsque",
    "quand",
    "cuando",
    "se",
    "quando",
    "если",
    "когда",
]);

// Faults, which are those of what is shown, or a case that it handles: "a message when the request fails".
#[rustfmt::skip]
pub(super) const FAULT_ENDS: &[&str] = &[
    "fails", "breaks", "panics", "crashes", "throws", "raises", "schlägt fehl", "échoue", "falla", "fallisce", "падает",
];

// Words that say so where a sentence begins with them.
#[rustfmt::skip]
pub(super) const LEAD_IN_STARTS: &[&str] = &[
    "instead of", "rather than", "example", "examples", "usage", "output of", "before", "located in", "defined in", "found in", "declared in", "implemented in", "excerpt of", "źle", "špatně",
    "yanlış", "salah",
];

#[rustfmt::skip]
pub(super) const LEAD_INS_EAST: &[&str] = &[
    "되어 있습니다", "들어가 있습니다", "이미 있", "すでにあ", "既にあ", "すでに存在", "既に存在", "已经有", "已经存在", "目前", "不推荐", "不建议", "当前代码", "当前的", "现在的代码", "原来的", "原代码", "修改前", "之前的代码", "例如", "比如", "类似", "類似", "是指", "指的是", "示例", "用法", "使用方法", "输出",
    "输出结果", "错误的", "错误示例", "不要", "避免", "对比", "目前的", "當前", "原本", "範例", "輸出", "錯誤", "現在の", "現状", "変更前", "修正前",
    "例えば", "使用例", "使い方", "出力", "実行結果", "間違い", "悪い例", "比較", "현재", "변경 전", "수정 전", "예를 들어", "예시", "사용 예",
    "사용법", "출력", "결과", "잘못된", "비교", "حاليا", "على سبيل المثال", "مثال", "الناتج", "वर्तमान", "उदाहरण",
];

// Words with which a short line begins that says where a quotation is from: "From your proto:".
pub(super) const QUOTES_FROM: &[&str] = &[
    "from your",
    "from the",
    "in your existing",
    "aus deinem",
    "aus deiner",
    "aus ihrem",
    "aus der",
    "aus dem",
    "de votre",
    "de ton",
    "de tu",
    "de su",
    "do seu",
    "da sua",
    "dal tuo",
    "из вашего",
    "из твоего",
];

// Words that take back a lead-in: what should be, or is from now on.
#[rustfmt::skip]
pub(super) static TAKEN_BACK: Phrases = Phrases::new(&[
    "should", "updated", "update", "must", "needs to", "to this", "replace", "add", "change it to",
    "change to", "so that", "becomes", "new", "create", "fixed", "corrected", "complete", "full", "final",
    "following content", "following contents", "save", "modify", "edit", "with this", "rewrite",
    "aktualisiert", "geändert", "ändere", "sollte", "ersetze", "erstelle", "die neue", "der neue", "das neue", "mis à jour", "devrait",
    "remplacez", "modifié", "la nouvelle", "le nouveau", "actualizado", "debería", "reemplaza", "la nueva", "el nuevo", "atualizado",
    "deve", "substitua", "a nova", "o novo", "aggiornato", "dovrebbe", "sostituisci", "il nuovo", "la nuova", "обновлённый", "обновленный", "должен", "замените", "добавьте",
    "измените",
]);

#[rustfmt::skip]
pub(super) const TAKEN_BACK_EAST: &[&str] = &[
    "我已经", "我已为", "修改为", "改为", "改成", "更新", "修改后", "完整", "替换", "添加", "新建", "创建", "應該", "应该", "変更後", "修正後", "更新後", "完全な",
    "置き換え", "追加", "작성", "수정", "변경 후", "완성", "추가", "교체",
];

// Words of a heading above a fence or a whole answer that call it one of several versions.
#[rustfmt::skip]
pub(super) static OPTIONS: Phrases = Phrases::new(&[
    "option", "choice", "alternative", "alternatively", "approach", "variant", "version", "solution", "method", "way",
    "variante", "lösung", "möglichkeit", "opción", "opcion", "alternativa", "opção", "opzione", "soluzione",
    "optie", "alternativ", "opcja", "możnost", "seçenek", "opsi", "lựa chọn", "вариант", "варіант",
    "способ",
]);

// Words that call it a draft.
#[rustfmt::skip]
pub(super) static DRAFTS: Phrases = Phrases::new(&[
    "draft", "first attempt", "first try", "initial version", "or, if you prefer", "if you prefer",
    "if you'd rather", "alternatively", "or alternatively", "entwurf", "brouillon", "borrador", "rascunho",
    "bozza", "черновик", "草稿", "下書き", "초안", "oder alternativ", "ou bien", "o bien", "o si prefieres",
]);

// Words of a heading that show no change, whatever is below it.
#[rustfmt::skip]
pub(super) const STRONG_LEAD_INS: &[&str] = &[
    "usage", "example usage", "usage example", "example", "examples", "how to use", "output",
    "expected output", "sample output", "before", "current code", "old code", "original code",
    "the problem", "problem", "root cause", "the bug", "the issue", "verwendung", "beispiel", "ausgabe",
    "vorher", "exemple", "utilisation", "ejemplo", "uso", "antes", "exemplo", "esempio", "пример",
    "использование", "до",
];

// Headings of the old state, in which files are named as well.
#[rustfmt::skip]
pub(super) const OLD_HEADINGS: &[&str] = &[
    "before", "old code", "old version", "current code", "original code", "the old code", "the current code",
    "the original code", "previous code", "previous version", "vorher", "alter code", "avant", "ancien code",
    "antes", "código anterior", "código antigo", "prima", "было", "до", "старый код", "修改前", "原代码", "変更前",
    "修正前", "변경 전", "수정 전",
];

#[rustfmt::skip]
pub(super) const STRONG_LEAD_INS_EAST: &[&str] = &[
    "使用示例", "用法", "示例", "使用方法", "修改前", "使用例", "使い方", "変更前", "사용 예", "사용법", "예시", "변경 전",
];

// Words that put a file into another project or on another machine.
#[rustfmt::skip]
pub(super) static ELSEWHERE: Phrases = Phrases::new(&[
    "another project", "other project", "different project", "upstream", "on the server", "on your server",
    "on the remote", "in the upstream",
    "in production, on", "anderen projekt", "auf dem server", "autre projet", "sur le serveur",
    "otro proyecto", "en el servidor", "outro projeto", "no servidor", "другом проекте", "на сервере",
]);

// Words with which a sentence goes on with the one before.
#[rustfmt::skip]
pub(super) const GOING_ON: &[&str] = &[
    "and", "or", "then", "und", "oder", "et", "ou", "puis", "y", "luego", "e", "poi", "i", "и", "затем",
    "ve", "dan",
];

// Words that say that what is below is run.
#[rustfmt::skip]
pub(super) static RUN: Phrases = Phrases::new(&[
    "run", "running", "execute", "command", "commands", "terminal", "install", "start the", "in your shell",
    "ausführen", "führe", "befehl", "exécutez", "exécuter", "commande", "ejecuta", "ejecutar", "comando",
    "execute", "esegui", "uruchom", "spusť", "çalıştır", "jalankan", "chạy", "запустите", "выполните",
    "команду",
]);

// Placeholders for the content of a file.
#[rustfmt::skip]
pub(super) const PLACEHOLDERS: &[&str] = &[
    "entire file content here", "entire file contents here", "file content here", "file contents here",
    "full file content here", "your code here", "code here", "content here", "new content",
    "contents of the file", "full content", "complete file content", "... file content ...",
    "entire content of file", "existing content",
];

// Words above the first of two fences, and between them.
#[rustfmt::skip]
pub(super) const FIRST: &[&str] = &[
    "replace", "before", "old", "change", "find", "from", "original", "current", "currently", "existing",
    "update", "swap", "substitute", "locate", "instead of", "look for", "search for", "was", "previous",
    "previously", "ersetze", "ersetzen", "ersetzt", "ersetzt du", "vorher", "alt", "statt", "ändere", "suche", "remplacez",
    "remplacer", "avant", "ancien", "au lieu de", "cherchez", "reemplaza", "reemplace", "reemplazar",
    "antes", "anterior", "en lugar de", "cambia", "busca", "substitua", "procure", "em vez de",
    "sostituisci", "prima", "invece di", "cerca", "vervang", "voor", "ersätt", "före", "zamień", "przed",
    "nahraďte", "před", "değiştir", "önce", "ganti", "sebelum", "thay", "trước", "замените", "замени",
    "было", "до", "вместо", "найдите", "замініть", "було",
];

#[rustfmt::skip]
pub(super) const FIRST_EAST: &[&str] = &[
    "修改前", "替换", "替換", "将", "把", "原来", "原代码", "旧", "查找", "找到", "変更前", "修正前", "置き換え", "元の", "変更する", "변경 전",
    "수정 전", "기존", "찾아",
];

#[rustfmt::skip]
pub(super) const THEN: &[&str] = &[
    "with", "after", "new", "to", "into", "becomes", "become", "by", "now", "updated", "fixed", "with this",
    "to this", "by this", "with the following", "to the following", "should be", "use", "instead",
    "modified", "corrected", "replacement", "durch", "nachher", "neu", "zu", "mit", "stattdessen", "par",
    "après", "nouveau", "utilisez", "en", "con", "por", "después", "nuevo", "usa", "depois", "novo", "com",
    "dopo", "nuovo", "door", "na", "nieuw", "med", "efter", "na", "po", "za", "ile", "sonra", "dengan",
    "sesudah", "menjadi", "bằng", "sau", "thành", "на", "стало", "после", "станет",
];

#[rustfmt::skip]
pub(super) const THEN_EAST: &[&str] = &[
    "修改后", "替换为", "改为", "改成", "为", "新", "変更後", "修正後", "に", "新しい", "変更後", "변경 후", "수정 후", "으로", "로 변경",
];

// Words that call a fence the old state.
#[rustfmt::skip]
pub(super) static OLD: Phrases = Phrases::new(&[
    "before", "old", "original", "previously", "vorher", "alt", "avant", "ancien", "antes", "prima", "было",
    "до",
]);

// Words of a sentence below a fence that give its file.
#[rustfmt::skip]
pub(super) static SAVES: Phrases = Phrases::new(&[
    "save", "put", "create", "store", "place", "speichere", "lege", "speichern", "enregistrez", "placez",
    "guarda", "guárdalo", "ponlo", "salve", "coloque", "salva", "mettilo", "bewaar", "spara", "zapisz",
    "ulož", "kaydet", "simpan", "lưu", "сохраните", "поместите", "збережіть",
]);

// Words that add.
#[rustfmt::skip]
pub(super) static ADDS: Phrases = Phrases::new(&[
    "add", "append", "insert", "put", "paste", "adding", "place", "füge", "hinzu", "hinzufügen", "einfügen", "ergänze", "ergänzen",
    "ajoutez", "ajouter", "insérez", "añade", "agrega", "agregar", "inserta", "adicione", "insira",
    "aggiungi", "inserisci", "voeg", "lägg", "dodaj", "přidej", "přidejte", "ekle", "ekleyin", "tambahkan",
    "thêm", "добавьте", "добавь", "вставьте", "додайте",
]);

// Words for the end and the top of a file.
#[rustfmt::skip]
pub(super) static AT_END: Phrases = Phrases::new(&[
    "at the end of", "to the end of", "at the bottom of", "to the bottom of", "at the end", "at the bottom",
    "at the very end", "to the end", "to the bottom", "append", "am ende", "ans ende", "à la fin",
    "al final", "no final", "ao final", "alla fine", "aan het einde", "i slutet", "na końcu", "na konec",
    "sonuna", "di akhir", "vào cuối", "в конец", "в конце", "наприкінці",
]);

#[rustfmt::skip]
pub(super) static AT_TOP: Phrases = Phrases::new(&[
    "at the top", "to the top", "at the beginning", "to the beginning", "at the start of the file",
    "at the very top", "am anfang", "ganz oben", "au début", "en haut du fichier", "al principio",
    "al inicio", "no início", "no topo", "all'inizio", "bovenaan", "överst", "na początku", "na začátek",
    "başına", "di awal", "vào đầu", "в начало", "в начале", "на початку",
]);

// Further words for the end and the top of a part of a file.
#[rustfmt::skip]
pub(super) static EDGE_END: Phrases = Phrases::new(&[
    "append to", "append this to", "append it to", "append the following to", "as the last line", "as the last statement",
    "as the last entry", "as the last item", "as the last member", "als letzte zeile", "comme dernière ligne",
    "como última línea", "como última linha", "come ultima riga",
]);

#[rustfmt::skip]
pub(super) static EDGE_TOP: Phrases = Phrases::new(&[
    "at the start", "to the start", "at the very beginning", "as the first line", "as the first statement",
    "as the first thing", "as the first entry", "as the first item", "as the first member", "zu beginn",
    "als erste zeile", "comme première ligne", "tout en haut", "como primera línea", "como primeira linha", "come prima riga",
]);

// Words between those, or those of AT_END and AT_TOP, and the name of the part.
#[rustfmt::skip]
pub(super) const EDGE_JOINTS: &[&str] = &[
    "of", "the", "in", "inside", "your", "existing", "to", "von", "vom", "der", "des", "dem", "de", "du", "la", "le", "l", "del", "el",
    "do", "da", "della", "di", "метода", "раздела",
];

// Those that say of what the end or the top is: further words may follow them.
#[rustfmt::skip]
pub(super) const EDGE_OF: &[&str] = &["of", "von", "vom", "der", "des", "de", "du", "del", "do", "da", "della", "di"];

// Words that name a section of prose.
#[rustfmt::skip]
pub(super) const SECTIONS: &[&str] = &[
    "section", "chapter", "abschnitt", "abschnitts", "kapitel", "kapitels", "chapitre", "sección", "capítulo", "seção", "secção",
    "sezione", "раздела", "разделе",
];

// Names of a part of a file, whose end or top is meant instead of the file's.
#[rustfmt::skip]
pub(super) static PARTS: Phrases = Phrases::new(&[
    "function", "method", "class", "component", "body", "section", "array", "object", "list", "block",
    "head", "loop", "struct", "interface", "module.exports", "enum", "switch", "div", "form", "handler",
    "constructor", "funktion", "klasse", "fonction", "función", "clase", "função", "classe", "функции",
    "класса",
]);

// Verbs of deletion and of moving, at the start of a line.
#[rustfmt::skip]
pub(super) static DELETES: Phrases = Phrases::new(&[
    "delete the file", "remove the file", "deleted file", "removed file", "delete file", "remove file",
    "deleted files", "delete the", "remove the", "deleted", "delete", "remove", "removed", "file to delete",
    "drop", "get rid of", "lösche die datei", "lösche", "entferne die datei", "entferne", "gelöscht",
    "supprimez le fichier", "supprimez", "supprimer", "elimina el archivo", "elimina", "eliminar", "borra",
    "exclua o arquivo", "exclua", "remova o arquivo", "remova", "elimina il file", "rimuovi", "verwijder",
    "ta bort", "usuń plik", "usuń", "smažte", "smaž", "odstraň", "sil", "silin", "hapus file", "hapus",
    "xóa tệp", "xóa", "удалите файл", "удалите", "удалить", "удали", "видаліть", "删除文件", "删除", "刪除", "移除",
    "削除", "삭제",
]);

/// Words that say that lines of a file go, besides those of [`DELETES`].
#[rustfmt::skip]
pub(super) static REMOVES: Phrases = Phrases::new(&[
    "removes", "removing", "removal", "deletes", "deleting", "drops", "dropped", "dropping", "strips", "stripped", "eliminate", "eliminates",
    "eliminated", "no longer", "not needed", "unused", "redundant", "unnecessary", "simplified", "simplifies", "simplify", "cleaned up", "clean up", "cleanup",
    "entfernt", "entfällt", "weggelassen", "vereinfacht", "supprimé", "supprimée", "supprimés", "retiré", "retirée", "simplifié", "eliminado", "eliminada",
    "quitado", "quitada", "simplificado", "removido", "removida", "rimosso", "rimossa", "semplificato", "удалил", "удалён", "удален", "удалена", "убрал",
    "убраны", "упростил", "去掉", "去除", "精简", "简化", "簡化", "取り除", "簡略化", "제거", "간소화",
]);

#[rustfmt::skip]
pub(super) static MOVES: Phrases = Phrases::new(&[
    "rename the file", "move the file", "renamed file", "moved file", "rename file", "move file", "rename",
    "renamed", "move", "moved", "benenne", "verschiebe", "umbenannt", "renommez", "renommer", "déplacez",
    "renombra", "mueve", "renomeie", "mova", "rinomina", "sposta", "hernoem", "verplaats", "byt namn på",
    "flytta", "zmień nazwę", "przenieś", "přejmenuj", "přesuň", "pindahkan", "ganti nama", "đổi tên",
    "di chuyển", "переименуйте", "переместите", "перейменуйте", "重命名", "移动", "重新命名", "移動", "名前を変更", "이름 변경",
    "이동",
]);

// Words between the two paths of a move.
#[rustfmt::skip]
pub(super) const TO: &[&str] = &[
    "to", "into", "as", "→", "->", "=>", "in", "nach", "zu", "en", "vers", "a", "hacia", "para", "in",
    "naar", "till", "na", "do", "ke", "menjadi", "thành", "sang", "в", "на", "为", "到", "成", "至", "を", "に",
    "로", "to the", "into the", "to a", "into a", "in den", "vers le", "a la", "al",
];

// Words that may be between a verb and its path.
#[rustfmt::skip]
pub(super) const FILLERS: &[&str] = &[
    "the", "file", "files", "folder", "directory", "ordner", "verzeichnis", "dossier", "carpeta", "pasta", "cartella", "папку", "old", "unused", "obsolete", "now", "die", "datei", "das", "le", "fichier",
    "el", "archivo", "o", "arquivo", "il", "het", "bestand", "plik", "soubor", "файл", "entire", "whole",
    "existing", "of", "legacy", "文件", "ファイル", "empty", "deprecated", "redundant", "duplicate",
];

// Words that ask the user to show something, which may be sketched below.
#[rustfmt::skip]
pub(super) static ASKS_TO_SEE: Phrases = Phrases::new(&[
    "can you show me", "could you show me", "can you share", "could you share", "can you paste",
    "could you paste", "can you send me", "could you send me", "please show me", "please paste the output",
    "kannst du mir zeigen", "zeig mir", "zeige mir", "montrez-moi", "pouvez-vous me montrer", "muéstrame",
    "puedes mostrarme", "você pode me mostrar", "mostrami", "покажите мне", "можете показать",
]);

#[rustfmt::skip]
pub(super) const ASKS_TO_SEE_EAST: &[&str] = &["给我看", "让我看", "見せて", "보여 주", "보여주세요"];

// Words with which an answer asks whether to go ahead: what it states until then is a plan.
#[rustfmt::skip]
pub(super) static ASKS_LEAVE: Phrases = Phrases::new(&[
    "shall i", "should i", "may i", "want me to", "would you like me", "do you want me", "like me to",
    "let me know if i should", "ok to proceed", "okay to proceed", "good to go", "before i proceed",
    "before i go ahead", "until you say", "if you agree", "soll ich", "darf ich", "möchtest du, dass ich",
    "möchten sie, dass ich", "dois-je", "puis-je", "voulez-vous que", "veux-tu que", "souhaitez-vous que",
    "quieres que", "debo", "puedo continuar", "devo", "posso", "quer que eu", "vuoi che", "zal ik",
    "wil je dat ik", "czy mam", "mám to", "можно", "хотите, чтобы я", "мне продолжить", "начинать",
]);

#[rustfmt::skip]
pub(super) const ASKS_LEAVE_EAST: &[&str] = &[
    "需要我", "要我", "是否", "可以吗", "好吗", "しましょうか", "よろしいですか", "よいですか", "할까요", "괜찮을까요",
];

// Words that ask for files.
#[rustfmt::skip]
pub(super) static ASKS: Phrases = Phrases::new(&[
    "add these files", "add the following files", "please add", "add them to the chat", "add to the chat",
    "to the chat", "need to see", "could you share", "can you share", "please share", "share the",
    "please provide", "could you provide", "can you provide", "please send", "can you show",
    "could you show", "please show", "could you paste", "can you paste", "please paste", "i'd need",
    "i would need", "would need to see", "need access to", "need the contents", "need the content",
    "let me see", "bitte füge", "zeig mir", "zeige mir", "brauche", "bitte teile", "schicke mir",
    "veuillez ajouter", "partagez", "montrez-moi", "j'ai besoin", "por favor", "comparte", "muéstrame",
    "necesito ver", "compartilhe", "preciso ver", "mostre", "condividi", "ho bisogno", "пришлите",
    "покажите", "добавьте в чат", "мне нужно увидеть",
]);

#[rustfmt::skip]
pub(super) const ASKS_EAST: &[&str] = &[
    "请提供", "请添加", "请把", "需要查看", "需要看", "请分享", "請提供", "提供してください", "見せてください", "追加してください", "공유해", "보여주",
    "추가해 주",
];

// Buttons of a chat's page above code.
#[rustfmt::skip]
pub(super) const BUTTONS: &[&str] = &[
    "copy code", "copy", "edit", "code kopieren", "kopieren", "bearbeiten", "copier le code", "copier",
    "modifier", "copiar código", "copiar", "editar", "copia codice", "copia", "modifica", "kopiuj kod",
    "kopiuj", "скопировать код", "копировать", "копировать код", "изменить", "Скопировать код", "Копировать", "Копировать код", "Изменить", "复制代码", "复制", "编辑", "複製程式碼",
    "コードをコピーする", "コピーする", "編集する", "코드 복사", "복사",
];

// Comments above the old and the new half of a fence.
#[rustfmt::skip]
pub(super) const COMPARED_OLD: &[&str] = &[
    "old", "before", "original", "previous", "vorher", "alt", "avant", "ancien", "antes", "antiguo", "antigo", "prima",
    "было", "до", "修改前", "变更前", "更改前", "原", "旧", "変更前", "修正前", "변경 전", "수정 전",
];

#[rustfmt::skip]
pub(super) const COMPARED_NEW: &[&str] = &[
    "new", "after", "updated", "fixed", "nachher", "neu", "après", "nouveau", "después", "nuevo", "depois", "novo", "dopo",
    "стало", "после", "修改后", "变更后", "更改后", "新", "変更後", "修正後", "변경 후", "수정 후",
];

// Words in the headers of columns of old and of new texts.
#[rustfmt::skip]
pub(super) const COLUMN_OLD: &[&str] = &[
    "old", "before", "original", "previous", "current", "existing", "from", "was", "is", "find", "vorher", "alt", "bisher",
    "avant", "ancien", "actuel", "antes", "antiguo", "actual", "antigo", "atual", "prima", "было", "до", "修改前", "变更前",
    "更改前", "原", "旧", "変更前", "修正前", "변경 전", "수정 전",
];

#[rustfmt::skip]
pub(super) const COLUMN_NEW: &[&str] = &[
    "new", "after", "updated", "fixed", "proposed", "suggested", "to", "becomes", "replacement", "nachher", "neu", "après",
    "nouveau", "después", "nuevo", "depois", "novo", "dopo", "стало", "после", "修改后", "变更后", "更改后", "新", "変更後",
    "修正後", "변경 후", "수정 후",
];

// The same of scripts without blanks, before it.
pub(super) const ASIDE_BEFORE_EAST: &[&str] = &[
    "参照",
    "参考",
    "类似",
    "類似",
    "像",
    "仿照",
    "基于",
    "基於",
    "根据",
    "根據",
    "按照",
    "依据",
    "来自",
    "來自",
    "不同于",
    "比",
];

pub(super) const OPTIONS_EAST: &[&str] =
    &["方案", "选项", "方法", "選項", "オプション", "案", "方法", "옵션", "방법", "대안"];

pub(super) const ELSEWHERE_EAST: &[&str] =
    &["另一个项目", "其他项目", "服务器上", "別のプロジェクト", "サーバー上", "다른 프로젝트", "서버에서"];

pub(super) const RUN_EAST: &[&str] =
    &["运行", "执行", "命令", "終端", "终端", "実行", "コマンド", "실행", "명령"];

pub(super) const OLD_EAST: &[&str] = &["修改前", "变更前", "変更前", "修正前", "변경 전", "수정 전"];

pub(super) const SAVES_EAST: &[&str] = &["保存", "放到", "放入", "放在", "저장", "配置"];

pub(super) const ADDS_EAST: &[&str] =
    &["添加", "加入", "插入", "追加", "新增", "加到", "挿入", "추가", "삽입"];

pub(super) const AT_END_EAST: &[&str] =
    &["末尾", "最后添加", "文件最后", "底部", "最後に", "끝에", "마지막에", "하단에"];

pub(super) const AT_TOP_EAST: &[&str] = &["顶部", "开头", "頂部", "開頭", "先頭", "冒頭", "맨 위", "상단"];

// Words of a remark behind a path that call the file new.
#[rustfmt::skip]
pub(super) static NEW_REMARKS: Phrases = Phrases::new(&[
    "new", "neu", "neue", "neues", "nouveau", "nuevo", "novo", "nuovo", "новый",
]);

// Words with which a clause shows something, and does not change it.
#[rustfmt::skip]
pub(super) static SHOWING: Phrases = Phrases::new(&[
    "here", "you have", "there is",
]);

// Words of a comment that call the code below it an example.
#[rustfmt::skip]
pub(super) static PSEUDO: Phrases = Phrases::new(&[
    "pseudo", "pseudocode", "pseudo-code",
]);

// Words that add to the end.
#[rustfmt::skip]
pub(super) static APPENDS: Phrases = Phrases::new(&[
    "append",
]);

// Words that add an import.
#[rustfmt::skip]
pub(super) static IMPORTS: Phrases = Phrases::new(&[
    "import it", "import this", "import them",
]);

// Words before the new text of a replacement.
#[rustfmt::skip]
pub(super) static WITH: Phrases = Phrases::new(&[
    "with", "to", "by", "durch", "zu", "par", "por", "con", "com", "на",
]);

// Words that turn a sentence around.
#[rustfmt::skip]
pub(super) static NEGATIONS: Phrases = Phrases::new(&[
    "don't", "do not", "not", "never", "nicht", "without",
]);

// Words that compare with another project.
#[rustfmt::skip]
pub(super) static COMPARES: Phrases = Phrases::new(&[
    "would", "you'd", "for comparison", "in contrast", "by contrast",
]);

// Words that say that somebody ran what is below.
#[rustfmt::skip]
pub(super) static WAS_RUN: Phrases = Phrases::new(&[
    "ran", "was run", "were run", "had run", "have run", "has run", "was executed", "were executed",
]);

// Verbs above the first of two fences.
#[rustfmt::skip]
pub(super) static REPLACES_FIRST: Phrases = Phrases::new(&[
    "replace", "find", "ersetze", "remplacez", "reemplaza", "substitua", "sostituisci", "замените",
    "change this", "look for",
]);

// Words between an old and a new text.
#[rustfmt::skip]
pub(super) static REPLACES_IT: Phrases = Phrases::new(&[
    "replace it with", "replace it by", "change it to", "replace that with", "replace with",
    "swap it for",
]);

// Verbs that replace a text.
#[rustfmt::skip]
pub(super) static REPLACES: Phrases = Phrases::new(&[
    "replace", "change", "swap", "substitute", "ersetze", "ändere", "remplacez", "remplace",
    "reemplaza", "cambia", "substitua", "sostituisci", "замените", "замени",
]);
