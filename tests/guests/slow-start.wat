;; Never gets beyond its start function.
;;@ start
(func $start (loop $again (br $again)))
(start $start)
