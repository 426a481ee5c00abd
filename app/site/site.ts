import type { SiteLinks } from "./site-links.ts";

/**
 * The operator of this site and the shell's links, from the deployment's configuration. Source: docs/decisions/0011.
 */

/**
 * The fields of the commercial-law notice in the order shown, with their headings. Source: 特定商取引法 第11条,
 * 同施行規則 第23条; 最終確認画面 (第12条の6) requires the same for a recurring payment.
 */
export const noticeHeadings = {
  seller: "販売業者",
  manager: "運営統括責任者",
  address: "所在地",
  phone: "電話番号",
  phone_hours: "電話受付時間",
  email: "メールアドレス",
  price: "販売価格",
  extra_fees: "商品代金以外の必要料金",
  payment_methods: "お支払い方法",
  payment_timing: "お支払い時期",
  delivery: "引き渡し時期",
  cancellation: "返品・キャンセル",
  recurring: "継続課金の条件と解約",
  offer_period: "申込みの有効期限",
  environment: "動作環境",
  special_conditions: "特別な販売条件",
} as const;

export type NoticeField = keyof typeof noticeHeadings;

/** The part of the configuration that the operator writes by hand. */
export interface SiteDescription extends SiteLinks {
  notice: Record<NoticeField, string>;
  /** The date of the last revision of the notice, `2026-11-20`. */
  revised_on: string;
  /** The operator's registration number (適格請求書発行事業者), where there is one. */
  invoice_number?: string | undefined;
}

/** The whole configuration: the description, and what follows from the deployment's bindings. */
export interface Site extends SiteDescription {
  /** Whether page views are sent to Google Analytics. */
  is_google_told: boolean;
  /** Whether pages that send SMS codes use Google's reCAPTCHA. */
  has_recaptcha: boolean;
  /**
   * Whether people can sign in by other providers and by SMS. A site on one machine has neither: its embedded identity
   * provider only stands in for them, in a demo.
   */
  has_outside_ways: boolean;
  /** Whether there is a payment gateway. Without one, pages offer no payment. */
  takes_money: boolean;
  /** Whether members' pages watch a Firestore document. */
  has_firestore: boolean;
}

/** The part of the configuration that every page needs. */
export function shellOf({ company_name, company_url, faq_url, feedback_url, guide_url, siblings }: Site): SiteLinks {
  return { company_name, company_url, faq_url, feedback_url, guide_url, siblings };
}
