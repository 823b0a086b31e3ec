//! Zones of a file: what is private, what runs, what a namespace holds, and lists without brackets.

use super::additions::check_additions;
use crate::{Part, Reason, merge};

#[test]
fn regression_new_definitions_stand_in_the_zone_of_their_like() {
    check_additions(&[
        (
            "a public method in front of the private ones",
            "java",
            "Add a method to `Shelf`:",
            "class Shelf {\n    public int size() {\n        return 1;\n    }\n\n    private void log() {\n        print();\n    }\n}\n",
            "public int room() {\n    return 2;\n}\n",
            Ok(
                "class Shelf {\n    public int size() {\n        return 1;\n    }\n\n    public int room() {\n        return 2;\n    }\n\n    private void log() {\n        print();\n    }\n}\n",
            ),
        ),
        (
            "a private one behind them",
            "java",
            "Add a helper to `Shelf`:",
            "class Shelf {\n    public int size() {\n        return 1;\n    }\n\n    private void log() {\n        print();\n    }\n}\n",
            "private void check() {\n    log();\n}\n",
            Ok(
                "class Shelf {\n    public int size() {\n        return 1;\n    }\n\n    private void log() {\n        print();\n    }\n\n    private void check() {\n        log();\n    }\n}\n",
            ),
        ),
        (
            "a field with the fields, and its methods behind the others",
            "java",
            "Add a field to `Shelf`:",
            "class Shelf {\n    private int size;\n\n    public int size() {\n        return size;\n    }\n}\n",
            "private int room;\n\npublic int room() {\n    return room;\n}\n",
            Ok(
                "class Shelf {\n    private int size;\n    private int room;\n\n    public int size() {\n        return size;\n    }\n\n    public int room() {\n        return room;\n    }\n}\n",
            ),
        ),
        (
            "a method above `private`",
            "rb",
            "Add a method to `Shelf`:",
            "class Shelf\n  def size\n    1\n  end\n\n  private\n\n  def log\n    2\n  end\nend\n",
            "def room\n  3\nend\n",
            Ok(
                "class Shelf\n  def size\n    1\n  end\n\n  def room\n    3\n  end\n\n  private\n\n  def log\n    2\n  end\nend\n",
            ),
        ),
        (
            "a method below `private`, as the words have it",
            "rb",
            "Add a private helper to `Shelf`:",
            "class Shelf\n  def size\n    1\n  end\n\n  private\n\n  def log\n    2\n  end\nend\n",
            "def room\n  3\nend\n",
            Ok(
                "class Shelf\n  def size\n    1\n  end\n\n  private\n\n  def log\n    2\n  end\n\n  def room\n    3\n  end\nend\n",
            ),
        ),
        (
            "a function of a shell in front of the calls",
            "sh",
            "Add a check:",
            "build() {\n    make\n}\n\nbuild\necho done\n",
            "check() {\n    make check\n}\n",
            Ok("build() {\n    make\n}\n\ncheck() {\n    make check\n}\n\nbuild\necho done\n"),
        ),
        (
            "a function of a namespace",
            "cpp",
            "Add a function:",
            "namespace shelf {\n\nint size() {\n    return 1;\n}\n\n}  // namespace shelf\n",
            "int room() {\n    return 2;\n}\n",
            Ok(
                "namespace shelf {\n\nint size() {\n    return 1;\n}\n\nint room() {\n    return 2;\n}\n\n}  // namespace shelf\n",
            ),
        ),
        (
            "a function of C beside others, and not in a structure",
            "c",
            "You need a `shelf_room`:",
            "struct shelf {\n    int size;\n};\n\nint shelf_size(void)\n{\n    return 1;\n}\n",
            "int shelf_room(void)\n{\n    return 2;\n}\n",
            Ok(
                "struct shelf {\n    int size;\n};\n\nint shelf_size(void)\n{\n    return 1;\n}\n\nint shelf_room(void)\n{\n    return 2;\n}\n",
            ),
        ),
        (
            "another prototype is no new form of one",
            "h",
            "Declare it:",
            "int shelf_size(int a);\n",
            "int shelf_room(int a);\n",
            Ok("int shelf_size(int a);\nint shelf_room(int a);\n"),
        ),
    ]);
}

#[test]
fn regression_what_is_called_without_brackets_stands_with_its_like() {
    let user = "class User < Base\n  has_many :posts\n\n  validates :email, presence: true\n\n  def name\n    1\n  end\nend\n";
    check_additions(&[
        (
            "a gem, and not in the group",
            "Gemfile",
            "Add to your Gemfile:",
            "gem \"rails\"\ngem \"pg\", \"~> 1.5\"\n\ngroup :test do\n  gem \"rspec\"\nend\n",
            "gem \"bcrypt\"\n",
            Ok(
                "gem \"rails\"\ngem \"pg\", \"~> 1.5\"\ngem \"bcrypt\"\n\ngroup :test do\n  gem \"rspec\"\nend\n",
            ),
        ),
        (
            "another of its kind",
            "rb",
            "In `User`, add:",
            user,
            "has_many :comments\n",
            Ok(&user.replace("  has_many :posts\n", "  has_many :posts\n  has_many :comments\n")),
        ),
        (
            "the same with more",
            "rb",
            "",
            user,
            "validates :email, presence: true, uniqueness: true\n",
            Ok(&user.replace("presence: true", "presence: true, uniqueness: true")),
        ),
        (
            "a name alone",
            "rb",
            "In the `User` model add:",
            user,
            "has_secure_password\n",
            Ok(&user.replace("presence: true\n", "presence: true\n  has_secure_password\n")),
        ),
        (
            "a word of the language",
            "rb",
            "Add:",
            "require \"a\"\n\nputs :x\n",
            "raise :y\n",
            Err(Reason::NoPlace),
        ),
    ]);
}

#[test]
fn regression_statements_of_a_file_stand_with_their_like() {
    let server =
        "const app = express();\n\napp.use(cors());\n\napp.listen(3000, () => {\n  log(\"up\");\n});\n";
    check_additions(&[
        (
            "the only call of its name is the old form",
            "server.js",
            "",
            server,
            "const port = env.PORT;\n\napp.listen(port, () => {\n  log(port);\n});\n",
            Ok(
                "const app = express();\n\napp.use(cors());\n\nconst port = env.PORT;\n\napp.listen(port, () => {\n  log(port);\n});\n",
            ),
        ),
        (
            "a variable behind the others",
            "config.py",
            "Then in `config.py`:",
            "import os\n\nPORT = 1\n\n\ndef load():\n    return PORT\n",
            "HOST = \"local\"\n",
            Ok("import os\n\nPORT = 1\nHOST = \"local\"\n\n\ndef load():\n    return PORT\n"),
        ),
        (
            "packages of a build",
            "build.gradle",
            "Add the dependencies:",
            "dependencies {\n    implementation(\"a:core:1.0\")\n    testImplementation(\"a:test:1.0\")\n}\n",
            "implementation(\"a:room:2.6\")\nimplementation(\"a:ktx:2.6\")\n",
            Ok(
                "dependencies {\n    implementation(\"a:core:1.0\")\n    implementation(\"a:room:2.6\")\n    implementation(\"a:ktx:2.6\")\n    testImplementation(\"a:test:1.0\")\n}\n",
            ),
        ),
    ]);
    // Only a comment of the code names the file.
    let part = Part { is_labelled: true, words: "In the service:", ..Part::new("HOST = 1\n", "config.py") };
    assert_eq!(merge("PORT = 1\n", &part).unwrap_err().reason, Reason::NoPlace);
}

#[test]
fn regression_a_member_is_set_in_the_function_that_words_name() {
    let shelf = "class Shelf:\n    def __init__(self):\n        self.size = 1\n        self.lock = Lock()\n\n    def add(self):\n        self.size += 1\n        self.last = 2\n";
    check_additions(&[
        (
            "behind the others of it",
            "py",
            "In `Shelf.__init__`, add:",
            shelf,
            "self.room = 0\n",
            Ok(&shelf.replace("self.lock = Lock()\n", "self.lock = Lock()\n        self.room = 0\n")),
        ),
        ("no function is named", "py", "Add:", shelf, "self.room = 0\n", Err(Reason::NoPlace)),
    ]);
}

#[test]
fn regression_a_loop_with_the_same_body_is_its_old_form() {
    check_additions(&[(
        "what is looped over",
        "rs",
        "",
        "fn main() {\n    let counts = count();\n    for (word, n) in &counts {\n        println!(\"{word}: {n}\");\n    }\n}\n",
        "    let counts = count();\n    let mut sorted: Vec<_> = counts.into_iter().collect();\n    sorted.sort();\n    for (word, n) in sorted.into_iter().take(3) {\n        println!(\"{word}: {n}\");\n    }\n",
        Ok(
            "fn main() {\n    let counts = count();\n    let mut sorted: Vec<_> = counts.into_iter().collect();\n    sorted.sort();\n    for (word, n) in sorted.into_iter().take(3) {\n        println!(\"{word}: {n}\");\n    }\n}\n",
        ),
    )]);
}
