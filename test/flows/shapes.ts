/** Returns the faults of a value, each with its location. Empty if the value has the shape. */
export type Shape = (value: unknown, place: string) => string[];

const createFault = (place: string, expected: string, value: unknown): string[] => [
  `${place} is ${JSON.stringify(value)?.slice(0, 80)}, not ${expected}`,
];

const createLeafShape =
  (expected: string, fits: (value: unknown) => boolean): Shape =>
  (value, place) =>
    fits(value) ? [] : createFault(place, expected, value);

export const text = createLeafShape('a text', (value) => typeof value === 'string');
export const id = createLeafShape('an id', (value) => typeof value === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(value));
export const count = createLeafShape('a number', (value) => typeof value === 'number' && Number.isFinite(value));
export const flag = createLeafShape('a boolean', (value) => typeof value === 'boolean');
export const anything = createLeafShape('anything', (value) => value !== undefined);

const isoForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
export const moment = createLeafShape(
  'a date-time',
  (value) => typeof value === 'string' && isoForm.test(value) && !Number.isNaN(Date.parse(value)),
);

export const address = createLeafShape(
  'an absolute URL',
  (value) => typeof value === 'string' && /^https?:/.test(value) && URL.canParse(value),
);

export const createEnumShape = (...values: (string | null)[]): Shape =>
  createLeafShape(`one of ${values.join(', ')}`, (value) => values.includes(value as string | null));

export const createTextShape = (max: number): Shape =>
  createLeafShape(
    `a text of at most ${max} characters`,
    (value) => typeof value === 'string' && [...value].length <= max,
  );

export const getList =
  (item: Shape): Shape =>
  (value, place) =>
    Array.isArray(value)
      ? value.flatMap((each, index) => item(each, `${place}[${index}]`))
      : createFault(place, 'an array', value);

export const getMap =
  (item: Shape): Shape =>
  (value, place) =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, each]) => item(each, `${place}.${key}`))
      : createFault(place, 'a map', value);

/** An object with at least these fields. A name that ends with `?` is optional. */
export const createObjectShape =
  (fields: Record<string, Shape>): Shape =>
  (value, place) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return createFault(place, 'an object', value);
    return Object.entries(fields).flatMap(([name, shape]) => {
      const key = name.replace(/\?$/, '');
      const propertyValue = (value as Record<string, unknown>)[key];
      if (propertyValue === undefined) return name === key ? [`${place}.${key} is missing`] : [];
      return shape(propertyValue, `${place}.${key}`);
    });
  };

export const flags = (...names: string[]): Shape =>
  createObjectShape(Object.fromEntries(names.map((name) => [name, flag])));

/** Accepts any of these shapes. If none matches, returns the faults of the first. */
export const createUnionShape =
  (...shapes: Shape[]): Shape =>
  (value, place) => {
    const faults = shapes.map((shape) => shape(value, place));
    return faults.find((each) => each.length === 0) ?? faults[0] ?? [];
  };

/** The envelope of a list, with items of one shape. */
export const list =
  (item: Shape, more: Record<string, Shape> = {}): Shape =>
  (value, place) => {
    const envelope = createObjectShape({
      'next?': createObjectShape({ page: text }),
      count,
      items: getList(item),
      ...more,
    });
    const faults = envelope(value, place);
    if (faults.length > 0) return faults;
    const list = value as { count: number; items: unknown[] };
    return list.count === list.items.length ? [] : createFault(`${place}.count`, `${list.items.length}`, list.count);
  };
