import * as activities from "./activities.ts";
import * as banks from "./banks.ts";
import * as blocks from "./blocks.ts";
import * as comments from "./comments.ts";
import * as drafts from "./drafts.ts";
import * as edge from "./edge.ts";
import * as events from "./events.ts";
import * as identity from "./identity.ts";
import * as imports from "./imports.ts";
import * as intents from "./intents.ts";
import * as leaving from "./leaving.ts";
import * as ledger from "./ledger.ts";
import * as likes from "./likes.ts";
import * as maintenance from "./maintenance.ts";
import * as memberships from "./memberships.ts";
import * as news from "./news.ts";
import * as newsletters from "./newsletters.ts";
import * as notifications from "./notifications.ts";
import * as ofuses from "./ofuses.ts";
import type { Operation } from "./operation.ts";
import * as operator from "./operator.ts";
import * as payments from "./payments.ts";
import * as payouts from "./payouts.ts";
import * as podcasts from "./podcasts.ts";
import * as radioCaptions from "./radio-captions.ts";
import * as radioChat from "./radio-chat.ts";
import * as radios from "./radios.ts";
import * as reactions from "./reactions.ts";
import * as references from "./references.ts";
import * as relationships from "./relationships.ts";
import * as reports from "./reports.ts";
import * as search from "./search.ts";
import * as stats from "./stats.ts";
import * as streaming from "./streaming.ts";
import * as uploads from "./uploads.ts";
import * as users from "./users.ts";

/** A group of related calls, as the published reference shows it. */
export interface OperationGroup {
  /** The name of the domain, and the anchor of its section. */
  name: string;
  title: string;
  description: string;
  operations: readonly Operation[];
}

const isOperation = (value: unknown): value is Operation => typeof (value as Operation)?.path === "string";

const modules = {
  users,
  events,
  drafts,
  comments,
  likes,
  ofuses,
  relationships,
  activities,
  blocks,
  notifications,
  memberships,
  radios,
  radio_chat: radioChat,
  radio_captions: radioCaptions,
  podcasts,
  streaming,
  newsletters,
  payments,
  ledger,
  payouts,
  banks,
  uploads,
  search,
  stats,
  reactions,
  reports,
  news,
  references,
  leaving,
  imports,
  intents,
  maintenance,
  edge,
  identity,
};

/** The title and the description of each group. */
const words: Record<keyof typeof modules, [title: string, description: string]> = {
  users: ["ユーザー", "プロフィールと公開ページの人"],
  events: ["投稿", "投稿とそのカテゴリー"],
  drafts: ["下書き", "書きかけの投稿"],
  comments: ["コメント", "投稿へのコメント"],
  likes: ["いいね", "投稿とコメントへの「いいね」"],
  ofuses: ["ofuse", "応援の手紙"],
  relationships: ["フォロー", "フォローの関係とタイムライン"],
  activities: ["活動", "フォロー中の人がしたこと"],
  blocks: ["ブロック", "関わりたくない相手"],
  notifications: ["お知らせ", "自分に起きたこと"],
  memberships: ["メンバーシップ", "月額のプランと加入"],
  radios: ["ラジオ", "音声の生放送、録音、コメント"],
  radio_chat: ["チャット", "ラジオの放送中のチャット"],
  radio_captions: ["字幕", "放送中に書かれる字幕"],
  podcasts: ["ポッドキャスト", "録音をアプリで聴くための、自分だけのアドレス"],
  streaming: ["配信画面", "生配信に重ねて、届いたofuseを映す画面"],
  newsletters: ["ニュースレター", "フォロワーに届けるメール"],
  payments: ["支払い", "支払い方法と決済"],
  ledger: ["売上", "残高と明細"],
  payouts: ["振込", "収益化登録と口座への振込"],
  banks: ["銀行", "振込先に選べる銀行と支店"],
  uploads: ["アップロード", "画像・音声・動画（multipart、ファイルはひとつ）"],
  search: ["検索", "クリエイターを探す"],
  stats: ["統計", "全体と自分の数字"],
  reactions: ["リアクション", "届いたときに自動で返す言葉"],
  reports: ["通報", "困った内容を知らせる"],
  news: ["サイトのお知らせ", "運営からのお知らせ"],
  references: ["固定リスト", "画面の選択肢"],
  leaving: ["退会", "自分のデータの控えと退会"],
  imports: ["取り込み", "ほかのサービスや、アーカイブからの取り込み"],
  intents: ["ログイン前の操作", "ログインをはさんで続きをするために預かるもの"],
  maintenance: ["メンテナンス", "予定されている停止"],
  edge: ["エッジ", "公開ページの控えとサイトマップのために、サイト自身が使うもの"],
  identity: ["認証", "ログインの共通サービス"],
};

/** All calls of the product and of the identity service, by group. */
export const operationGroups: readonly OperationGroup[] = Object.entries(modules).map(([name, module]) => {
  const [title, description] = words[name as keyof typeof modules];
  return { name, title, description, operations: Object.values<unknown>(module).filter(isOperation) };
});
const isOfIdentity = ({ name }: OperationGroup) => name === "identity";
const productGroups = operationGroups.filter((group) => !isOfIdentity(group));

/** Every call that the product API answers. */
export const productOperations: readonly Operation[] = productGroups.flatMap(({ operations }) => operations);

/** Every call that the identity service answers. */
export const identityOperations: readonly Operation[] = operationGroups
  .filter(isOfIdentity)
  .flatMap(({ operations }) => operations);

/** Every call for operators. The published reference leaves them out. */
export const operatorOperations: readonly Operation[] = Object.values<unknown>(operator).filter(isOperation);
