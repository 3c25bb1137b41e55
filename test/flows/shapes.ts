/** Returns the faults of a value, each with its location. Empty if the value has the shape. */
export type Shape = (value: unknown, place: string) => string[];

const fault = (place: string, wanted: string, value: unknown): string[] => [
  `${place} is ${JSON.stringify(value)?.slice(0, 80)}, not ${wanted}`,
];

const leaf =
  (wanted: string, fits: (value: unknown) => boolean): Shape =>
  (value, place) =>
    fits(value) ? [] : fault(place, wanted, value);

export const text = leaf('a text', (value) => typeof value === 'string');
export const id = leaf('an id', (value) => typeof value === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(value));
export const count = leaf('a number', (value) => typeof value === 'number' && Number.isFinite(value));
export const flag = leaf('a boolean', (value) => typeof value === 'boolean');
export const anything = leaf('anything', (value) => value !== undefined);

const isoForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
export const moment = leaf(
  'a date-time',
  (value) => typeof value === 'string' && isoForm.test(value) && !Number.isNaN(Date.parse(value)),
);

export const address = leaf(
  'an absolute URL',
  (value) => typeof value === 'string' && /^https?:/.test(value) && URL.canParse(value),
);

export const getOne = (...values: (string | null)[]): Shape =>
  leaf(`one of ${values.join(', ')}`, (value) => values.includes(value as string | null));

export const atMost = (max: number): Shape =>
  leaf(`a text of at most ${max} characters`, (value) => typeof value === 'string' && [...value].length <= max);

export const getList =
  (item: Shape): Shape =>
  (value, place) =>
    Array.isArray(value)
      ? value.flatMap((each, index) => item(each, `${place}[${index}]`))
      : fault(place, 'an array', value);

export const getMap =
  (item: Shape): Shape =>
  (value, place) =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, each]) => item(each, `${place}.${key}`))
      : fault(place, 'a map', value);

/** An object with at least these fields. A name that ends with `?` is optional. */
export const object =
  (fields: Record<string, Shape>): Shape =>
  (value, place) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return fault(place, 'an object', value);
    return Object.entries(fields).flatMap(([name, shape]) => {
      const key = name.replace(/\?$/, '');
      const found = (value as Record<string, unknown>)[key];
      if (found === undefined) return name === key ? [`${place}.${key} is missing`] : [];
      return shape(found, `${place}.${key}`);
    });
  };

export const flags = (...names: string[]): Shape => object(Object.fromEntries(names.map((name) => [name, flag])));

/** Accepts any of these shapes. If none matches, returns the faults of the first. */
export const either =
  (...shapes: Shape[]): Shape =>
  (value, place) => {
    const faults = shapes.map((shape) => shape(value, place));
    return faults.find((each) => each.length === 0) ?? faults[0] ?? [];
  };

/** The envelope of a list, with items of one shape. */
export const list =
  (item: Shape, more: Record<string, Shape> = {}): Shape =>
  (value, place) => {
    const envelope = object({ 'next?': object({ page: text }), count, items: getList(item), ...more });
    const faults = envelope(value, place);
    if (faults.length > 0) return faults;
    const found = value as { count: number; items: unknown[] };
    return found.count === found.items.length ? [] : fault(`${place}.count`, `${found.items.length}`, found.count);
  };
