;; Wishes for a variable, a file and a journal, and carries an example that holds.
;;@ describe
(data (i32.const 1024) "env:CI")
(data (i32.const 1040) "read:~/allowed.txt")
(data (i32.const 1072) "journal:notes")
(data (i32.const 1104) "\00\04\00\00\06\00\00\00" "\10\04\00\00\12\00\00\00" "\30\04\00\00\0d\00\00\00")
;; The example: tool, input, outcome (3 is ask), no rule.
(data (i32.const 1136) "Bash")
(data (i32.const 1152) "{\"command\":\"ls\"}")
(data (i32.const 1184) "\70\04\00\00\04\00\00\00" "\80\04\00\00\10\00\00\00" "\03\00\00\00" "\00\00\00\00\00\00\00\00")
(func $describe (result i32)
  (i32.store (i32.const 552) (i32.const 1104))
  (i32.store (i32.const 556) (i32.const 3))
  (i32.store (i32.const 560) (i32.const 1184))
  (i32.store (i32.const 564) (i32.const 1))
  (i32.const 512))
