/** A text as it stands in a statement. */
export const literal = (text: string | null) => (text === null ? "NULL" : `'${text.replaceAll("'", "''")}'`);
