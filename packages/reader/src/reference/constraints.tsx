import { type JsonObject, ownOf } from '@octavo/specification';
import type { ComponentChildren } from 'preact';
import { plain } from './media.ts';
import { listAt } from './schema.ts';
import type { ReferenceTexts } from './texts/reference-texts.ts';

const maxValues = 40;
const maxLength = 200;

const shown = (value: unknown): string => {
  const text = plain(value);
  if (text === '') return '""';
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
};

const Values = ({ values }: { values: unknown[] }): ComponentChildren => (
  <>
    {values.slice(0, maxValues).map((each) => (
      <>
        <code>{shown(each)}</code>{' '}
      </>
    ))}
    {values.length > maxValues && `+${values.length - maxValues}`}
  </>
);

/** Two bounds as one; nothing where there is none. */
function range(value: JsonObject, least: string, most: string): string | undefined {
  const [from, to] = [ownOf(value, least), ownOf(value, most)];
  const [low, high] = [typeof from === 'number' ? from : undefined, typeof to === 'number' ? to : undefined];
  if (low !== undefined && high !== undefined) return low === high ? `${low}` : `${low} – ${high}`;
  return low !== undefined ? `≥ ${low}` : high !== undefined ? `≤ ${high}` : undefined;
}

/** What else a value must be, and is where nobody says anything. */
export function Constraints({ value, texts }: { value: JsonObject; texts: ReferenceTexts }): ComponentChildren {
  const lists: [string, unknown[]][] = [
    [texts.allowed, listAt(value, 'enum')],
    [texts.always, ['const'].map((key) => ownOf(value, key))],
    [texts.default, ['default'].map((key) => ownOf(value, key))],
    [texts.example, [ownOf(value, 'example') ?? listAt(value, 'examples')[0]]],
    [texts.pattern, [ownOf(value, 'pattern')]],
    [texts.multipleOf, [ownOf(value, 'multipleOf')]],
  ];
  const facts: [string, unknown[]][] = [
    [texts.range, [range(value, 'minimum', 'maximum')]],
    [texts.range, [range(value, 'exclusiveMinimum', 'exclusiveMaximum')]],
    [texts.length, [range(value, 'minLength', 'maxLength')]],
    [texts.items, [range(value, 'minItems', 'maxItems')]],
  ];
  const all = [...lists, ...facts].flatMap(([name, values]) => {
    const there = values.filter((each) => each !== undefined);
    return there.length === 0 ? [] : [{ name, there }];
  });
  if (all.length === 0) return null;
  return (
    <ul class="constraints">
      {all.map(({ name, there }) => (
        <li>
          <span>{name}</span> <Values values={there} />
        </li>
      ))}
    </ul>
  );
}
