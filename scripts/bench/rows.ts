/**
 * The rows of the benchmark's data, as statements that write a range of them, table by table. Rows refer to each other
 * by rowid, which is the row number plus one, so that no statement needs a look-up.
 *
 * Creators have a rank; 0 is the most popular. {@link userOfRank} maps a rank to a user.
 */
import { externalSites, genres } from "../../workers/api/references/lists.ts";
import { belowSql, isoTimeSql, numbersSql, oneOfSql, skewedSql, ulidSql } from "./draw.ts";
import { families, givens, nameEndings, paragraphs, remarks, subjects, titleEndings } from "./words.ts";

export const USERS = 300_000;
/** Users who publish and have followers. The other users, fans, are in the search index as well. */
export const CREATORS = 30_000;
const EVENTS = 1_000_000;
const COMMENTS = 120_000;
const LETTERS = 300_000;
const SUBSCRIPTIONS = 150_000;
const MOST_FOLLOWS = 60;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/**
 * The first accounts are created at this time. Creators publish from a year later, and nothing happens after the end.
 */
const FOUNDED_MS = Date.UTC(2021, 10, 1);
export const FIRST_POST_MS = Date.UTC(2022, 10, 1);
export const END_MS = Date.UTC(2026, 10, 1);
/** Payments last until then, so that the data do not expire. */
const PAID_UNTIL_MS = Date.UTC(2040, 0, 1);
const USER_STEP_MS = Math.floor((END_MS - FOUNDED_MS) / USERS);
const EVENT_STEP_MS = Math.floor((END_MS - FIRST_POST_MS) / EVENTS);
const LETTER_STEP_MS = Math.floor((END_MS - FIRST_POST_MS) / LETTERS);

/** The most popular creators: each has over 100,000 followers. */
const STARS = 5;

/** Returns the ranks of creators who never publish, one in twenty. */
const silentRank = (index: number) => 20 * index + 19;

/**
 * Returns the user number of a rank. 7919 shares no factor with the number of creators, so every rank has a different
 * user.
 */
export const userOfRank = (rank: number) => ((rank * 7919) % CREATORS) * 10 + 3;
export const userOfRankSql = (rank: string) => `((${rank}) * 7919 % ${CREATORS} * 10 + 3)`;
const rowidOfRank = (rank: string) => `${userOfRankSql(rank)} + 1`;

/** Users whose lists are the slowest to read, by user number. */
export const hardPeople = {
  /** Follows the 1,000 most popular creators, and pays fifty of them. */
  follows_a_thousand: 100,
  /** Follows twenty creators who never publish. */
  follows_the_silent: 101,
  /** Has the most followers, and follows 1,000 others. */
  star: userOfRank(0),
};

/** A table and the statements that write its rows `from` to `to - 1`, `chunk` rows at a time. */
export interface Fill {
  table: string;
  rows: number;
  chunk: number;
  statements(from: number, to: number): string[];
}

const joinedMs = (n: string) => `(${FOUNDED_MS} + (${n}) * ${USER_STEP_MS})`;
/** Returns SQL for the id of user `n`. */
export const userIdSql = (n: string) => ulidSql(joinedMs(n), n, 1);
/** Returns SQL for: user `n` is a creator of {@link userOfRank}. */
const hasRank = (n: string) => `${n} % 10 = 3`;

const users: Fill = {
  table: "users",
  rows: USERS,
  chunk: 50_000,
  statements(from, to) {
    const range = `WITH RECURSIVE ${numbersSql(from, to)}`;
    const icon = ulidSql(joinedMs("n"), "n", 3);
    return [
      `INSERT INTO users (rowid, user_id, identity_id, link_id, name, default_name, email, is_creator, bio,
         accepts_free_ofuses, created_at)
       ${range}, drawn AS MATERIALIZED (
         SELECT n, ${belowSql(4, "n", 5)} AS form, ${oneOfSql(families, "n", 6)} AS family, ${oneOfSql(givens, "n", 7)} AS given,
           ${oneOfSql(nameEndings, "n", 8)} AS ending, ${hasRank("n")} AS has_rank FROM numbers
       ), named AS MATERIALIZED (
         SELECT *, CASE form WHEN 0 THEN given ELSE family || iif(form = 1, ' ', '') || given END || ending AS name FROM drawn
       )
       SELECT n + 1, ${userIdSql("n")}, printf('bench%023d', n),
         iif(has_rank, ${oneOfSql(["atelier", "neko", "studio_hoshi", "sound", "kaku", "yoru_no_hondana"], "n", 9)}, 'fan')
           || '_' || n,
         name, name, 'bench_' || n || '@bench.example', 1,
         CASE WHEN has_rank THEN ${oneOfSql(paragraphs, "n", 10)} || char(10) || ${oneOfSql(paragraphs, "n", 11)}
           WHEN form = 3 THEN '' ELSE ${oneOfSql(subjects, "n", 13)} || 'が好きです。' || ${oneOfSql(remarks, "n", 10)} END,
         ${belowSql(20, "n", 12)} > 0, ${isoTimeSql(joinedMs("n"))}
       FROM named`,
      `INSERT INTO images (image_id, owner_user_id, access, alt, content_type, width, height, created_at)
       ${range} SELECT ${icon}, ${userIdSql("n")}, 'public', '', 'image/png', 192, 192, ${isoTimeSql(joinedMs("n"))}
       FROM numbers WHERE ${hasRank("n")}`,
      `UPDATE users SET icon_image_id = ${ulidSql(joinedMs("(rowid - 1)"), "(rowid - 1)", 3)}
       WHERE rowid > ${from} AND rowid <= ${to} AND ${hasRank("(rowid - 1)")}`,
    ];
  },
};

const creatorDetails: Fill = {
  table: "creators' links, genres, plans and categories",
  rows: CREATORS,
  chunk: 15_000,
  statements(from, to) {
    const range = `WITH RECURSIVE ${numbersSql(from, to)}, ${numbersSql(0, 3, "several")}`;
    const each = `FROM numbers JOIN several AS s JOIN users u ON u.rowid = ${rowidOfRank("numbers.n")}`;
    const item = "(numbers.n * 3 + s.n)";
    const made_ms = `(${FIRST_POST_MS} + ${item})`;
    const choiceSql = (ids: string[]) => oneOfSql(ids, item, 20);
    return [
      `INSERT INTO external_links (user_id, position, external_site_id, url)
       ${range} SELECT u.user_id, s.n, ${choiceSql(externalSites.map((site) => site.external_site_id))},
         'https://links.example.com/' || u.link_id || '/' || s.n ${each} WHERE s.n < 2`,
      `INSERT OR IGNORE INTO user_genres (user_id, genre_id)
       ${range} SELECT u.user_id, ${choiceSql(genres.map((genre) => genre.genre_id))} ${each}`,
      // One creator in three has one to three plans.
      `INSERT INTO memberships (rowid, membership_id, user_id, title, description, amount, active_state, created_at,
         published_at, position)
       ${range} SELECT ${item} + 1, ${ulidSql(made_ms, item, 21)}, u.user_id, ${oneOfSql(["応援プラン", "窓辺の席", "工房の合鍵", "先行公開と制作の裏話を全部読めるプラン"], item, 22)},
         ${oneOfSql(paragraphs, item, 23)}, 100 * (1 + ${belowSql(30, item, 24)}),
         iif(s.n = 2, 'inactive', 'active'), ${isoTimeSql(made_ms)}, ${isoTimeSql(made_ms)}, s.n
       ${each} WHERE numbers.n % 3 = 0 AND s.n <= ${belowSql(3, "numbers.n", 25)}`,
      `INSERT INTO event_categories (rowid, event_category_id, user_id, title, position, created_at)
       ${range} SELECT ${item} + 1, ${ulidSql(made_ms, item, 26)}, u.user_id, ${oneOfSql(["日記", "制作メモ", "らくがき", "おしらせ"], item, 27)},
         s.n, ${isoTimeSql(made_ms)} ${each} WHERE numbers.n % 2 = 0 AND s.n < 2`,
    ];
  },
};

const events: Fill = {
  table: "events",
  rows: EVENTS,
  chunk: 20_000,
  statements(from, to) {
    const made_ms = "made_ms";
    // One rank in twenty never publishes (all its posts are private). Two in twenty published nothing in the second
    // year.
    const drawn = `WITH RECURSIVE ${numbersSql(from, to)}, drawn AS MATERIALIZED (
        SELECT n, ${FIRST_POST_MS} + n * ${EVENT_STEP_MS} + ${belowSql(EVENT_STEP_MS, "n", 30)} AS made_ms,
          ${skewedSql(CREATORS, 2, "n", 31)} AS drawn_rank, ${belowSql(100, "n", 32)} AS fate, ${belowSql(100, "n", 33)} AS audience
        FROM numbers
      ), posts AS MATERIALIZED (
        SELECT *, drawn_rank - iif(n > ${EVENTS / 2} AND drawn_rank % 20 IN (17, 18), 5, 0) AS rank,
          CASE WHEN drawn_rank % 20 = 19 OR fate < 6 THEN 'private' WHEN fate < 8 THEN 'publish_pending' ELSE 'published' END
            AS status,
          fate % 4 = 0 AS has_image,
          -- Every fourth is set to be published on the hour, as people do: such moments are shared by many.
          iif(fate % 4 = 1, (made_ms + ${HOUR_MS - 1}) / ${HOUR_MS} * ${HOUR_MS}, made_ms) AS published_ms
        FROM drawn
      )`;
    const image = ulidSql(made_ms, "n", 34);
    return [
      `INSERT INTO images (image_id, owner_user_id, access, alt, content_type, width, height, created_at)
       ${drawn} SELECT ${image}, u.user_id, 'event', ${oneOfSql(subjects, "n", 36)}, 'image/png', 640, 360, ${isoTimeSql(made_ms)}
       FROM posts JOIN users u ON u.rowid = ${rowidOfRank("rank")} WHERE has_image`,
      `INSERT INTO events (rowid, event_id, user_id, event_category_id, kind, title, lead, body, image_id, status,
         publish_target_type, publish_target_membership_id, publish_at, published_at, created_at)
       ${drawn}, written AS MATERIALIZED (
         SELECT *, ${oneOfSql(paragraphs, "n", 38)}
           || iif(fate % 3 > 0, char(10, 10) || ${oneOfSql(paragraphs, "n", 39)}, '')
           || iif(fate % 3 > 1, char(10, 10) || ${oneOfSql(paragraphs, "n", 40)}, '') AS body FROM posts
       ), opened AS MATERIALIZED (SELECT *, replace(body, char(10, 10), ' ') AS line FROM written)
       SELECT n + 1, ${ulidSql(made_ms, "n", 41)}, u.user_id, c.event_category_id,
         CASE WHEN has_image THEN 'image' ELSE ${oneOfSql(["text", "blog", "video"], "n", 42)} END,
         ${oneOfSql(subjects, "n", 43)} || ${oneOfSql(titleEndings, "n", 44)},
         iif(length(line) > 120, substr(line, 1, 119) || '…', line),
         -- One in a hundred is a long read.
         iif(audience = 50, replace(printf('%.20c', 'x'), 'x', body || char(10, 10)) || '以上です。', body),
         iif(has_image, ${image}, NULL), status,
         CASE WHEN audience >= 88 AND m.membership_id IS NOT NULL THEN 'memberships' WHEN audience >= 70 THEN 'fans'
           ELSE 'public' END,
         iif(audience >= 88, m.membership_id, NULL),
         -- Far off: a clock that runs in the big world must find nothing to do.
         iif(status = 'publish_pending', ${isoTimeSql(`${made_ms} + ${3650 * DAY_MS}`)}, NULL),
         iif(status = 'published', ${isoTimeSql("published_ms")}, NULL), ${isoTimeSql(made_ms)}
       FROM opened JOIN users u ON u.rowid = ${rowidOfRank("rank")}
         LEFT JOIN memberships m ON m.rowid = rank * 3 + 1
         LEFT JOIN event_categories c ON fate % 5 < 2 AND c.rowid = rank * 3 + 1`,
      `INSERT INTO event_images (image_id, event_id, position)
       SELECT image_id, event_id, 0 FROM events WHERE rowid > ${from} AND rowid <= ${to} AND image_id IS NOT NULL`,
    ];
  },
};

const follows: Fill = {
  table: "relationships",
  rows: USERS,
  chunk: 25_000,
  statements(from, to) {
    const draw = `(numbers.n * ${MOST_FOLLOWS} + tries.n)`;
    // Half of the users follow five or fewer creators, some follow a few dozen. Three follows in ten go to one of the
    // stars.
    const wanted = `CASE WHEN ${belowSql(100, "numbers.n", 50)} < 78 THEN 1 + ${belowSql(8, "numbers.n", 51)}
      WHEN ${belowSql(100, "numbers.n", 50)} < 96 THEN 8 + ${belowSql(14, "numbers.n", 51)}
      ELSE 20 + ${belowSql(MOST_FOLLOWS - 20, "numbers.n", 51)} END`;
    const rank = `iif(${belowSql(100, draw, 52)} < 30, ${belowSql(STARS, draw, 53)}, ${skewedSql(CREATORS, 3, draw, 54)})`;
    return [
      `INSERT OR IGNORE INTO relationships (follower_id, following_id, receives_notifications, created_at)
       WITH RECURSIVE ${numbersSql(from, to)}, ${numbersSql(0, MOST_FOLLOWS, "tries")},
       fans AS MATERIALIZED (SELECT n, ${wanted} AS wanted, ${joinedMs("n")} AS joined_ms FROM numbers),
       chosen AS MATERIALIZED (
         SELECT numbers.n AS fan, ${rank} AS rank, joined_ms + ${belowSql(1000, draw, 55)} * (${END_MS} - joined_ms) / 1000 AS made_ms,
           ${belowSql(10, draw, 56)} > 0 AS receives
         FROM fans AS numbers JOIN tries ON tries.n < wanted
       )
       SELECT f.user_id, t.user_id, receives, ${isoTimeSql("made_ms")} FROM chosen
       JOIN users f ON f.rowid = fan + 1 JOIN users t ON t.rowid = ${rowidOfRank("rank")} WHERE f.rowid <> t.rowid`,
    ];
  },
};

/**
 * Returns SQL by which a user follows `count` creators. `rank` gives the rank from `n`. The follows are a quarter of an
 * hour apart, up to the end of the data's time.
 */
function followsOf(follower: number, count: number, rank: string): string {
  return `INSERT OR IGNORE INTO relationships (follower_id, following_id, receives_notifications, created_at)
    WITH RECURSIVE ${numbersSql(0, count)}
    SELECT f.user_id, t.user_id, 1, ${isoTimeSql(`${END_MS} - n * ${15 * MINUTE_MS}`)} FROM numbers
    JOIN users f ON f.rowid = ${follower + 1} JOIN users t ON t.rowid = ${rowidOfRank(rank)} WHERE f.rowid <> t.rowid`;
}

/** Returns SQL that pays for the first plan of creators of every third rank, which are those with plans. */
const subscribeSql = (count: string, user: string, rank: string, draw: number) =>
  `INSERT OR IGNORE INTO subscriptions (subscription_id, membership_id, user_id, status, paid_until, created_at)
   WITH RECURSIVE ${count}, drawn AS MATERIALIZED (SELECT n, ${belowSql(10, "n", draw)} AS fate FROM numbers)
   SELECT ${ulidSql(`(${FIRST_POST_MS} + n)`, "n", draw + 1)}, m.membership_id, u.user_id,
     CASE fate WHEN 0 THEN 'canceled' WHEN 1 THEN 'past_due' ELSE 'active' END,
     iif(fate < 2, ${isoTimeSql(`${END_MS} - n`)}, ${isoTimeSql(`${PAID_UNTIL_MS}`)}), ${isoTimeSql(`${FIRST_POST_MS} + n`)}
   FROM drawn JOIN users u ON u.rowid = ${user} + 1 JOIN memberships m ON m.rowid = (${rank}) * 3 + 1
   WHERE u.user_id <> m.user_id`;

const subscriptions: Fill = {
  table: "subscriptions",
  rows: SUBSCRIPTIONS,
  chunk: 50_000,
  statements: (from, to) => [
    subscribeSql(numbersSql(from, to), belowSql(USERS, "n", 60), `3 * ${skewedSql(CREATORS / 3, 3, "n", 61)}`, 62),
  ],
};

const hardLists: Fill = {
  table: "the hard people's lists",
  rows: 1,
  chunk: 1,
  statements: () => [
    followsOf(hardPeople.follows_a_thousand, 1_000, "n"),
    // Remove every other follow that was generated for these users.
    `DELETE FROM relationships
       WHERE follower_id = (SELECT user_id FROM users WHERE rowid = ${hardPeople.follows_the_silent + 1})`,
    followsOf(hardPeople.follows_the_silent, 20, `${silentRank(0)} + 20 * n`),
    followsOf(hardPeople.star, 1_000, "n * 29 + 1"),
    subscribeSql(numbersSql(0, 50), String(hardPeople.follows_a_thousand), "3 * n", 65),
  ],
};

const letters: Fill = {
  table: "ofuses",
  rows: LETTERS,
  chunk: 50_000,
  statements(from, to) {
    const sent_ms = `(${FIRST_POST_MS} + n * ${LETTER_STEP_MS})`;
    const laterSql = (hours: number) => isoTimeSql(`${sent_ms} + ${hours * HOUR_MS}`);
    return [
      `INSERT INTO ofuses (ofuse_id, sender_user_id, receiver_user_id, amount, message, is_public, opened_at, liked_at,
         reply_message, replied_at, created_at)
       WITH RECURSIVE ${numbersSql(from, to)}, drawn AS MATERIALIZED (
         SELECT n, ${belowSql(100, "n", 70)} AS fate, ${belowSql(USERS, "n", 71)} AS sender, ${skewedSql(CREATORS, 3, "n", 72)} AS rank
         FROM numbers
       )
       SELECT ${ulidSql(sent_ms, "n", 73)}, s.user_id, r.user_id,
         iif(fate % 5 = 0, 100 * (1 + ${belowSql(110, "n", 75)}), 0), ${oneOfSql(remarks, "n", 76)}, fate % 10 < 4,
         iif(fate < 70, ${laterSql(5)}, NULL), iif(fate < 40, ${laterSql(6)}, NULL),
         iif(fate < 20, ${oneOfSql(remarks, "n", 77)}, NULL), iif(fate < 20, ${laterSql(7)}, NULL), ${isoTimeSql(sent_ms)}
       FROM drawn JOIN users s ON s.rowid = sender + 1 JOIN users r ON r.rowid = ${rowidOfRank("rank")}
       WHERE s.rowid <> r.rowid`,
    ];
  },
};

const comments: Fill = {
  table: "event_comments",
  rows: COMMENTS,
  chunk: 40_000,
  statements(from, to) {
    const range = `WITH RECURSIVE ${numbersSql(from, to)}`;
    // The newest posts have the most comments. A third of the comments get a reply an hour later.
    const said = `(SELECT n, ${EVENTS - 1} - ${skewedSql(EVENTS, 4, "n", 80)} AS event_row FROM numbers WHERE n % 4 < 3) AS said
      JOIN events e ON e.rowid = event_row AND e.status = 'published'`;
    const said_ms = `(${FIRST_POST_MS} + event_row * ${EVENT_STEP_MS} + n * ${MINUTE_MS / 60})`;
    const comment = ulidSql(said_ms, "n", 81);
    const columns = "comment_id, event_id, user_id, message, amount, parent_comment_id, created_at";
    return [
      `INSERT INTO event_comments (${columns})
       ${range} SELECT ${comment}, e.event_id, u.user_id, ${oneOfSql(remarks, "n", 83)},
         iif(n % 40 = 0, 100 * (1 + n % 110), 0), NULL, ${isoTimeSql(said_ms)}
       FROM ${said} JOIN users u ON u.rowid = ${belowSql(USERS, "n", 84)} + 1`,
      `INSERT INTO event_comments (${columns})
       ${range} SELECT ${ulidSql(`(${said_ms} + ${HOUR_MS})`, "n", 85)}, e.event_id, e.user_id, ${oneOfSql(remarks, "n", 87)}, 0,
         ${comment}, ${isoTimeSql(`${said_ms} + ${HOUR_MS}`)}
       FROM ${said} WHERE n % 3 = 0`,
    ];
  },
};

/** All tables, in an order that satisfies foreign keys. */
export const fills: readonly Fill[] = [
  users,
  creatorDetails,
  events,
  follows,
  subscriptions,
  hardLists,
  letters,
  comments,
];

/** Sets the counts that the triggers of `relationships` would have kept. Runs after the indexes are recreated. */
export const counters: Fill = {
  table: "counters",
  rows: USERS,
  chunk: 50_000,
  statements: (from, to) => [
    `UPDATE users SET
       followers_count = (SELECT COUNT(*) FROM relationships WHERE following_id = users.user_id),
       followings_count = (SELECT COUNT(*) FROM relationships WHERE follower_id = users.user_id)
     WHERE rowid > ${from} AND rowid <= ${to}`,
  ],
};

/** Sets the counts that the triggers of `totals` would have kept. */
export const totals: Fill = {
  table: "totals",
  rows: 1,
  chunk: 1,
  statements: () => [
    `UPDATE totals SET total = CASE scope
       WHEN 'creators' THEN (SELECT COUNT(*) FROM users WHERE is_creator = 1)
       WHEN 'events' THEN (SELECT COUNT(*) FROM events WHERE status = 'published' AND publish_target_type = 'public')
       ELSE (SELECT COUNT(*) FROM ofuses) END`,
  ],
};

/** Sets the words of the letters that the triggers of `ofuses` would have written. Runs after the indexes are recreated. */
export const letterWords: Fill = {
  table: "letter_words",
  rows: LETTERS,
  chunk: 50_000,
  statements(from, to) {
    const rowsOf = (
      owner: string,
      other: string,
    ) => `INSERT INTO letter_words (owner_user_id, ofuse_id, other_user_id, name, words)
       SELECT ofuses.${owner}, ofuse_id, users.user_id, lower(users.name), lower(message || coalesce(char(10) || reply_message, ''))
       FROM ofuses JOIN users ON users.user_id = ofuses.${other} WHERE ofuses.rowid > ${from} AND ofuses.rowid <= ${to}`;
    return [rowsOf("receiver_user_id", "sender_user_id"), rowsOf("sender_user_id", "receiver_user_id")];
  },
};

/** Sets the endings of names that the triggers of `users` would have written. Runs after the indexes are recreated. */
export const endingsOfNames: Fill = {
  table: "name_endings",
  rows: USERS,
  chunk: 100_000,
  statements: (from, to) => {
    const some = `rowid > ${from} AND rowid <= ${to}`;
    return [
      `INSERT INTO name_endings (ending, user_id)
       WITH RECURSIVE endings (ending, user_id) AS (
         SELECT lower(name), user_id FROM users WHERE ${some}
         UNION SELECT substr(ending, 2), user_id FROM endings WHERE length(ending) > 1)
       SELECT substr(ending, 1, 8), user_id FROM endings
       UNION SELECT '@' || substr(link_id, 1, 8), user_id FROM users WHERE ${some}`,
    ];
  },
};

/** Sets the counts that the triggers of `event_comments` would have kept. Runs after the indexes are recreated. */
export const eventCounts: Fill = {
  table: "event_counts",
  rows: 1,
  chunk: 1,
  statements: () => [
    "DELETE FROM event_counts",
    "INSERT INTO event_counts (event_id, comments_count) SELECT event_id, COUNT(*) FROM event_comments GROUP BY event_id",
  ],
};

/** The star's posts that are read each day, and the hosts that lead to them. */
const [READ_POSTS, READ_HOSTS, READS_A_DAY] = [300, 20, 9];
/** The days before the end in which the star is read: {@link READ_POSTS} x {@link READS_A_DAY} x 366 is 988,200 reads. */
const READ_DAYS = 366;

/** Sets the figures that the outbox would have rolled up, and those of a million reads of the star's posts. */
export const figures: Fill = {
  table: "creator_figures",
  rows: 1,
  chunk: 1,
  statements() {
    const insert = "INSERT INTO creator_figures (user_id, measure, grain, period, subject, count, amount)";
    const star = `(SELECT user_id FROM users WHERE rowid = ${userOfRank(0) + 1})`;
    const day = `date(${END_MS / 1000}, 'unixepoch', '-' || days.n || ' days')`;
    const readsOf = (measure: string, subject: string, subjects: number, count: number) =>
      `${insert} WITH RECURSIVE ${numbersSql(0, READ_DAYS, "days")}, ${numbersSql(0, subjects, "subjects")}
       SELECT ${star}, '${measure}', 'day', ${day}, ${subject}, ${count}, 0 FROM days CROSS JOIN subjects
       WHERE ${star} IS NOT NULL`;
    const reads = READ_POSTS * READS_A_DAY;
    return [
      ...["recounted_people", "earned_figures"].map(
        (
          view,
        ) => `${insert} SELECT user_id, measure, 'day', date(happened_at, '+9 hours'), subject, SUM(count), SUM(amount)
          FROM ${view} GROUP BY 1, 2, 4, 5`,
      ),
      readsOf("reads", "''", 1, reads),
      readsOf("referrers", "'host' || subjects.n || '.example'", READ_HOSTS, reads / READ_HOSTS),
      `${insert} WITH RECURSIVE ${numbersSql(0, READ_DAYS, "days")}
       SELECT user_id, 'post_reads', 'day', ${day}, event_id, ${READS_A_DAY}, 0
       FROM days CROSS JOIN (SELECT user_id, event_id FROM events WHERE user_id = ${star} LIMIT ${READ_POSTS})`,
      `${insert} SELECT user_id, measure, 'month', substr(period, 1, 7), subject, SUM(count), SUM(amount)
       FROM creator_figures WHERE grain = 'day' GROUP BY 1, 2, 4, 5`,
    ];
  },
};
