; Texts for the host: decimal numbers below 10 000, and packets of the iserver.

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
