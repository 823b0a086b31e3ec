;;; flow.el --- How long Emacs can do nothing else  -*- lexical-binding: t; -*-

;;; Commentary:

;; emacs -Q --batch -l editors/emacs/tests/bench/flow.el
;;
;; With the client and daemon of CLADA_CLIENT and CLADA_DAEMON, and clada.el compiled.  A timer of 1 ms notes the most time
;; of the processor that Emacs takes between two of its calls, from the command to the review, while the answer is carried
;; out, and while it is undone; and the time that the review takes to be made from the plan's result.  Collections of
;; garbage are told apart: how long one takes is decided by all that the Emacs holds.  The answers have 20 hunks in 6 files,
;; 2 of them modified; 100 hunks, and every line, of a modified file of 50,000 lines; and 500 hunks in a file of 10 MB that is
;; in no buffer, in one, and modified.  WORD in the environment picks the cases with that word.

;;; Code:

(require 'cl-lib)
(require 'bytecomp)

(defvar clada-client)
(defvar clada-daemon)
(defvar clada-show-problems)
(defvar clada--reviews)
(declare-function clada--start "clada")
(declare-function clada--take-back "clada")
(declare-function clada--environment "clada")
(declare-function clada--carry-out "clada")
(declare-function clada--at-once "clada")
(declare-function clada--later "clada")
(declare-function clada--flow-buffer "clada")
(declare-function clada--request "clada")
(declare-function make-clada--flow "clada")

(defvar clada-bench--top (file-truename (make-temp-file "clada-emacs-bench-" t)))
(defvar clada-bench--notes nil)
(defvar clada-bench--last 0)
(defvar clada-bench--longest 0)
(defvar clada-bench--made 0 "How long the review took to be made.")
(defvar clada-bench--projects 0)

(defun clada-bench--surround ()
  "Make a world, and load the client compiled."
  (pcase-dolist (`(,name ,folder) '(("HOME" "home") ("XDG_CONFIG_HOME" "config") ("XDG_STATE_HOME" "state") ("RUN" "run")))
    (let ((path (expand-file-name folder clada-bench--top)))
      (with-file-modes #o700 (make-directory path t))
      (setenv name path)))
  (setenv "CLADA_SOCKET" (expand-file-name "run/s" clada-bench--top))
  (setq-default process-environment process-environment)
  (let* ((source (expand-file-name "../../clada.el" (file-name-directory load-file-name)))
         (target (expand-file-name "clada.elc" clada-bench--top))
         (byte-compile-dest-file-function (lambda (_) target)))
    (byte-compile-file source)
    (load target nil t))
  (setq clada-client (getenv "CLADA_CLIENT") clada-daemon (getenv "CLADA_DAEMON") clada-show-problems nil
        create-lockfiles nil large-file-warning-threshold nil))

(defun clada-bench--phase (work condition)
  "Run WORK, wait for CONDITION, and return the longest block and the whole time in ms."
  (accept-process-output nil 0.05)
  (garbage-collect)
  (let ((began (float-time)) (timer (run-with-timer 0.001 0.001 #'clada-bench--tick)))
    (setq clada-bench--last (clada-bench--own) clada-bench--longest 0)
    (funcall work)
    (while (not (funcall condition))
      (when (> (- (float-time) began) 60) (error "It never came: %S" clada-bench--notes))
      (accept-process-output nil 0.001))
    (clada-bench--tick)
    (cancel-timer timer)
    (list (* 1000 clada-bench--longest) (* 1000 (- (float-time) began)))))

(defun clada-bench--own ()
  "Return the seconds of the processor that Emacs has taken, without collections of garbage."
  (- (float-time (get-internal-run-time)) gc-elapsed))

(defun clada-bench--tick ()
  "Note the time since the last call."
  (let ((now (clada-bench--own)))
    (setq clada-bench--longest (max clada-bench--longest (- now clada-bench--last)) clada-bench--last now)))

(defun clada-bench--project (files lines)
  "Make a project of FILES files with LINES lines each."
  (let ((root (expand-file-name (format "project%d" (cl-incf clada-bench--projects)) clada-bench--top)))
    (make-directory (concat root "/.clada") t)
    (with-temp-buffer
      (dotimes (line lines) (insert (format "line %06d of a file that is as long as files get to be\n" (1+ line))))
      (dotimes (index files) (write-region nil nil (format "%s/file%d.txt" root (1+ index)) nil 'silent)))
    root))

(defun clada-bench--answer (files lines hunks)
  "Return a patch of HUNKS hunks in all for FILES files of LINES lines."
  (with-temp-buffer
    (insert "```diff\n")
    (when (= hunks lines)
      ;; One hunk of the whole file, but for what the test types.
      (insert (format "--- a/file1.txt\n+++ b/file1.txt\n@@ -2,%d +2,%d @@\n" (1- lines) (1- lines)))
      (dolist (form '("-line %06d of a file that is as long as files get to be\n" "+another line %06d\n"))
        (cl-loop for line from 2 to lines do (insert (format form line))))
      (setq files 0))
    (dotimes (file files)
      (insert (format "--- a/file%d.txt\n+++ b/file%d.txt\n" (1+ file) (1+ file)))
      (let ((count (- (/ (* hunks (1+ file)) files) (/ (* hunks file) files))))
        (dotimes (index count)
          (let ((line (floor (* (+ index 0.5) lines) count)))
            (insert (format "@@ -%d,1 +%d,2 @@\n-line %06d of a file that is as long as files get to be\n" line
                            (+ line index) line)
                    "+another line\n+and one more\n")))))
    (insert "```\n")
    (buffer-string)))

(defun clada-bench--noted (part)
  "Return a condition: a message that holds PART."
  (lambda () (cl-some (lambda (note) (string-search part note)) clada-bench--notes)))

(defun clada-bench--run (files lines hunks opened modified)
  "Measure HUNKS hunks in FILES files of LINES lines, with OPENED of them open and MODIFIED modified."
  (let* ((root (clada-bench--project files lines)) (text (clada-bench--answer files lines hunks)))
    (dotimes (index opened)
      (with-current-buffer (find-file-noselect (format "%s/file%d.txt" root (1+ index)))
        (when (< index modified) (insert "typed "))))
    (setq clada-bench--notes nil)
    (prog1
        (append
         (clada-bench--phase
          (lambda () (clada--start (make-clada--flow :root root :text text :source "the bench" :review t :keys -1
                                                     :environment (clada--environment))))
          (lambda () clada--reviews))
         (list clada-bench--made)
         (clada-bench--phase (lambda () (clada--at-once #'clada--carry-out (car clada--reviews)))
                             (clada-bench--noted (format "%d done" files)))
         (clada-bench--phase (lambda () (clada--later #'clada--take-back "undo" root nil nil)) (clada-bench--noted "undid")))
      (dolist (buffer (buffer-list))
        (when (buffer-file-name buffer)
          (with-current-buffer buffer (set-buffer-modified-p nil) (kill-buffer)))))))

(defun clada-bench ()
  "Measure all of it."
  (clada-bench--surround)
  (advice-add 'clada--show-review :around
              (lambda (show &rest arguments)
                (let ((began (clada-bench--own)))
                  (apply show arguments)
                  (setq clada-bench--made (* 1000 (- (clada-bench--own) began))))))
  (let* ((rounds (string-to-number (or (getenv "ROUNDS") "5"))) over lines)
    (cl-letf (((symbol-function 'message)
               (lambda (words &rest arguments)
                 (when words (push (apply #'format-message words arguments) clada-bench--notes)))))
      (push (format "longest block in ms (of how many ms), medians of %d: to the review, made in, carrying out, undo" rounds)
            lines)
      (pcase-dolist (`(,name . ,case) '(("20 hunks in 6 files, 2 modified" 6 400 20 6 2)
                                        ("100 hunks in 50,000 lines, modified" 1 50000 100 1 1)
                                        ("all of 50,000 lines, modified" 1 50000 50000 1 1)
                                        ("500 hunks in 10 MB, in no buffer" 1 170000 500 0 0)
                                        ("500 hunks in 10 MB, in a buffer" 1 170000 500 1 0)
                                        ("500 hunks in 10 MB, modified" 1 170000 500 1 1)))
        (when-let* (((string-search (or (getenv "WORD") "") name))
                    (all (cl-loop repeat rounds collect (apply #'clada-bench--run case)))
                    (medians (cl-loop for column below 7
                                 collect (nth (/ rounds 2) (sort (mapcar (lambda (round) (nth column round)) all) #'<)))))
          (push (apply #'format "%-36s %4.0f (%.0f)  %4.0f  %4.0f (%.0f)  %4.0f (%.0f)" name medians) lines)))
      (push (format "a collection of garbage: %.0f ms" (/ (* 1000 gc-elapsed) gcs-done)) lines)
      (clada--request "shutdown" nil (lambda (_) (setq over t)) (lambda (_) (setq over t)))
      (while (not over) (accept-process-output nil 0.01)))
    (princ (concat (mapconcat #'identity (nreverse lines) "\n") "\n"))
    (sleep-for 0.5)
    (delete-directory clada-bench--top t)))

(clada-bench)

;;; flow.el ends here
