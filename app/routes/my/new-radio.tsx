import { Link, useRouteLoaderData } from "react-router";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { keptForm } from "../../forms/intent.ts";
import { readForm, typedFields } from "../../forms/read-form.ts";
import { wordsOf } from "../../forms/words.ts";
import { readOwnPlans } from "../../post/own-plans.ts";
import { v4Context } from "../../request/context.ts";
import type { loader as rootLoader } from "../../root.tsx";
import { viewerContext } from "../../session/context.ts";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import { radioForm } from "../operation-forms.server.ts";
import type { Route } from "./+types/new-radio.ts";
import { saveRadio } from "./radio-action.ts";
import { KeyPanel, NO_RADIO, RadioForm } from "./radio-form.tsx";
import { editPath, RADIO_PATH } from "./radio-path.ts";

const TITLE = "ラジオを作る";
const PATH = `${RADIO_PATH}/new`;

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: TITLE, is_unlisted: true });

export async function loader({ context }: Route.LoaderArgs) {
  const kept = await keptForm(context, PATH);
  return {
    plans: await readOwnPlans(context.get(v4Context), null),
    viewer_id: context.get(viewerContext)?.profile?.user_id ?? null,
    written: { ...NO_RADIO, ...(kept && { is_chat_on: "", ...typedFields(kept, radioForm) }) },
    idempotency_key: crypto.randomUUID(),
  };
}

export async function action({ request, context }: Route.ActionArgs) {
  const words = wordsOf(await request.formData(), PATH);
  return saveRadio(context, { words, read: readForm(words.form, radioForm), radio: null });
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

export default function NewRadio({ loaderData, actionData }: Route.ComponentProps) {
  const root = useRouteLoaderData<typeof rootLoader>("root");
  if (actionData && "key_path" in actionData) {
    return (
      <>
        <h1 className="page-title">ラジオを保存しました</h1>
        <KeyPanel address={`${root?.origin ?? ""}${actionData.key_path}`} />
        <p>
          <Link to={editPath(actionData.radio_id)}>ラジオの編集へ</Link>
        </p>
      </>
    );
  }
  return <RadioForm title={TITLE} radio={null} {...loaderData} answer={actionData} />;
}
