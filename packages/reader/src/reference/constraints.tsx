import type { JsonObject } from '@octavo/specification';
import { getOwnProperty, getTextAt } from '@octavo/specification';
import type { ComponentChildren } from 'preact';
import type { ApiReferenceContext } from './reference-context.tsx';
import type { ResolvedSchema, SchemaReader } from './schema.ts';
import { getList, readBounds, toText } from './schema.ts';
import type { ReferenceTexts } from './texts/reference-texts.ts';

const maxValues = 40;
const maxLength = 200;

const formatValue = (value: unknown): string => {
  const text = toText(value);
  if (text === '') return '""';
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
};

const Values = ({ values }: { values: unknown[] }): ComponentChildren => (
  <>
    {values.slice(0, maxValues).map((each) => (
      <>
        <code>{formatValue(each)}</code>{' '}
      </>
    ))}
    {values.length > maxValues && `+${values.length - maxValues}`}
  </>
);

/** Formats the bounds of a number, such as `1 – 10` or `> 0, ≤ 100`, or undefined if it has none. */
function formatBounds(value: JsonObject): string | undefined {
  const { low, high, isLowExclusive, isHighExclusive } = readBounds(value);
  if (!isLowExclusive && !isHighExclusive) return formatRange(value, 'minimum', 'maximum');
  const bounds = [
    low === undefined ? [] : [`${isLowExclusive ? '>' : '≥'} ${low}`],
    high === undefined ? [] : [`${isHighExclusive ? '<' : '≤'} ${high}`],
  ];
  return bounds.flat().join(', ');
}

/** Formats two bounds as one text, or undefined if neither is set. */
function formatRange(value: JsonObject, least: string, most: string): string | undefined {
  const [from, to] = [getOwnProperty(value, least), getOwnProperty(value, most)];
  const [low, high] = [typeof from === 'number' ? from : undefined, typeof to === 'number' ? to : undefined];
  if (low !== undefined && high !== undefined) return low === high ? `${low}` : `${low} – ${high}`;
  return low !== undefined ? `≥ ${low}` : high !== undefined ? `≤ ${high}` : undefined;
}

interface Constraint {
  name: string;
  values: unknown[];
}

/** Reads the constraints of a value, and its default and example. */
function readConstraints(value: JsonObject, texts: ReferenceTexts): Constraint[] {
  const all: [string, unknown[]][] = [
    [texts.allowed, getList(value, 'enum')],
    [texts.always, ['const'].map((key) => getOwnProperty(value, key))],
    [texts.default, ['default'].map((key) => getOwnProperty(value, key))],
    [texts.example, [getOwnProperty(value, 'example') ?? getList(value, 'examples')[0]]],
    [texts.pattern, [getOwnProperty(value, 'pattern')]],
    [texts.multipleOf, [getOwnProperty(value, 'multipleOf')]],
    [texts.range, [formatBounds(value)]],
    [texts.length, [formatRange(value, 'minLength', 'maxLength')]],
    [texts.items, [formatRange(value, 'minItems', 'maxItems')]],
  ];
  return all.flatMap(([name, values]) => {
    const present = values.filter((each) => each !== undefined);
    return present.length === 0 ? [] : [{ name, values: present }];
  });
}

/** Reads the constraints of a schema and, for a list, those of its items. */
function readAllConstraints(schemas: SchemaReader, schema: ResolvedSchema, texts: ReferenceTexts): Constraint[] {
  const own = readConstraints(schema.value, texts);
  const unique = getOwnProperty(schema.value, 'uniqueItems') === true ? [{ name: texts.uniqueItems, values: [] }] : [];
  const item = schemas.getItemSchema(schema);
  const ofItems = item === schema ? [] : readConstraints(item.value, texts);
  return [...own, ...unique, ...ofItems.map((each) => ({ ...each, name: `${texts.eachItem}: ${each.name}` }))];
}

/** Whether a schema has a description or constraints besides its type. */
export const hasConstraints = ({ schemas, texts }: ApiReferenceContext, schema: ResolvedSchema): boolean =>
  getTextAt(schema.value, 'description') !== undefined || readAllConstraints(schemas, schema, texts).length > 0;

/** The constraints of a value besides its type. */
export function Constraints({
  apiContext: { schemas, texts },
  schema,
}: {
  apiContext: ApiReferenceContext;
  schema: ResolvedSchema;
}): ComponentChildren {
  const all = readAllConstraints(schemas, schema, texts);
  if (all.length === 0) return null;
  return (
    <ul class="constraints">
      {all.map(({ name, values }) => (
        <li>
          <span>{name}</span> <Values values={values} />
        </li>
      ))}
    </ul>
  );
}
