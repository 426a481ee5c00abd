import { listKind, localStore, storedKey, wordKind } from "./stored-keys.ts";

/* The keys of stored-keys.ts that only pages of radio use, in a file of their own so that no other page loads them. */

export const likedRadioComments = storedKey(localStore, "like-radio-comment", listKind);
export const likedRadioRecordings = storedKey(localStore, "like-radio-recording", listKind);
export const broadcastAudioDeviceId = storedKey(localStore, "broadcastAudioDeviceId", wordKind);
export const chattedRadioIds = storedKey(localStore, "chattedRadioIds", listKind);
