;;; emacs-session.el --- The requests of a chat client with the real url.el  -*- lexical-binding: t; -*-

;; emacs --batch -Q -l emacs-session.el URL NODE, the token in the environment.
;;
;; What only Emacs itself can tell: which cookies url.el takes and gives back, that it asks nobody for a user name,
;; and what `json-read' makes of an answer.  Prints one line for each step; a question would end it, because there is
;; nobody to answer.

(require 'url)
(require 'url-cookie)
(require 'json)

(defvar base (pop command-line-args-left))
(defvar node (pop command-line-args-left))
(defvar bearer (cons "Authorization" (concat "Bearer " (getenv "MESH_GATEWAY_TOKEN"))))

(setq url-cookie-confirmation nil)

(defun ask (method path headers &optional body patience)
  "Send METHOD to PATH with HEADERS and BODY; return the status and the parsed answer.
Nil when there was none for PATIENCE seconds."
  (let ((url-request-method method)
        (url-request-extra-headers (append headers '(("Content-Type" . "application/json")
                                                     ("Accept" . "application/json"))))
        (url-request-data (and body (encode-coding-string (json-encode body) 'utf-8))))
    (when-let ((buffer (url-retrieve-synchronously (concat base path) t nil (or patience 60))))
      (with-current-buffer buffer
        (set-buffer-multibyte t)
        (goto-char (point-min))
        (re-search-forward "HTTP/[0-9.]+ \\([0-9]+\\)")
        (let ((status (string-to-number (match-string 1))))
          (re-search-forward "\r?\n\r?\n")
          (let ((json-array-type 'list))
            (cons status (ignore-errors (json-read)))))))))

(defun say (step value)
  (princ (format "%s: %S\n" step value)))

(let* ((rows (alist-get 'data (ask "GET" "/api/v1/sources/default/nodes" (list bearer))))
       (row (seq-find (lambda (row) (equal (alist-get 'nodeId row) node)) rows)))
  (say "has a key" (alist-get 'hasPKC row))
  (say "is a favourite" (alist-get 'isFavorite row))
  (say "was heard in whole seconds" (integerp (alist-get 'lastHeard row))))

(let* ((rows (alist-get 'data (ask "GET" "/api/v1/sources/default/messages?channel=0&limit=50" (list bearer))))
       (reactions (seq-filter (lambda (row) (equal (alist-get 'emoji row) 1)) rows)))
  (say "reactions" (mapcar (lambda (row) (alist-get 'text row)) reactions))
  (say "texts" (mapcar (lambda (row) (alist-get 'text row)) (seq-difference rows reactions)))
  (say "via MQTT" (alist-get 'viaMqtt (car rows))))

(let* ((answer (ask "GET" "/api/csrf-token" nil))
       (csrf (list (cons "X-CSRF-Token" (alist-get 'csrfToken (cdr answer)))))
       (body `((destination . ,node))))
  (say "csrf" (car answer))
  (say "traceroute" (car (ask "POST" "/api/traceroute" csrf body)))
  (say "position" (car (ask "POST" "/api/position/request" csrf body)))
  (setq url-cookie-storage nil)
  ;; url.el keeps such a refusal for itself; with another challenge than Bearer it would ask for a user name.
  (say "without the cookie" (ask "POST" "/api/traceroute" csrf body 2)))
