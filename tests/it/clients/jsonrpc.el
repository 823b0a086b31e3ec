;; Emacs' own jsonrpc.el, over a socket.  The environment names it: SOCKET.
(require 'jsonrpc)
(let* ((process (make-network-process :name "clada" :family 'local :service (getenv "SOCKET")
                                      :coding 'utf-8-emacs-unix :noquery t))
       (connection (make-instance 'jsonrpc-process-connection :process process))
       (status (jsonrpc-request connection :status nil)))
  (jsonrpc-notify connection :status nil)
  (princ (format "{\"pid\":%d}\n" (plist-get status :pid)))
  (jsonrpc-shutdown connection))
