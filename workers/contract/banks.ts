import * as z from "zod";
import {
  ACCOUNT_HOLDER_CHARACTERS,
  countHolderCharacters,
  findUnusableInHolder,
  isHolderNamed,
  toHolderKana,
} from "./account-holder.ts";
import { time } from "./fields.ts";
import { toNormalForm } from "./normal-form.ts";
import { defineOperation } from "./operation.ts";
import { dropUnseen, isVisible, RETYPE } from "./visible-text.ts";

/**
 * Japanese banks, their branches, and the account that a creator registers for payouts. The spec does not show the fields
 * of a bank account, and has no lists of banks: docs/decisions/0028.
 */

/** ゆうちょ銀行. Its passbooks show a 記号 and a 番号; transfers take other numbers (docs/decisions/0028). */
export const JAPAN_POST_BANK = "9900";

export const bankCode = z
  .string({ error: "銀行を選んでください。" })
  .regex(/^\d{4}$/, "銀行を選んでください。")
  .meta({ id: "BankCode", description: "金融機関コード（4桁）", examples: ["0001"] });

export const branchCode = z
  .string({ error: "支店を選んでください。" })
  .regex(/^\d{3}$/, "支店を選んでください。")
  .meta({ id: "BranchCode", description: "支店コード（3桁）", examples: ["004"] });

/** 普通, 当座 and 貯蓄: 1, 2 and 4 of the Zengin format. The first two names are Stripe's. */
export const bankAccountType = z
  .enum(["futsu", "toza", "chochiku"], "口座の種別を選んでください。")
  .meta({ id: "BankAccountType", description: "口座の種別（普通、当座、貯蓄）", examples: ["futsu"] });
/** The types that can be registered. Stripe pays out to no others in Japan: docs/decisions/0031. */
const payableAccountType = bankAccountType.exclude(["chochiku"], {
  error: ({ input }) =>
    input === "chochiku"
      ? "貯蓄預金の口座には振り込めません。普通か当座の口座を選んでください。"
      : "口座の種別を選んでください。",
});
export type BankAccountType = z.output<typeof bankAccountType>;

/** How many digits an account number has. Shorter numbers begin with zeros. */
const ACCOUNT_NUMBER_DIGITS = 7;

const accountNumber = z
  .string({ error: "口座番号を入力してください。" })
  .overwrite((typed) => toNormalForm(dropUnseen(typed), "NFKC").replace(/[\s‐-―−ー-]/g, ""))
  .min(1, { error: "口座番号を入力してください。", abort: true })
  .regex(/^\d{1,7}$/, `口座番号は${ACCOUNT_NUMBER_DIGITS}桁までの数字で入力してください。`)
  .overwrite((digits) => digits.padStart(ACCOUNT_NUMBER_DIGITS, "0"))
  .refine((digits) => /[^0]/.test(digits), "口座番号を正しく入力してください。")
  .meta({
    description: "口座番号（1〜7桁。短い番号は先頭に0を補う）。ゆうちょ銀行は振込用の番号",
    examples: ["1234567"],
  });

const accountHolderKana = z
  .string({ error: "口座名義を入力してください。" })
  .max(1000, "口座名義が長すぎます。")
  .overwrite(toHolderKana)
  .superRefine((kana, context) => {
    const refuse = (message: string) => context.addIssue({ code: "custom", message });
    const unusable = kana.isWellFormed() ? findUnusableInHolder(kana) : ["\ufffd"];
    if (unusable.length > 0) {
      const shown = unusable.filter(isVisible).slice(0, 5).join("");
      return refuse(
        shown === ""
          ? `口座名義に使えない文字が含まれています。${RETYPE}`
          : `口座名義に「${shown}」は使えません。通帳にあるカタカナで入力してください。`,
      );
    }
    if (!isHolderNamed(kana)) return refuse("口座名義を入力してください。");
    const length = countHolderCharacters(kana);
    if (length > ACCOUNT_HOLDER_CHARACTERS) {
      const bound = `${ACCOUNT_HOLDER_CHARACTERS}文字以内（濁点と半濁点も1文字）`;
      return refuse(
        `口座名義は${bound}で入力してください（現在${length}文字）。長い名義は、先頭の30文字までを入力してください。`,
      );
    }
  })
  .meta({
    description: `口座名義のカナ（${ACCOUNT_HOLDER_CHARACTERS}文字まで。ひらがな、半角カナ、小さいカナは銀行の表記に直す）`,
    examples: ["ナツメ ハナコ"],
  });

/** A bank account as its owner types it. The API pads the number and converts the holder's name. */
export const bankAccountInput = z.object({
  bank_code: bankCode,
  branch_code: branchCode,
  account_type: payableAccountType,
  account_number: accountNumber,
  account_holder_kana: accountHolderKana,
});
export type BankAccountInput = z.output<typeof bankAccountInput>;

const bankName = z.string().meta({ description: "銀行などの名前", examples: ["みずほ銀行"] });
const branchName = z.string().meta({ description: "支店の名前（「支店」は付かない）", examples: ["丸の内中央"] });

/** The registered account with its number masked, as its owner sees it. */
export const maskedBankAccount = z
  .object({
    bank_code: bankCode,
    bank_name: bankName,
    branch_code: branchCode,
    branch_name: branchName,
    account_type: bankAccountType,
    account_number_last3: z.string().meta({ description: "口座番号の下3桁", examples: ["567"] }),
    account_holder_kana: z.string().meta({ description: "口座名義のカナ", examples: ["ナツメ ハナコ"] }),
    updated_at: time.meta({ description: "登録または変更した日時" }),
  })
  .meta({ id: "BankAccount", description: "振込先の口座（口座番号は下3桁だけ）" });
export type MaskedBankAccount = z.output<typeof maskedBankAccount>;

/** The most banks or branches in one answer: what a person can look through on a phone. */
export const PLACES_FOUND = 30;

const bank = z.object({ bank_code: bankCode, name: bankName }).meta({ id: "Bank", description: "銀行などの金融機関" });
export type Bank = z.output<typeof bank>;
const branch = z
  .object({ branch_code: branchCode, name: branchName })
  .meta({ id: "Branch", description: "銀行の支店" });
export type Branch = z.output<typeof branch>;

const sought = (what: string, example: string) =>
  z
    .string()
    .max(100, "検索の言葉が長すぎます。")
    .meta({ description: `${what}の名前、読み（かな）、コードの一部`, examples: [example] })
    .optional();
const hasMore = z.boolean().meta({ description: "ほかにもあるか", examples: [false] });

/** Finds banks by a part of their name, reading or code, best first. Without `q`: the banks that most people use. */
export const listBanks = defineOperation({
  id: "listBanks",
  method: "GET",
  path: "/v4/banks",
  auth: "required",
  summary: "銀行を探す",
  query: z.object({ q: sought("銀行", "みずほ") }),
  status: 200,
  answer: z.object({ banks: z.array(bank), has_more: hasMore }),
  errors: [],
});

/** Finds branches of a bank by a part of their name, reading or code, best first. Without `q`: in the order of codes. */
export const listBranches = defineOperation({
  id: "listBranches",
  method: "GET",
  path: "/v4/banks/{bank_code}/branches",
  auth: "required",
  summary: "銀行の支店を探す",
  params: z.object({ bank_code: bankCode }),
  query: z.object({ q: sought("支店", "渋谷") }),
  status: 200,
  answer: z.object({ bank, branches: z.array(branch), has_more: hasMore }),
  errors: [],
});
