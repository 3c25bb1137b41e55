/** D1 binds at most 2 MB; a character takes up to three bytes, or six if JSON escapes it. */
const maxChunkLength = 300_000;

/** Splits rows into JSON arrays that each fit into one bound parameter. A single row must fit too. */
export function splitIntoJson(rows: unknown[]): string[] {
  const chunks: string[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const row of rows.map((each) => JSON.stringify(each))) {
    if (length + row.length > maxChunkLength) {
      chunks.push([]);
      length = 0;
    }
    chunks.at(-1)?.push(row);
    length += row.length;
  }
  return chunks.map((each) => `[${each.join(',')}]`);
}
