; A farm on a tree or a chain. Each node boots the neighbours that nobody has booted, and then has a worker and a router. A worker
; asks its router for a task and gives the result of the last one with it. The router passes the request up and the task down, for its
; worker and for the routers below. n0 has the tasks, 1 to `tasks`, adds up the results, and prints the sum. A task is a number,
; and its result how many steps Collatz' rule takes from there to 1.

        .include "parts/variables.s"

.set tasks, 200

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
