import type { SubmissionResult } from "@conform-to/react";
import { data, isRouteErrorResponse } from "react-router";
import type { Failure } from "./failure.ts";

const NO_CONNECTION =
  "通信できませんでした。入力した内容は残っています。電波の状態をご確認のうえ、もう一度送信してください。";
const UNDER_MAINTENANCE =
  "ただいまメンテナンス中のため、送信できませんでした。入力した内容は残っています。終わってから、もう一度送信してください。";
const TOO_LARGE = "送信された内容が大きすぎます。短くしてからもう一度お送りください。";

/**
 * A form's way from a member's page to its action. When no answer comes, or none for a form, the page stays as it is
 * with the words in it: without this the error page would take their place.
 */
export async function sendFromBrowser<Answer>(
  request: Request,
  serverAction: () => Promise<Answer>,
): Promise<Answer | ReturnType<typeof unsent>> {
  const form = await request.clone().formData();
  try {
    return await serverAction();
  } catch (error) {
    if (error instanceof Response) throw error;
    if (isRouteErrorResponse(error)) {
      if (error.status === 413) return unsent(form, TOO_LARGE, 413);
      if ((error.data as Partial<Failure> | null)?.code === "under_maintenance")
        return unsent(form, UNDER_MAINTENANCE, 503);
      throw error;
    }
    console.warn("the form was not sent", error);
    return unsent(form, NO_CONNECTION, 503);
  }
}

function unsent(form: FormData, message: string, status: number) {
  const words = [...form].filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const result: SubmissionResult = {
    status: "error",
    initialValue: Object.fromEntries(words),
    error: { "": [message] },
  };
  return data({ result, idempotency_key: String(form.get("idempotency_key") ?? "") }, { status });
}
