import { Link } from "react-router";
import * as z from "zod";
import { closeCampaign, listCampaigns, openCampaign } from "../../../workers/contract/operator.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { v4Context } from "../../request/context.ts";
import { ofTokyo, tokyoTime } from "../../text/tokyo-time.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ButtonForm } from "../../ui/button-form.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import type { Route } from "./+types/campaigns.ts";
import { ActForm, LineField, NoteField } from "./act-form.tsx";
import { Note, OperatorList, OperatorRow } from "./list.tsx";
import { admitOperator, finishAct, openForms, refuseAct, sendAct } from "./operator-page.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "寄付キャンペーン", is_unlisted: true });

const PATH = "/operator/campaigns";

export async function loader({ url, context }: Route.LoaderArgs) {
  const forms = await openForms(context, PATH);
  const { donation_campaigns } = await context.get(v4Context).read(listCampaigns, {});
  const now = new Date().toISOString();
  const campaigns = donation_campaigns.map((campaign) => ({
    ...campaign,
    state: campaign.closes_at <= now ? "終了" : campaign.opens_at <= now ? "受付中" : "予定",
  }));
  const edited = url.searchParams.get("edit");
  return {
    forms,
    campaigns,
    edited: campaigns.find(({ donation_campaign_id }) => donation_campaign_id === edited) ?? null,
  };
}

const { donation_campaign_id } = openCampaign.params.shape;
const { name, description, url: link } = openCampaign.body.shape;
const moment = z
  .string("日時を入力してください。")
  .refine((typed) => ofTokyo(typed) !== null, "日時を正しく入力してください。")
  .transform((typed) => ofTokyo(typed) ?? "");
const campaignForm = z
  .object({
    donation_campaign_id,
    name,
    description: z
      .string("入力してください。")
      .transform((typed) => typed.trim().replace(/(?<!\s)\s*\n\s*/g, " "))
      .pipe(description),
    url: link,
    opens_at: moment,
    closes_at: moment,
  })
  .refine(({ opens_at, closes_at }) => opens_at < closes_at, {
    path: ["closes_at"],
    error: "終わりは、始まりより後にしてください。",
  });
const closeForm = z.object({ donation_campaign_id });

export async function action({ request, url, context }: Route.ActionArgs) {
  await admitOperator(context);
  const form = await request.formData();
  if (form.get("act") === "close") {
    const read = readForm(form, closeForm);
    if (!read.value) return refuseAct(form, read);
    const sent = await sendAct(context, url, form, closeCampaign, { params: read.value });
    return sent.ok ? finishAct(context, PATH, "campaign_closed") : refuseAct(form, read, sent.refusal);
  }
  const read = readForm(form, campaignForm);
  if (!read.value) return refuseAct(form, read);
  const { donation_campaign_id, ...body } = read.value;
  const sent = await sendAct(context, url, form, openCampaign, { params: { donation_campaign_id }, body });
  if (!sent.ok) return refuseAct(form, read, sent.refusal);
  return finishAct(context, PATH, "campaign_saved");
}

export default function Campaigns({ loaderData, actionData }: Route.ComponentProps) {
  const { forms, campaigns, edited } = loaderData;
  return (
    <>
      <h1 className="page-title">寄付キャンペーン</h1>
      <FormErrors
        errors={actionData?.act === "close" && actionData.error ? [actionData.error] : null}
        answer={actionData}
      />
      {campaigns.length === 0 ? (
        <EmptyState title="寄付キャンペーンはありません" />
      ) : (
        <OperatorList>
          {campaigns.map(({ donation_campaign_id, name, state, opens_at, closes_at }) => (
            <OperatorRow
              key={donation_campaign_id}
              title={
                <>
                  <b>{name}</b> <Badge tone={state === "受付中" ? "new" : "quiet"}>{state}</Badge>
                </>
              }
              actions={
                <>
                  <Link to={`${PATH}?edit=${donation_campaign_id}`}>変更する</Link>
                  {state === "受付中" && (
                    <ButtonForm action={PATH} fields={{ donation_campaign_id }} label={name}>
                      {(is_sending) => (
                        <Button name="act" value="close" size="sm" variant="gray-outline" aria-disabled={is_sending}>
                          終える
                        </Button>
                      )}
                    </ButtonForm>
                  )}
                </>
              }
            >
              <Note>
                <DateTime iso={opens_at} /> から <DateTime iso={closes_at} />
              </Note>
              <Note>
                <span className="operator-id">{donation_campaign_id}</span>
              </Note>
            </OperatorRow>
          ))}
        </OperatorList>
      )}
      <section className="card form" key={edited?.donation_campaign_id}>
        <h2 className="section-title">{edited ? `「${edited.name}」を変更する` : "キャンペーンを開く"}</h2>
        <ActForm
          act="open"
          button={edited ? "変更を保存する" : "開く"}
          forms={forms}
          answer={actionData}
          fields={edited ? { edits: edited.donation_campaign_id } : {}}
        >
          {(fields) => (
            <>
              <LineField
                act="open"
                name="donation_campaign_id"
                label="ID"
                hint="半角の小文字、数字、_ の3〜32文字。あとから変えられません。"
                fields={fields}
                initial={edited?.donation_campaign_id}
                input={{ readOnly: edited !== null }}
              />
              <LineField act="open" name="name" label="名前" fields={fields} initial={edited?.name} />
              <NoteField
                act="open"
                name="description"
                label="寄付の使いみち"
                fields={{ ...fields, typed: { description: edited?.description ?? "", ...fields.typed } }}
              />
              <LineField
                act="open"
                name="url"
                label="くわしい説明のページ"
                fields={fields}
                initial={edited?.url}
                input={{ type: "url", inputMode: "url" }}
              />
              <LineField
                act="open"
                name="opens_at"
                label="受付を始める日時（日本時間）"
                fields={fields}
                initial={edited ? tokyoTime(edited.opens_at) : ""}
                input={{ type: "datetime-local" }}
              />
              <LineField
                act="open"
                name="closes_at"
                label="受付を終える日時（日本時間）"
                fields={fields}
                initial={edited ? tokyoTime(edited.closes_at) : ""}
                input={{ type: "datetime-local" }}
              />
            </>
          )}
        </ActForm>
      </section>
    </>
  );
}
