/**
 * Whether a text is a registration number of the consumption tax (適格請求書発行事業者の登録番号): T and 13 digits. A company's
 * digits have a check digit, but nothing is published about those of a sole trader, so none is checked. Imports nothing: pages
 * and settings use it. Source: https://www.invoice-kohyo.nta.go.jp/about-toroku/
 */
export function isInvoiceNumber(text: string): boolean {
  return /^T\d{13}$/.test(text);
}

/**
 * Returns the operator's own registration number in `SITE`, the JSON that describes the operator; null when there is none. Only
 * the web worker checks the rest of it.
 */
export function readIssuerNumber(site: string): string | null {
  try {
    const { invoice_number } = JSON.parse(site);
    return isInvoiceNumber(invoice_number) ? invoice_number : null;
  } catch {
    return null;
  }
}
