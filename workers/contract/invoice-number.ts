/**
 * Whether a text is a registration number of the consumption tax (適格請求書発行事業者の登録番号): T and 13 digits. A company's
 * digits have a check digit, but nothing is published about those of a sole trader, so none is checked. Imports nothing: pages
 * and settings use it. Source: https://www.invoice-kohyo.nta.go.jp/about-toroku/
 */
export function isInvoiceNumber(text: string): boolean {
  return /^T\d{13}$/.test(text);
}
