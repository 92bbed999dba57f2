#!/bin/sh
# Written by `guard-host install cline`, and removed by `guard-host uninstall cline`.
reply=$(COMMAND) || reply=
case $reply in '{"cancel":'*'}') ;; *) reply='{"cancel":true,"errorMessage":"guard-host gave no answer, so this call is held. Tell the user to run: guard-host doctor cline"}' ;; esac
printf '%s\n' "$reply"
