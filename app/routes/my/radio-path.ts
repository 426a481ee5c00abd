export const RADIO_PATH = "/my/radio";

/** The page on which a radio goes on air, and later the page of its recording. */
export const onAirPath = (radio_id: string) => `${RADIO_PATH}/${radio_id}`;

/** The field of a form on the page that its broadcaster is on air with. The answer leads back there. */
export const FROM_ON_AIR = { from: "on_air" };
export const isFromOnAir = (form: FormData) => form.get("from") === FROM_ON_AIR.from;

/** The address that opens the sound for the page, by POST, and tells how many people listen. */
export const soundPath = (radio_id: string) => `${RADIO_PATH}/${radio_id}/sound.json`;

/** The page on which a radio is edited. */
export const editPath = (radio_id: string) => `${RADIO_PATH}/${radio_id}/edit`;

/** The page with the settings of a radio's chat. */
export const chatPath = (radio_id: string) => `${RADIO_PATH}/${radio_id}/chat`;

/** The page on which a broadcaster writes captions, and deletes them. */
export const captionsPath = (radio_id: string) => `${RADIO_PATH}/${radio_id}/captions`;

/** The page of the people whom a broadcaster restricted in chats. */
export const RESTRICTEES_PATH = `${RADIO_PATH}/restrictees`;

/** The page on which an audio file becomes the recording of a radio. */
export const recordingPath = (radio_id: string) => `${RADIO_PATH}/${radio_id}/recording`;

/** The page of a radio's picture. */
export const picturePath = (radio_id: string) => `${RADIO_PATH}/${radio_id}/picture`;
