/** Free letters one person may send to one creator in a Japanese calendar day. Source: decisions, "free ofuse". */
export const FREE_OFUSES_A_DAY = 3;
