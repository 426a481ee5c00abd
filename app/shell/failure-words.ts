import { NO_CONNECTION_STATUS } from "../v4/failure.ts";

const busy = {
  title: "ただいま表示できません",
  text: "サーバーが混み合っているようです。少し時間をおいてから、ページを読み直してください。",
};
const views: Record<number, { title: string; text: string }> = {
  [NO_CONNECTION_STATUS]: {
    title: "通信できませんでした",
    text: "電波の状態をご確認のうえ、ページを読み直してください。",
  },
  404: {
    title: "ページが見つかりません",
    text: "削除されたか、URLが変わった可能性があります。リンクが途中で切れていないかもご確認ください。",
  },
  429: busy,
  503: busy,
};
const unexpected = {
  title: "エラーが発生しました",
  text: "ご迷惑をおかけしています。時間をおいてもう一度お試しください。",
};
const refused = { title: "この操作はできませんでした", text: "前のページに戻って、もう一度お試しください。" };

/** Returns the title and the sentence of an error page. `detail` is the API's sentence. */
export function failureWords(status: number, detail?: string): { title: string; text: string } {
  const view = views[status] ?? (status >= 500 ? unexpected : refused);
  // For status 404 our own sentence is better than the API's. For other statuses the API's sentence is more precise.
  return { title: view.title, text: status !== 404 && detail ? detail : view.text };
}
