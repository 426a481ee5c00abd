export const RADIO_PATH = "/my/radio";

/** The page on which a radio is edited. */
export const editPath = (radio_id: string) => `${RADIO_PATH}/${radio_id}/edit`;

/** The page of a radio's picture. */
export const picturePath = (radio_id: string) => `${RADIO_PATH}/${radio_id}/picture`;
