import type { ComponentChildren } from 'preact';
import { classesOf, nodesOf, plainText, type ShownNode } from '../document.ts';
import type { PageDrawing } from '../drawing.ts';
import { Anchor } from '../frame/anchor.tsx';
import { Sign } from '../frame/icon.tsx';
import { shortAddress } from '../references.ts';
import { toneOf } from '../theme/tone.ts';
import { Picture } from './images.tsx';
import { Check } from './list.tsx';
import type { ColumnDefinition, TableOfPage } from './table-data.ts';

interface Cell {
  column: ColumnDefinition;
  value: unknown;
  table: TableOfPage;
  at: PageDrawing;
  /** Whether it stands in a link: then nothing in it may lead anywhere. */
  isInLink?: boolean | undefined;
}

const maxStars = 10;

function Referred({ reference, at, isInLink }: { reference: unknown } & Pick<Cell, 'at' | 'isInLink'>) {
  const found = at.view.resolve(reference);
  if (found === undefined) return null;
  const inside = (
    <>
      <Sign at={at} of={found} /> {found.title ?? shortAddress(found.to)}
    </>
  );
  return isInLink ? (
    inside
  ) : (
    <Anchor at={at} to={found.to} class="referred">
      {inside}
    </Anchor>
  );
}

const leading = new Set(['link', 'mention', 'button', 'annotation']);

/** Inlines of which none leads anywhere. */
const unlinked = (nodes: ShownNode[]): ShownNode[] =>
  nodes.flatMap((node): ShownNode[] => {
    if (node.object !== 'inline' || !leading.has(node.type ?? '')) return [node];
    if (node.type === 'link') return unlinked(nodesOf(node));
    return [{ object: 'text', leaves: [{ object: 'leaf', text: plainText([node]), marks: [] }] }];
  });

function Words({ value, table, at, isInLink }: Cell): ComponentChildren {
  const blocks = table.texts.get(String(value)) ?? [];
  const [first, ...rest] = blocks;
  if (isInLink) return at.inlines(unlinked(blocks.flatMap(nodesOf)));
  return first?.type === 'paragraph' && rest.length === 0 ? at.inlines(nodesOf(first)) : at.blocks(blocks);
}

function Stars({ column: { max = 5 }, value }: Cell): ComponentChildren {
  const stars = Math.max(1, Math.min(max, maxStars));
  const given = Math.max(0, Math.min(stars, Math.round(Number(value) || 0)));
  return (
    <span role="img" class="stars" aria-label={`${given}/${stars}`}>
      {'★'.repeat(given)}
      {'☆'.repeat(stars - given)}
    </span>
  );
}

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** The id of a user, whom a visitor is not told of. */
const isId = (name: string): boolean => /^[a-z]+_\w{16,}$/i.test(name);

const Tag = ({ text, tone }: { text: string; tone?: string | undefined }): ComponentChildren => (
  <span {...classesOf('tag', tone && `on-${tone}`)}>{text}</span>
);

/** What a cell says, by the type of its column. */
const values: Record<string, (cell: Cell) => ComponentChildren> = {
  text: Words,
  checkbox: ({ value, at }) => <Check at={at} isDone={value === true} />,
  rating: Stars,
  'content-ref': ({ value, at, isInLink }) => <Referred reference={value} at={at} isInLink={isInLink} />,
  image: ({ value, at }) => <Picture data={value as Record<string, unknown>} at={at} />,
  files: ({ value, at, isInLink }) =>
    (Array.isArray(value) ? value.map((file) => ({ kind: 'file', file })) : [value]).map((reference) => (
      <Referred reference={reference} at={at} isInLink={isInLink} />
    )),
  users: ({ value, at }) =>
    listOf(value).flatMap((user) => {
      const name = at.view.resolve({ kind: 'user', user })?.title ?? (isId(user) ? undefined : user);
      return name === undefined ? [] : [<Tag text={name} />];
    }),
  select: ({ value, column: { options = [] } }) =>
    listOf(value).map((each) => {
      const { label = each, color } = options.find((option) => option.value === each) ?? {};
      return <Tag text={label} tone={toneOf(color)} />;
    }),
};

/** The types of columns that are drawn in a way of their own; numbers are drawn as they are. */
export const columnTypes = [...Object.keys(values), 'number'];

export function Value(cell: Cell): ComponentChildren {
  const { value, column } = cell;
  if (value === undefined || value === null) return null;
  const draw = Object.hasOwn(values, column.type) ? values[column.type] : undefined;
  return draw === undefined ? String(value) : draw(cell);
}
