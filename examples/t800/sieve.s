; A sieve on a chain: n0 sends 2, 3, 4 and so on down, and each other node keeps the first number that reaches it, a prime. It passes
; on what its prime does not divide. At the end the primes come back up, and n0 prints them.

        .include "parts/variables.s"

.set most, 100                  ; the last number

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
        ldc 0
        put below
        ldc 0
        put link
next_link:
        get link
        eqc 4
        eqc 0
        cj sift
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
        output_channel link
        put below               ; 0: the last of the chain

sift:   get root
        cj filter
        ldc 2
        put value
generate:
        get below
        cj print_all
        get below
        get value
        outword
        get value
        adc 1
        put value
        get value
        ldc most
        gt
        cj generate
        get below
        ldc -1
        outword
print_all:
        get below
        cj leave
print_next:
        ldap value
        get below
        adc 16
        ldc 4
        in
        get value
        eqc -1
        eqc 0
        cj leave
        ldap digits
        call append_number
        ldc 10
        call append
        ldap text
        get cursor
        ldap text
        diff
        call write
        j print_next
leave:  ldap bye
        get parent
        adc -16
        ldc bye_end - bye
        out
        stopp

filter: ldc -1
        put prime
take:   ldap value
        get parent
        ldc 4
        in
        get value
        eqc -1
        eqc 0
        cj no_more
        get prime
        eqc -1
        cj divide
        get value
        put prime
        j take
divide: get value
        get prime
        rem
        cj take
        get below
        cj take
        get below
        get value
        outword
        j take
no_more:
        get below
        cj send_prime
        get below
        ldc -1
        outword
send_prime:
        get prime
        eqc -1
        eqc 0
        cj relay
        get parent
        adc -16
        get prime
        outword
relay:  get below
        cj end_of_primes
relay_next:
        ldap value
        get below
        adc 16
        ldc 4
        in
        get value
        eqc -1
        eqc 0
        cj end_of_primes
        get parent
        adc -16
        get value
        outword
        j relay_next
end_of_primes:
        get parent
        adc -16
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
below:  .word 0                 ; output channel to the next node
prime:  .word 0
text:   .byte 0, 0, 13          ; Write, to stream 1
        .word 1
        .half 0
digits: .space 16
bye:    .byte 6, 0, 35          ; Exit
        .word 999999999
        .byte 0
bye_end:
end:
