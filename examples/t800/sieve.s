; A sieve on a chain: n0 sends 2, 3, 4 and so on down, and each other node keeps the first number that reaches it, a prime. It passes
; on what its prime does not divide. At the end the primes come back up, and n0 prints them.

.set mem_start, 0x80000070
.set outputs, 0x80000000
.set inputs, 0x80000010
.set patience, 20               ; ticks of 64 us

.set most, 100                  ; the last number

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
        ldc 10
        div
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
