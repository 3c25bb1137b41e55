/** A row of a hand-written query, by column alias. */
export type Row = Record<string, string | number | null>;

export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`Column ${column} holds no text.`);
  return value;
}

export function optionalText(row: Row, column: string): string | null {
  return row[column] == null ? null : text(row, column);
}

export function number(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw new TypeError(`Column ${column} holds no number.`);
  return value;
}

export function optionalNumber(row: Row, column: string): number | null {
  return row[column] == null ? null : number(row, column);
}

/** The value of a column of JSON: it was checked when it was written. */
export function json<Value>(row: Row, column: string): Value {
  return JSON.parse(text(row, column)) as Value;
}

export function optionalJson<Value>(row: Row, column: string): Value | null {
  return row[column] == null ? null : json<Value>(row, column);
}
