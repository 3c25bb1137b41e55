/**
 * Names the columns of a join that drizzle's builder wrote by their places, where D1 would give one of equal names.
 * Other statements stay as they are.
 */
export function withDistinctNames(sql: string): string {
  const [, start] = /^(select (?:distinct )?)["(]/.exec(sql) ?? [];
  if (start === undefined || !/ join /.test(sql)) return sql;
  const columns: string[] = [''];
  for (const piece of piecesOf(sql.slice(start.length))) {
    if (piece === ' from ') break;
    if (piece === ', ') columns.push('');
    else columns[columns.length - 1] += piece;
  }
  const end = start.length + columns.join(', ').length;
  const named = columns.map((column, place) =>
    / as "[^"]+"$/.test(column) ? column : `${column} as "column_${place}"`,
  );
  return start + named.join(', ') + sql.slice(end);
}

/** The text in pieces: what is in parentheses or quotes is one, and so are a comma and FROM outside of them. */
function* piecesOf(sql: string): Generator<string> {
  let depth = 0;
  let held = '';
  for (const [piece] of sql.matchAll(/"(?:[^"]|"")*"|'(?:[^']|'')*'|[()]| from |, |./gis)) {
    depth += piece === '(' ? 1 : piece === ')' ? -1 : 0;
    held += piece;
    if (depth > 0) continue;
    yield held;
    held = '';
  }
}
