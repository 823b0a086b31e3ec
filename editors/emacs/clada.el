;;; clada.el --- Review, apply and undo answers of language models  -*- lexical-binding: t; -*-

;; Author: The clada authors <maintainers@clada.invalid>
;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: tools, vc
;; URL: https://github.com/clada/clada.el
;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; clada applies the answers of language models to a project, safely and
;; undoably.  This is its client in Emacs; the daemon decides what an answer
;; means, what is shown and what is safe.
;;
;; Copy an answer, visit a file of the project and say `M-x clada-apply'; or
;; select the answer in a buffer.  A review opens, which is a diff: `k' leaves a
;; hunk out or accepts it again, `C-c C-c' applies, `C-c C-k' discards it.  Buffers
;; get the change as one step of undo: those that were modified stay unsaved,
;; the others are saved.  Files in no buffer are written by the daemon.
;; `M-x clada-undo' takes all of it back, in buffers and files.
;;
;; What failed is in a compilation buffer, for `next-error', and the report for
;; the model is in the kill ring and the clipboard.
;;
;; No key is bound.  For all commands on a prefix, and for the mode line:
;;
;;     (global-set-key (kbd "C-c a") 'clada-prefix-map)
;;     (add-to-list 'mode-line-misc-info '("" clada-mode-line))
;;
;; Nothing that a project says is heard: settings count by their default value
;; alone, never as local variables of a file or folder.  Requests are
;; asynchronous, and windows are selected only if no key was pressed meanwhile.

;;; Code:

(require 'cl-lib)
(require 'compile)
(require 'diff-mode)
(require 'jsonrpc)
(require 'seq)
(require 'subr-x)
(require 'tabulated-list)
(require 'transient)
(require 'url-util)

(declare-function dired-get-marked-files "dired")
(declare-function ediff-buffers "ediff")

(defconst clada-version "0.1.0" "Version of this client, which has the daemon's.")

(defconst clada--features
  '("framing.headers" "plan.files" "plan.rest" "plan.omit" "plan.reports" "plan.context" "overlays.uri" "edits.lines"
    "edits.mixed" "embed.overlays" "reports" "places" "approval.answer" "approval.text" "project.root" "events.moves"
    "execute.saved" "plan.edited" "text.merge" "review")
  "Features of the daemon that this client cannot do without.")

(defconst clada--dialects
  '("sham" "csl" "cml" "replacer" "apply_patch" "aider" "unified_diff" "tool_call" "whole_file")
  "Dialects that an answer may be written in.")

(defgroup clada nil "Apply answers of language models." :group 'tools :prefix "clada-")

(defmacro clada--defoption (name value doc &rest keywords)
  "Define the option NAME with VALUE, DOC and KEYWORDS.
No local variable of a file or folder may set it."
  (declare (indent 2) (doc-string 3))
  `(progn (defcustom ,name ,value ,doc :group 'clada ,@keywords)
          (put ',name 'risky-local-variable t)))

(clada--defoption clada-client "clada-client"
  "The client, which finds and starts the daemon.
It is a name on `exec-path', or an absolute path."
  :type 'string)
(clada--defoption clada-daemon "clada-daemon"
  "The daemon, as `clada-client'.
It is run itself only where sockets cannot be used."
  :type 'string)
(clada--defoption clada-review t
  "Non-nil if every answer is reviewed; nil: only one that needs approval."
  :type 'boolean)
(clada--defoption clada-copy-report 'failures
  "Says when the report for the model is copied."
  :type '(choice (const failures) (const always) (const never)))
(clada--defoption clada-show-problems t
  "Non-nil if the buffer of what failed is shown; it is never selected."
  :type 'boolean)
(clada--defoption clada-context 3
  "Lines around a hunk in the review."
  :type 'natnum)

(defface clada-left-out '((t :inherit shadow :strike-through t)) "What is left out." :group 'clada)

(defun clada--option (name)
  "Return the option NAME: its default value, whatever is local to a buffer."
  (default-value name))

;;; Words

(defconst clada--hidden
  (concat "[\0-\10\13-\37\177-\237\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
          "\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]")
  "Matches a character that does not show, or that changes how others are shown.")

(defun clada--visible (text)
  "Return TEXT with hidden characters written out, and without its properties."
  (let ((text (substring-no-properties text)))
    (if (not (string-match-p clada--hidden text)) text
      (replace-regexp-in-string
       clada--hidden
       (lambda (found) (propertize (format "\\u{%x}" (aref found 0)) 'font-lock-face 'warning 'face 'warning))
       text t t))))

(defun clada--line (text)
  "Return TEXT as one line, visible."
  (clada--visible (string-replace "\n" "\\n" text)))

(defun clada--tell (format &rest arguments)
  "Show a message made of FORMAT and ARGUMENTS, harmlessly."
  (message "clada: %s" (clada--visible (apply #'format format arguments))))

(defun clada--count (count word)
  "Return COUNT with WORD, in the plural if it is."
  (format "%d %s%s" count word (if (= count 1) "" "s")))

(defun clada--get (object &rest keys)
  "Return what OBJECT, a plist of plists, has at KEYS; JSON's false is nil."
  (let ((value (seq-reduce #'plist-get keys object)))
    (unless (eq value :json-false) value)))

(defun clada--failure (message &optional hint kind)
  "Return an error as the daemon's, with MESSAGE, HINT and KIND."
  (list :message message :data (list :kind (or kind "no_daemon") :hint hint)))

(defun clada--tell-error (failure)
  "Show FAILURE with its hint."
  (let ((hint (clada--get failure :data :hint)))
    (clada--tell "%s%s" (clada--get failure :message) (if hint (concat "\n" hint) ""))))

;;; Connection

(defclass clada--rpc (jsonrpc-process-connection) ((letters :initform nil))
  "A connection that sends what is large a piece at a time.")

(defconst clada--piece 200000 "Characters that are encoded at once, and bytes that are sent.")

(defun clada--pieces (value)
  "Return VALUE as JSON, in pieces.
A part of a large text is the only element of a list, and not encoded."
  (cond ((and (stringp value) (length> value clada--piece))
         `("\"" ,@(cl-loop for from below (length value) by clada--piece
                           collect (list (substring value from (min (length value) (+ from clada--piece)))))
           "\""))
        ((vectorp value)
         `("[" ,@(cdr (cl-loop for each across value append (cons "," (clada--pieces each)))) "]"))
        ((keywordp (car-safe value))
         `("{" ,@(cdr (cl-loop for (key each) on value by #'cddr
                               append `("," ,(format "%S:" (substring (symbol-name key) 1)) ,@(clada--pieces each))))
           "}"))
        (t (list (json-serialize value :null-object nil :false-object :json-false)))))

(defun clada--encoded (piece)
  "Return PIECE of JSON as it is sent."
  (encode-coding-string (if (consp piece) (substring (json-serialize (car piece)) 1 -1) piece) 'utf-8))

(cl-defmethod jsonrpc-connection-send ((rpc clada--rpc) &rest message)
  "Send MESSAGE on RPC, behind what is being sent, and between the keys."
  (when-let ((method (plist-get message :method))) (setq message (plist-put message :method (format "%s" method))))
  (let ((idle (null (oref rpc letters))))
    (oset rpc letters (append (oref rpc letters) (list (clada--pieces `(:jsonrpc "2.0" ,@message)))))
    (when idle (clada--write rpc))))

(defun clada--write (rpc)
  "Encode and send the letters of RPC."
  (let ((todo (car (oref rpc letters))) (size 0) bytes)
    (cl-labels ((encode ()
                  (let ((from size))
                    (while (and todo (< (- size from) clada--piece))
                      (push (clada--encoded (pop todo)) bytes)
                      (cl-incf size (length (car bytes)))))
                  (cond (todo (clada--later #'encode))
                        (t (setq bytes (cons (format "Content-Length: %d\r\n\r\n" size) (nreverse bytes)))
                           (when (< size clada--piece) (setq bytes (list (apply #'concat bytes))))
                           (send))))
                (send ()
                  (when (process-live-p (jsonrpc--process rpc))
                    (process-send-string (jsonrpc--process rpc) (pop bytes))
                    (cond (bytes (clada--later #'send))
                          ((pop (oref rpc letters)) (when (oref rpc letters) (clada--write rpc)))))))
      (encode))))

(cl-defstruct (clada--link (:copier nil))
  "A connection, the requests sent on it, and what the daemon said of itself."
  rpc (sent 0) hello)

(defvar clada--link nil "The connection that has been greeted.")
(defvar clada--waiters nil "What to call when the attempt to connect has ended.")
(defvar clada--found nil "Plist of the daemon that the client has found: :socket :version :fresh.")
(defvar clada--subscribed (make-hash-table :test 'equal) "Roots that are used; t: this connection subscribed.")
(defvar clada--retry 1 "Seconds until the next attempt to connect.")
(defvar clada--patience 3 "Seconds until it is told that a request has no answer yet.")
(defvar clada--heard nil "Non-nil if the daemon has said that it is at what is applied.")
(defvar clada--stopped nil "Non-nil after `clada-restart', until the next command.")
(defvar clada--waiting (make-hash-table :test 'equal) "Ids of what waits for an approval.")

(defun clada--program (name)
  "Return the absolute path of the program NAME, or nil.
It is never found by a relative path."
  (let ((exec-path (seq-filter (lambda (folder) (and (stringp folder) (file-name-absolute-p folder)))
                               (default-value 'exec-path))))
    (and (or (file-name-absolute-p name) (not (string-search "/" name)))
         (not (file-remote-p name))
         (executable-find name))))

(defun clada--at-once (function &rest arguments)
  "Call FUNCTION with ARGUMENTS, and collect no garbage meanwhile.
A collection takes longer than all the rest."
  (let ((gc-cons-threshold (max gc-cons-threshold 64000000))) (apply function arguments)))

(defun clada--later (function &rest arguments)
  "Call FUNCTION with ARGUMENTS soon, but not within a process filter."
  (apply #'run-at-time 0 nil #'clada--at-once function arguments))

(defun clada--send (link method params then else)
  "Send METHOD with PARAMS on LINK and return the id of the request.
Call THEN with the result, or ELSE with the error."
  (condition-case oops
      (prog1 (cl-incf (clada--link-sent link))
        (jsonrpc-async-request
         (clada--link-rpc link) (intern method) params :timeout nil
         :success-fn (lambda (result) (clada--later then result))
         :error-fn (lambda (failure)
                     (clada--later else (if (eql (clada--get failure :code) -1)
                                            (clada--failure "The daemon has ended the connection."
                                                            "What was under way may be done: see clada-history.")
                                          failure)))))
    (error (clada--later else (clada--failure (error-message-string oops))) nil)))

(defun clada--open (process)
  "Return a link over PROCESS."
  (let* ((link (make-clada--link))
         (rpc (apply #'make-instance 'clada--rpc
                     :name "clada" :process process
                     :notification-dispatcher (lambda (_ method params) (clada--later #'clada--notified method params))
                     :on-shutdown (lambda (_) (clada--lost link process))
                     (if (slot-exists-p 'jsonrpc-connection '-events-buffer-config)
                         '(:events-buffer-config (:size 0 :format full))
                       '(:events-buffer-scrollback-size 0))))
         (sentinel (process-sentinel process)))
    (with-current-buffer (process-buffer process) (set-buffer-multibyte nil))
    (set-process-query-on-exit-flag process nil)
    (add-function :around (process-filter process) #'clada--at-once)
    ;; jsonrpc.el tells of every end in the echo area.
    (set-process-sentinel process (lambda (&rest arguments)
                                    (let ((inhibit-message t) message-log-max) (apply sentinel arguments))))
    (setf (clada--link-rpc link) rpc)
    link))

(defun clada--close (link)
  "End LINK."
  (let ((process (jsonrpc--process (clada--link-rpc link))))
    (when (process-live-p process) (delete-process process))))

(defun clada--lost (link process)
  "Give up LINK, whose PROCESS has ended; connect again if something is subscribed."
  (dolist (buffer (list (process-buffer process) (process-get process 'jsonrpc-stderr) (get-buffer "*clada events*")))
    (when (buffer-live-p buffer) (clada--later #'kill-buffer buffer)))
  (when (eq link clada--link)
    (setq clada--link nil)
    (maphash (lambda (root _) (puthash root nil clada--subscribed)) clada--subscribed)
    (unless (or clada--stopped (hash-table-empty-p clada--subscribed))
      (run-at-time clada--retry nil #'clada--reconnect))
    (force-mode-line-update t)))

(defun clada--reconnect ()
  "Connect again, for the subscriptions.
A daemon that somebody has ended is never started."
  (unless (or clada--link clada--stopped clada--waiters)
    (clada--dial (lambda (failure)
                   (when failure
                     (setq clada--retry (min 60 (* 2 clada--retry)))
                     (run-at-time clada--retry nil #'clada--reconnect))))))

(defun clada--old-daemon (version missing)
  "Return the failure of a daemon of VERSION that has not what is MISSING."
  (clada--failure (format "clada.el %s needs a newer daemon than %s: it lacks %s." clada-version version missing)
                  "Update clada, then M-x clada-restart." "not_available"))

(defun clada--greet (link done)
  "Greet the daemon of LINK and call DONE.
It is given a failure if the daemon cannot do what is needed."
  (clada--send
   link "hello" (list :client (format "emacs %s clada %s" emacs-version clada-version) :protocol [1 1] :features ["plain"])
   (lambda (hello)
     (let ((missing (cl-set-difference clada--features (append (clada--get hello :features) nil) :test #'equal)))
       (if missing
           (progn (clada--close link)
                  (funcall done (clada--old-daemon (clada--get hello :version) (string-join missing ", "))))
         (setf (clada--link-hello link) hello)
         (setq clada--link link clada--retry 1)
         (funcall done nil)
         (maphash (lambda (root _) (clada--subscribe root)) clada--subscribed)
         (force-mode-line-update t))))
   (lambda (failure)
     ;; A daemon from before headers takes the first of them for a broken message, and hangs up.
     (funcall done (if (and (equal (clada--get failure :data :kind) "no_daemon") (plist-get clada--found :fresh))
                       (clada--old-daemon (plist-get clada--found :version) "framing.headers")
                     failure)))))

(defun clada--serve (words done)
  "Run a daemon for this Emacs if WORDS say that sockets are forbidden.
Call DONE then; return nil if they do not, or no daemon is found."
  (when-let ((daemon (and (string-match-p "not permitted\\|denied" words)
                          (clada--program (clada--option 'clada-daemon))))
             (default-directory "/"))
    (clada--greet (clada--open (make-process :name "clada" :command (list daemon "serve" "--stdio")
                                             :connection-type 'pipe :coding 'binary :noquery t
                                             :stderr (get-buffer-create "*clada stderr*")))
                  done)
    t))

(defun clada--dial (done)
  "Connect to the socket that is known and call DONE.
It is given a failure if nothing answers there."
  (let ((socket (plist-get clada--found :socket)) (default-directory "/"))
    (condition-case oops
        (if (not socket) (funcall done (clada--failure "No daemon is known yet."))
          (clada--greet (clada--open (make-network-process :name "clada" :family 'local :service socket
                                                           :coding 'binary :noquery t))
                        done))
      (error
       (let ((words (error-message-string oops)))
         (unless (clada--serve words done)
           (funcall done (clada--failure (format "Nothing answers on %s: %s" socket words) "M-x clada-status"))))))))

(defun clada--find (done)
  "Ask the client for the daemon, connect and call DONE.
The client starts a daemon if there is none."
  (let* ((client (or (clada--program (clada--option 'clada-client)) (clada--program "clada")))
         (default-directory "/")
         (process-environment (default-value 'process-environment))
         (output (generate-new-buffer " *clada status*")) (errors (generate-new-buffer " *clada errors*")))
    (cl-flet ((ended (process _)
                (unless (process-live-p process)
                  (let ((status (with-current-buffer output
                                  (goto-char (point-min))
                                  (ignore-errors (json-parse-buffer :object-type 'plist :null-object nil))))
                        (words (with-current-buffer errors (string-trim (buffer-string)))))
                    (mapc #'kill-buffer (list output errors))
                    (if (not (and status (eql 0 (process-exit-status process))))
                        (unless (clada--serve words done)
                          (funcall done (clada--failure (if (string-empty-p words) "clada-client status failed." words)
                                                        "Run `clada-client doctor' in a shell.")))
                      (setq clada--found (list :socket (or (plist-get status :socket) (getenv "CLADA_SOCKET"))
                                               :version (plist-get status :version) :fresh t))
                      (clada--dial (lambda (failure)
                                     (plist-put clada--found :fresh nil)
                                     (funcall done failure))))))))
      (if (not client)
          (progn (mapc #'kill-buffer (list output errors))
                 (funcall done (clada--failure "clada-client was not found."
                                               "Install clada, or name it in the option clada-client.")))
        (make-process :name "clada-client" :command (list client "status" "--json") :buffer output :noquery t
                      :coding 'utf-8 :connection-type 'pipe :sentinel #'ended
                      :stderr (make-pipe-process :name "clada-client errors" :buffer errors :noquery t
                                                 :coding 'utf-8 :sentinel #'ignore))))))

(defun clada--connect (done)
  "Call DONE when there is a connection, with a failure if there cannot be one."
  (cond (clada--link (funcall done nil))
        (clada--waiters (push done clada--waiters))
        (t (setq clada--waiters (list done) clada--stopped nil)
           (cl-flet ((ended (failure)
                       (let ((all (reverse clada--waiters)))
                         (setq clada--waiters nil)
                         (dolist (waiter all) (funcall waiter failure)))))
             (clada--dial (lambda (failure)
                            (if (equal (clada--get failure :data :kind) "no_daemon")
                                (clada--find #'ended)
                              (ended failure))))))))

(defun clada--request (method params then &optional else)
  "Send METHOD with PARAMS, connecting first; call THEN with the result.
Call ELSE with an error, or show it.  Return a function that cancels."
  (let* ((id nil) (link nil) (cancelled nil)
         (else (lambda (failure)
                 (funcall (or else #'clada--tell-error)
                          (if (equal (clada--get failure :data :kind) "method_not_found")
                              (clada--old-daemon (plist-get clada--found :version) method)
                            failure))))
         (slow (run-at-time clada--patience nil
                            (lambda ()
                              (unless (and clada--heard (equal method "execute"))
                                (clada--tell "no answer to %s yet; M-x clada-restart gives it up" method)))))
         (done (lambda (function value) (cancel-timer slow) (funcall function value)))
         (size (apply #'+ (length (plist-get params :text))
                      (mapcar (lambda (overlay) (length (plist-get overlay :text))) (plist-get params :overlays)))))
    (cl-flet ((send (&optional _)
                (if cancelled (funcall done else (clada--failure "It was cancelled." nil "cancelled"))
                  (setq id (clada--send link method params (apply-partially done then) (apply-partially done else))))))
      (clada--connect
       (lambda (failure)
         (setq link clada--link)
         (cond (failure (funcall done else failure))
               ;; Emacs waits while it writes, so a daemon that reads nothing is found out by something small.
               ((> size 100000) (clada--send link "status" nil #'send (apply-partially done else)))
               (t (send))))))
    (lambda ()
      (setq cancelled t)
      (when (and id (eq link clada--link))
        (jsonrpc-notify (clada--link-rpc link) (intern "$/cancelRequest") (list :id id))))))

(defun clada--subscribe (root)
  "Subscribe to the operations of ROOT, once.  A subscription outlives connections."
  (if (or (not clada--link) (gethash root clada--subscribed))
      (puthash root (gethash root clada--subscribed) clada--subscribed)
    (puthash root t clada--subscribed)
    (clada--send clada--link "subscribe"
                 (list :root root :kinds ["executed" "undone" "approvalAsked" "approvalAnswered" "staged"])
                 ;; What has waited since before raises no event any more.
                 (lambda (_) (clada--request "approval.list" (list :root root)
                                             (lambda (list) (mapc #'clada--asked (clada--get list :approvals)))
                                             #'ignore))
                 (lambda (_) (remhash root clada--subscribed)))))

(defun clada--notified (method event)
  "Take the notification METHOD with EVENT as its parameters."
  (when (member (format "%s" method) '("execute.event" "waiting")) (setq clada--heard t))
  (pcase (cons (format "%s" method) (clada--get event :kind))
    ('("event" . "approvalAsked") (when (clada--get event :approvalId) (clada--asked event)))
    ('("event" . "approvalAnswered") (remhash (clada--get event :approvalId) clada--waiting))
    (`("event" . ,(or "executed" "undone")) (clada--others-did event))
    ('("execute.event" . "started")
     (clada--tell "task %s runs; C-c C-k in the review stops it" (clada--get event :task)))
    (`("waiting" . ,_) (clada--tell "waiting for another operation in the project")))
  (force-mode-line-update t))

;;; Documents: buffers as files

(cl-defstruct (clada--document (:copier nil)) "A file that a buffer visits." buffer path tick modified refused)

(defun clada--file-coding () "Return the coding system of file names."
       (or file-name-coding-system default-file-name-coding-system 'utf-8))

(defun clada--uri (path)
  "Return the URI of PATH."
  (concat "file://" (url-hexify-string (encode-coding-string path (clada--file-coding)) url-path-allowed-chars)))

(defun clada--path (uri)
  "Return the path of URI."
  (decode-coding-string (url-unhex-string (string-remove-prefix "file://" uri)) (clada--file-coding)))

(defun clada--join (root path) "Return PATH in ROOT, with its links resolved." (file-truename (concat root "/" path)))

(defun clada--coding ()
  "Return the coding system that this buffer is written in, if it is one of UTF-8."
  (let* ((coding (or buffer-file-coding-system 'undecided)) (base (coding-system-base coding))
         (eol (coding-system-eol-type coding)))
    (when (memq base '(undecided us-ascii prefer-utf-8))
      (setq base 'utf-8))
    (and (memq base '(utf-8 utf-8-with-signature)) (not (eql eol 2))
         (coding-system-change-eol-conversion base (if (eql eol 1) 'dos 'unix)))))

(defun clada--refusal ()
  "Return the reason why the daemon cannot have the text of this buffer."
  (cond ((eql (coding-system-eol-type (or buffer-file-coding-system 'undecided)) 2) "its lines end with CR")
        ((not (clada--coding)) (format "its coding system is %s" buffer-file-coding-system))
        (buffer-read-only "it is read-only")
        ((or buffer-file-format (find-file-name-handler buffer-file-name 'write-region))
         "it is written in another form than it is shown")))

(defun clada--text ()
  "Return the text of this buffer, narrowed or not."
  (save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max))))

(defun clada--lacks-newline ()
  "Return t if saving this buffer ends its last line, which has no end."
  (and (memq require-final-newline '(t visit-save))
       (save-restriction (widen) (not (memq (char-before (point-max)) '(nil ?\n))))))

(defun clada--written ()
  "Return the text that this buffer is written as, but nil if it is not UTF-8."
  (let ((text (clada--text)))
    ;; That each character is a byte is known at once; a search through several megabytes would be felt.
    (unless (and (/= (position-bytes (point-max)) (point-max)) (string-match-p "[^\0-\ud7ff\ue000-\U0010ffff]" text))
      (when (clada--lacks-newline) (setq text (concat text "\n")))
      (when (eql (coding-system-eol-type (clada--coding)) 1)
        (setq text (string-replace "\n" "\r\n" text)))
      ;; Of an empty text Emacs does not write a signature, either.
      (if (and (eq (coding-system-base (clada--coding)) 'utf-8-with-signature) (not (string-empty-p text)))
          (concat "\ufeff" text)
        text))))

(defun clada--documents (root)
  "Return the documents below ROOT, as a hash table by their paths."
  (let ((top (file-name-as-directory (file-truename root))) (documents (make-hash-table :test 'equal)))
    (dolist (buffer (buffer-list) documents)
      (let ((name (buffer-file-name buffer)))
        (when (and name (not (buffer-base-buffer buffer)) (not (file-remote-p name)))
          (let ((path (file-truename name)))
            (when (string-prefix-p top path)
              (with-current-buffer buffer
                (let ((other (gethash path documents))
                      (this (make-clada--document
                             :buffer buffer :path path :tick (buffer-chars-modified-tick)
                             :modified (buffer-modified-p) :refused (clada--refusal))))
                  (when (and other (clada--document-modified other) (buffer-modified-p))
                    (setf (clada--document-refused this) "two modified buffers hold it"))
                  (unless (and other (clada--document-modified other) (not (buffer-modified-p)))
                    (puthash path this documents)))))))))))

(defun clada--overlays (documents)
  "Return the overlays of DOCUMENTS: the texts of those that are modified."
  (let (overlays)
    (maphash (lambda (path document)
               (when (and (clada--document-modified document) (not (clada--document-refused document)))
                 (let ((text (with-current-buffer (clada--document-buffer document) (clada--written))))
                   (if text (push (list :uri (clada--uri path) :text text :version (clada--document-tick document))
                                  overlays)
                     (setf (clada--document-refused document) "it is not UTF-8")))))
             documents)
    (vconcat overlays)))

(defun clada--bytes (path &optional from to)
  "Return the bytes of the file PATH, of those between FROM and TO."
  (with-temp-buffer
    (set-buffer-multibyte nil)
    (insert-file-contents-literally path nil from to)
    (buffer-string)))

(defun clada--is-as-file (path)
  "Return t if this buffer, in its coding system, has the bytes of the file PATH."
  (save-restriction
    (widen)
    (let* ((coding (clada--coding)) (at (point-min)) (read 0) (same t)
           (size (if (file-regular-p path) (file-attribute-size (file-attributes path)) 0)))
      ;; A piece at a time: several copies of a large text would be felt.
      (while (and same (< at (point-max)))
        (let* ((to (min (point-max) (+ at clada--piece)))
               (bytes (encode-coding-string (buffer-substring-no-properties at to) coding t))
               (end (+ read (length bytes))))
          (setq same (and (<= end size) (string= bytes (clada--bytes path read end)))
                at to read end
                ;; Only the first has the signature.
                coding (coding-system-change-eol-conversion 'utf-8 (coding-system-eol-type coding)))))
      (and same (= read size)))))

(defun clada--stands-for-file (document)
  "Return t if edits of DOCUMENT can be applied to its buffer."
  (and (not (clada--document-refused document))
       (or (clada--document-modified document)
           (with-current-buffer (clada--document-buffer document)
             (clada--is-as-file (clada--document-path document))))
       t))

(defmacro clada--quietly (&rest body)
  "Run BODY without a question to the person, who does something else.
One is an error."
  (declare (indent 0) (debug t))
  `(let ((inhibit-interaction t) (inhibit-message t) (save-silently t) (make-backup-files nil))
     ,@body))

(defun clada--save ()
  "Save this buffer as it was shown; return t if it cannot be.
Only the person's own saving may end the last line."
  (condition-case oops (let (require-final-newline) (clada--quietly (set-visited-file-modtime) (save-buffer 0)) nil)
    (error (clada--tell "%s was not saved: %s" (file-name-nondirectory buffer-file-name) (error-message-string oops)) t)))

(defmacro clada--as-one-step (&rest body)
  "Run BODY on the whole of this buffer as one step of undo: all of it or nothing."
  (declare (indent 0) (debug t))
  `(save-excursion
     (save-restriction
       (widen)
       (undo-boundary)
       (clada--quietly (atomic-change-group ,@body))
       (undo-boundary)
       ;; What is typed next would be joined to it else.
       (when (fboundp 'undo-auto--boundaries) (undo-auto--boundaries 'clada)))))

(defun clada--split (text)
  "Return the lines of TEXT, each with its end."
  (let ((lines (split-string text "\n")))
    (append (mapcar (lambda (line) (concat line "\n")) (butlast lines))
            (unless (string-empty-p (car (last lines))) (last lines)))))

(defun clada--places (edits)
  "Return what EDITS of the daemon replace in this buffer, the last one first.
Each is a list of its start, its end and the new text."
  (goto-char (point-min))
  ;; The cache of lines is for few that are long: with many it takes ten times as long.
  (let ((line 0) cache-long-scans places)
    (cl-flet ((go (to) (forward-line (- to line)) (setq line to) (point)))
      (seq-doseq (edit edits)
        (unless (and (eql 0 (clada--get edit :range :start :character))
                     (eql 0 (clada--get edit :range :end :character)))
          (error "An edit of a part of a line"))
        (push (list (go (clada--get edit :range :start :line)) (go (clada--get edit :range :end :line))
                    (clada--get edit :newText))
              places)))
    places))

(defun clada--replace (parts)
  "Replace PARTS of this buffer, the last one first.
Each is a start, an end and the text to be there."
  (pcase-dolist (`(,from ,to ,text) parts)
    (goto-char from)
    (delete-region from to)
    (insert text)))

(defun clada--inverse (parts text)
  "Return the parts to replace to take back that PARTS of TEXT are replaced."
  (let ((shift 0) back)
    (pcase-dolist (`(,from ,to ,new) (reverse parts) back)
      (push (list (+ from shift) (+ from shift (length new)) (substring text (1- from) (1- to))) back)
      (cl-incf shift (- (length new) (- to from))))))

(defun clada--edit (edits)
  "Apply EDITS of the daemon to this buffer.
Return the parts to replace to take them back."
  (let ((dos (eql (coding-system-eol-type (clada--coding)) 1)) (ended (and (> (length edits) 0) (buffer-modified-p) (clada--lacks-newline)))
        signature parts back)
    (clada--as-one-step
      (when ended
        (goto-char (point-max))
        (insert "\n"))
      (pcase-dolist (`(,from ,to ,text) (nreverse (clada--places edits)))
        (when (and (= from (point-min)) (string-prefix-p "\ufeff" text))
          (setq text (substring text 1) signature t))
        ;; All of it with other line ends is a file of those.
        (when (and dos (= from (point-min)) (= to (point-max)) (string-match-p "\n" text) (not (string-search "\r\n" text)))
          (set-buffer-file-coding-system 'unix nil t))
        (push (list from to (if dos (string-replace "\r\n" "\n" text) text)) parts))
      (setq back (clada--inverse parts (clada--text)))
      (when ended
        (if (= (cadar parts) (point-max))
            (cl-callf substring (nth 2 (car back)) 0 -1)
          (let ((end (+ (point-max) (- (nth 1 (car back)) (nth 1 (car parts))))))
            (push (list (1- end) end "") back))))
      (clada--replace parts))
    (when signature
      (set-buffer-file-coding-system 'utf-8-with-signature nil t))
    back))

(defun clada--difference (old new)
  "Return the one part to replace to get NEW from OLD, as a list."
  (let* ((same (compare-strings old nil nil new nil nil))
         (prefix (if (eq same t) (length old) (1- (abs same))))
         (most (- (min (length old) (length new)) prefix)) (suffix 0) (step most))
    ;; The end that both have, by halves: this is several megabytes at times.
    (while (> step 0)
      (setq step (min step (- most suffix)))
      (if (and (> step 0)
               (eq t (compare-strings old (- (length old) suffix step) (- (length old) suffix)
                                      new (- (length new) suffix step) (- (length new) suffix))))
          (cl-incf suffix step)
        (setq step (/ step 2))))
    (list (list (1+ prefix) (- (1+ (length old)) suffix) (substring new prefix (- (length new) suffix))))))

(defun clada--insert-delicately (file auto-save)
  "Insert FILE as `revert-buffer' does, AUTO-SAVE too.
Point and markers between changes stay, and line ends are the file's."
  (let ((coding-system-for-read (coding-system-base (or buffer-file-coding-system 'undecided)))
        (revert-buffer-with-fine-grain-max-seconds 0.03))
    (revert-buffer-insert-file-contents-delicately file auto-save)
    (setq buffer-file-coding-system last-coding-system-used)))

(defun clada--revert (buffer)
  "Read BUFFER anew from its file."
  (condition-case oops
      (with-current-buffer buffer
        (let ((read-only buffer-read-only))
          (clada--quietly (let ((enable-local-variables :safe)
                                (revert-buffer-insert-file-contents-function #'clada--insert-delicately))
                            (revert-buffer t t t)))
          (when read-only (setq buffer-read-only t))))
    (error (clada--tell "%s was not read again: %s" (buffer-name buffer) (error-message-string oops)))))

(defun clada--follow (root list)
  "Read unmodified buffers below ROOT anew, as their files are by LIST.
It is of a result or an event: paths, absolute or in ROOT."
  (let ((documents (clada--documents root)))
    (cl-flet ((at (path) (and path (gethash (file-truename (expand-file-name path root)) documents)))
              (old (change) (or (clada--get change :oldPath) (clada--get change :from))))
      ;; An event lists the old path of what was moved as deleted, too.
      (seq-doseq (change (seq-sort-by (lambda (change) (if (old change) 0 1)) #'< list))
        (let ((document (at (clada--get change :path))) (from (at (old change)))
              (what (or (clada--get change :change) (clada--get change :kind))))
          (unless (clada--get change :error)
            (when (and from (not (clada--document-modified from)) (not document))
              (with-current-buffer (clada--document-buffer from)
                (clada--quietly (set-visited-file-name (expand-file-name (clada--get change :path) root) t t))
                (set-buffer-modified-p nil)
                (clada--revert (current-buffer)))
              (setf (clada--document-modified from) t))
            (when (and document (not (clada--document-modified document)))
              (let ((buffer (clada--document-buffer document)))
                (cond ((equal what "deleted") (clada--quietly (ignore-errors (kill-buffer buffer))))
                      ((not (verify-visited-file-modtime buffer)) (clada--revert buffer)))))))))))

;;; Model of a plan

(cl-defstruct (clada--unit (:copier nil))
  "What is accepted or left out as one: DATA is the unit of the daemon's review."
  data accepted declined blocked regions
  ;; Units that are left out if it is accepted.
  others)

(cl-defstruct (clada--model (:copier nil))
  "A plan as it is reviewed."
  plan units (by-id (make-hash-table :test 'equal)) files)

(defun clada--unit-get (unit key)
  "Return the value of KEY in the daemon's review of UNIT."
  (clada--get (clada--unit-data unit) key))

(defun clada--unit-approvals (unit)
  "Return the ids of the approvals that accepting UNIT gives."
  (append (clada--unit-get unit :approvals) nil))

(defun clada--unit-proposal (unit)
  "Return the id of the proposal that UNIT is of, or nil."
  (clada--unit-get unit :proposal))

(cl-defstruct (clada--flow (:copier nil))
  "The way of an answer."
  root text dialect to source notes place review disk documents plan (conflicts 0) environment keys model buffer cancel
  ;; The places of its plan that the user edited, as the daemon takes them.
  edits)

(defun clada--document-of (flow documents file)
  "Return the document of DOCUMENTS for FILE of a plan of FLOW.
Of a move it is that of the old path."
  (let ((old (clada--get file :oldPath)) (root (clada--flow-root flow)))
    (or (and old (gethash (clada--join root old) documents))
        (gethash (clada--join root (clada--get file :path)) documents))))

(defun clada--blocked (flow file)
  "Return the reason why FILE of the plan of FLOW cannot be changed now."
  (let ((document (clada--document-of flow (clada--flow-documents flow) file))
        (advice "C-c C-s saves it and plans again"))
    (when (and document (clada--document-modified document))
      (cond ((clada--document-refused document)
             (format "it is modified, and %s: %s" (clada--document-refused document) advice))
            ((member (clada--get file :kind) '("move" "delete"))
             (format "it is modified and not saved: %s" advice))
            ((clada--flow-disk flow) (format "it was modified again: %s" advice))))))

(defun clada--delivered-p (flow document file)
  "Return t if the edits of FILE in FLOW are for the buffer of DOCUMENT."
  (and document (not (clada--flow-disk flow))
       (pcase (clada--get file :kind)
         ("change" t)
         ("create" (clada--document-modified document)))
       (clada--stands-for-file document)))

(defun clada--undecided-p (unit)
  "Return t if UNIT is of a proposal that is neither accepted nor declined."
  (and (clada--unit-proposal unit)
       (not (or (clada--unit-accepted unit) (clada--unit-declined unit)))
       (not (seq-some #'clada--unit-accepted (clada--unit-others unit)))))

(defun clada--undecided (model)
  "Return the number of proposals of MODEL of which nothing is decided."
  (let ((units (seq-filter #'clada--unit-proposal (clada--model-units model))))
    (seq-count (lambda (group) (seq-every-p #'clada--undecided-p (cdr group)))
               (seq-group-by #'clada--unit-proposal units))))

(defun clada--model (flow plan)
  "Return the model of PLAN in FLOW."
  (let* ((model (make-clada--model :plan plan)) (by-id (clada--model-by-id model)))
    (cl-flet ((find (ids) (mapcar (lambda (id) (gethash id by-id)) ids)))
      (seq-doseq (data (clada--get plan :review :units))
        (let ((unit (make-clada--unit :data data :accepted (clada--get data :accepted))))
          (push unit (clada--model-units model))
          (puthash (clada--get data :id) unit by-id)))
      (cl-callf nreverse (clada--model-units model))
      (dolist (unit (clada--model-units model))
        (setf (clada--unit-others unit) (find (clada--unit-get unit :excludes))))
      (seq-doseq (file (clada--get plan :files))
        (let ((reason (clada--blocked flow file)) (units (find (clada--get file :units))))
          (dolist (unit (and reason units))
            (setf (clada--unit-accepted unit) nil)
            (unless (clada--unit-blocked unit) (setf (clada--unit-blocked unit) reason)))
          (push (cons file units) (clada--model-files model)))))
    (cl-callf nreverse (clada--model-files model))
    model))

(defun clada--failed (model)
  "Return the number of failures of MODEL."
  (clada--get (clada--model-plan model) :review :failed))

(defun clada--carry (model earlier)
  "Take over into MODEL the decisions of EARLIER about the same.
Return t if nothing is different."
  (let ((known (make-hash-table :test 'equal)) (key (lambda (unit) (clada--unit-get unit :key))))
    (dolist (unit (clada--model-units earlier)) (puthash (funcall key unit) unit known))
    (dolist (unit (clada--model-units model))
      (when-let ((before (gethash (funcall key unit) known)))
        (when (setf (clada--unit-declined unit) (clada--unit-declined before))
          (setf (clada--unit-accepted unit) nil))
        (unless (or (clada--unit-declined unit) (clada--unit-blocked unit) (clada--unit-blocked before))
          ;; An approval is of one plan's content: the same content has the same id.
          (setf (clada--unit-accepted unit)
                (and (clada--unit-accepted before)
                     (or (not (clada--unit-approvals unit))
                         (equal (clada--unit-approvals unit) (clada--unit-approvals before))))))))
    (and (equal (mapcar key (clada--model-units model)) (mapcar key (clada--model-units earlier)))
         (equal (clada--failed model) (clada--failed earlier)))))

(defun clada--accepted (model)
  "Return the units of MODEL that are accepted."
  (seq-filter #'clada--unit-accepted (clada--model-units model)))

(defun clada--advice (text)
  "Return TEXT, advice of the daemon, with Emacs' commands for the client's."
  (pcase-dolist (`(,words . ,here) '(("`clada apply --to FILE`" . "M-x clada-apply-to in its file")
                                     ("`clada embed \\([^`]*\\) --copy`" . "M-x clada-embed of \\1")
                                     ("; `--copy` puts[^.]*" . "") (" (`--copy`)" . "")))
    (setq text (replace-regexp-in-string words here text)))
  text)

(defun clada--nothing (model)
  "Return the reason why MODEL has nothing to do, or nil."
  (when-let ((reason (clada--get (clada--model-plan model) :review :nothing))) (clada--advice reason)))

;;; The way of an answer

(defconst clada--kept 20 "Answers of a root that can be undone here, with the texts of their buffers.")
(defvar clada--stacks (make-hash-table :test 'equal) "What was applied, by (METHOD . ROOT); the last one first.")
(defvar clada--running (make-hash-table :test 'equal) "Roots in which this Emacs carries something out.")
(defvar clada--reviews nil "Flows that have a review, the last one first.")
(defvar clada--reports nil "The reports of the last answer: :llm for the model, :text for the person.")

(defun clada--environment ()
  "Return the environment of commands.
The daemon hands on of it what the user has configured."
  (let ((table (make-hash-table :test 'equal)) (seen (make-hash-table :test 'equal)))
    (dolist (entry process-environment table)
      (let* ((entry (if (multibyte-string-p entry) entry (decode-coding-string entry 'utf-8)))
             (equals (string-search "=" entry)) (name (substring entry 0 equals)))
        (unless (or (gethash name seen) (not equals) (string-match-p "[^\0-\ud7ff\ue000-\U0010ffff]" entry))
          (puthash name (substring entry (1+ equals)) table))
        (puthash name t seen)))))

(defun clada--plan (flow then &optional only edited)
  "Plan the answer of FLOW over the buffers as they are now.
If it has a plan, that is what is left of it, or ONLY parts of it,
with the places that were EDITED since.
Call THEN with the model."
  (let ((documents (clada--documents (clada--flow-root flow))) (id (clada--flow-plan flow)))
    (setf (clada--flow-documents flow) documents)
    (clada--request "plan" (append (list :root (clada--flow-root flow) :overlays (clada--overlays documents) :lines "lf"
                                         :context (clada--option 'clada-context) :omit ["diff"] :review t
                                         :env (clada--flow-environment flow))
                                   (if id (list :planId id) (list :text (clada--flow-text flow)))
                                   (and (not id) (clada--flow-dialect flow)
                                        (list :dialects (vector (clada--flow-dialect flow))))
                                   (and (clada--flow-to flow) (list :to (clada--flow-to flow)))
                                   (and id only (list :only (vconcat only)))
                                   (and id edited (list :edited (vconcat edited))))
                    (lambda (plan)
                      (setf (clada--flow-plan flow) (clada--get plan :planId))
                      ;; Making it and showing it take their time.
                      (clada--later then (clada--model flow plan)))
                    (lambda (failure)
                      (if (not (and id (equal (clada--get failure :data :kind) "plan_not_found")))
                          (clada--tell-error failure)
                        (setf (clada--flow-plan flow) nil)
                        ;; What was edited is only in the plan that is gone.
                        (clada--plan flow (if-let ((edits (clada--flow-edits flow)))
                                              (lambda (_) (clada--plan flow then nil (reverse edits)))
                                            then)))))))

(defun clada--plan-again (flow why then &optional only)
  "Plan again what is left of FLOW, or ONLY parts of it, and say WHY.
Decisions about what is the same are kept.
Call THEN with non-nil if nothing is different."
  (let ((earlier (clada--flow-model flow)))
    (clada--plan flow (lambda (model)
                        (if-let ((reason (clada--nothing model))) (clada--tell "%s" reason)
                          (let ((same (clada--carry model earlier)))
                            (setf (clada--flow-model flow) model)
                            (funcall then same)
                            (when why (clada--tell "%s; it was planned again.  Look at it, then C-c C-c" why)))))
                 only)))

(defun clada--review-again (flow why &optional only)
  "Plan FLOW again, or ONLY parts of it, and show its review, saying WHY."
  (clada--plan-again flow why (lambda (_) (clada--show-review flow)) only))

(defun clada--plan-edited (flow place)
  "Plan FLOW with PLACE as the user edited it, and show the review."
  (let ((earlier (clada--flow-model flow)))
    (push place (clada--flow-edits flow))
    (clada--plan flow (lambda (model)
                        (clada--carry model earlier)
                        (setf (clada--flow-model flow) model)
                        (clada--show-review flow))
                 nil (list place))))

(defun clada--wait-for (root)
  "Signal an error if something in ROOT is being applied."
  (when (gethash root clada--running)
    (user-error "Something is being applied: wait, or stop it by C-c C-k in its review")))

(defun clada--tell-nothing (flow model reason)
  "Say for which REASON nothing of FLOW can be done, by its MODEL.
The request to the model that wrote it for another form is copied."
  (cl-flet ((tell (copied) (clada--tell "%s: %s%s%s" (clada--flow-source flow) reason copied
                                        (mapconcat (lambda (note) (concat "\n" note)) (clada--flow-notes flow) ""))))
    (if (or (= 0 (length (clada--get (clada--model-plan model) :notRead))) (eq (clada--option 'clada-copy-report) 'never))
        (tell "")
      (clada--report-of flow (lambda (report)
                               (kill-new report)
                               (tell " · the request for the model is copied"))))))

(defun clada--report-of (flow then)
  "Call THEN with the report for the model on the plan of FLOW.
Nothing of it was done."
  (clada--request "plan" (list :root (clada--flow-root flow) :planId (clada--flow-plan flow)
                               :overlays (clada--overlays (clada--documents (clada--flow-root flow)))
                               :lines "lf" :reports ["llm"] :omit ["diff"] :env (clada--flow-environment flow))
                  (lambda (plan) (funcall then (clada--get plan :reports :llm)))))

(defun clada--start (flow)
  "Take FLOW from its text to the review.
Carry it out if that is wanted and nothing needs approval."
  (clada--wait-for (clada--flow-root flow))
  (clada--subscribe (clada--flow-root flow))
  (clada--plan flow (lambda (model)
                      (setf (clada--flow-model flow) model)
                      (let* ((reason (clada--nothing model)) (all (clada--model-units model))
                             (units (seq-remove #'clada--unit-proposal all)))
                        (cond (reason (clada--tell-nothing flow model reason))
                              ((or (not all)
                                   (and (not (clada--flow-review flow))
                                        units ; Nobody can apply what is only proposed.
                                        (not (seq-some #'clada--unit-approvals units))
                                        (not (seq-some #'clada--unit-blocked units))))
                               (clada--carry-out flow))
                              (t (clada--show-review flow)))))))

(defun clada--changed-since (flow documents)
  "Return the path of a file in FLOW that changed since the plan.
DOCUMENTS are those of now."
  (seq-some (lambda (shown)
              (let* ((before (clada--document-of flow (clada--flow-documents flow) (car shown)))
                     (now (clada--document-of flow documents (car shown)))
                     (was (and before (clada--document-modified before)))
                     (is (and now (clada--document-modified now))))
                (and (or was is)
                     (not (and was is (eq (clada--document-buffer before) (clada--document-buffer now))
                               (eql (clada--document-tick before) (clada--document-tick now))))
                     (clada--get (car shown) :path))))
            (clada--model-files (clada--flow-model flow))))

(defun clada--choice (model)
  "Return what is decided of MODEL, as parameters of `execute'.
There is no `:accept' if that is all but the proposals."
  (let ((accepted (clada--accepted model)) (units (clada--model-units model))
        (id (lambda (unit) (clada--unit-get unit :id))))
    (append (unless (seq-every-p (lambda (unit) (eq (and (clada--unit-accepted unit) t) (not (clada--unit-proposal unit))))
                                 units)
              (list :accept (vconcat (mapcar id accepted) (clada--get (clada--model-plan model) :review :always))))
            (list :approve (vconcat (mapcan #'clada--unit-approvals accepted))
                  :decline (vconcat (mapcar id (seq-filter (lambda (unit)
                                                             (and (clada--unit-proposal unit) (clada--unit-declined unit)))
                                                           units)))))))

(defun clada--command-p (model)
  "Return non-nil if a command is accepted in MODEL."
  (seq-some (lambda (unit) (clada--unit-get unit :command)) (clada--accepted model)))

(defun clada--carry-out (flow)
  "Apply what is accepted of FLOW.
Show its review again if that is not what was shown any more."
  (let* ((model (clada--flow-model flow)) (root (clada--flow-root flow))
         (documents (clada--documents root)) (changed (clada--changed-since flow documents))
         (commands (clada--command-p model))
         (delivered (make-hash-table :test 'equal)) (modified (length (clada--modified documents))) uris saves)
    (if (or changed (and (> (clada--undecided model) 0)
                             (not (seq-some (lambda (unit) (or (clada--unit-accepted unit) (clada--unit-declined unit)))
                                            (clada--model-units model)))))
        (if changed (clada--review-again flow (concat changed " was changed"))
          (clada--tell "nothing is accepted: y accepts what is proposed, k declines it, C-c C-k ends the review"))
      (dolist (shown (clada--model-files model))
        (let ((document (clada--document-of flow documents (car shown))))
          (when (clada--delivered-p flow document (car shown))
            (puthash (clada--document-path document) document delivered))))
      (if (and commands (> modified 0))
          (progn
            (unless (clada--flow-buffer flow) (clada--show-review flow))
            (clada--tell "a command needs the files: C-c C-s saves %s and plans again, k leaves the command out"
                         (clada--count modified "buffer")))
        ;; A command is to see the changes: then the daemon writes them, and the buffers are read anew.
        (when commands (clrhash delivered))
        ;; What was planned over has to be named, also if nothing of it is accepted.
        (maphash (lambda (path document)
                   (when (or (gethash path delivered)
                             (and (clada--document-modified document) (not (clada--document-refused document))))
                     (push (clada--uri path) uris)
                     (unless (clada--document-modified document) (push (clada--uri path) saves))))
                 documents)
        (puthash root t clada--running)
        (setq clada--heard nil)
        (setf (clada--flow-cancel flow)
              (clada--request
               "execute"
               (append (list :root root :planId (clada--get (clada--model-plan model) :planId) :deliver "mixed"
                             :edits (vconcat uris) :saves (vconcat saves) :owner (emacs-pid) :lines "lf" :units "line"
                             :reports ["text" "llm"] :review t :stream t :env (clada--flow-environment flow))
                       (clada--choice model))
               (lambda (result)
                 (setf (clada--flow-cancel flow) nil)
                 (remhash root clada--running)
                 (clada--carried-out flow result delivered))
               (lambda (failure)
                 (setf (clada--flow-cancel flow) nil)
                 (remhash root clada--running)
                 ;; What was stopped may have done something.
                 (clada--push-operation root (clada--get failure :data :result :operationId) nil)
                 (let ((kind (clada--get failure :data :kind)))
                   (if (or (not (member kind '("plan_not_found" "conflict"))) (> (clada--flow-conflicts flow) 0))
                       (clada--tell-error failure)
                     (cl-incf (clada--flow-conflicts flow))
                     (clada--plan-again flow (and (equal kind "conflict") "a file was changed")
                                        (lambda (same)
                                          (if (and same (equal kind "plan_not_found")) (clada--carry-out flow)
                                            (clada--show-review flow)))))))))))))

(defun clada--apply-edits (result delivered)
  "Apply the edits of RESULT to the documents DELIVERED.
Return what was applied, and the URIs of the documents that changed meanwhile."
  (let (applied missed)
    (seq-doseq (entry (clada--get result :edits :documentChanges))
      (let* ((uri (clada--get entry :textDocument :uri)) (path (and uri (file-truename (clada--path uri))))
             (document (and path (gethash path delivered)))
             (buffer (and document (clada--document-buffer document))))
        (if (not uri)
            (clada--tell "%s %s was asked of Emacs, which leaves it to you" (clada--get entry :kind)
                         (or (clada--get entry :uri) (clada--get entry :oldUri)))
          (if (not (and (buffer-live-p buffer) (with-current-buffer buffer (not buffer-read-only))
                        (eql (buffer-chars-modified-tick buffer) (clada--document-tick document))))
              (push uri missed)
            (with-current-buffer buffer
              (let ((clean (not (buffer-modified-p))) (before (clada--text)) (coding buffer-file-coding-system))
                (condition-case oops
                    (let ((back (progn
                                  ;; The text is that of the file, so nothing has to be asked about its time.
                                  (when clean (set-visited-file-modtime))
                                  (clada--edit (clada--get entry :edits))))
                          (tick (buffer-chars-modified-tick)))
                      (when clean (clada--save))
                      (push (clada--left back tick :path path :uri uri :saved (and clean (not (buffer-modified-p)))
                                         :text before :coding coding)
                            applied))
                  (error (push uri missed)
                         (clada--tell "%s cannot be changed: %s" (file-name-nondirectory path) (error-message-string oops))))))))))
    (cons applied missed)))

(defun clada--carried-out (flow result delivered)
  "Take the RESULT of `execute' of FLOW, with edits for the documents DELIVERED.
If the operation waits for what is saved of it, end it by that."
  (clada--inline-refresh t)
  (pcase-let* ((`(,applied . ,missed) (clada--apply-edits result delivered)) (root (clada--flow-root flow))
               (id (clada--get result :operationId)))
    (if (not (clada--get result :open)) (clada--ended flow result applied missed)
      (cl-flet ((uris (saved) (vconcat (cl-loop for document in applied
                                                when (eq saved (and (plist-get document :saved) t))
                                                collect (plist-get document :uri)))))
        (clada--request
         "execute.saved" (list :root root :operation id :saved (uris t) :unsaved (uris nil))
         (lambda (ended)
           (clada--ended flow (append (list :operationId (clada--get ended :operationId) :git (clada--get ended :git)
                                            :fatalError (or (clada--get result :fatalError) (clada--get ended :fatalError)))
                                      result)
                         applied missed))
         (lambda (failure)
           (clada--ended flow (append (list :fatalError (clada--get failure :message)) result) applied missed)))))))

(defun clada--ended (flow result applied missed)
  "Tell of the RESULT of FLOW, which changed the documents APPLIED.
MISSED are the URIs of those that were typed into meanwhile."
  (pcase-let* ((root (clada--flow-root flow))
               (operation (let ((id (clada--get result :operationId))) (unless (equal id "") id)))
               (conflict (and (= 0 (clada--flow-conflicts flow))
                              (seq-some (lambda (action) (equal (clada--get action :kind) "conflict"))
                                        (clada--get result :results)))))
    ;; Where a formatter turns back all that was saved, no operation is left, and nothing to undo.
    (when (and (clada--get result :open) (not operation))
      (setq applied (seq-remove (lambda (document) (plist-get document :saved)) applied)))
    (clada--push-operation root operation applied)
    (if (> (or (clada--get result :changedMore) 0) 0)
        (clada--request "history.show" (list :root root :operation operation)
                        (lambda (shown) (clada--follow root (clada--get shown :changes))) #'ignore)
      (clada--follow root (clada--get result :changed)))
    (clada--end-review flow)
    (when (or (not conflict) operation applied) (clada--tell-result flow result applied))
    (if conflict
        (progn (setf (clada--flow-conflicts flow) 1)
               (clada--review-again flow "a file was changed meanwhile"))
      (when-let ((left (seq-filter (lambda (shown) (member (clada--get (car shown) :uri) missed))
                                   (clada--model-files (clada--flow-model flow)))))
        (clada--review-again flow (concat "typed into meanwhile: "
                                          (mapconcat (lambda (shown) (file-name-nondirectory (clada--get (car shown) :path)))
                                                     left ", "))
                             (append (mapcar (lambda (unit) (clada--unit-get unit :id))
                                             (seq-filter #'clada--unit-accepted (delete-dups (mapcan (lambda (shown) (copy-sequence (cdr shown)))
                                                                                                     left))))
                                     ;; What failed in them may fit by now.
                                     (cl-loop for note across (clada--get (clada--model-plan (clada--flow-model flow)) :review :notes)
                                              when (and (clada--get note :action) (member (clada--get note :place :uri) missed))
                                              collect (clada--get note :action))))))))

(defun clada--modified (documents)
  "Return those of DOCUMENTS that are modified."
  (seq-filter #'clada--document-modified (hash-table-values documents)))

(defun clada--save-and-plan (flow)
  "Save the modified buffers of FLOW, with a command those of the project.
Plan again then: the daemon writes all of it."
  (let* ((documents (clada--documents (clada--flow-root flow))) (model (clada--flow-model flow))
         (planned (mapcar (lambda (shown) (clada--document-of flow documents (car shown))) (clada--model-files model)))
         (commands (clada--command-p model)))
    (unless (seq-some (lambda (document)
                        (when (or commands (memq document planned))
                          (with-current-buffer (clada--document-buffer document) (save-buffer) (buffer-modified-p))))
                      (clada--modified documents))
      (setf (clada--flow-disk flow) t)
      (clada--review-again flow nil))))

;;; Undo

(defun clada--push (method root entry)
  "Put ENTRY on top of what METHOD can take back in ROOT."
  (push entry (gethash (cons method root) clada--stacks))
  (cl-callf seq-take (gethash (cons method root) clada--stacks) clada--kept))

(defun clada--push-operation (root operation documents)
  "Put what was done in ROOT, OPERATION and in DOCUMENTS, on top of what is undone."
  (let ((operation (and operation (not (string-empty-p operation)) operation)))
    (when (or operation documents)
      ;; The daemon undoes what was saved, Emacs what was not.
      (clada--push "undo" root
                   (if (not operation) (list :documents documents)
                     (list :operation operation :saved (seq-filter (lambda (document) (plist-get document :saved)) documents)
                           :documents (seq-remove (lambda (document) (plist-get document :saved)) documents))))
      (remhash (cons "redo" root) clada--stacks))))

(defun clada--left (back tick &rest entry)
  "Return ENTRY of a document with this buffer as it is left.
BACK are the parts to replace to get to its :text, if this is the text of TICK."
  (let ((now (buffer-chars-modified-tick)) (text (clada--text)))
    (append (list :buffer (current-buffer) :tick now :after text :after-coding buffer-file-coding-system
                  :parts (if (eql tick now) back (clada--difference text (plist-get entry :text))))
            entry)))

(defun clada--buffer-of (document)
  "Return the buffer of DOCUMENT of an entry if it is as the entry left it."
  (let* ((path (plist-get document :path))
         (buffer (or (find-buffer-visiting path)
                     (and (file-exists-p path)
                          (ignore-errors (clada--quietly (find-file-noselect path t)))))))
    (and buffer
         (with-current-buffer buffer
           (and (not buffer-read-only)
                (or (and (or (and (eq buffer (plist-get document :buffer))
                                  (eql (buffer-chars-modified-tick) (plist-get document :tick)))
                             (equal (clada--text) (plist-get document :after)))
                         (equal buffer-file-coding-system (plist-get document :after-coding)))
                    (equal (clada--text) (plist-get document :text)))
                buffer)))))

(defun clada--turn (document buffer)
  "Put back what BUFFER held before the edits of DOCUMENT.
Return the way back of that."
  (with-current-buffer buffer
    (let ((parts (plist-get document :parts)) (after (plist-get document :after)) tick)
      ;; Emacs' own undo may have been first.
      (unless (equal (clada--text) (plist-get document :text))
        (clada--as-one-step (clada--replace parts)))
      (setq buffer-file-coding-system (plist-get document :coding) tick (buffer-chars-modified-tick))
      (clada--left (clada--inverse parts after) tick :text after :coding (plist-get document :after-coding)
                   :path (plist-get document :path)))))

(defun clada--restore-saved (entry)
  "Take Emacs' own undo of the saved documents of ENTRY back.
Their buffers are what was saved then, which the daemon undoes."
  (dolist (document (plist-get entry :saved))
    (when-let ((buffer (find-buffer-visiting (plist-get document :path))))
      (with-current-buffer buffer
        (when (and (buffer-modified-p) (equal (clada--text) (plist-get document :text)))
          (clada--as-one-step (clada--replace (clada--difference (clada--text) (plist-get document :after))))
          (setq buffer-file-coding-system (plist-get document :after-coding))
          (set-buffer-modified-p nil))))))

(defun clada--take-back (method root operation merge)
  "Let METHOD, undo or redo, take back an answer in ROOT.
It is the last one, or OPERATION; MERGE as the daemon has it.
Buffers and files are changed together, or neither."
  (let* ((stack (gethash (cons method root) clada--stacks)) (undo (equal method "undo"))
         (entry (if operation (seq-find (lambda (entry) (equal (plist-get entry :operation) operation)) stack)
                  (car stack)))
         (documents (plist-get entry :documents)) (kept (seq-filter #'clada--buffer-of documents))
         (changed (cl-set-difference documents kept)) merging (id (or (plist-get entry :operation) operation)))
    (cl-flet* ((finish (result)
                (if (not (seq-every-p #'clada--buffer-of kept))
                    ;; Somebody typed while the daemon was at it.
                    (progn (when result
                             (clada--request (if undo "redo" "undo")
                                             (list :root root :operation (clada--get result :operationId)) #'ignore))
                           (clada--tell "a buffer was changed meanwhile; nothing was undone"))
                  (let ((back (mapcar (lambda (document) (clada--turn document (clada--buffer-of document))) kept)))
                    (when entry
                      (cl-callf2 delq entry (gethash (cons method root) clada--stacks))
                      (clada--push (if undo "redo" "undo") root
                                   (list :operation (clada--get result :operationId) :documents back))))
                  (when result (clada--follow root (clada--get result :changes)))
                  (clada--tell (if undo "undid %s · again: M-x clada-redo%s" "did %s again%s")
                               (clada--count (+ (length (clada--get result :changes)) (length kept)) "change")
                               (mapconcat (lambda (warning) (concat "\n" warning)) (clada--get result :warnings) ""))
                  (pcase-dolist (`(,buffer ,now ,text) merging)
                    (with-current-buffer buffer
                      (if (not (equal (clada--text) now)) (clada--tell "%s was changed meanwhile, and keeps the answer" (buffer-name))
                        (clada--as-one-step (clada--replace (clada--difference now text))))))))
              (go-on (texts)
                (setq merging texts)
                (if (and entry (not id)) (finish nil)
                  (clada--restore-saved entry)
                  (clada--request
                   method (append (list :root root :unsaved (vconcat (mapcar (lambda (document)
                                                                               (clada--uri (clada--document-path document)))
                                                                             (clada--modified (clada--documents root)))))
                                  (and id (list :operation id)) (and merge undo '(:merge t)))
                   #'finish
                   (lambda (failure)
                     (clada--tell-error failure)
                     (when (and undo (not merge) (equal (clada--get failure :data :kind) "conflict"))
                       (clada--tell "%s\nC-u M-x clada-undo keeps what was changed" (clada--get failure :message))))))))
      (clada--wait-for root)
      (cond ((and changed (not merge))
             (clada--tell "%s has changed since; nothing was undone.  C-u M-x clada-undo keeps what was changed"
                          (file-name-nondirectory (plist-get (car changed) :path))))
            (changed (clada--merging changed #'go-on))
            ((and undo (not entry) (not operation)) (clada--tell-last root))
            (t (go-on nil))))))

(defun clada--merging (documents then)
  "Call THEN with the buffers and texts of DOCUMENTS without the answer.
They were changed since.  If that was in the same places, say so."
  (let ((held (mapcar (lambda (document)
                        (let ((buffer (or (find-buffer-visiting (plist-get document :path))
                                          (find-file-noselect (plist-get document :path) t))))
                          (with-current-buffer buffer (list buffer (clada--text) document))))
                      documents)))
    (clada--request
     "text.merge"
     (list :texts (vconcat (mapcar (pcase-lambda (`(,_ ,now ,document))
                                     (list :before (plist-get document :text) :after (plist-get document :after) :now now))
                                   held)))
     (lambda (result)
       (let ((texts (append (clada--get result :texts) nil)))
         (if-let ((failed (cl-loop for (buffer) in held for text in texts unless (stringp text) return buffer)))
             (clada--tell "%s was changed in the same place; nothing was undone: only you can do it there"
                          (file-name-nondirectory (buffer-file-name failed)))
           (funcall then (cl-loop for (buffer now) in held for text in texts collect (list buffer now text)))))))))

(defun clada--tell-last (root)
  "Say that nothing in ROOT is to be undone here, and what was done there last.
That may be half of an answer whose other half was in buffers, or another's."
  (clada--request
   "history.list" (list :root root :limit 20)
   (lambda (list)
     (if-let ((last (seq-find (lambda (operation)
                                (not (or (clada--get operation :undoneBy) (clada--get operation :undoes))))
                              (clada--get list :operations))))
         (clada--tell "this Emacs has nothing to undo here.  u in M-x clada-history undoes the last operation (%s)"
                      (clada--line (clada--get last :summary)))
       (clada--tell "there is nothing to undo")))))

(defun clada--forget-undone (root operation)
  "Forget OPERATION of this Emacs in ROOT, which was undone elsewhere.
What is not saved of it is still for this Emacs to undo."
  (when operation
    (setf (gethash (cons "undo" root) clada--stacks)
          (cl-loop for entry in (gethash (cons "undo" root) clada--stacks)
                   if (not (equal (plist-get entry :operation) operation)) collect entry
                   else if (plist-get entry :documents) collect (list :documents (plist-get entry :documents))))))

(defun clada--others-did (event)
  "Follow the operation of EVENT, if it is another's.
A buffer whose file is gone stays."
  (unless (clada--get event :own)
    (clada--forget-undone (clada--get event :root) (clada--get event :undoes))
    (clada--follow (clada--get event :root)
                   (seq-remove (lambda (change) (equal (clada--get change :kind) "deleted")) (clada--get event :files)))))

;;; After

(define-compilation-mode clada-problems-mode "clada problems"
  "What of an answer failed; `next-error' goes to the places.")

(defvar clada-problems-error-regexp-alist
  '(("^\\([^ \n].*?\\):\\([0-9]+\\): \\(?:error\\|\\(warning\\)\\): " 1 2 nil (3)))
  "The one form of a place in `clada-problems-mode'.")

(defun clada--problem (root place kind words)
  "Return the lines of a problem of KIND in ROOT at PLACE, told in WORDS."
  (let ((path (and place (string-prefix-p (file-name-as-directory (file-truename root)) (car place))
                   (file-exists-p (car place)) (file-relative-name (car place) (file-truename root)))))
    (concat (cond ((and path (string= path (clada--line path)) (not (string-prefix-p " " path)))
                   (format "%s:%d: " path (cdr place)))
                  (place (format "  %s: " (clada--line (car place))))
                  (t "  "))
            kind ": " (string-replace "\n" "\n    " (clada--visible words)) "\n")))

(defun clada--with-hint (note)
  "Return the text of NOTE of the daemon and its hint, with Emacs' commands."
  (clada--advice (concat (clada--get note :text) (if-let ((hint (clada--get note :hint))) (concat "\n" hint) ""))))

(defun clada--problems (flow outcome)
  "Return the problems of OUTCOME of FLOW, as the text of `clada-problems-mode'."
  (mapconcat (lambda (problem)
               (let ((place (clada--get problem :place)) (line (clada--get problem :line)) (answer (clada--flow-place flow)))
                 (clada--problem (clada--flow-root flow)
                                 (cond (place (cons (file-truename (clada--path (clada--get place :uri)))
                                                    (1+ (or (clada--get place :line) 0))))
                                       ((and answer line) (cons (car answer) (+ line (cdr answer)))))
                                 (clada--get problem :severity) (clada--with-hint problem))))
             (clada--get outcome :problems) ""))

(defun clada--show-problems (root text)
  "Show TEXT, what failed in ROOT; select nothing."
  (with-current-buffer (get-buffer-create "*clada problems*")
    (let ((inhibit-read-only t) enable-dir-local-variables)
      (erase-buffer)
      (setq default-directory (file-name-as-directory root))
      (clada-problems-mode)
      (setq-local compilation-error-regexp-alist clada-problems-error-regexp-alist)
      (insert "What failed of the answer; M-x next-error goes to the places,\n"
              "M-x clada-report shows all of it, and what commands have put out.\n\n" text)
      (goto-char (point-min))
      (setq next-error-last-buffer (current-buffer)))
    (when (clada--option 'clada-show-problems)
      (display-buffer (current-buffer) '(nil (inhibit-same-window . t) (window-height . fit-window-to-buffer))))))

(defun clada--output (result)
  "Return what the commands of RESULT have put out.
The report for people leaves it to whoever follows it as it comes."
  (mapconcat (lambda (action)
               (let ((text (concat (clada--get action :data :stdout) (clada--get action :data :stderr))))
                 (if (string-empty-p text) ""
                   (format "\n[task-%s] %s\n%s" (clada--get action :task)
                           (or (clada--get action :params :command) (clada--get action :action)) text))))
             (clada--get result :results) ""))

(defun clada--tell-result (flow result applied)
  "Tell how FLOW went by its RESULT, with the documents APPLIED."
  (let* ((outcome (clada--get result :outcome)) (fatal (clada--get result :fatalError))
         (bad (or fatal (not (clada--get outcome :complete)))) (text (clada--problems flow outcome)))
    (setq clada--reports (clada--get result :reports))
    (when-let ((report (clada--get clada--reports :text)))
      (plist-put clada--reports :text (concat report (clada--output result))))
    (cond ((not (string-empty-p text)) (clada--show-problems (clada--flow-root flow) text))
          ((get-buffer "*clada problems*") (kill-buffer "*clada problems*")))
    (let ((copied (and clada--reports (pcase (clada--option 'clada-copy-report)
                                        ('always t)
                                        ('failures bad)))))
      (when copied (kill-new (clada--get clada--reports :llm)))
      (clada--tell
       "%s" (concat (clada--get outcome :line)
                    (if-let ((names (cl-loop for document in applied unless (plist-get document :saved)
                                             collect (file-name-nondirectory (plist-get document :path)))))
                        (concat " · not saved: " (string-join names ", "))
                      "")
                    (if-let ((commit (clada--get result :git :after)))
                        (concat " · commit " (substring commit 0 8))
                      "")
                    (if (or applied (not (member (clada--get result :operationId) '(nil "")))) " · undo: M-x clada-undo" "")
                    (if copied " · report copied" "")
                    (if fatal (concat "\n" fatal) ""))))))

;;; Review

(defvar clada-review-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map diff-mode-shared-map)
    (pcase-dolist (`(,key . ,command)
                   '(("k" . clada-review-toggle) ("K" . clada-review-toggle-file) ("y" . clada-review-accept)
                     ("a" . clada-review-accept-rest) ("n" . clada-review-next) ("p" . clada-review-previous) ("RET" . clada-review-visit) ("o" . clada-review-visit)
                     ("g" . clada-review-plan-again) ("q" . quit-window) ("?" . clada-review-help)
                     ("C-c C-c" . clada-review-carry-out) ("C-c C-k" . clada-review-end)
                     ("C-c C-s" . clada-review-save) ("e" . clada-review-edit) ("E" . clada-review-ediff) ("i" . clada-review-inline)
                     ;; These change the text of a diff, which is no use here.
                     ("R" . undefined) ("A" . undefined) ("r" . undefined) ("W" . undefined)))
      (define-key map (kbd key) command))
    map)
  "Keys of `clada-review-mode'.")

(defvar-local clada--flow nil "The flow that this buffer reviews.")

(define-derived-mode clada-review-mode diff-mode "clada review"
  "Review of an answer: a diff of which hunks are left out or taken back.

What needs approval is left out at first; \\[clada-review-accept] approves exactly what is shown.

\\{clada-review-mode-map}"
  (setq-local minor-mode-overriding-map-alist (list (cons 'buffer-read-only clada-review-mode-map))
              ;; They read files, start programs, or take a text for a mode.
              diff-font-lock-syntax nil diff-refine nil diff-font-lock-prettify nil next-error-function nil
              truncate-lines t buffer-undo-list t bidi-paragraph-direction 'left-to-right
              header-line-format '(:eval (clada--header)))
  (setq buffer-read-only t))

(defun clada--header ()
  "Return the header line of a review."
  (when clada--flow
    (let ((model (clada--flow-model clada--flow)))
      (replace-regexp-in-string
       "%" "%%"
       (format " %d of %d accepted%s%s · C-c C-c apply · y accept · k leave out · ? help · %s · %s"
               (length (clada--accepted model)) (length (clada--model-units model))
               (let ((undecided (clada--undecided model)))
                 (if (> undecided 0) (format ", %s to decide" (clada--count undecided "proposal")) ""))
               (if (> (clada--failed model) 0) (format ", %d failed" (clada--failed model)) "")
               (clada--line (clada--flow-source clada--flow))
               (clada--line (abbreviate-file-name (clada--flow-root clada--flow))))
       t t))))

(defun clada--put (text &rest properties)
  "Insert the lines of TEXT, visible, with PROPERTIES.
Lines after the first one are indented."
  (let ((at (point)) (text (clada--visible text)))
    (insert (if (and (length< text 2001) (not (string-search "\n" text))) text
              (mapconcat (lambda (line)
                           (if (length< line 2001) line
                             (format "%s … and %d more characters" (substring line 0 2000) (- (length line) 2000))))
                         (split-string text "\n") "\n    "))
            "\n")
    (when properties (add-text-properties at (point) properties))))

(defun clada--put-approvals (unit)
  "Insert what accepting UNIT approves, in the daemon's words."
  (when (clada--unit-approvals unit)
    (clada--put "  needs approval, which y gives:" 'font-lock-face 'warning)
    (dolist (line (split-string (or (clada--unit-get unit :approvalText) "") "\n" t))
      (clada--put (concat "  " line) 'font-lock-face 'warning))))

(defmacro clada--part (unit &rest body)
  "Run BODY to insert lines that are about UNIT."
  (declare (indent 1) (debug t))
  (let ((from (make-symbol "from")) (whole (make-symbol "unit")))
    `(let ((,from (point)) (,whole ,unit))
       ,@body
       (put-text-property ,from (point) 'clada-unit (clada--unit-get ,whole :id))
       (push (cons ,from (point)) (clada--unit-regions ,whole)))))

(defconst clada--most-lines 2000
  "Lines of each side of a hunk that a review shows; more would hold Emacs up.")

(defun clada--put-hunks (file model)
  "Insert the hunks of FILE, with their units in MODEL."
  (let ((crlf (clada--get file :crlf)))
    (cl-flet ((put (sign lines)
                (seq-doseq (line (seq-take lines clada--most-lines))
                  (let ((text (string-remove-suffix "\n" line)))
                    (clada--put (concat sign (if crlf (string-remove-suffix "\r" text) text)))
                    (unless (or (string= sign " ") (string-suffix-p "\n" line))
                      (clada--put "\\ No newline at end of file"))))
                (when (length> lines clada--most-lines)
                  (clada--put (format "%s… and %d more lines; E shows them side by side" sign
                                      (- (length lines) clada--most-lines))))))
      (seq-doseq (hunk (clada--get file :hunks))
        (let ((from (point)))
          (clada--part (gethash (clada--get hunk :group) (clada--model-by-id model))
            (clada--put (concat (clada--get hunk :header) (if (clada--get hunk :edited) " edited by you" "")))
            (put " " (clada--get hunk :before))
            (put "-" (clada--get hunk :removed))
            (put "+" (clada--get hunk :added))
            (put " " (clada--get hunk :after)))
          (add-text-properties from (point)
                               (list 'clada-hunk (clada--get hunk :id) 'clada-line (1+ (clada--get hunk :start)))))))))

(defun clada--put-file (flow shown model)
  "Insert a file of FLOW: SHOWN is the file and its units in MODEL."
  (pcase-let* ((`(,file . ,units) shown) (from (point)) (path (clada--line (clada--get file :path)))
               (old (clada--get file :oldPath)) (document (clada--document-of flow (clada--flow-documents flow) file))
               (head (format "diff %s%s" (clada--line (clada--get file :title))
                             (if (and document (clada--document-modified document)) " · not saved" ""))))
    (if (clada--get file :group)
        (clada--part (car units) (clada--put head))
      (clada--put head))
    (seq-doseq (line (clada--get file :about))
      (clada--put (concat "  " line) 'font-lock-face (if (string-prefix-p "! " line) 'warning 'default)))
    (dolist (line (split-string (or (clada--get file :diff) "") "\n" t)) (clada--put (concat "  " line)))
    (mapc #'clada--put-approvals units)
    (when-let ((reason (seq-some #'clada--unit-blocked units)))
      (clada--put (concat "  " reason) 'font-lock-face 'warning))
    (when (> (length (clada--get file :hunks)) 0)
      (clada--put (concat "--- " (if (equal (clada--get file :kind) "create") "/dev/null" (clada--line (or old path)))))
      (clada--put (concat "+++ " (if (equal (clada--get file :kind) "delete") "/dev/null" path)))
      (clada--put-hunks file model))
    (put-text-property from (point) 'clada-file file)))

(defun clada--render (flow)
  "Fill this buffer with the review of FLOW."
  (let ((inhibit-read-only t) (inhibit-modification-hooks t) (model (clada--flow-model flow)))
    (remove-overlays)
    (erase-buffer)
    (dolist (unit (clada--model-units model)) (setf (clada--unit-regions unit) nil))
    (seq-doseq (note (clada--get (clada--model-plan model) :review :notes))
      (clada--put (concat "# " (clada--with-hint note))
                  'font-lock-face (pcase (clada--get note :severity) ("error" 'error) ("warning" 'warning) (_ 'default))))
    (dolist (unit (clada--model-units model))
      (when-let ((title (clada--unit-get unit :title)))
        (clada--part unit
          (clada--put title 'font-lock-face 'diff-header)
          (clada--put-approvals unit)
          (when-let ((diff (clada--unit-get unit :diff))) (clada--put (concat "    " diff))))))
    (dolist (shown (clada--model-files model)) (clada--put-file flow shown model))
    (mapc #'clada--mark (clada--model-units model))
    (goto-char (or (text-property-not-all (point-min) (point-max) 'clada-unit nil) (point-min)))))

;; diff-mode's own colours of code read files and take a text for its mode.

(defun clada--mode-for (path)
  "Return the mode of code for PATH, by its name alone, or nil."
  (let ((mode (assoc-default path auto-mode-alist #'string-match)))
    ;; One may be another name of one.
    (while (and mode (symbolp mode) (fboundp mode) (symbolp (symbol-function mode))) (setq mode (symbol-function mode)))
    (when (and mode (symbolp mode) (fboundp mode))
      (ignore-errors (autoload-do-load (symbol-function mode) mode))
      (and (provided-mode-derived-p mode 'prog-mode 'conf-mode 'sgml-mode) mode))))

(defun clada--faces (lines mode)
  "Return LINES of code with the faces of MODE."
  (with-temp-buffer
    (insert (string-join lines "\n"))
    ;; Modes tell what they guess of a text.
    (let ((inhibit-message t) message-log-max enable-local-variables) (delay-mode-hooks (funcall mode)))
    (font-lock-ensure)
    (split-string (buffer-string) "\n")))

(defun clada--colour-hunk (from)
  "Give the code of the hunk that begins at FROM the colours of its language."
  (let ((mode (clada--mode-for (clada--get (get-text-property from 'clada-file) :path)))
        (to (next-single-property-change from 'clada-hunk nil (point-max))) old new)
    (when (and mode (< (- to from) 40000))
      (save-excursion
        (goto-char from)
        (while (and (zerop (forward-line)) (< (point) to))
          (let ((line (cons (1+ (point)) (buffer-substring-no-properties (min to (1+ (point))) (line-end-position)))))
            (when (memq (char-after) '(?\s ?-)) (push line old))
            (when (memq (char-after) '(?\s ?+)) (push line new)))))
      (dolist (side (list (nreverse old) (nreverse new)))
        (cl-loop for (at . _) in side for text in (clada--faces (mapcar #'cdr side) mode) do
                 (let ((start 0))
                   (while (< start (length text))
                     (let ((end (next-single-property-change start 'face text (length text)))
                           (face (get-text-property start 'face text)))
                       (when face
                         (let ((overlay (make-overlay (+ at start) (+ at end))))
                           (overlay-put overlay 'evaporate t)
                           (overlay-put overlay 'clada-syntax t)
                           (overlay-put overlay 'face face)))
                       (setq start end)))))))))

(defun clada--colour (buffer tick from)
  "Colour the hunks of BUFFER from FROM on, if its text is still that of TICK.
There are keys between two of them."
  (when (and (buffer-live-p buffer) (eql tick (buffer-chars-modified-tick buffer)))
    (with-current-buffer buffer
      (when-let ((at (text-property-not-all from (point-max) 'clada-hunk nil)))
        (ignore-errors (clada--colour-hunk at))
        (when (< at 400000)
          (clada--later #'clada--colour buffer tick (next-single-property-change at 'clada-hunk nil (point-max))))))))

(defun clada--mark (unit)
  "Show whether UNIT is accepted."
  (dolist (region (clada--unit-regions unit))
    (remove-overlays (car region) (cdr region) 'clada t)
    (let ((note (cond ((and (clada--unit-blocked unit) (not (clada--unit-declined unit))) "not possible now")
                      ((clada--unit-accepted unit) (cond ((clada--unit-approvals unit) "approved")
                                                         ((clada--unit-proposal unit) "accepted")))
                      ((clada--undecided-p unit)
                       (if (clada--unit-approvals unit) "proposed, needs approval: y" "proposed: y accepts, k declines"))
                      ((clada--unit-approvals unit) "needs approval: y")
                      (t "left out: k takes it back"))))
      (cl-flet ((put (to property value)
                  (let ((overlay (make-overlay (car region) to)))
                    (overlay-put overlay 'clada t)
                    (overlay-put overlay 'evaporate t)
                    (overlay-put overlay property value))))
        (unless (or (clada--unit-accepted unit) (clada--undecided-p unit)) (put (cdr region) 'face 'clada-left-out))
        (when note
          (put (save-excursion (goto-char (car region)) (line-end-position))
               'after-string (propertize (format "  [%s]" note) 'face 'warning)))))))

(defun clada--show (buffer keys)
  "Show BUFFER.
Select its window only if no key was pressed since KEYS."
  (if (and (eql keys num-nonmacro-input-events) (not (active-minibuffer-window)))
      (pop-to-buffer buffer)
    (display-buffer buffer)))

(defun clada--show-review (flow)
  "Show the review of FLOW, in place of the one that there is of its root."
  (let* ((root (clada--flow-root flow))
         (other (seq-find (lambda (other) (equal (clada--flow-root other) root)) clada--reviews))
         (buffer (or (seq-find #'buffer-live-p (list (clada--flow-buffer flow) (and other (clada--flow-buffer other))))
                     (generate-new-buffer (format "*clada review: %s*" (file-name-nondirectory root))))))
    (setq clada--reviews (cons flow (delq flow (delq other clada--reviews))))
    (setf (clada--flow-buffer flow) buffer)
    (with-current-buffer buffer
      (setq default-directory (file-name-as-directory root))
      (unless (derived-mode-p 'clada-review-mode)
        ;; What the project says of diffs is not heard.
        (let (enable-dir-local-variables) (clada-review-mode)))
      (setq clada--flow flow)
      (clada--render flow)
      ;; With few colours it is those of the diff that count.
      (when (>= (display-color-cells) 88)
        (clada--later #'clada--colour buffer (buffer-chars-modified-tick) (point-min)))
      (dolist (window (get-buffer-window-list buffer nil t)) (set-window-point window (point))))
    (clada--show buffer (clada--flow-keys flow))
    (force-mode-line-update t)))

(defun clada--end-review (flow)
  "End the review of FLOW, with its windows."
  (setq clada--reviews (delq flow clada--reviews))
  (clada--inline-refresh)
  (let ((buffer (clada--flow-buffer flow)))
    (when (buffer-live-p buffer)
      (dolist (window (get-buffer-window-list buffer nil t)) (quit-restore-window window))
      (kill-buffer buffer)))
  (setf (clada--flow-buffer flow) nil))

(defun clada--here ()
  "Return the flow of this review, which has to wait for nothing."
  (unless clada--flow (user-error "This is no review"))
  (when (clada--flow-cancel clada--flow) (user-error "It is being applied; C-c C-k stops it"))
  (setf (clada--flow-keys clada--flow) num-nonmacro-input-events)
  clada--flow)

(defun clada--units-here (&optional file)
  "Return the units that the line is about.
With FILE, or on its head, they are those of the whole file."
  (let* ((model (clada--flow-model (clada--here))) (unit (get-text-property (point) 'clada-unit))
         (shown (assq (get-text-property (point) 'clada-file) (clada--model-files model))))
    (or (if (and unit (not file)) (list (gethash unit (clada--model-by-id model))) (cdr shown))
        (user-error "Nothing is decided about here"))))

(defun clada--accept (unit accepted)
  "Let UNIT be ACCEPTED or not, and leave out what it excludes."
  (setf (clada--unit-accepted unit) accepted (clada--unit-declined unit) (not accepted))
  (when accepted (dolist (other (clada--unit-others unit)) (setf (clada--unit-accepted other) nil))))

(defun clada--decide (units accepted)
  "Let UNITS be ACCEPTED or not."
  (dolist (unit units)
    (if (and accepted (clada--unit-blocked unit)) (message "clada: %s" (clada--line (clada--unit-blocked unit)))
      (clada--accept unit accepted)
      (mapc #'clada--mark (cons unit (clada--unit-others unit)))))
  (clada--inline-refresh)
  (force-mode-line-update))

(defun clada--go-on (units)
  "Go to what comes after UNITS."
  (let ((last (apply #'max (mapcar #'cdr (mapcan (lambda (unit) (copy-sequence (clada--unit-regions unit))) units)))))
    (goto-char (or (if (null (cdr units)) (next-single-property-change (point) 'clada-unit) last) (point)))
    ;; What goes together is decided about: its next hunk, answered by habit, would turn that over.
    (let ((to (point)))
      (while (and to (memq (get-text-property to 'clada-unit) (cons nil units)))
        (setq to (next-single-property-change to 'clada-unit)))
      (when to (goto-char to)))))

(defun clada-review-next (&optional count)
  "Go to the next hunk, command or other action; COUNT of them, back if negative."
  (interactive "p")
  (let ((starts (sort (mapcan (lambda (unit) (mapcar #'car (clada--unit-regions unit)))
                              (clada--model-units (clada--flow-model (clada--here))))
                      #'<)))
    (dotimes (_ (abs count))
      (goto-char (or (if (> count 0) (seq-find (lambda (start) (> start (point))) starts)
                       (seq-find (lambda (start) (< start (point))) (reverse starts)))
                     (user-error "There is no other one"))))))

(defun clada-review-previous (&optional count)
  "Go to the hunk or action before; COUNT of them."
  (interactive "p")
  (clada-review-next (- count)))

(defun clada-review-toggle (&optional file)
  "Leave out what the line is about, or take it back; with FILE all of its file."
  (interactive)
  (let* ((units (clada--units-here file)) (accept (not (seq-some #'clada--unit-accepted units))))
    ;; What cannot be done now is left out first, and stays so when it can be.
    (when (seq-every-p #'clada--undecided-p units) (setq accept nil))
    (when (and accept (seq-every-p #'clada--unit-blocked units))
      (setq accept (seq-every-p #'clada--unit-declined units)))
    (if (and accept (seq-every-p #'clada--unit-approvals units)) (message "clada: it needs approval, which y gives")
      (clada--decide (if accept (seq-remove #'clada--unit-approvals units) units) accept))))

(defun clada-review-toggle-file ()
  "Leave out all of the file that the line is about, or take it back."
  (interactive)
  (clada-review-toggle t))

(defun clada-review-accept ()
  "Accept what the line is about, and approve exactly that if it needs approval."
  (interactive)
  (let ((units (clada--units-here)))
    (clada--decide units t)
    (clada--go-on units)))

(defun clada-review-accept-rest ()
  "Accept everything from here on, but for what needs approval or is proposed."
  (interactive)
  (dolist (unit (clada--model-units (clada--flow-model (clada--here))))
    (when (and (not (clada--unit-proposal unit)) (not (clada--unit-approvals unit)) (not (clada--unit-blocked unit))
               (seq-some (lambda (region) (> (cdr region) (point))) (clada--unit-regions unit)))
      (setf (clada--unit-accepted unit) t)
      (clada--mark unit)))
  (force-mode-line-update))

(defun clada-review-visit ()
  "Go to the place that the line is about."
  (interactive)
  (let* ((flow (clada--here)) (file (or (get-text-property (point) 'clada-file) (user-error "There is no file here")))
         (line (or (get-text-property (point) 'clada-line) 1)) (root (file-truename (clada--flow-root flow)))
         (path (clada--join root (or (clada--get file :oldPath) (clada--get file :path)))))
    (cond ((not (string-prefix-p (file-name-as-directory root) path)) (user-error "It is outside of the project"))
          ((not (or (file-exists-p path) (find-buffer-visiting path))) (user-error "It is not there yet")))
    (find-file-other-window path)
    (save-restriction
      (widen)
      (goto-char (point-min))
      (forward-line (1- line)))))

(defun clada--hunk-here ()
  "Return the file and the hunk that the line is about."
  (let* ((file (get-text-property (point) 'clada-file)) (id (get-text-property (point) 'clada-hunk))
         (hunk (and id (seq-find (lambda (hunk) (equal (clada--get hunk :id) id)) (clada--get file :hunks)))))
    (unless hunk (user-error "There is no hunk here"))
    (cons file hunk)))

(defvar-local clada--edit-done nil "Function that takes the lines that were edited here.")

(defvar clada-edit-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-c") #'clada-edit-done)
    (define-key map (kbd "C-c C-k") #'clada-edit-abandon)
    map)
  "Keys of `clada-edit-mode'.")

(define-minor-mode clada-edit-mode
  "Editing of the new lines of a hunk."
  :lighter " clada edit")

(defun clada-edit-done ()
  "Use the lines of this buffer for the hunk."
  (interactive)
  (let ((done (or clada--edit-done (user-error "Nothing is edited here")))
        (text (buffer-substring-no-properties (point-min) (point-max))))
    (quit-window t)
    (funcall done text)))

(defun clada-edit-abandon ()
  "Leave the hunk as it was."
  (interactive)
  (quit-window t))

(defun clada-review-edit ()
  "Edit the new lines of this hunk, and accept them."
  (interactive)
  (pcase-let* ((flow (clada--here)) (`(,file . ,hunk) (clada--hunk-here))
               (added (clada--get hunk :added)) (reason (clada--get hunk :notEditable))
               (buffer (if reason (user-error "It cannot be edited: %s" reason) (generate-new-buffer "*clada edit*"))))
    (with-current-buffer buffer
      (insert (replace-regexp-in-string "\r?\n" "\n" (string-join added)))
      (let ((buffer-file-name (clada--get file :path)) enable-local-variables)
        (ignore-errors (delay-mode-hooks (set-auto-mode))))
      (clada-edit-mode)
      (set-buffer-modified-p nil)
      (goto-char (point-min))
      (setq header-line-format " C-c C-c uses these lines · C-c C-k leaves the hunk as it was"
            clada--edit-done
            (lambda (text)
              (clada--plan-edited flow (list :part (elt (clada--get hunk :parts) 0) :start (clada--get hunk :start)
                                             :removed (clada--get hunk :removed) :added added :text text)))))
    (pop-to-buffer buffer)))

(defun clada--file-texts (flow file)
  "Return the text of FILE in FLOW as it is, and with what is accepted of it."
  (let* ((root (file-truename (clada--flow-root flow)))
         (path (clada--join root (or (clada--get file :oldPath) (clada--get file :path))))
         (open (find-buffer-visiting path))
         (now (cond (open (with-current-buffer open (save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max)))))
                    ((file-exists-p path) (with-temp-buffer (insert-file-contents path) (buffer-string)))
                    (t "")))
         (lines (clada--split now)) (by-id (clada--model-by-id (clada--flow-model flow))) (at 0) then)
    (seq-doseq (hunk (clada--get file :hunks))
      (when (let ((unit (gethash (clada--get hunk :group) by-id))) (or (clada--unit-accepted unit) (clada--undecided-p unit)))
        (let ((start (clada--get hunk :start)))
          (setq then (append (reverse (mapcar (lambda (line) (replace-regexp-in-string "\r\n\\'" "\n" line))
                                              (clada--get hunk :added)))
                             (reverse (seq-subseq lines at (min start (length lines)))) then)
                at (min (+ start (length (clada--get hunk :removed))) (length lines))))))
    (cons now (concat (string-join (nreverse then)) (string-join (nthcdr at lines))))))

(defun clada-review-ediff ()
  "Compare the file of the line, now and with what is accepted, in Ediff."
  (interactive)
  (let* ((flow (clada--here)) (file (or (get-text-property (point) 'clada-file) (user-error "There is no file here")))
         (path (clada--get file :path)) (texts (clada--file-texts flow file)))
    (cl-flet ((show (side text)
                (with-current-buffer (generate-new-buffer (format "*clada %s: %s*" side (file-name-nondirectory path)))
                  (insert text)
                  (let ((buffer-file-name path) enable-local-variables)
                    (ignore-errors (delay-mode-hooks (set-auto-mode))))
                  (set-buffer-modified-p nil)
                  (setq buffer-read-only t)
                  (goto-char (point-min))
                  (current-buffer))))
      (let ((now (show "now" (car texts))) (then (show "then" (cdr texts))))
        (ediff-buffers now then
                       (list (lambda ()
                               (add-hook 'ediff-quit-hook
                                         (lambda () (mapc #'kill-buffer (seq-filter #'buffer-live-p (list now then))))
                                         t t))))))))

;;; Hunks in their buffers

(defvar-local clada--inline nil "The flow whose hunks are drawn in this buffer.")

(defvar clada-inline-mode-map
  (let ((map (make-sparse-keymap)))
    (pcase-dolist (`(,key . ,command) '(("n" . clada-inline-next) ("p" . clada-inline-previous)
                                        ("y" . clada-inline-accept) ("k" . clada-inline-leave-out)))
      (define-key map (kbd (concat "C-c ^ " key)) command))
    map)
  "Keys of `clada-inline-mode', below the prefix that `smerge-mode' has.")

(define-minor-mode clada-inline-mode
  "Drawing of the hunks of a review in the buffer of their file.
A change of the buffer takes them away: they are of the text before."
  :lighter " clada"
  (if clada-inline-mode (add-hook 'after-change-functions #'clada--inline-changed nil t)
    (remove-hook 'after-change-functions #'clada--inline-changed t)
    (remove-overlays nil nil 'clada-inline t)
    (setq clada--inline nil)))

(defun clada--inline-changed (&rest _)
  "Take the hunks away: the buffer is not what they were planned over."
  (clada-inline-mode -1)
  (clada--tell "the buffer has changed; i in the review plans again and draws the hunks"))

(defun clada--inline-units (flow)
  "Return the hunks of FLOW in the file of this buffer, each with its unit."
  (let ((model (clada--flow-model flow)))
    ;; Of several versions of a file the one that is accepted.
    (cl-loop for (file . units) in (seq-sort-by (lambda (shown) (if (seq-some #'clada--unit-accepted (cdr shown)) 0 1)) #'<
                                                (clada--model-files model))
             for document = (clada--document-of flow (clada--flow-documents flow) file)
             when (and units document (eq (clada--document-buffer document) (current-buffer)))
             return (mapcar (lambda (hunk) (cons hunk (gethash (clada--get hunk :group) (clada--model-by-id model))))
                            (clada--get file :hunks)))))

(defun clada--inline-draw ()
  "Draw the hunks of the file of this buffer."
  (remove-overlays nil nil 'clada-inline t)
  (save-excursion
    (save-restriction
      (widen)
      (goto-char (point-min))
      (let ((line 0) cache-long-scans)
        (cl-flet ((go (to) (forward-line (- to line)) (setq line to) (point)))
          (pcase-dolist (`(,hunk . ,unit) (clada--inline-units clada--inline))
            (let* ((start (clada--get hunk :start)) (from (go start))
                   (overlay (make-overlay from (go (+ start (length (clada--get hunk :removed))))))
                   (accepted (clada--unit-accepted unit))
                   (state (cond (accepted "✓ accepted") ((clada--undecided-p unit) "? proposed")
                                ((clada--unit-approvals unit) "! needs approval") (t "✗ left out"))))
              (overlay-put overlay 'clada-inline t)
              (overlay-put overlay 'clada-unit unit)
              (overlay-put overlay 'line-prefix (propertize "- " 'face 'diff-indicator-removed))
              (when accepted (overlay-put overlay 'face 'diff-removed))
              (overlay-put overlay 'after-string
                           (concat (propertize (format "▎%s · C-c ^ n p y k\n" state) 'face 'shadow)
                                   (mapconcat (lambda (text)
                                                (propertize (concat "+ " (clada--visible (string-trim-right text "\r?\n")) "\n")
                                                            'face (if accepted 'diff-added 'clada-left-out)))
                                              (seq-take (clada--get hunk :added) 200) "")
                                   (if (length> (clada--get hunk :added) 200) "+ …\n" ""))))))))))

(defun clada--inline-show (flow)
  "Draw the hunks of FLOW in the buffers of their files.
Return non-nil if one of them is not what they were planned over."
  (let (stale)
    (pcase-dolist (`(,file . ,_) (clada--model-files (clada--flow-model flow)) stale)
      (when-let ((document (clada--document-of flow (clada--flow-documents flow) file))
                 (buffer (clada--document-buffer document)))
        (when (buffer-live-p buffer)
          (if (not (eql (buffer-chars-modified-tick buffer) (clada--document-tick document))) (setq stale t)
            (with-current-buffer buffer
              (clada-inline-mode)
              (setq clada--inline flow)
              (clada--inline-draw))))))))

(defun clada--inline-refresh (&optional end)
  "Draw hunks again where they are drawn, or END it."
  (dolist (buffer (buffer-list))
    (when (buffer-local-value 'clada--inline buffer)
      (with-current-buffer buffer
        (if (or end (not (memq clada--inline clada--reviews))) (clada-inline-mode -1)
          (clada--inline-draw))))))

(defun clada--inline-visit (flow)
  "Visit the file that the line is about.
Return non-nil if FLOW was planned without a buffer of it."
  (when-let* ((file (get-text-property (point) 'clada-file))
              (path (clada--join (clada--flow-root flow) (or (clada--get file :oldPath) (clada--get file :path)))))
    (unless (or (clada--document-of flow (clada--flow-documents flow) file) (not (file-exists-p path)))
      (find-file-noselect path))))

(defun clada-review-inline ()
  "Draw all hunks in the buffers of their files, and go there."
  (interactive)
  (let ((flow (clada--here)))
    (cl-flet ((show (flow)
                (clada--inline-show flow)
                (with-current-buffer (clada--flow-buffer flow)
                  (when (get-text-property (point) 'clada-hunk) (clada-review-visit)))))
      ;; A file that no buffer has is visited first, and planned over as a buffer from then on.
      (if (not (or (clada--inline-visit flow) (clada--inline-show flow))) (show flow)
        (clada--plan-again flow nil (lambda (_)
                                      (clada--show-review flow)
                                      (show flow)))))))

(defun clada--inline-overlays ()
  "Return the hunks that are drawn here, in the order of their places."
  (sort (seq-filter (lambda (overlay) (overlay-get overlay 'clada-inline)) (overlays-in (point-min) (point-max)))
        (lambda (a b) (< (overlay-start a) (overlay-start b)))))

(defun clada-inline-next ()
  "Go to the next hunk of this buffer."
  (interactive)
  (goto-char (overlay-start (or (seq-find (lambda (overlay) (> (overlay-start overlay) (point))) (clada--inline-overlays))
                                (user-error "There is no other hunk")))))

(defun clada-inline-previous ()
  "Go to the hunk before in this buffer."
  (interactive)
  (goto-char (overlay-start (or (seq-find (lambda (overlay) (< (overlay-start overlay) (point)))
                                          (reverse (clada--inline-overlays)))
                                (user-error "There is no other hunk")))))

(defun clada--inline-decide (accepted)
  "Let the hunk at point be ACCEPTED or not."
  (let* ((overlay (or (seq-find (lambda (overlay)
                                  (and (<= (overlay-start overlay) (point))
                                       (<= (point) (max (overlay-start overlay) (1- (overlay-end overlay))))))
                                (clada--inline-overlays))
                      (user-error "There is no hunk here")))
         (unit (overlay-get overlay 'clada-unit)) (flow clada--inline))
    (when (and accepted (clada--unit-approvals unit)) (user-error "It needs approval, which y in the review gives"))
    (with-current-buffer (clada--flow-buffer flow)
      (let ((inhibit-read-only t)) (clada--decide (list unit) accepted)))
    (clada--inline-refresh)))

(defun clada-inline-accept ()
  "Accept the hunk at point."
  (interactive)
  (clada--inline-decide t))

(defun clada-inline-leave-out ()
  "Leave the hunk at point out."
  (interactive)
  (clada--inline-decide nil))

(defun clada-review-plan-again ()
  "Plan the answer again over the files and buffers as they are now."
  (interactive)
  (clada--review-again (clada--here) nil))

(defun clada-review-help ()
  "List the keys of a review."
  (interactive)
  (describe-keymap 'clada-review-mode-map))

(defun clada-review-save ()
  "Save the buffers of the plan and plan again.
Commands and moves see them then."
  (interactive)
  (clada--save-and-plan (clada--here)))

(defun clada-review-carry-out ()
  "Apply what is accepted."
  (interactive)
  (clada--at-once #'clada--carry-out (clada--here)))

(defun clada-review-end ()
  "End the review, and change nothing; stop what is being applied."
  (interactive)
  (let ((flow (or clada--flow (user-error "This is no review"))))
    (if (clada--flow-cancel flow) (funcall (clada--flow-cancel flow))
      (clada--request "plan.drop" (list :root (clada--flow-root flow)
                                        :planId (clada--get (clada--model-plan (clada--flow-model flow)) :planId))
                      #'ignore #'ignore)
      (clada--end-review flow))))

;;; Commands

(defun clada--root (then)
  "Call THEN with the root of the project of this buffer."
  (let ((path (expand-file-name (or (buffer-file-name (buffer-base-buffer)) default-directory))))
    (when (file-remote-p path)
      (user-error "%s is on another machine: run Emacs where the files are" (clada--line path)))
    (clada--request "project.root" (list :path (directory-file-name path))
                    (lambda (result)
                      (let ((root (clada--get result :root)))
                        ;; What others do is of use from the first command on: an undo may be the first one.
                        (clada--subscribe root)
                        (funcall then root))))))

(defun clada--clipboard ()
  "Return the text of the clipboard, or the last one of the kill ring."
  (let ((text (or (and (display-selections-p) (ignore-errors (gui-get-selection 'CLIPBOARD)))
                  ;; In a terminal it is what yanking would get.
                  (let ((interprogram-paste-function (unless (display-selections-p) interprogram-paste-function)))
                    (ignore-errors (current-kill 0 t))))))
    (and text (not (string-empty-p text)) (substring-no-properties text))))

(defun clada--take (text source place now &optional dialect to notes)
  "Take the answer TEXT, which comes from SOURCE, to its review.
PLACE is a file and the line before the text, or nil.
NOW: there is no review if nothing needs approval.
It is read by all dialects that are enabled, or by DIALECT alone.
Code without a file name is for the file TO.
NOTES are said if there is nothing to do."
  (let ((environment (clada--environment)) (keys num-nonmacro-input-events))
    (clada--root (lambda (root)
                   (clada--start (make-clada--flow
                                  :root root :text text :dialect dialect :to to :notes notes :source source :place place
                                  :environment environment
                                  :keys keys :review (and (clada--option 'clada-review) (not now))))))))

(defun clada--take-lines (from to source now &optional notes)
  "Take the text between FROM and TO of this buffer as an answer.
SOURCE, NOW and NOTES as in `clada--take'."
  (clada--take (buffer-substring-no-properties from to) source
               (and buffer-file-name (cons (file-truename buffer-file-name) (1- (line-number-at-pos from t))))
               now nil nil notes))

;;;###autoload
(defun clada-apply (&optional now)
  "Apply an answer: the region, the clipboard, or this buffer.
The clipboard is taken if it shows changes.  With a prefix argument
NOW there is no review if nothing needs approval."
  (interactive "P")
  (let ((text (clada--clipboard)) (buffer (current-buffer)))
    (cond ((use-region-p)
           (let ((from (region-beginning)) (to (region-end)))
             (deactivate-mark)
             (clada--take-lines from to "the region" now)))
          (text
           (clada--root
            (lambda (root)
              (clada--request "parse" (list :text text :root root)
                              (lambda (parsed)
                                (when (buffer-live-p buffer)
                                  (with-current-buffer buffer
                                    (if (> (+ (clada--get parsed :summary :totalBlocks) (length (clada--get parsed :proposals))
                                              (length (clada--get parsed :notRead)))
                                           0)
                                        (clada--take text "the clipboard" nil now)
                                      (clada-apply-buffer
                                       now " (the clipboard holds no change)"
                                       (mapcar (lambda (issue) (concat "the clipboard: " (clada--advice (clada--get issue :message))))
                                               (clada--get parsed :warnings)))))))))))
          (t (clada-apply-buffer now)))))

;;;###autoload
(defun clada-apply-to ()
  "Apply the clipboard: code in it that names no file is for this one."
  (interactive)
  (clada--take (or (clada--clipboard) (user-error "The clipboard is empty")) "the clipboard" nil nil nil
               (expand-file-name (or buffer-file-name (user-error "This buffer visits no file")))))

;;;###autoload
(defun clada-apply-as (dialect)
  "Apply the region, else the clipboard, as an answer in DIALECT.
One of whole files under their names is whole_file."
  (interactive (list (completing-read "Dialect: " clada--dialects nil t)))
  (if (use-region-p)
      (clada--take (buffer-substring-no-properties (region-beginning) (region-end)) "the region" nil nil dialect)
    (clada--take (or (clada--clipboard) (user-error "The clipboard is empty")) "the clipboard" nil nil dialect)))

;;;###autoload
(defun clada-apply-buffer (&optional now why notes)
  "Apply this buffer as an answer; NOW as in `clada-apply'.
WHY is said with its name, and NOTES if there is nothing to do."
  (interactive "P")
  (when clada--flow (user-error "This is a review, and no answer"))
  (clada--take-lines (point-min) (point-max) (format "buffer %s%s" (buffer-name) (or why "")) now notes))

;;;###autoload
(defun clada-show-review ()
  "Show the review that was left."
  (interactive)
  (if-let ((flow (seq-find (lambda (flow) (buffer-live-p (clada--flow-buffer flow))) clada--reviews)))
      (pop-to-buffer (clada--flow-buffer flow))
    (message "clada: there is nothing to review")))

;;;###autoload
(defun clada-undo (&optional merge operation)
  "Undo the last answer that was applied here, in buffers and files.
Either all of it is undone or nothing.  With a prefix argument MERGE,
keep what was changed since.  OPERATION names another one."
  (interactive "P")
  (clada--root (lambda (root) (clada--take-back "undo" root operation merge))))

;;;###autoload
(defun clada-redo ()
  "Do again what was undone last."
  (interactive)
  (clada--root (lambda (root) (clada--take-back "redo" root nil nil))))

;;;###autoload
(defun clada-copy-report ()
  "Copy the report for the model: of the review here, else of the last answer."
  (interactive)
  (cl-flet ((copy (report)
              (if (not report) (message "clada: nothing was applied yet")
                (kill-new report)
                (message "clada: the report for the model is copied"))))
    (if (not clada--flow) (copy (clada--get clada--reports :llm))
      (clada--report-of clada--flow #'copy))))

(defun clada--display (name mode root keys insert)
  "Show a buffer NAME in MODE in the folder ROOT, filled by INSERT.
KEYS as in `clada--show'."
  (with-current-buffer (get-buffer-create name)
    (let ((inhibit-read-only t) enable-dir-local-variables)
      (erase-buffer)
      (when root (setq default-directory (file-name-as-directory root)))
      (funcall mode)
      (funcall insert)
      (setq buffer-read-only t)
      (goto-char (or (text-property-not-all (point-min) (point-max) 'clada-approval nil) (point-min))))
    (clada--show (current-buffer) keys)))

(define-derived-mode clada-diff-mode diff-mode "clada diff"
  "A diff to be read."
  (setq-local diff-font-lock-syntax nil diff-refine nil diff-font-lock-prettify nil))

(defvar clada-history-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'clada-history-show)
    (define-key map "u" #'clada-history-undo)
    map)
  "Keys of `clada-history-mode'.")

(define-derived-mode clada-history-mode tabulated-list-mode "clada history"
  "What was done in a project: \\[clada-history-show] shows it, \\[clada-history-undo] undoes it."
  (setq tabulated-list-format [("When" 17 t) ("Operation" 10 t) ("What" 0 t)])
  (tabulated-list-init-header))

;;;###autoload
(defun clada-report ()
  "Show the report on the last answer, with what its commands have put out."
  (interactive)
  (let ((report (or (clada--get clada--reports :text) (user-error "Nothing was applied yet"))))
    (clada--display "*clada report*" #'special-mode nil num-nonmacro-input-events
                    (lambda () (mapc #'clada--put (split-string report "\n"))))))

;;;###autoload
(defun clada-history ()
  "List what was done in the project."
  (interactive)
  (let ((keys num-nonmacro-input-events))
    (clada--root
     (lambda (root)
       (clada--request
        "history.list" (list :root root :limit 100)
        (lambda (list)
          (clada--display
           "*clada history*" #'clada-history-mode root keys
           (lambda ()
             (setq tabulated-list-entries
                   (mapcar (lambda (operation)
                             (list (clada--get operation :operationId)
                                   (vector (format-time-string "%Y-%m-%d %H:%M" (/ (clada--get operation :beganMs) 1000))
                                           (clada--line (or (clada--get list :shortIds
                                                                        (intern (concat ":" (clada--get operation :operationId))))
                                                            (clada--get operation :operationId)))
                                           (concat (if (clada--get operation :undoneBy) "(undone) " "")
                                                   (if (equal (clada--get operation :kind) "execute") ""
                                                     (concat (clada--get operation :kind) ": "))
                                                   (clada--line (clada--get operation :summary))
                                                   (if-let ((title (clada--get operation :title)))
                                                       (concat " · " (clada--line title))
                                                     "")))))
                           (clada--get list :operations)))
             (tabulated-list-print)))))))))

(defun clada-history-show ()
  "Show what the operation of this line changed."
  (interactive)
  (let ((root (directory-file-name default-directory)) (keys num-nonmacro-input-events)
        (id (or (tabulated-list-get-id) (user-error "No operation is here"))))
    (clada--request "history.show" (list :root root :operation id :diff t)
                    (lambda (shown)
                      (clada--display "*clada operation*" #'clada-diff-mode root keys
                                      (lambda ()
                                        (dolist (line (split-string (or (clada--get shown :diff) "It changed no text.")
                                                                    "\n"))
                                          (clada--put line))))))))

(defun clada-history-undo ()
  "Undo the operation of this line."
  (interactive)
  (clada-undo nil (or (tabulated-list-get-id) (user-error "No operation is here"))))

(defun clada--arguments ()
  "Return the paths that a command is about.
They are marked in Dired, lines of the region, or the file."
  (cond ((derived-mode-p 'dired-mode) (dired-get-marked-files))
        ((not buffer-file-name) (user-error "This buffer visits no file"))
        ((use-region-p)
         (list (format "%s:%d-%d" buffer-file-name (line-number-at-pos (region-beginning) t)
                       (line-number-at-pos (max (point-min) (1- (region-end))) t))))
        (t (list buffer-file-name))))

;;;###autoload
(defun clada-embed (paths)
  "Copy one document for a prompt, made of PATHS.
They are marked in Dired, lines of the region, or this file; with a
prefix argument they are the context of the project's session.
Of modified buffers it has what they hold."
  (interactive (list (unless current-prefix-arg (clada--arguments))))
  (clada--root
   (lambda (root)
     (let ((overlays (clada--overlays (clada--documents root))))
       (clada--request "embed" (append (list :root root :tokens t :overlays overlays)
                                       (if paths (list :paths (vconcat paths)) '(:sessionContext t)))
                       (lambda (result)
                         (if-let ((document (clada--get result :document)))
                             (progn (kill-new document)
                                    (clada--tell "copied %s, %s" (clada--count (length (clada--get result :files)) "file")
                                                 (clada--count (or (clada--get result :tokens) 0) "token")))
                           (let ((errors (clada--get result :errors)))
                             (clada--tell "%s" (if (> (length errors) 0) (clada--get (elt errors 0) :message)
                                                 "nothing could be embedded"))))))))))

;;;###autoload
(defun clada-context-add (paths)
  "Add PATHS to the context of the project's session.
They are marked in Dired, or this file."
  (interactive (list (let ((mark-active nil)) (clada--arguments))))
  (clada--root (lambda (root)
                 (clada--request "context.add" (list :root root :paths (vconcat paths))
                                 (lambda (result)
                                   (clada--tell "%s in the context"
                                                (clada--count (length (clada--get result :context)) "path")))))))

;;; Approvals

(defun clada--asked (event)
  "Raise one notice for the agent of EVENT, which waits.
It takes no key."
  (let ((id (or (clada--get event :approvalId) (clada--get event :id))))
    (unless (gethash id clada--waiting)
      (puthash id t clada--waiting)
      (force-mode-line-update t)
      (clada--tell "an agent asks in %s\n%s\nM-x clada-approve shows it and answers"
                   (abbreviate-file-name (clada--get event :root)) (or (clada--get event :text) "")))))

(defvar clada-approve-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map special-mode-map)
    (pcase-dolist (`(,key . ,command) '(("o" . clada-approve-once) ("n" . clada-approve-no) ("g" . clada-approve)))
      (define-key map key command))
    map)
  "Keys of `clada-approve-mode'.")

(define-derived-mode clada-approve-mode clada-diff-mode "clada approvals"
  "What waits for an approval: \\[clada-approve-once] approves it once, \\[clada-approve-no] says no."
  (setq-local minor-mode-overriding-map-alist (list (cons 'buffer-read-only clada-approve-mode-map))))

;;;###autoload
(defun clada-approve ()
  "Show what agents wait for, in the daemon's words, and answer."
  (interactive)
  (let ((keys num-nonmacro-input-events))
    (clada--request
     "approval.list" nil
     (lambda (list)
       (clrhash clada--waiting)
       (seq-doseq (entry (clada--get list :approvals)) (puthash (clada--get entry :id) t clada--waiting))
       (force-mode-line-update t)
       (clada--display
        "*clada approvals*" #'clada-approve-mode nil keys
        (lambda ()
          (clada--put (if (= 0 (length (clada--get list :approvals))) "Nothing waits for an approval."
                        "o approves once what the line is about, n says no, q closes."))
          (seq-doseq (entry (clada--get list :approvals))
            (let ((from (point)))
              (clada--put (concat "\n" (clada--get entry :text)) 'font-lock-face 'bold)
              (dolist (line (split-string (clada--get entry :diff) "\n")) (clada--put line))
              (put-text-property from (point) 'clada-approval (clada--get entry :id))))))))))

(defun clada--answer (decision)
  "Give DECISION about what the line is about."
  (let ((id (or (get-text-property (point) 'clada-approval) (user-error "Nothing waits here"))))
    (clada--request "approval.answer" (list :id id :decision decision)
                    (lambda (result)
                      (clada-approve)
                      (clada--tell "%s" (if (clada--get result :askedAgain)
                                            "it is another plan by now, which is shown"
                                          (concat "answered: " decision)))))))

(defun clada-approve-once () "Approve what the line is about, this once." (interactive) (clada--answer "once"))
(defun clada-approve-no () "Say no to what the line is about." (interactive) (clada--answer "no"))

;;; The daemon

;;;###autoload
(defun clada-status ()
  "Say how the daemon is, and what the root of this buffer is, and why."
  (interactive)
  (let ((path (expand-file-name (or buffer-file-name default-directory))))
    (clada--request
     "status" nil
     (lambda (status)
       (clada--request
        "project.root" (list :path (directory-file-name path))
        (lambda (root)
          (clada--tell "daemon %s, pid %s, %s; this client is %s; sandbox: %s; log: %s\nroot: %s, %s%s"
                       (clada--get status :version) (clada--get status :pid) (plist-get clada--found :socket)
                       clada-version (or (clada--get status :sandbox) "not tried yet")
                       (or (clada--get status :logFile) "none") (clada--get root :root) (clada--get root :why)
                       (mapconcat (lambda (warning) (concat "\n" warning)) (clada--get status :warnings) ""))))))))

;;;###autoload
(defun clada-restart ()
  "End the daemon and start a new one; give up what is under way."
  (interactive)
  (let ((link clada--link))
    (setq clada--stopped t clada--retry 1)
    (cl-flet ((again (&rest _) (when link (clada--close link)) (run-at-time 0.3 nil #'clada-status)))
      (if (not link) (again)
        (clada--send link "shutdown" nil #'again #'again)
        ;; One that hangs does not answer.
        (run-at-time 5 nil (lambda () (when (eq link clada--link) (clada--close link))))))))

(defun clada--mode-line ()
  "Return the words for the mode line."
  (let ((waiting (hash-table-count clada--waiting))
        (flow (seq-find (lambda (flow) (buffer-live-p (clada--flow-buffer flow))) clada--reviews)))
    (cond ((> waiting 0) (format " clada !%d" waiting))
          ((and clada--found (not clada--link)) " clada ↯")
          (flow (let ((model (clada--flow-model flow)))
                  (format " clada %d/%d" (length (clada--accepted model)) (length (clada--model-units model)))))
          (t ""))))

;;;###autoload
(defvar clada-mode-line '(:eval (if (fboundp 'clada--mode-line) (clada--mode-line) ""))
  "State for `mode-line-misc-info', there as (\"\" clada-mode-line).
It is what is accepted, what waits for approval (!), or no daemon (↯).")
;;;###autoload
(put 'clada-mode-line 'risky-local-variable t)

;;;###autoload (autoload 'clada-prefix-map "clada" nil nil 'keymap)
(defvar clada-prefix-map
  (let ((map (make-sparse-keymap)))
    (pcase-dolist (`(,key . ,command)
                   '(("a" . clada-apply) ("b" . clada-apply-buffer) ("A" . clada-apply-as) ("t" . clada-apply-to) ("u" . clada-undo) ("r" . clada-redo)
                     ("h" . clada-history) ("e" . clada-embed) ("+" . clada-context-add) ("c" . clada-copy-report)
                     ("w" . clada-report) ("y" . clada-approve) ("v" . clada-show-review) ("s" . clada-status) ("R" . clada-restart)))
      (define-key map key command))
    map)
  "The commands of clada, to be bound to a prefix.")
(fset 'clada-prefix-map clada-prefix-map)

;;;###autoload (autoload 'clada-menu "clada" nil t)
(transient-define-prefix clada-menu ()
  "All commands of clada."
  [["Answer"
    ("a" "apply" clada-apply)
    ("b" "apply this buffer" clada-apply-buffer)
    ("A" "apply as…" clada-apply-as)
    ("t" "apply to this file" clada-apply-to)
    ("v" "show the review" clada-show-review)]
   ["Back"
    ("u" "undo" clada-undo)
    ("r" "redo" clada-redo)
    ("h" "history" clada-history)]
   ["Model"
    ("c" "copy the report" clada-copy-report)
    ("w" "show the report" clada-report)
    ("e" "embed" clada-embed)
    ("+" "add to the context" clada-context-add)]
   ["Daemon"
    ("y" "approvals" clada-approve)
    ("s" "status" clada-status)
    ("R" "restart" clada-restart)]])

(provide 'clada)
;;; clada.el ends here
