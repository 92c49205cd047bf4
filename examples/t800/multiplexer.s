; A multiplexer: three producers on the second node share its link to n0. A server there waits for all of them with an ALT, and sends
; the number of a producer and its value as one output of eight bytes. n0 takes each with two inputs of four bytes, adds up what each
; producer sent, and prints the three sums. Producer k sends k, k + 3, k + 6 and so on, `count` numbers. The third one pauses now and
; then, so the ALT also has a timer.

.set mem_start, 0x80000070
.set outputs, 0x80000000
.set inputs, 0x80000010
.set patience, 20               ; ticks of 64 us

.set count, 50

.macro get, name
        ldap \name
        ldnl 0
.endm
.macro put, name
        ldap \name
        stnl 0
.endm
.macro output_channel, which    ; of the link with the number in a variable
        get \which
        ldc outputs
        wsub
.endm
.macro input_channel, which
        get \which
        ldc inputs
        wsub
.endm

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

; Reads a word of the neighbour at `link` into `answer`; -1 when nobody takes the bytes.
look:   ajw -1                  ; the word at the workspace is used by outword and ALT
        mint
        put done
        output_channel link
        put ask_channel
        ldc asker - asked
        ldap asker_space
        startp
asked:  ldtimer
        adc patience
        put until
        talt
        ldap done
        ldc 1
        enbc
        get until
        ldc 1
        enbt
        taltwt
        ldap done
        ldc 1
        ldc taken - chosen
        disc
        get until
        ldc 1
        ldc not_taken - chosen
        dist
        altend
chosen:
taken:  ldap scrap
        ldap done
        ldc 4
        in
        ldap answer
        input_channel link
        ldc 4
        in
        ajw 1
        ret
not_taken:
        output_channel link
        resetch
        input_channel link
        resetch
        ldc -1
        put answer
        ajw 1
        ret

asker:  ldap question           ; a process of its own, since an output cannot be an alternative
        get ask_channel
        ldc 5
        out
        ldap done
        ldc 1
        outword
        stopp

; Boots the neighbour at `link`: the loader in front of this code, then the code with its data.
infect: ajw -1
        output_channel link
        put to_child
        get to_child
        ldc start - mem_start
        outbyte
        ldc mem_start
        get to_child
        ldc start - mem_start
        out
        get to_child
        ldc end - start
        outword
        ldap start
        get to_child
        ldc end - start
        out
        ajw 1
        ret

; Appends the character in A at `cursor`.
append: ldl 1
        get cursor
        sb
        get cursor
        adc 1
        put cursor
        ret

; Appends `value` in decimal at the address in A, which becomes the cursor.
append_number:
        ldl 1
        put cursor
        get value
        ldc 10
        div
        put tens
        get tens
        cj units
        get tens
        ldc 10
        div
        cj two_digits
        get tens
        ldc 100
        div
        cj three_digits
        get tens
        ldc 100
        div
        adc '0'
        call append
three_digits:
        get tens
        ldc 10
        div
        ldc 10
        rem
        adc '0'
        call append
two_digits:
        get tens
        ldc 10
        rem
        adc '0'
        call append
units:  get value
        ldc 10
        rem
        adc '0'
        call append
        ret

; Writes a packet to the host: B is its address, A its length, 9 bytes of head included. The length is made even. Takes the reply.
write:  ldl 1
        adc -9
        ldl 2
        adc 7
        sb                      ; length of the text, below 256
        ldl 1
        adc -1
        ldc -2
        and                     ; of what follows the first two bytes, even
        ldl 2
        sb
        ldl 2
        get parent
        adc -16
        ldl 2
        lb
        adc 2
        out
        ldap scrap
        get parent
        ldc 2
        in
        ldap scrap
        get parent
        ldap scrap
        lb
        in
        ret

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
