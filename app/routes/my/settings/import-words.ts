import type { Import, ImportItem } from "../../../../workers/contract/imports.ts";

export const IMPORT_PATH = "/my/settings/import";
export const importPath = (import_id: string): string => `${IMPORT_PATH}/${import_id}`;

export const KIND_WORDS: Record<Import["kind"], string> = {
  archive: "ofuseのアーカイブ",
  ghost: "GhostのJSON",
  wxr: "XML",
  members: "メンバーのCSV",
};

export const STATUS_WORDS: Record<Import["status"], string> = {
  ready: "確認待ち",
  importing: "取り込み中",
  completed: "完了",
};

export const ITEM_WORDS: Record<ImportItem["kind"], string> = {
  profile: "プロフィール",
  category: "カテゴリー",
  plan: "プラン",
  file: "画像・音声・動画",
  post: "投稿",
  newsletter: "ニュースレター",
  radio: "ラジオ",
};

export const STATE_WORDS: Record<ImportItem["state"], string> = {
  planned: "これから",
  done: "取り込み済み",
  skipped: "取り込み不要",
  refused: "取り込めません",
};
