/** The package has no types of its own. */
declare module "zengin-code" {
  export interface Place {
    code: string;
    name: string;
    /** The reading: large katakana, without 長音. */
    kana: string;
  }
  /** Banks by code, each with its branches by code. */
  const banks: Record<string, Place & { branches: Record<string, Place> }>;
  export default banks;
}
