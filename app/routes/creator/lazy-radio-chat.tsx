import { lazy } from "react";

/**
 * The chat of a radio. Its script is loaded beside the others, because the scripts before hydration have a limit. Without it an
 * error would replace the page, and end a broadcast.
 */
export const RadioChat = lazy(() =>
  import("./radio-chat.tsx").then((loaded) => ({ default: loaded.RadioChat })).catch(() => ({ default: NoChat })),
);

const NoChat = () => <p className="notice">チャットを読み込めませんでした。</p>;
