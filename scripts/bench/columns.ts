/** Rows of text under each other: the first column to the left, the others to the right. */
export function columns(rows: string[][]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [nth, cell] of row.entries()) widths[nth] = Math.max(widths[nth] ?? 0, cell.length);
  const placed = (cell: string, nth: number) =>
    nth === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[nth] ?? 0);
  return rows.map((row) => row.map(placed).join('  ').trimEnd()).join('\n');
}

const rounded = (value: number): string => {
  if (value === 0) return '0';
  if (value >= 1000) return Math.round(value).toLocaleString('en-US');
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toPrecision(2);
};

/** A number in as many digits as say something; nothing where there is none. */
export const shown = (value: number | null | undefined): string =>
  value === null || value === undefined ? '' : rounded(value);
