import { listKind, localStore, storedKey, wordKind } from "./stored-keys.ts";

/*
 * The keys of stored-keys.ts that only pages of radio use, in a file of their own so that no other page loads them. Each is marked as
 * pure: bundlers keep the calls of another file's function otherwise, in the script of every visitor.
 */

export const likedRadioComments = /* @__PURE__ */ storedKey(localStore, "like-radio-comment", listKind);
export const likedRadioRecordings = /* @__PURE__ */ storedKey(localStore, "like-radio-recording", listKind);
export const broadcastAudioDeviceId = /* @__PURE__ */ storedKey(localStore, "broadcastAudioDeviceId", wordKind);
export const chattedRadioIds = /* @__PURE__ */ storedKey(localStore, "chattedRadioIds", listKind);
