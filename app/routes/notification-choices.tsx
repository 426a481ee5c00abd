import type { NotificationChannel, NotificationTopic } from "../../workers/contract/notifications.ts";

/** The names of the topics in the settings, in groups. */
const GROUPS: readonly { title: string; topics: readonly (readonly [NotificationTopic, string])[] }[] = [
  {
    title: "ofuse",
    topics: [
      ["get_ofuse", "有料のofuse"],
      ["get_free_ofuse", "無料のofuse"],
      ["get_ofuse_reply", "ofuseへの返信"],
    ],
  },
  {
    title: "投稿とコメント",
    topics: [
      ["liked", "いいね"],
      ["new_paid_event_comment", "投稿への有料コメント"],
      ["new_event_comment", "投稿へのコメント"],
      ["get_reply_comment", "コメントへの返信"],
    ],
  },
  {
    title: "フォロワーとメンバー",
    topics: [
      ["followed", "新しいフォロワー"],
      ["new_subscriber", "プランの新しいメンバー"],
    ],
  },
  {
    title: "フォロー中のクリエイター",
    topics: [
      ["event_created", "新しい投稿"],
      ["news_letter_received", "ニュースレター"],
      ["radio_started", "ラジオの放送開始"],
    ],
  },
];

export const topicLabels = Object.fromEntries(GROUPS.flatMap(({ topics }) => topics)) as Record<
  NotificationTopic,
  string
>;

/** The topics without a mail: there would be too many mails. */
const UNMAILED: ReadonlySet<NotificationTopic> = new Set(["liked", "followed"]);

const CHANNELS: Record<NotificationChannel, string> = { page: "ページ", mail: "メール", push: "プッシュ" };

/** A table of checkboxes: a row for each topic, a column for each channel. */
export function NotificationChoices({
  chosen,
}: {
  chosen: Partial<Record<NotificationChannel, readonly NotificationTopic[]>>;
}) {
  const channels = (Object.keys(CHANNELS) as NotificationChannel[]).filter((channel) => chosen[channel]);
  const isOffered = (topic: NotificationTopic, channel: NotificationChannel) =>
    channel !== "mail" || !UNMAILED.has(topic);
  return (
    <table className="choices-table">
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">お知らせの種類</span>
          </th>
          {channels.map((channel) => (
            <th key={channel} scope="col">
              {CHANNELS[channel]}
            </th>
          ))}
        </tr>
      </thead>
      {GROUPS.map(({ title, topics }) => {
        const shown = topics.filter(([topic]) => channels.some((channel) => isOffered(topic, channel)));
        return (
          <tbody key={title}>
            <tr>
              <th scope="rowgroup" colSpan={channels.length + 1}>
                {title}
              </th>
            </tr>
            {shown.map(([topic, label]) => (
              <tr key={topic}>
                <th scope="row">{label}</th>
                {channels.map((channel) => (
                  <td key={channel}>
                    {isOffered(topic, channel) ? (
                      <label>
                        <input
                          type="checkbox"
                          name={channel}
                          value={topic}
                          defaultChecked={chosen[channel]?.includes(topic)}
                        />
                        <span className="visually-hidden">{`${label}、${CHANNELS[channel]}で受け取る`}</span>
                      </label>
                    ) : (
                      <span aria-hidden="true">―</span>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        );
      })}
    </table>
  );
}
