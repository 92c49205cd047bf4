; A worm: explores the machine from n0 on. Each node is booted by its parent, looks at its other links in turn, and boots those
; that nobody has booted. One node is active at a time. What is found goes up to n0, which prints a line for each cable:
; "0.1 - 1.0" is link 1 of the first node and link 0 of the second one. Nodes have numbers in the order of their boot.
;
; A look at a link reads a word of the neighbour, as a boot message may: byte 1, and an address. A node that waits for its boot
; message answers with the word; one that has the worm answers with its number and link. Where no cable is, nobody takes a byte.

        .include "parts/variables.s"

.set worm_mark, 0x57000000

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
        get count               ; the parent's: its code comes with its data
        put number
        get number
        adc 1
        put count
        get number
        cj look_at_all
        get parent
        adc -16
        get boot_link
        outword
look_at_all:
        ldc 0
        put link
next_link:
        get link
        eqc 4
        eqc 0
        cj all_looked_at
        get link
        get boot_link
        diff
        cj skip
        call look
        get answer
        eqc -1
        eqc 0
        cj skip                 ; no cable
        get answer
        ldc 0xFF000000
        and
        ldc worm_mark
        diff
        cj known
        call infect
        j skip
known:  get answer              ; the later one of two reports their cable
        ldc 4
        shr
        ldc 0xFFFFF
        and
        put far_number
        get number
        get far_number
        gt
        cj skip
        get answer
        ldc 15
        and
        put far_link
        get number
        put near_number
        get link
        put near_link
        call report
skip:   get link
        adc 1
        put link
        j next_link
all_looked_at:
        get number
        cj finish
        get parent
        adc -16
        ldc 2
        outword
        get parent
        adc -16
        get count
        outword
        ldc -1
        put wanted
        call listen             ; for ever

finish: get count
        put value
        ldap nodes_text
        call append_number
        ldap total
        ldc total_end - total
        call write
        ldap bye
        get parent
        adc -16
        ldc bye_end - bye
        out
        stopp

        .include "parts/look.s"

; Boots the neighbour at `link` and passes its reports on until it has finished.
infect: ajw -1
        output_channel link
        put to_child
        get to_child
        ldc start - mem_start   ; the loader, which lies in front of this code
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
        get count
        put far_number
        ldap far_link
        input_channel link
        ldc 4
        in
        get number
        put near_number
        get link
        put near_link
        call report
more_reports:
        get link
        put wanted
        call listen
        ldap kind
        input_channel link
        ldc 4
        in
        get kind
        eqc 1
        cj child_finished
        ldap near_number
        input_channel link
        ldc 16
        in
        call report
        j more_reports
child_finished:
        ldap count
        input_channel link
        ldc 4
        in
        ajw 1
        ret

; Waits until a byte comes on the link `wanted`, and answers all who look at this node meanwhile.
listen: ajw -1
listen_on:
        alt
        ldc inputs
        ldc 1
        enbc
        ldc inputs + 4
        ldc 1
        enbc
        ldc inputs + 8
        ldc 1
        enbc
        ldc inputs + 12
        ldc 1
        enbc
        altwt
        ldc inputs
        ldc 1
        ldc heard_0 - heard
        disc
        ldc inputs + 4
        ldc 1
        ldc heard_1 - heard
        disc
        ldc inputs + 8
        ldc 1
        ldc heard_2 - heard
        disc
        ldc inputs + 12
        ldc 1
        ldc heard_3 - heard
        disc
        altend
heard:
heard_0:
        ldc 0
        j heard_one
heard_1:
        ldc 1
        j heard_one
heard_2:
        ldc 2
        j heard_one
heard_3:
        ldc 3
heard_one:
        put who
        get who
        get wanted
        diff
        cj heard_wanted
        ldap scrap
        input_channel who
        ldc 5
        in
        output_channel who
        get number
        ldc 4
        shl
        get who
        or
        ldc worm_mark
        or
        outword
        j listen_on
heard_wanted:
        ajw 1
        ret

; Passes near_number, near_link, far_number, far_link up, or prints them.
report: get number
        cj print
        ajw -1
        get parent
        adc -16
        ldc 1
        outword
        ldap near_number
        get parent
        adc -16
        ldc 16
        out
        ajw 1
        ret
print:  ldap line_text
        put cursor
        get near_number
        put value
        get cursor
        call append_number
        ldc '.'
        call append
        get near_link
        adc '0'
        call append
        ldc ' '
        call append
        ldc '-'
        call append
        ldc ' '
        call append
        get far_number
        put value
        get cursor
        call append_number
        ldc '.'
        call append
        get far_link
        adc '0'
        call append
        ldc 10
        call append
        ldap line
        get cursor
        ldap line
        diff
        call write
        ret

        .include "parts/text.s"

        .align 4
parent: .word 0
boot_link: .word 0
number: .word 0
count:  .word 0
link:   .word 0
answer: .word 0
near_number: .word 0
near_link: .word 0
far_number: .word 0
far_link: .word 0
kind:   .word 0
wanted: .word 0
who:    .word 0
done:   .word 0
until:  .word 0
ask_channel: .word 0
to_child: .word 0
value:  .word 0
tens:   .word 0
cursor: .word 0
scrap:  .space 16
        .space 32
asker_space:
        .space 16
question: .byte 1
        .word mem_start
line:   .byte 0, 0, 13          ; Write, to stream 1
        .word 1
        .half 0
line_text: .space 64
total:  .byte 0, 0, 13
        .word 1
        .half 0
        .byte "nodes "
nodes_text: .byte "   ", 10
total_end: .byte 0
bye:    .byte 6, 0, 35          ; Exit
        .word 999999999
        .byte 0
bye_end:
end:
