; Reads a word of the neighbour at `link` into `answer`; -1 when nobody takes the bytes.

.set patience, 20               ; ticks of 64 us

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
