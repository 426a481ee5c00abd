/** The lines of invoices and receipts about seller, issuer and tax. */

/** The operator, who issues invoices and receipts. */
interface InvoiceIssuer {
  seller: string;
  address: string;
  phone: string;
  /** The operator's registration number, where there is one. */
  issuer_number: string | null;
}

/**
 * The sentence about the kind of document. The operator issues it for the creator, which makes it a qualified invoice
 * when both are registered. Without the payer's name it is a simplified one (適格簡易請求書), which retailers may issue.
 * Source: 消費税法 第57条の4 第1項第6号 and 第2項, 同施行令 第70条の12 (媒介者交付特例).
 */
export function InvoiceKind(props: {
  issuer_number: string | null;
  seller_number: string | null;
  payer_name: string | null;
}) {
  const { issuer_number, seller_number, payer_name } = props;
  const is_qualified = issuer_number !== null && seller_number !== null;
  const kind = payer_name ? "適格請求書" : "適格簡易請求書";
  return (
    <p className="field-hint">
      {is_qualified
        ? `この書類は、発行者が売り手に代わって交付する${kind}です（媒介者交付特例、消費税法施行令第70条の12）。`
        : "売り手または発行者の登録番号がないため、この書類は適格請求書ではありません。"}
    </p>
  );
}

/** The issuer with address, telephone number and registration number. */
export function Issuer({ seller, address, phone, issuer_number }: InvoiceIssuer) {
  return (
    <>
      {seller}
      <br />
      {address}
      <br />
      {phone}
      <RegistrationNumber number={issuer_number} />
    </>
  );
}

/** A registration number below a name, where there is one. */
export function RegistrationNumber({ number }: { number: string | null }) {
  if (number === null) return null;
  return (
    <>
      <br />
      {`登録番号 ${number}`}
    </>
  );
}
