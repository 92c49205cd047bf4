; Names of the links' channels, and variables behind the code.

.set mem_start, 0x80000070
.set outputs, 0x80000000
.set inputs, 0x80000010

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
