; The least program for a host: writes a line and exits. Its image is a length byte and the code; a boot leaves the input channel of the
; link in C.

start:  ajw 40
        stl 0
        stl 1
        stl 2
        ldap line
        ldl 2
        adc -16                 ; the output channel
        ldc line_end - line
        out
        ldlp 4
        ldl 2
        ldc 2                   ; the length of the reply, and then the reply
        in
        ldlp 5
        ldl 2
        ldlp 4
        lb
        in
        ldap bye
        ldl 2
        adc -16
        ldc bye_end - bye
        out
        stopp

line:   .byte 20, 0, 15         ; Puts, to stream 1
        .word 1
        .half 12
        .byte "hello, world", 0
line_end:
bye:    .byte 6, 0, 35          ; Exit
        .word 999999999
        .byte 0
bye_end:
