import type { SiteLinks } from "./site-links.ts";

/** Who runs this site and where its shell leads: told by configuration. Source: docs/decisions/0011. */

/**
 * The commercial-law notice in the order it is shown, each field with its heading.
 * Source: 特定商取引法 第11条, 同施行規則 第23条; 最終確認画面 (第12条の6) asks for the same of a recurring payment.
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

/** What is written of it by hand, whole. */
export interface SiteDescription extends SiteLinks {
  notice: Record<NoticeField, string>;
  /** The day the notice was last revised, `2026-11-20`. */
  revised_on: string;
}

/** The description, and what follows from how the deployment is bound. */
export interface Site extends SiteDescription {
  /** Whether page views are told to a property of Google Analytics. */
  is_google_told: boolean;
  /** Whether pages that have a code sent to a telephone ask Google's reCAPTCHA. */
  has_recaptcha: boolean;
  /** Whether members' pages watch a document at Google. */
  has_firestore: boolean;
}

/** What of it goes into every page. */
export function shellOf({ company_name, company_url, faq_url, feedback_url, guide_url, siblings }: Site): SiteLinks {
  return { company_name, company_url, faq_url, feedback_url, guide_url, siblings };
}
