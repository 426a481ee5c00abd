/**
 * Returns the moment that lies some months after the anchor, at the same time of day. A month without the anchor's day
 * has its last day instead: 31 January, 28 February, 31 March. All in UTC, as at Stripe.
 */
export function anniversaryOf(anchor_s: number, months: number): number {
  const anchor = new Date(anchor_s * 1000);
  const [year, month] = [anchor.getUTCFullYear(), anchor.getUTCMonth() + months];
  const last_day = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const moved = new Date(anchor);
  moved.setUTCFullYear(year, month, Math.min(anchor.getUTCDate(), last_day));
  return moved.getTime() / 1000;
}
