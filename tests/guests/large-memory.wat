;; Starts with 128 MiB: more than a call may use, less than the description may.
;;@ memory
(memory (export "memory") 2048)
