/** A page's title and description for its `meta` function. */
export function pageMeta(title: string, description?: string) {
  return [{ title: `${title}｜ofuse` }, ...(description ? [{ name: "description", content: description }] : [])];
}
