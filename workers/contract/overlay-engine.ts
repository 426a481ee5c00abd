/** The rooms of all overlays, by the id of the person whose overlays they are. */
export interface OverlayRooms {
  /** Says that a letter with this number arrived. Throws when the room could not take it. */
  announce(user_id: string, number: number): Promise<void>;
  /** Says that the settings have changed. It is a hint, and never throws. */
  announceSettings(user_id: string): Promise<void>;
  /** Ends the connections of all other tokens. It never throws: another token gets nothing anyway. */
  endOthers(user_id: string, token_hash: string): Promise<void>;
}
