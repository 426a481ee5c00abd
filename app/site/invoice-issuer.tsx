/** What invoices and receipts say about who sells, who issues, and the tax. */

/**
 * The sentence about the kind of document. The operator issues it for the creator, which makes it a qualified invoice
 * when both are registered. Source: 消費税法施行令 第70条の12 (媒介者交付特例).
 */
export function InvoiceKind(props: { issuer_number: string | null; seller_number: string | null }) {
  const { issuer_number, seller_number } = props;
  const is_qualified = issuer_number !== null && seller_number !== null;
  return (
    <p className="field-hint">
      {is_qualified
        ? "この書類は、発行者が売り手に代わって交付する適格請求書です（媒介者交付特例、消費税法施行令第70条の12）。"
        : "売り手または発行者の登録番号がないため、この書類は適格請求書ではありません。"}
    </p>
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
