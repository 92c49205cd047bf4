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
