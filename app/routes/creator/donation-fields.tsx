import { DONATION_PERCENTS } from "../../../workers/contract/letter-choices.ts";
import { Radios } from "../../ui/radios.tsx";
import { useCreator } from "./creator.ts";

/** A campaign that takes donations until the end of `last_day`. */
export interface OpenCampaign {
  donation_campaign_id: string;
  name: string;
  description: string;
  url: string;
  last_day: string;
}

/** The fields for a share of the letter that goes to a campaign. */
export function DonationFields(props: {
  campaigns: readonly OpenCampaign[];
  textOf(name: string): string;
  errorsOf(name: string): string[] | null;
}) {
  const { campaigns, textOf, errorsOf } = props;
  const { creator } = useCreator();
  const chosen = textOf("donation_campaign_id");
  // The campaign of an earlier attempt may be closed.
  const is_open = campaigns.some(({ donation_campaign_id }) => donation_campaign_id === chosen);
  return (
    <>
      <Radios
        id="donation-campaign"
        name="donation_campaign_id"
        label="寄付（任意）"
        choices={[
          { value: "", label: "寄付しない" },
          ...campaigns.map(({ donation_campaign_id: value, name: label, description, last_day }) => ({
            value,
            label,
            note: `${description}（${last_day}まで）`,
          })),
        ]}
        initial={is_open ? chosen : ""}
        errors={errorsOf("donation_campaign_id")}
        hint={
          <>
            <bdi>{creator.name}</bdi>さんが受け取る分から、選んだ割合を寄付に回します。お支払いの金額は変わりません。
            {campaigns.map(({ donation_campaign_id, name, url }) => (
              <a key={donation_campaign_id} href={url} rel="noreferrer">
                {name}について
              </a>
            ))}
          </>
        }
      />
      <div className="amount-choices donation-percent">
        <Radios
          id="donation-percent"
          name="donation_percent"
          label="寄付に回す割合"
          choices={DONATION_PERCENTS.map((percent) => ({ value: String(percent), label: `${percent}%` }))}
          initial={textOf("donation_percent") || String(DONATION_PERCENTS[0])}
          errors={errorsOf("donation_percent")}
        />
      </div>
    </>
  );
}
