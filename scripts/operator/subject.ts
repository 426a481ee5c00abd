/** What an operator may act on. */

type Row = Record<string, unknown>;

/** The product's, and that of the accounts, which Firebase keeps in production. */
export type Database = "api" | "identity";

/** The databases, wherever they are. */
export interface Product {
  /** One statement; values stand in it as literals, since that is all every way there takes. */
  run(sql: string, database?: Database): Promise<Row[]>;
  close(): Promise<void>;
}

export interface Subject {
  usage: string;
  /**
   * Reads the arguments and gives what is to be done, which gives what is to be told.
   *
   * @throws Refusal when they say nothing that can be done.
   */
  read(args: string[], now_ms: number): (product: Pick<Product, "run">) => Promise<string>;
}
