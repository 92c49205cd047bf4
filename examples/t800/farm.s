; A farm on a tree or a chain. Each node boots the neighbours that nobody has booted, and then has a worker and a router. A worker
; asks its router for a task and gives the result of the last one with it. The router passes the request up and the task down, for its
; worker and for the routers below. n0 has the tasks, 1 to `tasks`, adds up the results, and prints the sum. A task is a number,
; and its result how many steps Collatz' rule takes from there to 1.

.set mem_start, 0x80000070
.set outputs, 0x80000000
.set inputs, 0x80000010
.set patience, 20               ; ticks of 64 us

.set tasks, 200

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
        put root
        ldc 0
        put is_root
        ldc 1
        put active              ; its own worker
        ldc 0
        put link
next_link:
        get link
        eqc 4
        eqc 0
        cj work
        ldc 0
        get link
        ldap child
        wsub
        stnl 0
        get link
        get boot_link
        diff
        cj skip
        call look
        get answer
        cj free
        j skip
free:   call infect
        ldc 1
        get link
        ldap child
        wsub
        stnl 0
        get active
        adc 1
        put active
skip:   get link
        adc 1
        put link
        j next_link

work:   mint
        put wanted
        mint
        put given
        ldc worker - routing
        ldap worker_space
        startp
routing:
route:  alt
        ldc inputs + 0
        ldap child
        ldnl 0
        enbc
        ldc inputs + 4
        ldap child
        ldnl 1
        enbc
        ldc inputs + 8
        ldap child
        ldnl 2
        enbc
        ldc inputs + 12
        ldap child
        ldnl 3
        enbc
        ldap wanted
        ldc 1
        enbc
        altwt
        ldc inputs + 0
        ldap child
        ldnl 0
        ldc heard_0 - heard
        disc
        ldc inputs + 4
        ldap child
        ldnl 1
        ldc heard_1 - heard
        disc
        ldc inputs + 8
        ldap child
        ldnl 2
        ldc heard_2 - heard
        disc
        ldc inputs + 12
        ldap child
        ldnl 3
        ldc heard_3 - heard
        disc
        ldap wanted
        ldc 1
        ldc heard_4 - heard
        disc
        altend
heard:
heard_0:
        ldc inputs + 0
        put from
        ldc outputs + 0
        put to
        j request
heard_1:
        ldc inputs + 4
        put from
        ldc outputs + 4
        put to
        j request
heard_2:
        ldc inputs + 8
        put from
        ldc outputs + 8
        put to
        j request
heard_3:
        ldc inputs + 12
        put from
        ldc outputs + 12
        put to
        j request
heard_4:
        ldap wanted
        put from
        ldap given
        put to
request:
        ldap result
        get from
        ldc 4
        in
        get result
        eqc -1
        cj serve
        get active              ; somebody has finished
        adc -1
        put active
        get active
        cj finish
        j route
serve:  get root
        cj pass_up
        get sum
        get result
        add
        put sum
        ldc 0
        put task
        get next
        ldc tasks
        gt
        eqc 0
        cj give
        get next
        put task
        get next
        adc 1
        put next
        j give
pass_up:
        get parent
        adc -16
        get result
        outword
        ldap task
        get parent
        ldc 4
        in
give:   get to
        get task
        outword
        j route

finish: get root
        cj finish_below
        get sum
        put value
        ldap digits
        call append_number
        ldap text
        ldc text_end - text
        call write
        ldap bye
        get parent
        adc -16
        ldc bye_end - bye
        out
        stopp
finish_below:
        get parent
        adc -16
        ldc -1
        outword
        stopp

; The worker: its workspace has the result in word 1, the task in 2.
worker: ldc 0
        stl 1
ask:    ldap wanted
        ldl 1
        outword
        ldlp 2
        ldap given
        ldc 4
        in
        ldl 2
        cj worker_finishes
        ldc 0
        stl 1
step:   ldl 2
        eqc 1
        eqc 0
        cj ask
        ldl 1
        adc 1
        stl 1
        ldl 2
        ldc 1
        and
        cj even
        ldl 2
        ldc 3
        prod
        adc 1
        stl 2
        j step
even:   ldl 2
        ldc 1
        shr
        stl 2
        j step
worker_finishes:
        ldap wanted
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
root:   .word 0
active: .word 0
child:  .space 16
from:   .word 0
to:     .word 0
result: .word 0
task:   .word 0
next:   .word 1
sum:    .word 0
wanted: .word 0                 ; channels between worker and router
given:  .word 0
        .space 32
worker_space:
        .space 16
text:   .byte 0, 0, 13          ; Write, to stream 1
        .word 1
        .half 0
        .byte "sum "
digits: .byte "    ", 10
text_end: .byte 0
bye:    .byte 6, 0, 35          ; Exit
        .word 999999999
        .byte 0
bye_end:
end:
