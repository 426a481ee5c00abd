import { Form, Link } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import { listOwnMemberships } from "../../../workers/contract/memberships.ts";
import { listOwnRadios, type OwnRadioSummary, radioStatus, radioVisibility } from "../../../workers/contract/radios.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { OneTimeHint } from "../../shell/one-time-hint.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Pager } from "../../ui/pager.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import { RADIO_AUDIENCES, RADIO_STATES } from "../radio-words.ts";
import type { Route } from "./+types/radio.ts";
import { onAirPath, RADIO_PATH } from "./radio-path.ts";

export const meta: Route.MetaFunction = (args) => {
  const tab = tabs.find(({ status }) => status === args.loaderData?.status);
  return pageMeta(args, { title: tab?.status ? `ラジオ（${tab.title}）` : "ラジオ", is_unlisted: true });
};

/** Reads the list's filters from the address. Ignores values it does not know. */
function filterOf(url: URL) {
  const [target, membership_id] = (url.searchParams.get("target") ?? "").split(":");
  return {
    status: radioStatus.safeParse(url.searchParams.get("status")).data,
    publish_target_type: radioVisibility.safeParse(target).data,
    publish_target_membership_id: id.safeParse(membership_id).data,
  };
}

export async function loader({ url, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const page = pageNumber(url);
  const filter = filterOf(url);
  const [{ radios, has_next }, plans] = await Promise.all([
    v4.read(listOwnRadios, { query: { ...filter, page_number: page } }),
    v4.part(listOwnMemberships, {}),
  ]);
  refuseEmptyPage(page, radios);
  const { status, publish_target_type, publish_target_membership_id } = filter;
  return {
    radios,
    has_next,
    page,
    status: status ?? null,
    target: publish_target_membership_id
      ? `memberships:${publish_target_membership_id}`
      : (publish_target_type ?? null),
    plans: plans?.memberships.map(({ membership_id, title }) => ({ membership_id, title })) ?? [],
  };
}

interface Filter {
  status: string | null;
  target: string | null;
}

function pathOf({ status, target }: Filter, page = 1): string {
  const search = new URLSearchParams();
  if (status) search.set("status", status);
  if (target) search.set("target", target);
  if (page > 1) search.set("page", String(page));
  return search.size > 0 ? `${RADIO_PATH}?${search}` : RADIO_PATH;
}

const tabs = [
  { status: null, title: "すべて", empty: "まだラジオがありません" },
  { status: "scheduled", title: RADIO_STATES.scheduled, empty: "放送前のラジオはありません" },
  { status: "on_air", title: RADIO_STATES.on_air, empty: "放送中のラジオはありません" },
  { status: "finished", title: RADIO_STATES.finished, empty: "放送済みのラジオはありません" },
] as const;

type Loaded = Route.ComponentProps["loaderData"];

export default function Radio({ loaderData }: Route.ComponentProps) {
  const { radios, has_next, page, status, target, plans } = loaderData;
  const filter = { status, target };
  const tab = tabs.find((each) => each.status === status);
  return (
    <>
      <div className="page-head">
        <h1 className="page-title">ラジオ</h1>
        <ButtonLink to={`${RADIO_PATH}/new`} size="sm">
          ラジオを作る
        </ButtonLink>
      </div>
      <nav className="tabs" aria-label="ラジオの状態">
        {tabs.map((each) => (
          <Link
            key={each.title}
            to={pathOf({ ...filter, status: each.status })}
            aria-current={each.status === status ? "page" : undefined}
          >
            {each.title}
          </Link>
        ))}
      </nav>
      <Narrow {...loaderData} />
      {radios.length === 0 ? (
        <EmptyState title={target ? "この条件にあうラジオはありません" : (tab?.empty ?? "")}>
          {target && (
            <p>
              <Link to={pathOf({ status, target: null })}>絞り込みをやめる</Link>
            </p>
          )}
        </EmptyState>
      ) : (
        <ul className="rows">
          {radios.map((radio) => (
            <Row key={radio.radio_id} radio={radio} plans={plans} />
          ))}
        </ul>
      )}
      <Pager page={page} has_next={has_next} hrefOf={(n) => pathOf(filter, n)} />
      <OneTimeHint id="radio" is_floating>
        ラジオは、ブラウザーとマイクがあれば放送できます。放送のあとに録音を聴ける人は、放送ごとに選べます。
      </OneTimeHint>
    </>
  );
}

/** Filters the list by audience. This GET form changes only the address. */
function Narrow({ status, target, plans }: Loaded) {
  return (
    <Form method="get" action={RADIO_PATH} className="narrow" key={target}>
      {status && <input type="hidden" name="status" value={status} />}
      <label>
        聴ける人
        <select name="target" className="control" defaultValue={target ?? ""}>
          <option value="">すべて</option>
          {Object.entries(RADIO_AUDIENCES)
            .filter(([audience]) => audience !== "none")
            .map(([audience, words]) => (
              <option key={audience} value={audience}>
                {words}
              </option>
            ))}
          {plans.map(({ membership_id, title }) => (
            <option key={membership_id} value={`memberships:${membership_id}`}>
              メンバー限定（{title}）
            </option>
          ))}
        </select>
      </label>
      <Button size="sm" variant="gray-outline">
        絞り込む
      </Button>
    </Form>
  );
}

function Row({ radio, plans }: { radio: OwnRadioSummary; plans: Loaded["plans"] }) {
  const { radio_id, title, status, starts_at, started_at, publish_target_type } = radio;
  const at = started_at ?? starts_at;
  const plan = plans.find(({ membership_id }) => membership_id === radio.publish_target_membership_id);
  const audience =
    publish_target_type === "memberships" && plan
      ? `メンバー限定（${plan.title}）`
      : RADIO_AUDIENCES[publish_target_type];
  return (
    <li className="card letter">
      {/* The microphone needs a page that was loaded as a document. */}
      <Link to={onAirPath(radio_id)} reloadDocument className="card-link">
        <b>{title}</b>
      </Link>
      <p className="row">
        <span className={status === "on_air" ? "badge badge-new" : "badge"}>{RADIO_STATES[status]}</span>
        {at && <DateTime iso={at} />}
        <span className="row-note">{audience}</span>
      </p>
      {status !== "scheduled" && (
        <p className="row-note">
          聴いた人 {groupDigits(radio.listens_count)}人、コメント {groupDigits(radio.comments_count)}
          件、いいね {groupDigits(radio.likes_count)}件
        </p>
      )}
    </li>
  );
}
