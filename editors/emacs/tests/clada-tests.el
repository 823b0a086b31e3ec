;;; clada-tests.el --- Tests of clada.el with a real daemon  -*- lexical-binding: t; -*-

;;; Commentary:

;; emacs -Q --batch -l ert -l editors/emacs/tests/clada-tests.el -f clada-tests-run
;;
;; The programs come from CLADA_CLIENT and CLADA_DAEMON.  With CLADA_ALL there are more rounds of what is random.

;;; Code:

(require 'ert)
(require 'cl-lib)

;; Primitives that a test replaces would be compiled into the user's folder: the first name is of Emacs 28.
(defvar comp-enable-subr-trampolines)
(defvar native-comp-enable-subr-trampolines)
(setq comp-enable-subr-trampolines nil
      native-comp-enable-subr-trampolines nil)

(defconst clada-tests--here (file-name-directory (or load-file-name buffer-file-name)))
(load (expand-file-name "../clada.el" clada-tests--here) nil t t)

;; The path of a socket has about 100 bytes.
(defconst clada-tests--top
  (let ((temporary-file-directory (if (< (string-bytes temporary-file-directory) 60) temporary-file-directory "/tmp/")))
    (file-truename (make-temp-file "clada-emacs-" t)))
  "A world of its own.")
(defvar clada-tests--notes nil "What was told, the last first.")
(defvar clada-tests--folders 0)
(defvar clada-tests--lost nil
  "Non-nil once something never came.
As a rule the daemon is lost then, and each test that follows would wait as long.")
(defconst clada-tests--all (getenv "CLADA_ALL"))

(defun clada-tests--surround ()
  "Move Emacs into the world, whatever its environment says: nothing of the user's is read or written."
  (let ((ours '("CLADA_CLIENT" "CLADA_DAEMON" "CLADA_REVIEW" "CLADA_ALL" "CLADA_EMACS_WAIT")))
    (dolist (entry (copy-sequence process-environment))
      (let ((name (car (split-string entry "="))))
        (when (and (string-match-p "\\`\\(?:CLADA\\|XDG\\|GIT\\)_" name) (not (member name ours)))
          (setenv name nil)))))
  ;; The socket has a folder of its own: other programs use that of the runtime, too.
  (pcase-dolist (`(,name ,folder) '(("HOME" "home") ("XDG_CONFIG_HOME" "config") ("XDG_STATE_HOME" "state")
                                    ("XDG_RUNTIME_DIR" "runtime") ("TMPDIR" "tmp") (nil "run")))
    (let ((path (expand-file-name folder clada-tests--top)))
      (with-file-modes #o700 (make-directory path t))
      (when name (setenv name path))))
  (setenv "CLADA_SOCKET" (expand-file-name "run/s" clada-tests--top))
  ;; Emacs compiles what tests replace of its own, and keeps that.
  (setq user-emacs-directory (expand-file-name "home/.emacs.d/" clada-tests--top))
  (when (bound-and-true-p native-comp-eln-load-path)
    (setcar native-comp-eln-load-path (expand-file-name "eln-cache/" user-emacs-directory)))
  (setq-default process-environment process-environment)
  (clada-tests--write (expand-file-name "config/clada/config.yaml" clada-tests--top) "mcp:\n  approvals: wait\n")
  (setq clada-client (getenv "CLADA_CLIENT") clada-daemon (getenv "CLADA_DAEMON"))
  (setq create-lockfiles nil))

(defun clada-tests--write (path text)
  "Write TEXT to PATH as UTF-8 and nothing else."
  (make-directory (file-name-directory path) t)
  (let ((coding-system-for-write 'utf-8-unix) (inhibit-message t))
    (with-temp-buffer
      (insert text)
      (write-region nil nil path nil 'silent))))

(defun clada-tests--read (path)
  "Return the text of PATH, as UTF-8."
  (decode-coding-string (clada--bytes path) 'utf-8-unix))

(defun clada-tests--project (files)
  "Make a project with FILES, (NAME . TEXT), and return its root."
  (let ((root (expand-file-name (format "project%d" (cl-incf clada-tests--folders)) clada-tests--top)))
    (make-directory (concat root "/.git/refs") t)
    (make-directory (concat root "/.git/objects") t)
    (clada-tests--write (concat root "/.git/HEAD") "ref: refs/heads/main\n")
    (pcase-dolist (`(,name . ,text) files) (clada-tests--write (concat root "/" name) text))
    root))

(defun clada-tests--tree (root)
  "Return the files of ROOT but for git's, (NAME . TEXT) by their names."
  (let ((top (length (file-name-as-directory root))))
    (sort (delq nil (mapcar (lambda (path)
                              (let ((name (substring path top)))
                                (unless (string-prefix-p ".git/" name) (cons name (clada-tests--read path)))))
                            (directory-files-recursively root "")))
          (lambda (a b) (string< (car a) (car b))))))

(defun clada-tests--json (value)
  "Return VALUE as JSON."
  (let ((text (json-serialize value)))
    (if (multibyte-string-p text) text (decode-coding-string text 'utf-8))))

(defun clada-tests--answer (&rest blocks)
  "Return an answer of BLOCKS, each the name of an action and its parameters as a plist."
  (let ((index 0))
    (mapconcat (lambda (block)
                 (let ((id (format "%04x" (cl-incf index))))
                   (concat (format "Some words.\n\n#!SHAM [@three-char-SHA-256: %s]\naction = %s\n" id
                                   (clada-tests--json (car block)))
                           (cl-loop for (key value) on (cdr block) by #'cddr
                                    concat (format "%s = %s\n" (substring (symbol-name key) 1) (clada-tests--json value)))
                           (format "#!END_SHAM_%s\n" id))))
               blocks "")))

(defun clada-tests--replace (path old new)
  "Return a block that replaces OLD by NEW in PATH."
  (list "file_replace_text" :path path :old_text old :new_text new))

(defun clada-tests--wait (what condition)
  "Wait until CONDITION returns non-nil, and return that; WHAT never came after a minute."
  (let ((limit (+ (float-time) (string-to-number (or (getenv "CLADA_EMACS_WAIT") "60")))) value)
    (while (not (setq value (funcall condition)))
      (when (> (float-time) limit)
        (setq clada-tests--lost t)
        (ert-fail (list (format "never came: %s" what) (seq-take clada-tests--notes 5))))
      (accept-process-output nil 0.005))
    value))

(defun clada-tests--note (part)
  "Wait for a message that holds PART, and return it."
  (clada-tests--wait (concat "a message with " part)
                     (lambda () (seq-find (lambda (note) (string-search part note)) clada-tests--notes))))

(defun clada-tests--hear (words &rest arguments)
  "Take a message of WORDS and ARGUMENTS; put over `message'."
  (when (stringp words) (push (apply #'format-message words arguments) clada-tests--notes))
  nil)

(defun clada-tests--open (root name)
  "Visit NAME in ROOT."
  (find-file (concat root "/" name))
  (current-buffer))

(defun clada-tests--apply (root text &optional now)
  "Take the answer TEXT in ROOT; NOW without review."
  (setq clada-tests--notes nil)
  (clada--start (make-clada--flow :root root :text text :source "a test" :environment (clada--environment)
                                  :keys num-nonmacro-input-events :review (not now))))

(defun clada-tests--review ()
  "Wait for the review, go there and return its text."
  (set-buffer (clada-tests--wait "a review" (lambda () (seq-some #'clada--flow-buffer clada--reviews))))
  (replace-regexp-in-string "^# Relative path.*\n" "" (buffer-substring-no-properties (point-min) (point-max))))

(defun clada-tests--call (method params)
  "Call METHOD with PARAMS and return the result."
  (let (over result)
    (clada--request method params (lambda (value) (setq over t result value)) (lambda (value) (setq over t result value)))
    (clada-tests--wait method (lambda () over))
    result))

(defun clada-tests--go (text)
  "Go to the line that holds TEXT."
  (goto-char (point-min))
  (search-forward text)
  (beginning-of-line))

(defun clada-tests--clean ()
  "Forget all buffers and reviews."
  (dolist (flow clada--reviews) (clada--end-review flow))
  (dolist (buffer (buffer-list))
    (when (or (buffer-file-name buffer) (string-prefix-p "*clada" (buffer-name buffer)))
      (with-current-buffer buffer (set-buffer-modified-p nil) (kill-buffer buffer))))
  (clrhash clada--waiting)
  (setq clada-tests--notes nil kill-ring nil kill-ring-yank-pointer nil))

(defmacro clada-deftest (name doc &rest body)
  "Define the test NAME, which says DOC, with BODY in an Emacs as it was at first."
  (declare (indent 1) (doc-string 2))
  `(ert-deftest ,(intern (format "clada-%s" name)) ()
     ,doc
     (when clada-tests--lost (ert-skip "Something never came"))
     (clada-tests--clean)
     (cl-letf (((symbol-function 'message) #'clada-tests--hear)) ,@body)))

(clada-deftest found-and-greeted
  "The daemon is found and greeted."
  (should (equal (clada--get (clada-tests--call "status" nil) :version) clada-version))
  (should (equal (clada--mode-line) "")))

(clada-deftest open-buffer-and-file
  "An open buffer is edited and saved, a file without one written, and both go back."
  (let* ((root (clada-tests--project '(("a.lua" . "one\ntwo\n") ("b.lua" . "three\nfour\n"))))
         (before (clada-tests--tree root)) (buffer (clada-tests--open root "a.lua")))
    (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.lua" "one" "1")
                                                  (clada-tests--replace "b.lua" "four" "4")))
    (should (equal (clada-tests--review)
                   (concat "diff change a.lua\n--- a.lua\n+++ a.lua\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n"
                           "diff change b.lua\n--- b.lua\n+++ b.lua\n@@ -1,2 +1,2 @@\n three\n-four\n+4\n")))
    (clada-review-carry-out)
    (clada-tests--note "2 done")
    (should (equal (clada-tests--tree root) '(("a.lua" . "1\ntwo\n") ("b.lua" . "three\n4\n"))))
    (should-not (buffer-modified-p buffer))
    (dolist (round '(("undo" "undid 2 changes" t) ("redo" "did 2 changes again" nil) ("undo" "undid 2 changes" t)))
      (setq clada-tests--notes nil)
      (clada--take-back (car round) root nil nil)
      (clada-tests--note (nth 1 round))
      (should (equal (clada-tests--tree root)
                     (if (nth 2 round) before '(("a.lua" . "1\ntwo\n") ("b.lua" . "three\n4\n"))))))
    (should (equal (with-current-buffer buffer (clada--text)) "one\ntwo\n"))))

(defun clada-tests--text (buffer)
  "Return what BUFFER would be written as, exactly."
  (with-current-buffer buffer
    (let (require-final-newline)
      (if (string-empty-p (clada--text)) "" (clada--written)))))

(defun clada-tests--fixture (opened)
  "Run the case that every editor has to pass, with the files OPENED also in buffers if that is non-nil."
  (let* ((fixture (expand-file-name "../../fixture/" clada-tests--here)) (root (clada-tests--project nil))
         ;; An option that adds a newline to a buffer is the person's; the case has none.
         require-final-newline mode-require-final-newline
         (case (with-temp-buffer
                 (insert-file-contents (concat fixture "case.json"))
                 (json-parse-buffer :object-type 'plist)))
         (folder (lambda (name) (clada-tests--tree (concat fixture name))))
         (open (and opened (mapcar (lambda (name) (cons name nil)) (plist-get case :open)))) unsaved)
    (pcase-dolist (`(,name . ,text) (funcall folder "before")) (clada-tests--write (concat root "/" name) text))
    (dolist (each open) (setcdr each (clada-tests--open root (car each))))
    (pcase-dolist (`(,name . ,text) (funcall folder "unsaved"))
      (with-current-buffer (clada-tests--open root name)
        (setq buffer-undo-list nil)
        (let ((dos (eql 1 (coding-system-eol-type buffer-file-coding-system))))
          (clada--replace (clada--difference
                          (clada--text) (string-remove-prefix "\ufeff" (if dos (string-replace "\r\n" "\n" text) text)))))
        (push (cons name (current-buffer)) unsaved)))
    (cl-flet ((texts () (sort (mapcar (lambda (each) (cons (car each) (clada-tests--text (cdr each)))) unsaved)
                              (lambda (a b) (string< (car a) (car b))))))
      (should (equal (texts) (funcall folder "unsaved")))
      (clada-tests--apply root (clada-tests--read (concat fixture "answer.md")))
      (let ((text (clada-tests--review)) (count (lambda (re text) (cl-count-if (lambda (line) (string-match-p re line))
                                                                              (split-string text "\n")))))
        (should (eql (clada--get case :review :files) (funcall count "^diff " text)))
        (should (eql (clada--get case :review :hunks)
                     (funcall count "^@@ " text)))
        (seq-doseq (failure (clada--get case :review :failures))
          (should (string-match-p (format "^# \\[task.*%s" (regexp-quote (clada--get failure :path))) text)))
        (seq-doseq (command (clada--get case :review :commands))
          (should (string-search (format "| %s\n" command) text))))
      (seq-doseq (out (plist-get case :leaveOut))
        (clada-tests--go (format "+++ %s\n" (plist-get out :path)))
        (dotimes (_ (1+ (plist-get out :hunk))) (re-search-forward "^@@ "))
        (clada-review-toggle))
      (clada-review-carry-out)
      (clada-tests--note (format "%d done, %d failed, %d left out" (clada--get case :result :done)
                                 (clada--get case :result :failed) (clada--get case :result :leftOut)))
      (should (equal (clada-tests--tree root) (funcall folder "after")))
      (should (equal (texts) (funcall folder "edited")))
      (pcase-dolist (`(,name . ,buffer) open)
        (let ((new (plist-get (plist-get case :moved) (intern (concat ":" name)))))
          (clada-tests--wait "the new name" (lambda () (equal (buffer-file-name buffer) (concat root "/" (or new name)))))
          (should-not (buffer-modified-p buffer))
          (should (equal (clada-tests--text buffer) (clada-tests--read (buffer-file-name buffer))))))
      (dolist (each unsaved)
        (should (buffer-modified-p (cdr each)))
        (with-current-buffer (cdr each)
          ;; Emacs' own undo takes our edit back as one step, and nothing of what was there before.
          (setq last-command nil)
          (undo-boundary)
          (undo)))
      (should (equal (texts) (funcall folder "unsaved")))
      (dolist (each unsaved)
        (with-current-buffer (cdr each)
          (undo-boundary)
          (setq last-command nil)
          (undo-redo 1)))
      (should (equal (texts) (funcall folder "edited")))
      (setq clada-tests--notes nil)
      (clada--take-back "undo" root nil nil)
      (clada-tests--note "undid")
      (should (equal (clada-tests--tree root) (funcall folder "before")))
      (should (equal (texts) (funcall folder "unsaved")))
      (dolist (each unsaved) (should (buffer-modified-p (cdr each))))
      (pcase-dolist (`(,name . ,buffer) open)
        (clada-tests--wait "the old name" (lambda () (equal (buffer-file-name buffer) (concat root "/" name))))
        (should (equal (clada-tests--text buffer) (clada-tests--read (concat root "/" name))))))))

(clada-deftest fixture
  "The case that every editor has to pass: unsaved buffers, files in none, a command, a failure, and all back."
  (clada-tests--fixture nil))

(clada-deftest fixture-with-open-files
  "The same with further files in buffers."
  (clada-tests--fixture t))

(defun clada-tests--formatter (case)
  "Take back and do again the answer of CASE, whose text a formatter changes while it is saved."
  (let* ((before (plist-get case :before)) (formatted (plist-get case :formatted)) (again (plist-get case :again))
         (root (clada-tests--project `(("a.txt" . ,before)))) (buffer (clada-tests--open root "a.txt")) require-final-newline)
    (with-current-buffer buffer
      (add-hook 'before-save-hook
                (lambda ()
                  (when-let ((text (cond ((equal (clada--text) (plist-get case :applied)) formatted)
                                         ((equal (clada--text) before) again))))
                    (set-buffer-file-coding-system (if (string-search "\r\n" text) 'utf-8-dos 'utf-8-unix) nil t)
                    (clada--replace (clada--difference (clada--text) (string-replace "\r\n" "\n" text)))))
                nil t))
    (cl-flet ((is-now (text)
                (should (equal (clada-tests--read (concat root "/a.txt")) text))
                (should (equal (clada-tests--text buffer) text))
                (should-not (buffer-modified-p buffer))))
      (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" (plist-get case :old) (plist-get case :new))) t)
      (clada-tests--note "1 done")
      (is-now formatted)
      (pcase-dolist (`(,method ,note ,text) (if (equal formatted before) `(("undo" "there is nothing to undo" ,before))
                                              `(("undo" "undid" ,before) ("redo" "did 1" ,formatted) ("undo" "undid" ,before))))
        (setq clada-tests--notes nil)
        (clada--take-back method root nil nil)
        (clada-tests--note note)
        (is-now text)))))

(clada-deftest formatters
  "What a formatter does on save goes back with the answer, byte by byte."
  (seq-doseq (case (with-temp-buffer
                     (insert-file-contents (expand-file-name "../../fixture/formatters.json" clada-tests--here))
                     (json-parse-buffer :object-type 'plist)))
    (setq clada-tests--notes nil)
    (ert-info ((plist-get case :name)) (clada-tests--formatter case))))

(clada-deftest typed-after-the-plan
  "What was typed after the plan stays, the decisions too, and the answer is planned again."
  (let* ((root (clada-tests--project '(("a.txt" . "one\ntwo\n-\nthree\n")))) (buffer (clada-tests--open root "a.txt")))
    (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "two" "2")
                                                  (clada-tests--replace "a.txt" "three" "3")))
    (clada-tests--review)
    (clada-tests--go "-two")
    (clada-review-toggle)
    (with-current-buffer buffer (goto-char (point-min)) (insert "typed\n"))
    (clada-review-carry-out)
    (clada-tests--note "a.txt was changed; it was planned again")
    (clada-tests--review)
    (should (equal (clada--mode-line) " clada 1/2"))
    (clada-review-carry-out)
    (clada-tests--note "1 done")
    (should (equal (with-current-buffer buffer (clada--text)) "typed\none\ntwo\n-\n3\n"))
    (should (equal (clada-tests--read (concat root "/a.txt")) "one\ntwo\n-\nthree\n"))))

(clada-deftest random-edits-between
  "Random edits between plan and carrying out lose nothing, and nothing lands in the wrong line."
  (random "clada 11")
  (let* ((text (mapconcat (lambda (n) (format "line %d\n" n)) (number-sequence 1 12) ""))
         (root (clada-tests--project `(("a.txt" . ,text)))) (buffer (clada-tests--open root "a.txt"))
         (answer (clada-tests--answer (clada-tests--replace "a.txt" "line 3\n" "three\nmore\n")
                                      (clada-tests--replace "a.txt" "line 9\n" "nine\n"))))
    (dotimes (round (if clada-tests--all 500 4))
      (with-current-buffer buffer
        (erase-buffer)
        (insert text)
        (when (cl-evenp round) (save-buffer)))
      (clada-tests--apply root answer)
      (clada-tests--review)
      (let (expected)
        (with-current-buffer buffer
          (dotimes (index (random 4))
            (goto-char (point-min))
            (forward-line (random (1+ (count-lines (point-min) (point-max)))))
            (if (or (eobp) (looking-at-p "line [39]$") (= 0 (random 2))) (insert (format "typed %d %d\n" round index))
              (delete-region (point) (line-beginning-position 2))))
          (setq expected (string-replace "line 9\n" "nine\n" (string-replace "line 3\n" "three\nmore\n" (clada--text)))))
        (clada-review-carry-out)
        (cl-flet ((noted (part) (seq-some (lambda (note) (string-search part note)) clada-tests--notes)))
          (clada-tests--wait "an outcome" (lambda () (or (noted "2 done") (noted "planned again"))))
          (when (noted "planned again")
            (clada-tests--review)
            (clada-review-carry-out)
            (clada-tests--note "2 done")))
        (should (equal (with-current-buffer buffer (clada--text)) expected))))))

(clada-deftest typed-while-carrying-out
  "Typing while it is applied: nothing of that document is applied, and it is shown again."
  (let* ((root (clada-tests--project '(("a.txt" . "one\n") ("b.txt" . "two\n") ("c.txt" . "three\n"))))
         (a (clada-tests--open root "a.txt")) (b (clada-tests--open root "b.txt")))
    (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "one" "1")
                                                  (clada-tests--replace "b.txt" "two" "2")
                                                  (clada-tests--replace "c.txt" "three" "3")))
    (clada-tests--review)
    (clada-review-carry-out)
    (with-current-buffer a (goto-char (point-min)) (insert "typed\n"))
    (clada-tests--note "typed into meanwhile: a.txt")
    (should (equal (list (clada-tests--read (concat root "/b.txt")) (clada-tests--read (concat root "/c.txt")))
                   '("2\n" "3\n")))
    (should (equal (with-current-buffer a (clada--text)) "typed\none\n"))
    (should (string-prefix-p "diff change a.txt · not saved\n--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n typed\n-one\n+1\n"
                             (clada-tests--review)))
    (setq clada-tests--notes nil)
    (clada-review-carry-out)
    (clada-tests--note "1 done")
    (should (equal (with-current-buffer a (clada--text)) "typed\n1\n"))
    (should (equal (with-current-buffer b (clada--text)) "2\n"))))

(clada-deftest one-step-of-undo
  "An edit is one step of undo, apart from what was typed before and is typed after it."
  (let* ((root (clada-tests--project '(("a.txt" . "one\ntwo\nthree\n")))) (buffer (clada-tests--open root "a.txt")))
    (switch-to-buffer buffer)
    (cl-flet ((type (character)
                (let ((last-command-event character) (this-command 'self-insert-command))
                  (self-insert-command 1 character)
                  (setq last-command 'self-insert-command))))
      (goto-char (point-max))
      (type ?a)
      (type ?b)
      (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "one" "1")
                                                    (clada-tests--replace "a.txt" "three" "3"))
                          t)
      (clada-tests--note "2 done")
      (set-buffer buffer)
      (type ?c)
      (type ?d)
      (let ((texts (list (clada--text))))
        (dotimes (_ 3)
          (setq last-command (and (cdr texts) 'undo))
          (undo-boundary)
          (undo)
          (push (clada--text) texts))
        (should (equal (nreverse texts)
                       '("1\ntwo\n3\nabcd\n" "1\ntwo\n3\nab\n" "one\ntwo\nthree\nab" "one\ntwo\nthree\n")))))))

(clada-deftest modified-is-not-moved
  "A modified buffer is not moved or deleted before it is saved."
  (let* ((root (clada-tests--project '(("a.txt" . "one\n") ("b.txt" . "two\n")))) (a (clada-tests--open root "a.txt"))
         (before (clada-tests--tree root)))
    (with-current-buffer a (goto-char (point-max)) (insert "mine\n"))
    (clada-tests--apply root (clada-tests--answer '("file_delete" :path "a.txt") (clada-tests--replace "b.txt" "two" "2")) t)
    (should (string-search "it is modified and not saved: C-c C-s saves it and plans again" (clada-tests--review)))
    (should (equal (clada--mode-line) " clada 1/2"))
    (should (equal (clada-tests--tree root) before))
    (clada-review-save)
    (clada-tests--wait "the other plan" (lambda () (equal (clada--mode-line) " clada 2/2")))
    (should (equal (clada-tests--read (concat root "/a.txt")) "one\nmine\n"))
    (clada-tests--review)
    (clada-review-carry-out)
    (clada-tests--note "2 done")
    (should (equal (clada-tests--tree root) '(("b.txt" . "2\n"))))
    (clada-tests--wait "the end of the buffer" (lambda () (not (buffer-live-p a))))
    (clada--take-back "undo" root nil nil)
    (clada-tests--note "undid")
    (should (equal (clada-tests--tree root) '(("a.txt" . "one\nmine\n") ("b.txt" . "two\n"))))))

(clada-deftest command-waits
  "A command waits until buffers are saved, and sees what was done."
  (let* ((root (clada-tests--project '(("a.txt" . "one\n")))) (a (clada-tests--open root "a.txt")))
    (with-current-buffer a (goto-char (point-max)) (insert "mine\n"))
    (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "one" "1")
                                                  '("run" :command "sh -c \"cp a.txt b.txt\"")))
    (clada-tests--review)
    (clada-tests--go "| sh")
    (clada-review-toggle)
    (clada-tests--note "it needs approval, which y gives")
    (clada-review-accept)
    (clada-review-carry-out)
    (clada-tests--note "a command needs the files: C-c C-s saves 1 buffer")
    (should (equal (with-current-buffer a (clada--text)) "one\nmine\n"))
    (let ((model (clada--flow-model clada--flow)) (flow clada--flow))
      (clada-review-save)
      (clada-tests--wait "the other plan" (lambda () (not (eq model (clada--flow-model flow))))))
    (should (equal (clada--mode-line) " clada 2/2"))
    (setq clada-tests--notes nil)
    (clada-tests--review)
    (clada-review-carry-out)
    (clada-tests--note "2 done")
    (should (equal (clada-tests--tree root) '(("a.txt" . "1\nmine\n") ("b.txt" . "1\nmine\n"))))
    (clada-tests--wait "the text" (lambda () (equal (with-current-buffer a (clada--text)) "1\nmine\n")))))

(clada-deftest nothing-without-approval
  "Nothing that needs approval happens without it, though no review is wanted."
  (let* ((root (clada-tests--project '(("a.txt" . "one\n")))) (command "sh -c \"touch made\e[2J\u202e%s.txt\""))
    (clada-tests--apply root (clada-tests--answer `("run" :command ,command) (clada-tests--replace "a.txt" "one" "1")) t)
    (let ((text (clada-tests--review)))
      (should (string-search "| sh -c \"touch made\\u{1b}[2J\\u{202e}%s.txt\"" text))
      (should (string-search "invisible characters" text)))
    (should (equal (clada--mode-line) " clada 1/2"))
    (clada-review-accept-rest)
    (clada-review-carry-out)
    (clada-tests--note "1 done, 1 left out")
    (should (equal (clada-tests--tree root) '(("a.txt" . "1\n"))))))

(clada-deftest own-undo-first
  "Emacs' own undo first, then ours: all of it goes back, and is done again.  Before, its report is copied."
  (let* ((root (clada-tests--project '(("a.txt" . "one\n") ("b.txt" . "b\n")))) (a (clada-tests--open root "a.txt")))
    (with-current-buffer a (goto-char (point-max)) (insert "mine\n"))
    (clada-tests--apply root (clada-tests--answer '("run" :command "wc -l a.txt") (clada-tests--replace "a.txt" "one" "1")
                                                  (clada-tests--replace "b.txt" "b" "B")))
    (should (string-search "# only reads: run wc -l a.txt\n" (clada-tests--review)))
    (clada-copy-report)
    (clada-tests--note "the report for the model is copied")
    (should (string-search "Nothing was changed" (current-kill 0 t)))
    (clada-review-carry-out)
    (clada-tests--note "2 done")
    (with-current-buffer a (setq last-command nil) (undo-boundary) (undo))
    (should (equal (clada-tests--text a) "one\nmine\n"))
    (pcase-dolist (`(,method ,note ,text ,file) '(("undo" "undid 2 changes" "one\nmine\n" "b\n")
                                                  ("redo" "did 2 changes again" "1\nmine\n" "B\n")))
      (clada--take-back method root nil nil)
      (clada-tests--note note)
      (should (equal (list (clada-tests--text a) (clada-tests--read (concat root "/b.txt"))) (list text file))))))

(clada-deftest undo-leaves-point
  "Undo and redo change what was edited alone: point between two hunks stays, unless saving changes more."
  (let* ((root (clada-tests--project '(("a.txt" . "one\ntwo\nthree\nfour\nfive"))))
         (buffer (clada-tests--open root "a.txt")))
    (dolist (case '(("five" nil t "1\ntwo\nthree\nfour\n5") ("five" nil nil "1\ntwo\nthree\nfour\n5")
                    ("four" nil t "1\ntwo\nthree\n5\nfive") ("five" "saved\n" t "saved\n1\ntwo\nthree\nfour\n5")))
      (pcase-let ((`(,last ,added ,require-final-newline ,after) case) (before (clada-tests--text buffer))
                  (mode-require-final-newline nil))
        (ert-info ((format "%S" case))
          (switch-to-buffer buffer)
          (with-current-buffer buffer
            (goto-char (point-min))
            (search-forward "thr")
            (when added
              (add-hook 'before-save-hook
                        (lambda () (save-excursion (goto-char (point-min)) (unless (looking-at added) (insert added))))
                        nil t)))
          (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "one" "1")
                                                        (clada-tests--replace "a.txt" last "5"))
                              t)
          (clada-tests--note "2 done")
          (cl-flet ((here () (with-current-buffer buffer (buffer-substring (line-beginning-position) (point)))))
            (should (equal (clada-tests--text buffer) after))
            (should (equal (here) "thr"))
            (with-current-buffer buffer (remove-hook 'before-save-hook t t) (kill-local-variable 'before-save-hook))
            (pcase-dolist (`(,method ,note ,text) `(("undo" "undid" ,before) ("redo" "again" ,after) ("undo" "undid" ,before)))
              (setq clada-tests--notes nil)
              (clada--take-back method root nil nil)
              (clada-tests--note note)
              (ert-info ((format "%s: %S" method (clada-tests--text buffer)))
                (should (equal (clada-tests--text buffer) text))
                (unless added (should (equal (here) "thr")))
                (should-not (buffer-modified-p buffer))))))))))

(clada-deftest undo-is-of-this-emacs
  "What others did is undone in the history alone; what is applied is waited for, and undone if it was stopped."
  (let ((root (clada-tests--project '(("a.txt" . "one\n")))))
    (clada--take-back "undo" root nil nil)
    (clada-tests--note "there is nothing to undo")
    (clada-tests--apply root (clada-tests--answer '("file_write" :path "first.txt" :content "first\n")
                                                  '("run" :command "sleep 20")))
    (clada-tests--review)
    (clada-tests--go "| sleep")
    (clada-review-accept)
    (clada-review-carry-out)
    (clada-tests--note "C-c C-k in the review stops it")
    (should-error (clada--take-back "undo" root nil nil) :type 'user-error)
    (should-error (clada-tests--apply root "x") :type 'user-error)
    (clada-review-end)
    (clada-tests--wait "the end" (lambda () (= 0 (hash-table-count clada--running))))
    (clada--take-back "undo" root nil nil)
    (clada-tests--note "undid 1 change")
    (should (equal (clada-tests--tree root) '(("a.txt" . "one\n"))))
    (clada-tests--call "execute" (list :root root :text (clada-tests--answer (clada-tests--replace "a.txt" "one" "1"))))
    (clada--take-back "undo" root nil nil)
    (clada-tests--note "this Emacs has nothing to undo here.  u in M-x clada-history undoes the last operation (edited a.txt)")
    (should (equal (clada-tests--tree root) '(("a.txt" . "1\n"))))))

(clada-deftest what-stands-and-what-is-left-out
  "What stands already is named, and not left out; what was left out stays so when it can be done."
  (let* ((root (clada-tests--project '(("a.txt" . "one\n") ("b.txt" . "b\n") ("gone.txt" . "gone\n"))))
         (gone (clada-tests--open root "gone.txt")))
    (with-current-buffer gone (insert "mine\n"))
    (clada-tests--apply root (clada-tests--answer '("file_write" :path "a.txt" :content "one\n")
                                                  (clada-tests--replace "b.txt" "b" "B")
                                                  '("file_delete" :path "gone.txt")
                                                  (clada-tests--replace "a.txt" "nowhere" "x")))
    (should (string-search "\n# [task-1] already done: file_write" (clada-tests--review)))
    (should (string-search "1 of 2 accepted, 1 failed" (clada--header)))
    (clada-tests--go "diff delete")
    (clada-review-toggle)
    (let ((model (clada--flow-model clada--flow)) (flow clada--flow))
      (clada-review-save)
      (clada-tests--wait "the other plan" (lambda () (not (eq model (clada--flow-model flow))))))
    (clada-review-help)
    (should (string-match-p "k[ \t]+clada-review-toggle\n" (with-current-buffer (help-buffer) (buffer-string))))
    (clada-tests--review)
    (setq clada-tests--notes nil)
    (clada-review-carry-out)
    (clada-tests--note "2 done, 1 failed, 1 left out")
    (should-not (string-search "[task-1] SKIP" (clada--get clada--reports :llm)))
    (should (equal (clada-tests--read (concat root "/gone.txt")) "mine\ngone\n"))))

(clada-deftest whole-files
  "An answer of whole files is a proposal, also if its dialect is named, and what commands put out is in the report."
  (let ((root (clada-tests--project '(("a.txt" . "one\n")))))
    (clada-tests--open root "a.txt")
    (kill-new "Here is the file.\n\na.txt\n```\ntwo\nthree\n```\n")
    (clada-apply-as "whole_file")
    (should (string-search "+three" (clada-tests--review)))
    (setq clada-tests--notes nil)
    (clada-tests--go "+three")
    (clada-review-accept)
    (clada-review-carry-out)
    (clada-tests--note "1 done")
    (should (equal (clada-tests--tree root) '(("a.txt" . "two\nthree\n"))))
    (clada-tests--apply root (clada-tests--answer '("run" :command "sh -c \"echo put out\"")))
    (clada-tests--review)
    (clada-tests--go "run sh -c")
    (clada-review-accept)
    (clada-review-carry-out)
    (clada-tests--note "1 done")
    (clada-report)
    (should (string-search "\nput out\n" (with-current-buffer "*clada report*" (buffer-string))))))

(clada-deftest undo-of-a-changed-buffer
  "An undo of a changed buffer does nothing, or keeps what was changed."
  (let* ((root (clada-tests--project '(("a.txt" . "one\ntwo\nthree\nfour\nfive\nsix\n") ("b.txt" . "b\n"))))
         (a (clada-tests--open root "a.txt")))
    (kill-new (clada-tests--answer (clada-tests--replace "a.txt" "two" "2") (clada-tests--replace "b.txt" "b" "B")))
    (clada-apply t)
    (clada-tests--note "2 done")
    (with-current-buffer a (goto-char (point-max)) (forward-line -1) (delete-region (point) (point-max)) (insert "mine\n"))
    (with-current-buffer a (clada-undo))
    (clada-tests--note "'a.txt' is modified in the editor and not saved. Nothing was changed")
    (should (equal (clada-tests--read (concat root "/b.txt")) "B\n"))
    ;; In the same place it cannot be merged, and then nothing is undone.
    (with-current-buffer a
      (clada-tests--go "2")
      (insert "mine, too ")
      (save-buffer)
      (setq clada-tests--notes nil)
      (clada-undo t)
      (clada-tests--note "a.txt")
      (should (equal (clada-tests--read (concat root "/b.txt")) "B\n"))
      (clada-tests--go "mine, too")
      (delete-char 10)
      (save-buffer)
      (setq clada-tests--notes nil)
      (clada-undo)
      (clada-tests--note "C-u M-x clada-undo keeps what was changed")
      (clada-undo t))
    (clada-tests--note "undid")
    (should (equal (clada-tests--read (concat root "/b.txt")) "b\n"))
    (should (equal (with-current-buffer a (clada--text)) "one\ntwo\nthree\nfour\nfive\nmine\n"))))

(clada-deftest merge-of-an-unsaved-buffer
  "An undo around what was typed since keeps that, in a buffer that is not saved."
  (let* ((root (clada-tests--project '(("a.txt" . "one\ntwo\nthree\nfour\nfive\n") ("b.txt" . "b\n"))))
         (a (clada-tests--open root "a.txt")))
    (insert "mine\n")
    (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "two" "2\nmore") (clada-tests--replace "b.txt" "b" "B")) t)
    (clada-tests--note "2 done")
    (with-current-buffer a
      (clada-tests--go "five")
      (insert "later\n")
      (clada-undo)
      (clada-tests--note "a.txt has changed since; nothing was undone")
      (clada-tests--go "2")
      (insert "two and a half, ")
      (clada-undo t)
      (clada-tests--note "a.txt was changed in the same place")
      (should (equal (clada-tests--read (concat root "/b.txt")) "B\n"))
      (clada-tests--go "two and")
      (delete-char 16)
      (clada-undo t)
      (clada-tests--note "undid")
      (should (equal (clada--text) "mine\none\ntwo\nthree\nfour\nlater\nfive\n"))
      (should (equal (clada-tests--read (concat root "/b.txt")) "b\n")))))

(defun clada-tests--git (root &rest words)
  "Run git in ROOT with WORDS, and return what it says."
  (with-temp-buffer
    (apply #'call-process "git" nil '(t nil) nil "-C" root "-c" "user.name=t" "-c" "user.email=t@t" words)
    (string-trim (buffer-string))))

(clada-deftest one-operation
  "What is saved is one operation and one commit with the rest, and the undo at the terminal is the same."
  (let* ((root (clada-tests--project '(("a.txt" . "one\n") ("b.txt" . "b\n") ("typed.txt" . "one\n")))) before a typed)
    (dolist (words '(("init" "-q") ("add" ".") ("commit" "-qm" "x"))) (apply #'clada-tests--git root words))
    (setq before (clada-tests--tree root) a (clada-tests--open root "a.txt") typed (clada-tests--open root "typed.txt"))
    (with-current-buffer typed (goto-char (point-max)) (insert "mine\n"))
    (with-current-buffer a
      (add-hook 'before-save-hook (lambda () (when (equal (buffer-string) "1\n") (goto-char (point-min)) (insert "HEADER\n")))
                nil t))
    (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "one" "1") (clada-tests--replace "b.txt" "b" "B")
                                                  (clada-tests--replace "typed.txt" "one" "1"))
                        t)
    (let ((note (clada-tests--note "3 done")))
      (should (string-search (concat "commit " (substring (clada-tests--git root "rev-parse" "HEAD") 0 8)) note)))
    (should (equal (clada-tests--git root "log" "-1" "--name-only" "--format=") "a.txt\nb.txt"))
    (let ((operations (clada--get (clada-tests--call "history.list" (list :root root)) :operations)))
      (should (equal (length operations) 1))
      (should (string-search "not saved in emacs: typed.txt" (clada--get (elt operations 0) :summary))))
    (should (equal (clada-tests--read (concat root "/a.txt")) "HEADER\n1\n"))
    (call-process clada-client nil nil nil "--root" root "undo")
    (clada-tests--wait "the buffer of a.txt" (lambda () (equal (with-current-buffer a (clada--text)) "one\n")))
    (should (equal (clada-tests--tree root) before))
    (should (equal (with-current-buffer typed (clada--text)) "1\nmine\n"))
    ;; What is not saved stays for this Emacs to undo.
    (with-current-buffer typed (clada-undo))
    (clada-tests--wait "the buffer of typed.txt" (lambda () (equal (with-current-buffer typed (clada--text)) "one\nmine\n")))))

(clada-deftest hunks-in-their-buffers
  "Hunks are walked and decided about in their buffers, and never drawn over another text."
  (let* ((root (clada-tests--project `(("a.txt" . ,(mapconcat (lambda (n) (format "line %d\n" n)) (number-sequence 1 50000) "")))))
         (a (clada-tests--open root "a.txt")))
    (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "line 3\n" "three\nmore\n")
                                                  (clada-tests--replace "a.txt" "line 40000\n" "many\n")))
    (cl-flet ((drawn () (with-current-buffer a
                          (mapcar (lambda (overlay)
                                    (list (line-number-at-pos (overlay-start overlay))
                                          (seq-take (split-string (overlay-get overlay 'after-string) "\n") 2)))
                                  (clada--inline-overlays)))))
      (clada-tests--review)
      (clada-tests--go "-line 3")
      (clada-review-inline)
      (set-buffer a)
      (should (equal (drawn) '((3 ("▎✓ accepted · C-c ^ n p y k" "+ three")) (40000 ("▎✓ accepted · C-c ^ n p y k" "+ many")))))
      (goto-char (point-min))
      (clada-inline-next)
      (clada-inline-next)
      (should (equal (line-number-at-pos) 40000))
      (clada-inline-previous)
      (clada-inline-leave-out)
      (should (equal (drawn) '((3 ("▎✗ left out · C-c ^ n p y k" "+ three")) (40000 ("▎✓ accepted · C-c ^ n p y k" "+ many")))))
      (should (equal (clada--mode-line) " clada 1/2"))
      ;; Another text: it is planned again, and what was decided stays.
      (goto-char (point-min))
      (insert "typed\n")
      (should-not (drawn))
      (clada-tests--review)
      (clada-review-inline)
      (clada-tests--wait "the hunks" #'drawn)
      (should (equal (drawn) '((4 ("▎✗ left out · C-c ^ n p y k" "+ three")) (40001 ("▎✓ accepted · C-c ^ n p y k" "+ many")))))
      (clada-tests--review)
      (clada-review-carry-out)
      (clada-tests--note "1 done")
      (should-not (drawn)))))

(clada-deftest edit-of-a-hunk
  "A hunk is edited before it is accepted, in the buffer and on disk, and the report says so."
  (let* ((root (clada-tests--project '(("a.txt" . "one\ntwo\n") ("b.txt" . "b\n")))) (a (clada-tests--open root "a.txt")))
    (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "two" "2") (clada-tests--replace "b.txt" "b" "B")))
    (pcase-dolist (`(,line ,shown ,text) '(("+2" "2\n" "zwei\ndrei\n") ("+B" "B\n" "")))
      (clada-tests--review)
      (clada-tests--go line)
      (let ((review (current-buffer)))
        (clada-review-edit)
        (should (equal (buffer-string) shown))
        (erase-buffer)
        (insert text)
        (clada-edit-done)
        (clada-tests--wait "the edited hunk" (lambda ()
                                               (with-current-buffer review
                                                 (save-excursion (goto-char (point-min))
                                                                 (not (search-forward line nil t))))))))
    (should (string-search "+zwei\n+drei" (clada-tests--review)))
    (should (string-search "edited by you" (clada-tests--review)))
    (clada-review-carry-out)
    (clada-tests--note "2 done")
    (should (equal (clada-tests--tree root) '(("a.txt" . "one\nzwei\ndrei\n") ("b.txt" . ""))))
    (should (equal (with-current-buffer a (clada--text)) "one\nzwei\ndrei\n"))
    (should (string-search "the user edited 1 place of it" (clada--get clada--reports :llm)))))

(defconst clada-tests--code "import os\n\nX = 1\n\n\ndef a():\n    return X\n\n\ndef b():\n    print(1)\n    print(2)\n")

(defun clada-tests--listing (path &rest changes)
  "Return a plain answer that shows the code of PATH with CHANGES, (OLD . NEW)."
  (let ((text clada-tests--code))
    (pcase-dolist (`(,old . ,new) changes) (setq text (string-replace old new text)))
    (format "Here is the updated `%s`:\n\n```python\n%s```\n\n" path text)))

(clada-deftest proposals
  "Proposals of a plain answer are shown and not accepted, and applied by hunk."
  (let* ((root (clada-tests--project `(("a.py" . ,clada-tests--code) ("b.txt" . "one\n"))))
         (a (clada-tests--open root "a.py"))
         (at (lambda (text) (goto-char (point-min)) (search-forward text) (beginning-of-line))))
    (clada-tests--apply root (concat (clada-tests--answer (clada-tests--replace "b.txt" "one" "1")) "\n"
                                     (clada-tests--listing "a.py" '("X = 1" . "X = 2") '("print(2)" . "print(3)"))
                                     (clada-tests--listing "c.py" '("X = 1" . "X = 9"))))
    (let ((text (clada-tests--review)))
      (dolist (part '("diff proposed: change a.py" "whole file, named above · +2 −2 · lines " "“Here is the updated `a.py`:”"
                      "diff proposed: create c.py"))
        (should (string-search part text)))
      (should (string-search "1 of 4 accepted, 2 proposals to decide" (clada--header))))
    (goto-char (point-min))
    (clada-review-accept-rest)
    (should (string-search "1 of 4 accepted" (clada--header)))
    (funcall at "+X = 2")
    (clada-review-accept)
    (funcall at "+X = 9")
    (clada-review-toggle) ; It declines.
    (should (string-search "2 of 4 accepted ·" (clada--header)))
    (clada-review-carry-out)
    (clada-tests--note "2 done, 1 hunk left out, 1 proposal declined")
    (should (equal (clada-tests--tree root)
                   `(("a.py" . ,(string-replace "X = 1" "X = 2" clada-tests--code)) ("b.txt" . "1\n"))))
    (should-not (buffer-modified-p a))
    (with-current-buffer a (clada-undo))
    (clada-tests--note "undid 2 changes")
    (should (equal (clada-tests--tree root) `(("a.py" . ,clada-tests--code) ("b.txt" . "one\n"))))))

(clada-deftest regression-first-command
  "What others do is seen from the first command on, which need not apply anything."
  (let* ((root (clada-tests--project '(("a.txt" . "one\n")))) (buffer (clada-tests--open root "a.txt")))
    (clada-undo)
    (clada-tests--note "there is nothing to undo")
    (with-temp-buffer
      (insert (clada-tests--answer (clada-tests--replace "a.txt" "one" "1")))
      (should (eql 0 (call-process-region nil nil clada-client nil t nil "--root" root "apply" "--no-git"))))
    (clada-tests--wait "the text" (lambda () (equal (with-current-buffer buffer (clada--text)) "1\n")))))

(clada-deftest regression-together
  "Accepting goes past the other hunks of what goes together."
  (let* ((root (clada-tests--project `(("a.py" . ,clada-tests--code) ("c.py" . ,clada-tests--code))))
         (part (lambda (path) (format "Here is the updated `%s`:\n\n```python\ndef b(x):\n    print(1)\n    print(3)\n```\n\n" path))))
    (clada-tests--open root "a.py")
    (clada-tests--apply root (concat (funcall part "a.py") (funcall part "c.py")))
    (clada-tests--review)
    ;; Neither part is offered as its whole file, too.
    (should (string-search "0 of 2 accepted, 2 proposals to decide" (clada--header)))
    (clada-tests--go "+def b(x)")
    (clada-review-accept)
    (should (equal (clada--get (get-text-property (point) 'clada-file) :path) "c.py"))
    (clada-review-toggle)
    (clada-review-carry-out)
    (clada-tests--note "1 done, 1 proposal declined")
    (should (string-search "def b(x):\n    print(1)\n    print(3)\n" (clada-tests--read (concat root "/a.py"))))
    (should (equal (clada-tests--read (concat root "/c.py")) clada-tests--code))))

(clada-deftest regression-inline-without-buffer
  "The hunks of a file that no buffer has are drawn, too."
  (let ((root (clada-tests--project '(("a.txt" . "one\ntwo\n") ("b.txt" . "x\n")))))
    (clada-tests--open root "b.txt")
    (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "two" "2")))
    (clada-tests--review)
    (clada-tests--go "-two")
    (clada-review-inline)
    (clada-tests--wait "the hunk" (lambda ()
                                    (when-let ((buffer (find-buffer-visiting (concat root "/a.txt"))))
                                      (with-current-buffer buffer (clada--inline-overlays)))))))

(clada-deftest stays-unsaved
  "A buffer that stays unsaved is named."
  (let ((root (clada-tests--project '(("a.txt" . "one\ntwo\n")))))
    (with-current-buffer (clada-tests--open root "a.txt") (goto-char (point-max)) (insert "typed\n"))
    (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "one" "1")) t)
    (clada-tests--note "1 done · not saved: a.txt")))

(clada-deftest versions
  "Of two versions one is chosen, and what is only proposed is not applied without a look."
  (let* ((root (clada-tests--project `(("a.py" . ,clada-tests--code)))) (clada-review nil)
         (text (concat (clada-tests--listing "a.py" '("X = 1" . "X = 2")) (clada-tests--listing "a.py" '("X = 1" . "X = 3"))))
         (accept (lambda (text) (goto-char (point-min)) (search-forward text) (clada-review-accept))))
    (clada-tests--open root "a.py")
    (clada-tests--apply root text)
    (should (string-search "! one of several versions or places" (clada-tests--review)))
    (clada-review-carry-out)
    (clada-tests--note "nothing is accepted")
    (funcall accept "+X = 2")
    (funcall accept "+X = 3")
    (should (string-search "1 of 2 accepted ·" (clada--header)))
    (search-backward "+X = 3")
    (let ((review (current-buffer)))
      (clada-review-edit)
      (should (derived-mode-p 'python-mode))
      (erase-buffer)
      (insert "X = 4\n")
      (clada-edit-done)
      (clada-tests--wait "the review of what was edited"
                         (lambda () (with-current-buffer review (string-search "+X = 4" (buffer-string))))))
    (clada-tests--review)
    (should (string-search "1 of 2 accepted ·" (clada--header)))
    (clada-review-carry-out)
    (clada-tests--note "1 done")
    (should (equal (clada-tests--tree root) `(("a.py" . ,(string-replace "X = 1" "X = 4" clada-tests--code)))))
    (clada-tests--apply root (clada-tests--listing "a.py" '("X = 1" . "X = 4")))
    (clada-tests--note "already as in the answer: a.py")))

(clada-deftest colours-of-code
  "Code in a review has the colours of its language, by the name of its file, where there are colours."
  (let* ((root (clada-tests--project `(("a.py" . ,clada-tests--code) ("b.txt" . "def one\n")))))
    (cl-letf (((symbol-function 'display-color-cells) (lambda (&rest _) 256)))
      (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.py" "def a" "def aa")
                                                    (clada-tests--replace "b.txt" "def one" "def two")))
      (clada-tests--review)
      (cl-flet ((faces (text)
                  (goto-char (point-min))
                  (search-forward text)
                  (mapcar (lambda (overlay) (overlay-get overlay 'face))
                          (seq-filter (lambda (overlay) (overlay-get overlay 'clada-syntax)) (overlays-at (+ 1 (match-beginning 0)))))))
        (clada-tests--wait "colours" (lambda () (faces "+def aa")))
        (should (equal (faces "-def a(") '(font-lock-keyword-face)))
        (should (equal (faces "+def aa") '(font-lock-keyword-face)))
        (should-not (faces "+def two")))
      (clada-review-end))
    (dolist (case '(("a.pdf") ("a.tar") ("a.png") ("a.md") ("a.c" . c-mode) ("a.json" . t) ("Makefile" . t)))
      (should (eq (and (clada--mode-for (car case)) t) (and (cdr case) t))))))

(clada-deftest which-answer
  "The answer is the region, else the clipboard if it shows changes, else the buffer."
  (let* ((root (clada-tests--project '(("a.txt" . "one\n"))))
         (answer (clada-tests--answer (clada-tests--replace "a.txt" "one" "1"))))
    (clada-tests--write (concat root "/answer.md") answer)
    (pcase-dolist (`(,region ,killed ,source) `((t ,answer "the region") (nil ,answer "the clipboard")
                                                (nil "no answer" "buffer answer.md (the clipboard holds no change)") (nil nil "buffer answer.md")))
      (setq kill-ring nil kill-ring-yank-pointer nil)
      (when killed (kill-new (propertize killed 'display "hidden" 'keymap (make-sparse-keymap))))
      (clada-tests--open root "answer.md")
      (transient-mark-mode 1)
      (when region
        (goto-char (point-min))
        (push-mark (point-max) t t))
      (clada-apply)
      (clada-tests--review)
      (should (equal (clada--flow-source clada--flow) source))
      (should-not (text-properties-at 0 (clada--flow-text clada--flow)))
      (clada-review-end)
      (should-not clada--reviews))))

(clada-deftest plan-that-is-gone
  "A plan that is gone is made again without a question."
  (let* ((root (clada-tests--project '(("a.txt" . "one\n")))))
    (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "one" "1")))
    (clada-tests--review)
    (clada-tests--call "plan.drop" (list :root root :planId (clada--get (clada--model-plan (clada--flow-model clada--flow))
                                                                       :planId)))
    (clada-tests--review)
    (clada-review-carry-out)
    (clada-tests--note "1 done")
    (should (equal (clada-tests--tree root) '(("a.txt" . "1\n"))))))

(clada-deftest conflict
  "A file that another process changed is a conflict, and planned again."
  (let* ((root (clada-tests--project '(("a.txt" . "one\ntwo\n")))))
    (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "one" "1")))
    (clada-tests--review)
    (clada-tests--write (concat root "/a.txt") "zero\none\ntwo\n")
    (clada-review-carry-out)
    (clada-tests--note "planned again")
    (clada-tests--review)
    (clada-review-carry-out)
    (clada-tests--note "1 done")
    (should (equal (clada-tests--tree root) '(("a.txt" . "zero\n1\ntwo\n"))))))

(clada-deftest others
  "What others do is seen, and no modified buffer is read anew."
  (let* ((root (clada-tests--project '(("a.txt" . "one\n") ("b.txt" . "two\n"))))
         (a (clada-tests--open root "a.txt")) (b (clada-tests--open root "b.txt"))
         (answer (clada-tests--answer (clada-tests--replace "a.txt" "one" "1") (clada-tests--replace "b.txt" "two" "2"))))
    (with-current-buffer b (goto-char (point-max)) (insert "mine\n"))
    (clada-tests--apply root "no blocks")
    (clada-tests--note "it holds no change of a file")
    (with-temp-buffer
      (insert answer)
      (should (eql 0 (call-process-region nil nil clada-client nil t nil "--root" root "apply" "--no-git"))))
    (clada-tests--wait "the text" (lambda () (equal (with-current-buffer a (clada--text)) "1\n")))
    (should (equal (with-current-buffer b (clada--text)) "two\nmine\n"))
    (should (buffer-modified-p b))))

(clada-deftest agent-that-waits
  "An agent that waits raises one notice, which takes no key and is answered."
  (let* ((root (clada-tests--project '(("a.txt" . "one\n")))) (buffer (clada-tests--open root "a.txt")) (got "")
         (command "sh -c \"echo '%[x](command:y)' > asked.txt\"") agent)
    (clada-tests--call "status" nil)
    (clada--subscribe root)
    (clada-tests--call "status" nil)
    (setq agent (make-network-process :name "agent" :family 'local :service (plist-get clada--found :socket) :noquery t
                                      :filter (lambda (_ text) (setq got (concat got text)))))
    (unwind-protect
        (progn
          (pcase-dolist (`(,id ,method ,params)
                         `((1 "hello" (:caller "agent" :client "robot" :roots [,root]))
                           (2 "execute" (:root ,root :text ,(clada-tests--answer `("run" :command ,command))))))
            (process-send-string agent (concat (clada-tests--json (list :jsonrpc "2.0" :id id :method method :params params))
                                               "\n")))
          (should (string-search "%[x](command:y)" (clada-tests--note "an agent asks")))
          (should (equal (clada--mode-line) " clada !1"))
          (should (eq (window-buffer) buffer))
          (clada-approve)
          (set-buffer (clada-tests--wait "approvals" (lambda () (get-buffer "*clada approvals*"))))
          (clada-tests--wait "its text" (lambda () (string-search "robot" (buffer-string))))
          (clada-approve-once)
          (clada-tests--note "answered: once")
          (clada-tests--wait "another list" (lambda () (string-search "Nothing waits" (buffer-string))))
          (clada-tests--wait "the agent's answer" (lambda () (string-search "\"id\":2" got)))
          (should (equal (cdr (assoc "asked.txt" (clada-tests--tree root))) "%[x](command:y)\n"))
          (clada-tests--wait "nothing waits" (lambda () (equal (clada--mode-line) ""))))
      (delete-process agent))))

(defun clada-tests--random-file (name)
  "Return a random text for the file NAME, and random blocks that change it."
  (let* ((ends '("\n" "\r\n")) (words ["alpha" "beta" "gämma" "𝒳elta" "a\tb" "lone\rcr" "" "  "]) (end (nth (random 2) ends))
         (lines (cl-loop for index from 1 to (1+ (random 9)) collect (format "%d %s" index (aref words (random 8)))))
         (text (concat (if (= 0 (random 6)) "\ufeff" "") (string-join lines end) (if (= 0 (random 4)) "" end)))
         (blocks (cl-loop for line in lines for index from 1 when (= 0 (random 3))
                          collect (clada-tests--replace
                                   name line (pcase (random 4)
                                               (0 "") (1 (format "new %d" index)) (2 (concat line "\nmore")) (3 "x"))))))
    (when (= 0 (random 8))
      (setq text (replace-regexp-in-string "\r?\n" (lambda (_) (nth (random 2) ends)) text t t)))
    (when (= 0 (random 5))
      (setq blocks (append blocks `(("file_append" :path ,name :content "the end\n")))))
    (cons text blocks)))

(clada-deftest random-answers
  "Random answers give buffers what they give files.
Each answer is for 20 files: most of the time is an answer's own."
  (random "clada 5")
  (let* (require-final-newline mode-require-final-newline
         (roots (list (clada-tests--project nil) (clada-tests--project nil)))
         (names (cl-loop for index below 20 collect (format "f%d.txt" index))))
    (dotimes (round (if clada-tests--all 100 1))
      (let* ((files (mapcar #'clada-tests--random-file names)) (answer (apply #'clada-tests--answer (mapcan (lambda (file) (copy-sequence (cdr file))) files))))
        (cl-loop for name in names for (text) in files do
                 (dolist (root roots) (clada-tests--write (concat root "/" name) text)))
        (let ((buffers (mapcar (lambda (name) (clada-tests--open (car roots) name)) names))
              (counts (mapcar (lambda (root)
                                (clada-tests--apply root answer t)
                                (car (split-string (clada-tests--note " done") "·")))
                              roots)))
          (should (equal (car counts) (cadr counts)))
          (cl-loop
           for buffer in buffers for name in names for file in files do
           (ert-info ((format "round %d: %s %S" round name file))
             (clada-tests--wait "the buffer is as its file"
                                (lambda () (with-current-buffer buffer
                                             (or (eql 2 (coding-system-eol-type buffer-file-coding-system))
                                                 (clada--is-as-file buffer-file-name)))))
             ;; Emacs writes no byte order mark of an empty text.
             (should (equal (clada-tests--read (concat (car roots) "/" name))
                            (replace-regexp-in-string "\\`\ufeff\\'" "" (clada-tests--read (concat (cadr roots) "/" name)))))
             (should-not (buffer-modified-p buffer)))
           (kill-buffer buffer)))))))

(clada-deftest crlf-that-becomes-lf
  "A buffer of one CRLF line that goes has the line ends of what comes, and its own again after undo."
  (let* ((root (clada-tests--project '(("a.txt" . "1 \r\n")))) (buffer (clada-tests--open root "a.txt")))
    (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "1 " "")
                                                  '("file_append" :path "a.txt" :content "the end\n"))
                        t)
    (clada-tests--note "2 done")
    (should (equal (clada-tests--read (concat root "/a.txt")) "the end\n"))
    (clada--take-back "undo" root nil nil)
    (clada-tests--note "undid")
    (should (equal (clada-tests--read (concat root "/a.txt")) "1 \r\n"))
    (should-not (buffer-modified-p buffer))))

(clada-deftest unusual-buffers
  "Narrowed, indirect, coded otherwise, read-only: each is applied to or refused, and nothing is lost."
  (let ((text "one\ntwo\nthree\n"))
    (pcase-dolist
        (`(,name ,file-text ,prepare ,expected ,refused)
         `(("narrowed" ,text ,(lambda () (narrow-to-region 5 8)) "1\ntwo\nthree\nmine\n" nil)
           ("indirect" ,text ,(lambda () (make-indirect-buffer (current-buffer) "an indirect one")) "1\ntwo\nthree\nmine\n" nil)
           ("crlf" "one\r\ntwo\r\n" ignore "1\r\ntwo\r\nmine\r\n" nil)
           ("bom" "\ufeffone\ntwo\n" ignore "\ufeff1\ntwo\nmine\n" nil)
           ("no newline" "one\ntwo" ignore "1\ntwomine\n" nil)
           ("latin" ,text ,(lambda () (set-buffer-file-coding-system 'latin-1 t t)) nil "its coding system is")
           ("mac" ,text ,(lambda () (set-buffer-file-coding-system 'utf-8-mac t t)) nil "its lines end with CR")
           ("read-only" ,text ,(lambda () (setq buffer-read-only t)) nil "it is read-only")
           ("raw" ,text ,(lambda () (insert (string-to-multibyte "\377"))) nil "it is not UTF-8")))
      (ert-info (name)
        (let* ((root (clada-tests--project `(("a.txt" . ,file-text)))) (buffer (clada-tests--open root "a.txt")))
          (with-current-buffer buffer
            (setq-local require-final-newline t)
            (goto-char (point-max))
            (insert "mine\n")
            (funcall prepare))
          (let ((before (with-current-buffer buffer (clada--text))))
            (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "one" "1")) t)
            (if (not refused)
                (progn (clada-tests--note "1 done")
                       (should (equal (clada-tests--text buffer) expected))
                       (should (buffer-modified-p buffer)))
              (should (string-search refused (clada-tests--review)))
              (clada-review-accept)
              (clada-review-carry-out)
              (clada-tests--note "1 left out")
              (should (equal (with-current-buffer buffer (clada--text)) before))))
          (should (equal (clada-tests--read (concat root "/a.txt")) file-text))
          (when (get-buffer "an indirect one") (kill-buffer "an indirect one"))
          (clada-tests--clean))))))

(clada-deftest stale-buffer
  "A buffer that is unmodified and older than its file is not edited: the daemon writes, and it is read anew."
  (let* ((root (clada-tests--project '(("a.txt" . "one\ntwo\n")))) (buffer (clada-tests--open root "a.txt")))
    (clada-tests--write (concat root "/a.txt") "zero\none\ntwo\n")
    (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "one" "1")) t)
    (clada-tests--note "1 done")
    (clada-tests--wait "the text" (lambda () (equal (with-current-buffer buffer (clada--text)) "zero\n1\ntwo\n")))
    (should-not (buffer-modified-p buffer))))

(clada-deftest problems
  "What failed is in a compilation buffer with its place, and the report for the model is copied."
  (let* ((root (clada-tests--project '(("a.txt" . "one\ntwo\nthree\nfour\n")))))
    (clada-tests--open root "a.txt")
    (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "zwei\nthree" "x\n/etc/passwd:1: error: \e[2J")))
    (clada-tests--note "0 done, 1 failed · report copied")
    (should (string-search "clada-report" (current-kill 0 t)))
    (with-current-buffer "*clada problems*"
      (should (derived-mode-p 'compilation-mode))
      (should (string-match-p "^a.txt:[0-9]+: error: no_match: " (buffer-string)))
      (should-not (string-search "\e" (buffer-string))))
    (next-error 1 t)
    (should (equal (buffer-file-name (window-buffer)) (concat root "/a.txt")))))

(clada-deftest held-back-by-a-failure
  "What another failure holds back is among the problems, what was left out is not; a commit is named."
  (let* ((root (clada-tests--project '(("a.txt" . "one\ntwo\n") ("b.txt" . "b\n") ("c.txt" . "c\n"))))
         (edit (lambda (path old)
                 (format "<edit path=\"%s\"><search>%s</search><replace>x</replace></edit>\n" path old))))
    (dolist (words '(("init" "-q") ("add" ".") ("-c" "user.name=t" "-c" "user.email=t@t" "commit" "-qm" "x")))
      (apply #'call-process "git" nil nil nil "-C" root words))
    (clada-tests--apply root (concat "<tasks version=\"1.0\">\n" (funcall edit "a.txt" "none") (funcall edit "b.txt" "b")
                                     "</tasks>\n" (clada-tests--answer (clada-tests--replace "a.txt" "two" "2")
                                                                       (clada-tests--replace "c.txt" "c" "C"))))
    (clada-tests--review)
    (clada-tests--go "-c")
    (clada-review-toggle)
    (clada-review-carry-out)
    (should (string-match-p "1 done, 1 failed, 1 not applied, 1 left out · commit [0-9a-f]\\{8\\} · undo"
                            (clada-tests--note "1 done")))
    (with-current-buffer "*clada problems*"
      (should (string-match-p "^a.txt:[0-9]+: error: no_match: " (buffer-string)))
      (should (string-match-p "^b.txt:[0-9]+: warning: skipped: " (buffer-string)))
      (should-not (string-match-p "^c.txt" (buffer-string))))))

(clada-deftest hostile-words
  "Whatever is shown is harmless: hidden characters, percent signs, properties, names with newlines."
  (should (equal (clada--visible "a\e[31m\u202eb\u200bc\td\ne\r") "a\\u{1b}[31m\\u{202e}b\\u{200b}c\td\ne\\u{d}"))
  (should-not (text-properties-at 0 (clada--visible (propertize "x" 'display "y"))))
  (clada--tell "%s" "100% %s %d")
  (should (equal (car clada-tests--notes) "clada: 100% %s %d"))
  (let* ((root (clada-tests--project nil)) (name "a%s\n+++ b.txt"))
    (clada-tests--apply root (clada-tests--answer `("file_write" :path ,name :content "x\e]0;title\a\u2067y\n")
                                                  '("file_write" :path "c.txt" :content "c\n")))
    (let ((text (clada-tests--review)))
      (should-not (string-match-p "[\e\a\u2067]" text))
      (should-not (string-match-p "^\\+\\+\\+ b.txt" text)))
    (setf (clada--flow-source clada--flow) "50% %e %[done\n")
    (should (string-search "50%% %%e %%[done\\n" (clada--header)))))

(clada-deftest trust
  "No local variable names a program, a socket or skips the review."
  (dolist (name '(clada-client clada-daemon clada-review clada-copy-report clada-show-problems clada-context))
    (should (risky-local-variable-p name))
    (should-not (safe-local-variable-p name nil)))
  (with-temp-buffer
    (setq-local clada-client "/tmp/evil" clada-review nil exec-path '("."))
    (should (equal (clada--option 'clada-client) (default-value 'clada-client)))
    (should (clada--option 'clada-review))
    (should-not (clada--program "./clada-client"))
    (should-not (clada--program "clada-tests-no-such")))
  (let ((default-directory "/ssh:nobody@nowhere.invalid:/x/"))
    (should-error (clada--root #'ignore) :type 'user-error)))

(clada-deftest saving-asks-nothing
  "A buffer that cannot be saved without a question stays modified, and it is told."
  (let* ((root (clada-tests--project '(("a.txt" . "one\n")))) (buffer (clada-tests--open root "a.txt")))
    (with-current-buffer buffer
      (add-hook 'write-contents-functions (lambda () (read-string "Really? ")) nil t))
    (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "one" "1")) t)
    (clada-tests--note "a.txt was not saved")
    (clada-tests--note "1 done")
    (should (buffer-modified-p buffer))
    (should (equal (with-current-buffer buffer (clada--text)) "1\n"))
    (should (equal (clada-tests--read (concat root "/a.txt")) "one\n"))))

(clada-deftest edit-that-fails
  "An edit of a buffer that signals an error leaves it as it was, and the rest is shown again."
  (let* ((root (clada-tests--project '(("a.txt" . "one\ntwo\n-\n-\nthree\n")))) (buffer (clada-tests--open root "a.txt")))
    (with-current-buffer buffer (let ((inhibit-read-only t)) (put-text-property 1 3 'read-only t) (set-buffer-modified-p nil)))
    (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "one" "1")
                                                  (clada-tests--replace "a.txt" "three" "3"))
                        t)
    (clada-tests--note "a.txt cannot be changed")
    (clada-tests--review)
    (should (equal (with-current-buffer buffer (clada--text)) "one\ntwo\n-\n-\nthree\n"))))

(clada-deftest keys-of-the-review
  "The keys are ours although diff-mode has others, and `k' leaves out and takes back."
  (let* ((root (clada-tests--project '(("a.txt" . "one\n2\n3\n4\n5\n6\n7\n8\ntwo\n") ("b.txt" . "b\n")))))
    (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "one" "1")
                                                  (clada-tests--replace "a.txt" "two" "2")
                                                  (clada-tests--replace "b.txt" "b" "B")))
    (switch-to-buffer (progn (clada-tests--review) (current-buffer)))
    (pcase-dolist (`(,key . ,command) '(("k" . clada-review-toggle) ("C-c C-c" . clada-review-carry-out)
                                        ("C-c C-k" . clada-review-end) ("n" . clada-review-next) ("R" . undefined)))
      (should (eq (key-binding (kbd key)) command)))
    (should (equal (get-text-property (point) 'clada-hunk) "f1.h1"))
    (execute-kbd-macro "nnp")
    (should (equal (get-text-property (point) 'clada-hunk) "f1.h2"))
    (execute-kbd-macro "pkk")
    (should (equal (clada--mode-line) " clada 3/3"))
    (execute-kbd-macro "knk")
    (should (equal (clada--mode-line) " clada 1/3"))
    (clada-tests--go "-two")
    (execute-kbd-macro "k")
    (should (equal (clada--mode-line) " clada 2/3"))
    (clada-tests--go "diff change a.txt")
    (execute-kbd-macro "K")
    (should (equal (clada--mode-line) " clada 1/3"))
    (execute-kbd-macro "q")
    (clada-show-review)
    (should (equal (clada--mode-line) " clada 1/3"))
    (setq clada-tests--notes nil)
    (execute-kbd-macro (kbd "C-c C-c"))
    (clada-tests--note "1 done, 2 left out")
    (should (equal (cdr (assoc "b.txt" (clada-tests--tree root))) "B\n"))
    (should-not clada--reviews)))

(clada-deftest what-is-approved-is-seen
  "`n' finds a command, too, and its line says that it is approved."
  (let* ((root (clada-tests--project '(("a.txt" . "one\n")))))
    (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "one" "1") '("run" :command "make x")))
    (switch-to-buffer (progn (clada-tests--review) (current-buffer)))
    (cl-flet ((notes () (delq nil (mapcar (lambda (overlay) (overlay-get overlay 'after-string)) (overlays-at (point))))))
      (goto-char (point-min))
      (should (looking-at "run make x"))
      (should (equal (mapcar #'string-trim (notes)) '("[needs approval: y]")))
      (execute-kbd-macro "y")
      (should (looking-at "@@"))
      (should-not (notes))
      (execute-kbd-macro "p")
      (should (looking-at "run make x"))
      (should (equal (mapcar #'string-trim (notes)) '("[approved]")))
      (should-error (clada-review-previous 1) :type 'user-error))))

(clada-deftest read-only-stays
  "A buffer that is read-only is read anew, and stays so."
  (let* ((root (clada-tests--project '(("a.txt" . "one\n")))) (buffer (clada-tests--open root "a.txt")))
    (read-only-mode 1)
    (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "one" "1")) t)
    (clada-tests--note "1 done")
    (with-current-buffer buffer
      (should (equal (buffer-string) "1\n"))
      (should buffer-read-only))))

(clada-deftest large-texts-in-pieces
  "A large text is sent a piece at a time, and arrives as it is."
  (dolist (value `((:a "é\"\\" :b [] :c [1 "x" (:d t :e :json-false :f nil)] :g ,(make-hash-table)) (:text ,(make-string 450001 ?𝒳))))
    (should (equal (mapconcat #'clada--encoded (clada--pieces value) "")
                   (encode-coding-string (json-serialize value :null-object nil :false-object :json-false) 'utf-8))))
  (let* ((lines (mapconcat (lambda (line) (format "%d \"é\\\t𝒳\"\n" line)) (number-sequence 1 60000) ""))
         (root (clada-tests--project `(("a.txt" . ,lines)))) (buffer (clada-tests--open root "a.txt")))
    (insert "typed ")
    (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "\n30000 \"" "\nX \"")))
    ;; What is asked for meanwhile does not come between.
    (should (clada--get (clada-tests--call "status" nil) :version))
    (clada-tests--review)
    (clada-review-carry-out)
    (clada-tests--note "1 done")
    (with-current-buffer buffer
      (should (equal (buffer-string) (concat "typed " (string-replace "\n30000 " "\nX " lines)))))))

(clada-deftest other-commands
  "The other commands do what they say."
  (let* ((root (clada-tests--project '(("a.txt" . "one\ntwo\nthree\n")))))
    (clada-tests--open root "a.txt")
    (clada-embed (list (concat root "/a.txt")))
    (clada-tests--note "copied 1 file, ")
    (should (string-search "two" (current-kill 0 t)))
    (clada-context-add (list (concat root "/a.txt")))
    (clada-tests--note "1 path in the context")
    (setq clada-tests--notes nil)
    (clada-embed nil)
    (clada-tests--note "copied 1 file, ")
    (clada-status)
    (clada-tests--note (format "daemon %s, pid " clada-version))
    (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "one" "1")) t)
    (clada-tests--note "1 done")
    (clada-copy-report)
    (clada-tests--note "the report for the model is copied")
    (clada-tests--apply root (clada-tests--answer '("file_write" :path "b.txt" :content "b\n")) t)
    (clada-tests--note "1 done")
    (with-current-buffer "a.txt" (clada-history))
    (set-buffer (clada-tests--wait "the history" (lambda () (get-buffer "*clada history*"))))
    (clada-tests--wait "its lines" (lambda () (> (buffer-size) 0)))
    (goto-char (point-min))
    (should (looking-at ".*created b.txt · Some words"))
    (clada-history-show)
    (with-current-buffer (clada-tests--wait "the operation" (lambda () (get-buffer "*clada operation*")))
      (should (string-search "+b" (clada--text))))
    (set-buffer "*clada history*")
    (clada-history-undo)
    (clada-tests--note "undid 1 change")
    (should (equal (clada-tests--tree root) '(("a.txt" . "1\ntwo\nthree\n"))))
    (with-current-buffer "a.txt" (clada-history))
    (clada-tests--wait "the undo" (lambda () (string-match-p "undo: .*b.txt\n.*(undone) .*b.txt" (buffer-string))))
    (clada-report)
    (should (string-search "[task-1] SUCCESS" (with-current-buffer "*clada report*" (buffer-string))))))

(clada-deftest embed-of-marks-and-region
  "What is embedded are the files marked in Dired, or the lines of the region as the buffer holds them."
  (let* ((root (clada-tests--project '(("a.txt" . "one\ntwo\nthree\n") ("b.txt" . "bee\n") ("c.txt" . "sea\n")))))
    (with-current-buffer (dired-noselect root)
      (dolist (name '("a.txt" "c.txt"))
        (dired-goto-file (concat root "/" name))
        (dired-mark 1))
      (call-interactively #'clada-embed)
      (kill-buffer))
    (clada-tests--note "copied 2 files, ")
    (should (string-match-p "one[^z]*sea" (current-kill 0 t)))
    (should-not (string-search "bee" (current-kill 0 t)))
    (clada-tests--open root "a.txt")
    (goto-char (point-min))
    (insert "typed\n")
    (transient-mark-mode 1)
    (goto-char (point-min))
    (forward-line 1)
    (push-mark (save-excursion (forward-line 2) (point)) t t)
    (setq clada-tests--notes nil)
    (call-interactively #'clada-embed)
    (clada-tests--note "copied 1 file, ")
    (should (string-search "a.txt:2-3" (current-kill 0 t)))
    (should (string-search "\none\ntwo\n" (current-kill 0 t)))
    (should-not (string-match-p "typed\\|three" (current-kill 0 t)))))

(clada-deftest restart
  "`clada-restart' ends the daemon and starts another one."
  (let ((pid (clada--get (clada-tests--call "status" nil) :pid)))
    (clada-restart)
    (clada-tests--note (format "daemon %s, pid " clada-version))
    (should-not (eql pid (clada--get (clada-tests--call "status" nil) :pid)))
    (clada-tests--wait "its end" (lambda () (not (process-attributes pid))))))

(clada-deftest forbidden-sockets
  "Where sockets are forbidden, a daemon of this Emacs is spoken to by its standard input."
  (let* ((root (clada-tests--project '(("a.txt" . "one\n")))) (script (expand-file-name "forbidden" clada-tests--top))
         (pid (clada--get (clada-tests--call "status" nil) :pid)) (clada-client script))
    (clada-tests--write script (concat "#!/bin/sh\necho 'the daemon at /s cannot be reached: "
                                       "Operation not permitted (os error 1)' >&2\nexit 3\n"))
    (set-file-modes script #o700)
    (clada-tests--call "shutdown" nil)
    (clada-tests--wait "its end" (lambda () (not (process-attributes pid))))
    (clada-tests--wait "the loss" (lambda () (not clada--link)))
    (cl-letf (((default-value 'clada-client) script))
      (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "one" "1")) t)
      (clada-tests--note "1 done"))
    (should (equal (clada-tests--tree root) '(("a.txt" . "1\n"))))
    (clada--close clada--link)
    (clada-tests--wait "its end" (lambda () (not clada--link)))))

(clada-deftest package
  "`package-install-file' installs it, and its commands are there without being loaded."
  (let ((home (expand-file-name "package-home" clada-tests--top)) (process-environment (copy-sequence process-environment)))
    (make-directory home t)
    (setenv "HOME" home)
    (cl-flet ((run (code)
                (with-temp-buffer
                  (let ((status (call-process (expand-file-name invocation-name invocation-directory) nil t nil "-Q" "--batch"
                                              "--eval" (format "%S" code))))
                    (ert-info ((buffer-string)) (should (eql status 0)))))))
      (run `(progn (require 'package) (package-initialize)
                   (package-install-file ,(expand-file-name "../clada.el" clada-tests--here))))
      (run '(progn (require 'package) (package-initialize)
                   (dolist (name '(clada-apply clada-undo clada-embed clada-restart clada-prefix-map))
                     (unless (autoloadp (symbol-function name)) (error "%s is not autoloaded" name)))
                   (call-interactively #'clada-show-review)
                   (unless (featurep 'clada) (error "It was not loaded")))))))

(clada-deftest daemon-killed
  "A daemon that is killed is started again by the next command."
  (let* ((root (clada-tests--project '(("a.txt" . "one\n")))) (pid (clada--get (clada-tests--call "status" nil) :pid)))
    (signal-process pid 'KILL)
    (clada-tests--wait "the loss" (lambda () (equal (clada--mode-line) " clada ↯")))
    (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "one" "1")) t)
    (clada-tests--note "1 done")
    (should-not (eql pid (clada--get (clada-tests--call "status" nil) :pid)))))

(clada-deftest daemon-stopped
  "A daemon that does not answer stops nothing in Emacs, not even when megabytes are to be sent."
  (let* ((root (clada-tests--project '(("a.txt" . "one\n")))) (pid (clada--get (clada-tests--call "status" nil) :pid))
         (buffer (clada-tests--open root "a.txt")))
    (with-current-buffer buffer (insert (make-string 3000000 ?x) "\n"))
    (setq clada--patience 0.3)
    (signal-process pid 'STOP)
    (unwind-protect
        (progn
          (clada-tests--apply root (clada-tests--answer (clada-tests--replace "a.txt" "one" "1")) t)
          (clada-tests--note "no answer to plan yet"))
      (setq clada--patience 3)
      (signal-process pid 'CONT))
    (clada-tests--note "1 done")))

(clada-deftest no-client
  "No client, no daemon: it says what to do."
  (let* ((root (clada-tests--project '(("a.txt" . "one\n")))) (pid (clada--get (clada-tests--call "status" nil) :pid)))
    (clada-tests--call "shutdown" nil)
    (clada-tests--wait "its end" (lambda () (not (process-attributes pid))))
    (clada-tests--wait "the loss" (lambda () (not clada--link)))
    (let ((clada-client "clada-client-of-nobody") (exec-path nil))
      (cl-letf (((default-value 'exec-path) nil))
        (clada-tests--apply root "x")
        (clada-tests--note "clada-client was not found")))))

(clada-deftest older-daemon
  "An older daemon is named with what it lacks."
  (clada-tests--call "status" nil)
  (clada--close clada--link)
  (clada-tests--wait "the loss" (lambda () (not clada--link)))
  (let ((clada--features '("time.travel")))
    (should (equal (clada--get (clada-tests--call "status" nil) :message)
                   (format "clada.el %s needs a newer daemon than %s: it lacks time.travel." clada-version clada-version)))))

(defun clada-tests-run ()
  "Run the tests, those whose names match the words after `--', and end the daemon."
  (clada-tests--surround)
  (let* ((words (cdr (member "--" command-line-args)))
         (stats (ert-run-tests-batch (if words (mapconcat #'identity words "\\|") t))))
    (ignore-errors
      (setq clada-client (getenv "CLADA_CLIENT"))
      (when clada-tests--lost (setenv "CLADA_EMACS_WAIT" "2"))
      (let ((pid (clada--get (clada-tests--call "status" nil) :pid)))
        (setq clada--stopped t)
        (clada-tests--call "shutdown" nil)
        (clada-tests--wait "the end of the daemon" (lambda () (not (process-attributes pid))))))
    (delete-directory clada-tests--top t)
    (kill-emacs (if (zerop (ert-stats-completed-unexpected stats)) 0 1))))

(provide 'clada-tests)
;;; clada-tests.el ends here
