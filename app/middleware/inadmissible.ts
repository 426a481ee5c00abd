import { data, type MiddlewareFunction, type RouterContextProvider } from "react-router";
import { edgeContext, type Inadmissible, inadmissibleContext } from "../request/context.ts";
import type { Failure } from "../v4/failure.ts";

const refusals = {
  unreadable_path: { status: 400, detail: "このURLは読み取れません。リンクが途中で切れていないかご確認ください。" },
  cross_site: {
    status: 403,
    detail: "安全のため、このサイトの外からの送信は受け付けていません。ページを開き直して、もう一度お試しください。",
  },
  not_a_form: {
    status: 400,
    detail: "送信された内容を読み取れませんでした。ページを開き直して、もう一度お試しください。",
  },
  too_large: {
    status: 413,
    detail: "送信された内容が大きすぎます。ブラウザーの「戻る」で入力画面に戻り、短くしてからもう一度お送りください。",
  },
} as const satisfies Record<Inadmissible, { status: number; detail: string }>;

/**
 * Shows the person why the worker rejected the request. A form of our own that is too large reaches the page /404, which
 * refuses it: its sender stays signed in, and sees a member's page.
 */
export const inadmissibleMiddleware: MiddlewareFunction<Response> = async ({ request, context }, next) => {
  if (context.get(inadmissibleContext) !== "too_large") refuseInadmissible(request, context);
  return next();
};

/** Throws the reason for which the worker rejected the request, if it did. */
export function refuseInadmissible(request: Request, context: Readonly<RouterContextProvider>): void {
  const reason = context.get(inadmissibleContext);
  if (!reason) return;
  const { status, detail } = refusals[reason];
  const { request_id } = context.get(edgeContext);
  const failure: Failure = { code: reason, detail, request_id, origin: new URL(request.url).origin };
  throw data(failure, { status });
}
