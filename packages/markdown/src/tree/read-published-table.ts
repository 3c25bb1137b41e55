import type { Json } from '@octavo/expression';
import {
  type Block,
  block,
  type Inline,
  inline,
  type TextNode,
  type TreeData,
  textAt,
  textOf,
  urlReference,
} from './document-tree.ts';
import { nodesIn, type PublishedNode } from './published-nodes.ts';
import { addressOf } from './published-references.ts';
import { readInlines } from './read-published-inlines.ts';

type Nodes = (Inline | TextNode)[];

/** A table of rows and cells; one that is more than a grid of texts is written in HTML. */
export function readPublishedTable(node: PublishedNode, { view, definition, records }: TreeData): Block {
  const columns = Object.entries((definition ?? {}) as PublishedNode).map(([id, column]) => ({ id, column }));
  const places = new Map(valuesOf(fieldOf(view, 'columns')).map((id, place) => [String(id), place]));
  const placeOf = ({ id }: { id: string }): number => places.get(id) ?? places.size;
  const ordered = [...columns].sort((one, other) => placeOf(one) - placeOf(other));
  const isCards = textAt(view, 'type') === 'cards';
  const isTyped = isCards || ordered.some(({ id, column }) => textAt(column, 'type') !== 'text' || !places.has(id));
  const cells = new Map(nodesIn(node, 'fragments').map((each) => [String(each.fragment), nodesIn(each)]));
  const head = ordered.map(({ id, column }) => {
    const title = textAt(column, 'title') ?? '';
    const attributes = isTyped ? attributesOf(id, { column, view, isShown: places.has(id) }) : {};
    const nodes = title === '' ? [] : [textOf(title)];
    return block('table-cell', Object.keys(attributes).length === 0 ? {} : { attributes }, nodes);
  });
  const rows = Object.values((records ?? {}) as PublishedNode)
    .sort((one, other) => (String(textAt(one, 'orderIndex')) < String(textAt(other, 'orderIndex')) ? -1 : 1))
    .map((record) => {
      const values = fieldOf(record, 'values');
      return block(
        'table-row',
        {},
        ordered.map(({ id, column }) =>
          block('table-cell', {}, cellOf(fieldOf(values, id), textAt(column, 'type') ?? 'text', cells)),
        ),
      );
    });
  const sides = ordered.map(({ column }) => {
    const side = textAt(column, 'textAlignment');
    return side === 'center' || side === 'right' ? side : '';
  });
  const data: TreeData = {
    ...(isTyped ? { view: isCards ? 'cards' : 'grid' } : sides.some(Boolean) ? { align: sides } : {}),
    ...(isCards && textAt(view, 'cardSize') === 'large' ? { attributes: { 'data-card-size': 'large' } } : {}),
  };
  return block('table', data, [block('table-row', { header: true }, head), ...rows]);
}

const fieldOf = (value: Json | undefined, key: string): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, key)
    ? value[key]
    : undefined;

const valuesOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

type Head = { column: Json; view: Json | undefined; isShown: boolean };

function attributesOf(id: string, { column, view, isShown }: Head): { [name: string]: string } {
  const type = textAt(column, 'type') ?? 'text';
  return {
    ...(isShown ? {} : { 'data-hidden': '' }),
    ...(textAt(view, 'targetDefinition') === id ? { 'data-card-target': '' } : {}),
    ...(textAt(view, 'coverDefinition') === id ? { 'data-card-cover': '' } : {}),
    ...(textAt(view, 'coverDefinitionDark') === id ? { 'data-card-cover-dark': '' } : {}),
    ...(type === 'text' ? {} : { 'data-type': type }),
    ...(fieldOf(column, 'multiple') === true ? { 'data-multiple': '' } : {}),
    ...(type === 'rating' ? { 'data-max': String(fieldOf(column, 'max') ?? 5) } : {}),
  };
}

function cellOf(value: Json | undefined, type: string, cells: Map<string, PublishedNode[]>): Nodes {
  if (type === 'text') {
    const paragraphs = cells.get(String(value)) ?? [];
    return paragraphs.flatMap((each, index) => [
      ...(index === 0 ? [] : [inline('hard-break', {})]),
      ...readInlines(nodesIn(each).filter(({ object }) => object !== 'block')),
    ]);
  }
  const address = addressIn(value);
  if (address !== undefined) return [inline('link', { ref: urlReference(address) }, [textOf(address)])];
  const said = valuesOf(value);
  if (type === 'files')
    return said.map((file) =>
      inline('link', { ref: urlReference(`/files/${encodeURI(String(file))}`) }, [textOf(String(file))]),
    );
  const shown = Array.isArray(value) ? said.join(', ') : String(value ?? '');
  return shown === '' ? [] : [textOf(shown)];
}

const addressIn = (value: Json | undefined): string | undefined => {
  const ref = fieldOf(value, 'ref') ?? value;
  return textAt(ref, 'kind') === undefined ? undefined : addressOf(ref);
};
