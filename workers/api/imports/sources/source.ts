import type { Document } from "../../../contract/document.ts";
import type { EventBody } from "../../../contract/events.ts";
import type { RadioBody } from "../../../contract/radios.ts";
import type { ImportedFile } from "../../uploads/commands.ts";

/** A file that posts are imported from, as its kind of file tells it. Its reader trusts nothing that the file says. */
export interface Source {
  contents(): Promise<Contents>;
  /** Throws {@link SourceFault}. */
  readPost(key: string): Promise<SourcePost>;
  /** Only for files of which {@link contents} told. */
  readFile?(key: string): Promise<ImportedFile>;
  /** Only for plans of which {@link contents} told. */
  readPlan?(key: string): SourcePlan;
  /** Only for newsletters of which {@link contents} told. Throws {@link SourceFault}. */
  readNewsletter?(key: string): Promise<SourceNewsletter>;
  /** Only for radios of which {@link contents} told. Throws {@link SourceFault}. */
  readRadio?(key: string): Promise<SourceRadio>;
  /** Only for a source of whose profile {@link contents} told. */
  profile?: SourceProfile;
}

export interface Named {
  /** What the file calls it. Unique among those of its kind. */
  key: string;
  title: string;
}

export interface Contents {
  categories: Named[];
  plans: Named[];
  posts: (Named & { files: Named[] })[];
  /** Only archives of ours have newsletters, radios and a profile. */
  newsletters?: (Named & { files: Named[] })[];
  radios?: (Named & { files: Named[] })[];
  profile?: ProfilePart[];
}

export type ProfilePart = "name" | "bio" | "icon" | "cover" | "links" | "genres";

/** A profile of another place. Nothing of it has been checked. */
export interface SourceProfile {
  name: string;
  bio: string;
  genre_ids: string[];
  external_links: { external_site_id: string; url: string }[];
  /** The keys of the pictures' files. */
  icon: string | null;
  cover: string | null;
}

/** A newsletter of another place. Pictures and the plan are named by their keys. */
export interface SourceNewsletter {
  title: string;
  document: Document;
  images: { image_id: string; alt: string }[];
  fan_scope: "fans" | "memberships";
  membership_id: string | null;
  /** When it was sent, or was to be sent. */
  publish_at: string | null;
  created_at: string;
}

/** A radio of another place. The picture, the recording and the plan are named by their keys. */
export interface SourceRadio extends RadioBody {
  /** Its recording; null without one. */
  recording_id: string | null;
  status: "scheduled" | "on_air" | "finished";
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  chapters: { message: string; pinned_at: string; created_at: string }[];
  captions: { words: string; created_at: string }[];
}

export interface SourcePlan {
  title: string;
  description: string;
  /** The price in yen; null when the file does not say. */
  amount: number | null;
}

/** A post of another place. Pictures, files, the category and the plan are named by their keys. */
export interface SourcePost extends Omit<EventBody, "document"> {
  document: Document;
  created_at: string | null;
  published_at: string | null;
  /** What is lost on the way, in sentences for the report. */
  notes: string[];
}

/** Thrown for a file, or a part of one, that cannot be read. */
export class SourceFault extends Error {
  override name = "SourceFault";
}
