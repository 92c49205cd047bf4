; A multiplexer: three producers on the second node share its link to n0. A server there waits for all of them with an ALT, and sends
; the number of a producer and its value as one output of eight bytes. n0 takes each with two inputs of four bytes, adds up what each
; producer sent, and prints the three sums. Producer k sends k, k + 3, k + 6 and so on, `count` numbers. The third one pauses now and
; then, so the ALT also has a timer.

        .include "parts/variables.s"

.set count, 50

start:  ajw 64
        stl 0
        stl 1
        stl 2
        ldl 2
        put parent              ; input channel of the link that booted this node
        mint
        sthf
        mint
        stlf
        mint
        mint
        stnl 9                  ; both timer queues are empty
        mint
        mint
        stnl 10
        ldc 0
        sttimer
        get parent
        ldc 15
        and
        ldc 2
        shr
        put boot_link
        get is_root
        cj producing
        ldc 0
        put is_root
        ldc 0
        put link
next_link:
        get link
        eqc 4
        cj try_link
        stopp                   ; there is no second node
try_link:
        get link
        get boot_link
        diff
        cj skip
        call look
        get answer
        cj free
skip:   get link
        adc 1
        put link
        j next_link
free:   call infect

take:   ldap index
        input_channel link
        ldc 4
        in
        ldap value
        input_channel link
        ldc 4
        in
        get index
        eqc 3
        eqc 0
        cj print_all            ; the server has finished
        get index
        ldap sums
        wsub
        ldnl 0
        get value
        add
        get index
        ldap sums
        wsub
        stnl 0
        j take
print_all:
        ldc 0
        put index
print_next:
        get index
        ldap sums
        wsub
        ldnl 0
        put value
        ldap digits
        call append_number
        ldc 10
        call append
        ldap text
        get cursor
        ldap text
        diff
        call write
        get index
        adc 1
        put index
        get index
        eqc 3
        cj print_next
        ldap bye
        get parent
        adc -16
        ldc bye_end - bye
        out
        stopp

producing:
        mint
        put channel_0
        ldc 0
        ldap producer_space_0
        stnl 1
        ldap channel_0
        ldap producer_space_0
        stnl 2
        ldc producer - started_0
        ldap producer_space_0
        startp
started_0:
        mint
        put channel_1
        ldc 1
        ldap producer_space_1
        stnl 1
        ldap channel_1
        ldap producer_space_1
        stnl 2
        ldc producer - started_1
        ldap producer_space_1
        startp
started_1:
        mint
        put channel_2
        ldc 2
        ldap producer_space_2
        stnl 1
        ldap channel_2
        ldap producer_space_2
        stnl 2
        ldc producer - started_2
        ldap producer_space_2
        startp
started_2:
        ldc 3
        put left
serve:  talt
        ldap channel_0
        ldc 1
        enbc
        ldap channel_1
        ldc 1
        enbc
        ldap channel_2
        ldc 1
        enbc
        ldtimer
        adc 2
        put until
        get until
        ldc 1
        enbt
        taltwt
        ldap channel_0
        ldc 1
        ldc from_0 - served
        disc
        ldap channel_1
        ldc 1
        ldc from_1 - served
        disc
        ldap channel_2
        ldc 1
        ldc from_2 - served
        disc
        get until
        ldc 1
        ldc nobody - served
        dist
        altend
served:
from_0: ldc 0
        put index
        ldap value
        ldap channel_0
        ldc 4
        in
        j pass_on
from_1: ldc 1
        put index
        ldap value
        ldap channel_1
        ldc 4
        in
        j pass_on
from_2: ldc 2
        put index
        ldap value
        ldap channel_2
        ldc 4
        in
        j pass_on
nobody: get pauses
        adc 1
        put pauses
        j serve
pass_on:
        get value
        eqc -1
        cj send
        get left
        adc -1
        put left
        get left
        eqc 0
        cj serve
        ldc 3
        put index
send:   ldap index              ; index and value lie side by side
        get parent
        adc -16
        ldc 8
        out
        get index
        eqc 3
        cj serve
        stopp

; A producer: word 1 of its workspace is its number and then the value, word 2 its channel.
producer:
        ldc 0
        stl 3
produce:
        ldl 2
        ldl 1
        outword
        ldl 1
        ldc 2
        and
        eqc 2
        cj quick
        ldtimer
        adc 3
        tin
quick:  ldl 1
        adc 3
        stl 1
        ldl 3
        adc 1
        stl 3
        ldl 3
        eqc count
        cj produce
        ldl 2
        ldc -1
        outword
        stopp

        .include "parts/look.s"

        .include "parts/boot_neighbour.s"
        .include "parts/text.s"

        .align 4
parent: .word 0
boot_link: .word 0
is_root: .word 1                ; n0 clears it before it boots others
link:   .word 0
answer: .word 0
done:   .word 0
until:  .word 0
ask_channel: .word 0
to_child: .word 0
index:  .word 0
value:  .word 0
tens:   .word 0
cursor: .word 0
scrap:  .space 16
        .space 32
asker_space:
        .space 16
question: .byte 1
        .word mem_start
        .align 4
left:   .word 0
pauses: .word 0
sums:   .word 0, 0, 0
channel_0: .word 0
channel_1: .word 0
channel_2: .word 0
        .space 32
producer_space_0:
        .space 48
producer_space_1:
        .space 48
producer_space_2:
        .space 16
text:   .byte 0, 0, 13          ; Write, to stream 1
        .word 1
        .half 0
digits: .space 16
bye:    .byte 6, 0, 35          ; Exit
        .word 999999999
        .byte 0
bye_end:
end:
