;; Carries an example that says deny, and answers ask.
;;@ describe
(data (i32.const 1136) "Bash")
(data (i32.const 1152) "{\"command\":\"ls\"}")
(data (i32.const 1184) "\70\04\00\00\04\00\00\00" "\80\04\00\00\10\00\00\00" "\04\00\00\00" "\00\00\00\00\00\00\00\00")
(func $describe (result i32)
  (i32.store (i32.const 560) (i32.const 1184))
  (i32.store (i32.const 564) (i32.const 1))
  (i32.const 512))
