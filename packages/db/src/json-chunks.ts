/** A bound parameter holds at most 2 MB on D1; a character takes up to three bytes, and six where JSON escapes it. */
const maxChunkLength = 300_000;

/** Cuts rows into JSON arrays that each fit one bound parameter, as long as each row does. */
export function jsonChunks(rows: unknown[]): string[] {
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
