/* The constants that every page needs. The page loads the rest of the maintenance watch later. */

export const BEGUN =
  "メンテナンスが始まりました。入力した内容はこのページに残っています。終了まで、このままお待ちください。";
export const OVER = "メンテナンスが終わりました。このまま送信できます。";
