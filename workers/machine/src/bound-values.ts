/** What SQLite takes for a parameter. */
export type BoundValue = string | number | null | Uint8Array;

const isByte = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value < 256;

/** The bytes of what D1 stores as a blob; a copy, since a caller may go on writing into its own. */
function bytesOf(value: object): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value.slice(0));
  if (ArrayBuffer.isView(value) || (Array.isArray(value) && value.every(isByte)))
    return Uint8Array.from(value as unknown as ArrayLike<number>);
  return undefined;
}

function boundValue(value: unknown): BoundValue {
  // D1 sends parameters as JSON, which knows no infinity, no NaN and no negative zero.
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null) return null;
  const bytes = typeof value === 'object' ? bytesOf(value) : undefined;
  if (bytes !== undefined) return bytes;
  const message = `Type '${typeof value}' not supported for value '${value}'`;
  throw new Error(`D1_TYPE_ERROR: ${message}`, { cause: new Error(message) });
}

/**
 * Makes of the values of a call, in their own list, what SQLite takes.
 * @throws Error D1_TYPE_ERROR, for what D1 does not take either
 */
export function boundValues(values: unknown[]): BoundValue[] {
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (typeof value !== 'string') values[index] = boundValue(value);
  }
  return values as BoundValue[];
}
