// The handlers of all instructions, by file.
#pragma once

#include <run.hpp>

namespace t800_core {

// integer.cpp
T800_HANDLER(op_ldlp);
T800_HANDLER(op_ldnl);
T800_HANDLER(op_ldc);
T800_HANDLER(op_ldnlp);
T800_HANDLER(op_ldl);
T800_HANDLER(op_adc);
T800_HANDLER(op_ajw);
T800_HANDLER(op_eqc);
T800_HANDLER(op_stl);
T800_HANDLER(op_stnl);
T800_HANDLER(op_rev);
T800_HANDLER(op_lb);
T800_HANDLER(op_bsub);
T800_HANDLER(op_diff);
T800_HANDLER(op_add);
T800_HANDLER(op_prod);
T800_HANDLER(op_gt);
T800_HANDLER(op_wsub);
T800_HANDLER(op_sub);
T800_HANDLER(op_seterr);
T800_HANDLER(op_csub0);
T800_HANDLER(op_xdble);
T800_HANDLER(op_ldpri);
T800_HANDLER(op_not);
T800_HANDLER(op_xor);
T800_HANDLER(op_bcnt);
T800_HANDLER(op_xword);
T800_HANDLER(op_sb);
T800_HANDLER(op_gajw);
T800_HANDLER(op_wcnt);
T800_HANDLER(op_shr);
T800_HANDLER(op_shl);
T800_HANDLER(op_mint);
T800_HANDLER(op_and);
T800_HANDLER(op_or);
T800_HANDLER(op_csngl);
T800_HANDLER(op_ccnt1);
T800_HANDLER(op_sum);
T800_HANDLER(op_mul);
T800_HANDLER(op_cword);
T800_HANDLER(op_dup);
T800_HANDLER(op_wsubdb);
T800_HANDLER(op_ldpi);
T800_HANDLER(op_testerr);
T800_HANDLER(op_ldtimer);
T800_HANDLER(op_lddevid);
T800_HANDLER(op_nothing);
// long_integer.cpp
T800_HANDLER(op_ladd);
T800_HANDLER(op_lsub);
T800_HANDLER(op_lsum);
T800_HANDLER(op_ldiff);
T800_HANDLER(op_lmul);
T800_HANDLER(op_ldiv);
T800_HANDLER(op_lshl);
T800_HANDLER(op_lshr);
T800_HANDLER(op_norm);
T800_HANDLER(op_div);
T800_HANDLER(op_rem);
T800_HANDLER(op_fmul);
T800_HANDLER(op_crcword);
T800_HANDLER(op_crcbyte);
T800_HANDLER(op_bitcnt);
T800_HANDLER(op_bitrevword);
T800_HANDLER(op_bitrevnbits);
// control.cpp
T800_HANDLER(op_j);
T800_HANDLER(op_call);
T800_HANDLER(op_cj);
T800_HANDLER(op_ret);
T800_HANDLER(op_lend);
T800_HANDLER(op_gcall);
T800_HANDLER(op_altend);
T800_HANDLER(error_set);

}  // namespace t800_core
