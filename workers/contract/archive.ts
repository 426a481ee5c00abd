import * as z from "zod";
import { commentFilter } from "./comment-filter.ts";
import { document } from "./document.ts";
import { eventKind, eventStatus, eventVisibility } from "./events.ts";
import { id, time } from "./fields.ts";
import { fanScope, newsletterStatus } from "./newsletters.ts";
import { radioRecordingVisibility, radioStatus, radioVisibility } from "./radios.ts";

/**
 * The JSON files of an archive: `archive.json`, and one file for each post, newsletter and radio. An import reads them, so
 * a reader of an older version must be kept when they change. Source: docs/decisions/0048.
 */

/** The value in `archive.json` by which an import recognises an archive of ours. */
export const ARCHIVE_FORMAT = "ofuse-archive";
export const ARCHIVE_VERSION = 1;
export const MANIFEST_NAME = "archive.json";

/** A picture, sound or film of a post, and its file in the archive. */
const archivedFile = z.object({
  id,
  kind: z.enum(["image", "audio", "video"]),
  file: z.string(),
  file_name: z.string(),
  content_type: z.string(),
  alt: z.string(),
  width: z.int().nullable(),
  height: z.int().nullable(),
});
export type ArchivedFile = z.output<typeof archivedFile>;

/** A post. `files` lists everything that the other fields name by its id. */
export const archivedPost = z.object({
  event_id: id,
  kind: eventKind,
  title: z.string(),
  document,
  gallery: z.array(id),
  cover_image_id: id.nullable(),
  video_url: z.string().nullable(),
  video_media_id: id.nullable(),
  event_category_id: id.nullable(),
  comment_filter: commentFilter,
  status: eventStatus,
  publish_target_type: eventVisibility,
  publish_target_membership_id: id.nullable(),
  publish_at: time.nullable(),
  published_at: time.nullable(),
  created_at: time,
  updated_at: time.nullable(),
  files: z.array(archivedFile),
});
export type ArchivedPost = z.output<typeof archivedPost>;

/** A newsletter. `files` lists the pictures that it names. */
export const archivedNewsletter = z.object({
  newsletter_id: id,
  title: z.string(),
  document,
  images: z.array(z.object({ image_id: id, alt: z.string() })),
  fan_scope: fanScope,
  membership_id: id.nullable(),
  status: newsletterStatus,
  publish_at: time.nullable(),
  published_at: time.nullable(),
  created_at: time,
  files: z.array(archivedFile),
});
export type ArchivedNewsletter = z.output<typeof archivedNewsletter>;

/**
 * A radio. `files` lists its picture and its recording, which `recording_id` names. Captions and chapters are the
 * broadcaster's own words: what other people wrote in the chat is not in them.
 */
export const archivedRadio = z.object({
  radio_id: id,
  title: z.string(),
  description: z.string(),
  image_id: id.nullable(),
  publish_target_type: radioVisibility,
  recording_publish_target_type: radioRecordingVisibility,
  publish_target_membership_id: id.nullable(),
  status: radioStatus,
  starts_at: time.nullable(),
  started_at: time.nullable(),
  finished_at: time.nullable(),
  is_chat_on: z.boolean(),
  transcript: z.string(),
  recording_id: id.nullable(),
  duration_ms: z.int().nullable(),
  created_at: time,
  files: z.array(archivedFile),
  chapters: z.array(z.object({ message: z.string(), pinned_at: time, created_at: time })),
  captions: z.array(z.object({ words: z.string(), created_at: time })),
});
export type ArchivedRadio = z.output<typeof archivedRadio>;

/** What a profile shows. Addresses and settings of the account are not a part of it. */
const archivedProfile = z.object({
  bio: z.string(),
  genre_ids: z.array(z.string()),
  external_links: z.array(z.object({ external_site_id: z.string(), url: z.string() })),
  icon: archivedFile.nullable(),
  cover: archivedFile.nullable(),
});
export type ArchivedProfile = z.output<typeof archivedProfile>;

const listedFiles = z.array(archivedFile.pick({ id: true, kind: true, file: true, file_name: true }));

export const archiveManifest = z.object({
  format: z.literal(ARCHIVE_FORMAT),
  version: z.literal(ARCHIVE_VERSION),
  exported_at: time,
  person: z.object({ link_id: z.string(), name: z.string() }),
  /** Which part of the archive this is; absent in a whole one. */
  part: z.object({ number: z.int(), count: z.int() }).optional(),
  categories: z.array(z.object({ event_category_id: id, title: z.string() })),
  plans: z.array(
    z.object({
      membership_id: id,
      title: z.string(),
      description: z.string(),
      amount: z.int(),
      active_state: z.string(),
    }),
  ),
  posts: z.array(
    z.object({
      event_id: id,
      title: z.string(),
      file: z.string(),
      status: eventStatus,
      files: listedFiles,
    }),
  ),
  /** Archives of the first days have neither a profile nor newsletters. */
  profile: archivedProfile.optional(),
  newsletters: z
    .array(z.object({ newsletter_id: id, title: z.string(), file: z.string(), files: listedFiles }))
    .default([]),
  /** Older archives have their radios only in `data`, and no import reads them there. */
  radios: z.array(z.object({ radio_id: id, title: z.string(), file: z.string(), files: listedFiles })).default([]),
  /** Files that are named above and are not in this archive, because the site has lost them. Absent when there are none. */
  missing_files: listedFiles.optional(),
});
export type ArchiveManifest = z.output<typeof archiveManifest>;
