import * as z from "zod";
import { NAME_GRAPHEMES, OPERATOR_NOTE_GRAPHEMES } from "../bounds.ts";
import { count, id, searchedWords, time } from "../fields.ts";
import { defineOperation } from "../operation.ts";
import { emailAddress, newPassword, text } from "../text.ts";
import { ACT_ERRORS, describeText } from "./parts.ts";

/** People and their accounts, as operators see and change them. */

/** Where Firebase keeps the accounts, its console does the same. */
const ACCOUNT_ERRORS = [...ACT_ERRORS, "accounts_kept_elsewhere"] as const;

/** The id of an account at the identity provider: 28 letters and digits, or whatever Firebase made. */
const uid = z
  .string()
  .regex(/^[\w-]{1,128}$/, "アカウントのIDの形式が正しくありません。")
  .meta({ id: "Uid", description: "アカウントのID", examples: ["Zk3b5C7d9F1g3H5j7K9m1Np2Qr4S"] });

/** An account as our own identity provider keeps it. */
export const identityAccount = z
  .object({
    uid,
    email: z
      .string()
      .nullable()
      .meta({ description: "メールアドレス", examples: ["hana@example.jp"] }),
    is_email_verified: z.boolean().meta({ description: "メールアドレスを確認したか", examples: [true] }),
    name: z
      .string()
      .nullable()
      .meta({ description: "表示名", examples: ["花"] }),
    phone_number: z
      .string()
      .nullable()
      .meta({ description: "電話番号", examples: [null] }),
    has_password: z.boolean().meta({ description: "パスワードがあるか", examples: [true] }),
    signs_in_by_email: z.boolean().meta({ description: "メールアドレスでログインするか", examples: [true] }),
    providers: z.array(z.string()).meta({ description: "つないだ他のサービス", examples: [["google.com"]] }),
    factors: z.array(z.string()).meta({ description: "二段階認証の種類", examples: [["totp"]] }),
    claims: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: "IDトークンに入れる、運営の設定", examples: [{ staff: true }] }),
    is_disabled: z.boolean().meta({ description: "利用を止めたか", examples: [false] }),
    sign_ins_count: count.meta({ description: "ログインしているブラウザーの数", examples: [1] }),
    last_sign_in_at: time.nullable().meta({ description: "最後にログインした日時" }),
    created_at: time,
  })
  .meta({ id: "IdentityAccount", description: "認証サービスのアカウント" });

export type IdentityAccount = z.output<typeof identityAccount>;

/** The same person's profile in the product. */
const accountProfile = z
  .object({
    user_id: id,
    link_id: describeText("公開ページの名前", "hana"),
    disabled_at: time.nullable().meta({ description: "利用を止めた日時", examples: [null] }),
  })
  .meta({ id: "AccountProfile", description: "アカウントのプロフィール" });

/** `account` is null where Firebase keeps the accounts, `profile` until the person has completed the registration. */
const accountAnswer = z.object({
  uid,
  is_kept_by_us: z
    .boolean()
    .meta({ description: "アカウントがこのサイトにあるか（なければFirebase）", examples: [true] }),
  account: identityAccount.nullable(),
  profile: accountProfile.nullable(),
});

export type AccountAnswer = z.output<typeof accountAnswer>;

/** Why an operator does something to an account. Only the audit row has it. */
const reason = text({ label: "理由", max: OPERATOR_NOTE_GRAPHEMES })
  .nullable()
  .default(null)
  .meta({ examples: ["なりすましの申し出があり、本人と確認できませんでした。"] });

const accountCall = {
  auth: "operator",
  params: z.object({ uid }),
  status: 200,
  answer: accountAnswer,
} as const;

export const findAccount = defineOperation({
  id: "findAccount",
  method: "GET",
  path: "/v4/operator/accounts",
  auth: "operator",
  summary: "アカウントを探す",
  query: z.object({
    who: z
      .string()
      .trim()
      .min(1)
      .max(254)
      .meta({
        description: "メールアドレス、アカウントか人のID、または @ を付けた公開名",
        examples: ["hana@example.jp"],
      }),
  }),
  status: 200,
  answer: accountAnswer,
  errors: [],
});

const foundPerson = z
  .object({
    user_id: id,
    uid,
    link_id: describeText("公開ページの名前", "hana"),
    name: describeText("名前", "花"),
    is_creator: z.boolean().meta({ description: "収益化を登録したか", examples: [false] }),
    disabled_at: time.nullable().meta({ description: "利用を止めた日時", examples: [null] }),
    left_at: time.nullable().meta({ description: "退会した日時", examples: [null] }),
    created_at: time,
  })
  .meta({ id: "FoundPerson", description: "人（運営から見たもの）" });

/**
 * Finds people by a part of their name, the beginning of their link_id, their address, or one of their ids. Returns at most
 * fifty; `has_more` says that there are others.
 */
export const searchPeople = defineOperation({
  id: "searchPeople",
  method: "GET",
  path: "/v4/operator/people",
  auth: "operator",
  summary: "人を探す",
  query: z.object({
    keyword: searchedWords.trim().min(1, "探す言葉を入力してください。"),
  }),
  status: 200,
  answer: z.object({ people: z.array(foundPerson), has_more: z.boolean() }),
  errors: [],
});

/** A person with the numbers of what they did. The account is another call, because identity keeps it. */
export const getPerson = defineOperation({
  id: "getPerson",
  method: "GET",
  path: "/v4/operator/people/{user_id}",
  auth: "operator",
  summary: "人をくわしく見る",
  params: z.object({ user_id: id }),
  status: 200,
  answer: z.object({
    person: foundPerson
      .extend({
        bio: describeText("自己紹介", "水彩で、窓辺の風景を描いています。"),
        followers_count: count.meta({ description: "フォロワーの数" }),
        followings_count: count.meta({ description: "フォローの数" }),
        posts_count: count.meta({ description: "投稿の数（非公開も含む）" }),
        received_count: count.meta({ description: "受け取った手紙の数" }),
        sent_count: count.meta({ description: "送った手紙の数" }),
        comments_count: count.meta({ description: "投稿へのコメントの数" }),
      })
      .meta({ id: "OperatedPerson", description: "人（運営から、くわしく見たもの）" }),
  }),
  errors: [],
});

/** Without a password a link to set one is mailed, good for an hour. */
export const createAccount = defineOperation({
  id: "createAccount",
  method: "POST",
  path: "/v4/operator/accounts",
  auth: "operator",
  summary: "アカウントを作る",
  body: z.object({
    email: emailAddress.meta({ description: "メールアドレス", examples: ["hana@example.jp"] }),
    name: text({ label: "名前", min: 0, max: NAME_GRAPHEMES }).meta({ examples: ["花"] }),
    is_email_verified: z.boolean().meta({ description: "本人のアドレスだとわかっているか", examples: [false] }),
    password: newPassword
      .nullable()
      .meta({ description: "パスワード。null なら設定用のリンクをメールで送る", examples: [null] }),
  }),
  status: 201,
  answer: accountAnswer,
  errors: [...ACCOUNT_ERRORS, "email_taken"],
});

/**
 * Disables or enables an account in the product and at the embedded provider. Where Firebase keeps the accounts, its
 * console does the other half. Operators cannot disable themselves.
 */
export const setAccountDisabled = defineOperation({
  ...accountCall,
  id: "setAccountDisabled",
  method: "PUT",
  path: "/v4/operator/accounts/{uid}/disabled",
  summary: "アカウントの利用を止める、または再開する",
  body: z.object({ is_disabled: z.boolean().meta({ examples: [true] }), reason }),
  errors: [...ACT_ERRORS, "cannot_act_on_yourself"],
});

export const signOutAccount = defineOperation({
  ...accountCall,
  id: "signOutAccount",
  method: "POST",
  path: "/v4/operator/accounts/{uid}/sign-out",
  summary: "すべての端末からログアウトさせる",
  body: z.object({ reason }),
  errors: ACCOUNT_ERRORS,
});

/**
 * Withdraws apps, telephones and recovery codes, and signs out everywhere. Operators remove their own factors in their settings:
 * here they would lose the desk by a press.
 */
export const removeAccountFactors = defineOperation({
  ...accountCall,
  id: "removeAccountFactors",
  method: "DELETE",
  path: "/v4/operator/accounts/{uid}/factors",
  summary: "二段階認証を外す",
  body: z.object({ reason }),
  errors: [...ACCOUNT_ERRORS, "cannot_act_on_yourself"],
});

/** The account's next token carries the claims. */
export const setAccountClaims = defineOperation({
  ...accountCall,
  id: "setAccountClaims",
  method: "PUT",
  path: "/v4/operator/accounts/{uid}/claims",
  summary: "IDトークンに入れる項目を決める",
  body: z.object({
    claims: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: "入れる項目。null ならなし", examples: [{ staff: true }] }),
  }),
  errors: ACCOUNT_ERRORS,
});
