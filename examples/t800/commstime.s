; commstime: four processes in a ring of channels, as in INMOS' benchmark. A number goes round; successor adds one, and delta gives
; it to consumer as well, in parallel. Prints the time of a round. A T800-20 with everything on its chip takes 15.05 us.

.set rounds, 10000

; Offsets in words, from the channels on.
.set prefix_to_delta, 0
.set delta_to_successor, 1
.set successor_to_prefix, 2
.set delta_to_consumer, 3
.set prefix, 10                 ; workspaces
.set successor, 20
.set delta_second, 30
.set delta, 40
.set consumer, 50

start:  ajw consumer + 16
        stl 0
        stl 1
        stl 2
        ldl 2
        ldap parent
        stnl 0
        mint
        sthf
        mint
        stlf
        mint
        mint
        stnl 9
        mint
        mint
        stnl 10
        ldc 0
        sttimer
        ajw -16                 ; consumer's workspace
        mint
        stl prefix_to_delta - consumer
        mint
        stl delta_to_successor - consumer
        mint
        stl successor_to_prefix - consumer
        mint
        stl delta_to_consumer - consumer
        ldc prefix_code - started_prefix
        ldlp prefix - consumer
        startp
started_prefix:
        ldc successor_code - started_successor
        ldlp successor - consumer
        startp
started_successor:
        ldc delta_code - started_delta
        ldlp delta - consumer
        startp
started_delta:
        ldc 0
        stl 2
        ldc rounds
        stl 3
        ldtimer
        stl 4
consume:
        ldlp 1
        ldlp delta_to_consumer - consumer
        ldc 4
        in
        ldlp 2
        ldc consumed - consume
        lend
consumed:
        ldtimer
        ldl 4
        diff
        ldc 64 * 1000 / 100
        prod
        ldc rounds / 100
        div
        stl 5
        j print

prefix_code:
        ldlp prefix_to_delta - prefix
        ldc 0
        outword
round_prefix:
        ldlp 1
        ldlp successor_to_prefix - prefix
        ldc 4
        in
        ldlp prefix_to_delta - prefix
        ldl 1
        outword
        j round_prefix

successor_code:
        ldlp 1
        ldlp delta_to_successor - successor
        ldc 4
        in
        ldlp successor_to_prefix - successor
        ldl 1
        adc 1
        outword
        j successor_code

delta_code:
        ldlp 2
        ldlp prefix_to_delta - delta
        ldc 4
        in
        ldap delta_code
        stl 0
        ldc 2
        stl 1
        ldc second - started_second
        ldlp delta_second - delta
        startp
started_second:
        ajw -2                  ; outword needs the word at the workspace
        ldlp delta_to_consumer - delta + 2
        ldl 4
        outword
        ldlp 2
        endp
second: ldlp delta_to_successor - delta_second
        ldl delta + 2 - delta_second
        outword
        ldlp delta - delta_second
        endp

; "round 12345 ns"
print:  ldc 5
        stl 6
        ldap digits
        adc 4
        stl 7
digit:  ldl 5
        ldc 10
        rem
        adc '0'
        ldl 7
        sb
        ldl 5
        ldc 10
        div
        stl 5
        ldl 7
        adc -1
        stl 7
        ldl 6
        adc -1
        stl 6
        ldl 6
        eqc 0
        cj digit
        ldap text
        ldap parent
        ldnl 0
        adc -16
        ldc text_end - text
        out
        ldap reply
        ldap parent
        ldnl 0
        ldc 4
        in
        ldap bye
        ldap parent
        ldnl 0
        adc -16
        ldc bye_end - bye
        out
        stopp

        .align 4
parent: .word 0
reply:  .word 0
text:   .byte 22, 0, 15         ; Puts, to stream 1
        .word 1
        .half 14
        .byte "round "
digits: .byte "00000 ns", 0
text_end:
bye:    .byte 6, 0, 35          ; Exit
        .word 999999999
        .byte 0
bye_end:
