; compute_fn of collatz.c. A has the address of the task, B its bytes, C where the result goes. Behind the return address they lie
; in the workspace, too. The result's bytes come back in A.

.set task, 1                    ; words of the caller's part of the workspace
.set result, 3
.set n, 0                       ; own words
.set left, 1
.set steps, 2
.set best, 3
.set best_n, 4
.set own, 5

compute:
        ajw -own
        ldl own + task
        ldnl 0
        stl n
        ldl own + task
        ldnl 1
        stl left
        ldc 0
        stl best
        ldc 0
        stl best_n
next:   ldl left
        cj done                 ; no number is left
        ldc 0
        stl steps
        ldl n
walk:   stl -1
        ldl -1
        eqc 1
        cj step
        j arrived
step:   ldl steps
        adc 1
        stl steps
        ldl -1
        ldc 1
        and
        cj even
        ldl -1
        ldc 3
        prod
        adc 1
        j walk
even:   ldl -1
        ldc 1
        shr
        j walk
arrived:
        ldl steps
        ldl best
        gt
        cj shorter
        ldl steps
        stl best
        ldl n
        stl best_n
shorter:
        ldl n
        adc 1
        stl n
        ldl left
        adc -1
        stl left
        j next
done:   ldl best_n
        ldl own + result
        stnl 0
        ldl best
        ldl own + result
        stnl 1
        ajw own
        ldc 8
        ret
