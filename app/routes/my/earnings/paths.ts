export const EARNINGS_PATH = "/my/transactions";
/** Where a report is downloaded. */
export const REPORT_PATH = `${EARNINGS_PATH}/report.csv`;
/** Where a payout is asked for. */
export const PAYOUT_PATH = `${EARNINGS_PATH}/payout`;
/** The list of all payouts. */
export const PAYOUTS_PATH = `${EARNINGS_PATH}/payouts`;
export const MONETIZE_PATH = "/signup/monetize";
