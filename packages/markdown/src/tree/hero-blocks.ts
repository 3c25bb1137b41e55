import type { Hero } from '../hero.ts';
import { cardTable, rowOf } from './compose.ts';
import { type Block, block, inline, textOf, urlReference } from './document-tree.ts';
import { mark } from './markup.ts';

/** What a hero shows, as blocks that no text is the source of: the frontmatter says it. */
export function heroBlocks({ title, lines, image, dark, actions, features }: Hero): Block[] {
  const paragraph = (text: string, ...marks: string[]) =>
    block('paragraph', {}, [
      textOf(
        text,
        marks.map((type) => mark(type)),
      ),
    ]);
  const buttons = actions.map(({ text, address, isFirst }) =>
    inline('button', { ref: urlReference(address), kind: isFirst ? 'primary' : 'secondary' }, [textOf(text)]),
  );
  const blocks = [
    ...(title === undefined ? [] : [paragraph(title, 'bold')]),
    ...lines.map((line) => paragraph(line)),
    ...(image === undefined ? [] : [imageOf(image, dark)]),
    ...(buttons.length === 0 ? [] : [block('paragraph', {}, buttons)]),
    ...(features.length === 0 ? [] : [cardsOf(features)]),
  ];
  return blocks.map((each) => ({ ...each, data: { ...each.data, markup: { before: '', source: '', hero: true } } }));
}

const imageOf = (address: string, dark: string | undefined): Block =>
  block('images', {}, [
    block('image', { ref: urlReference(address), alt: '', ...(dark !== undefined && { refDark: urlReference(dark) }) }),
  ]);

function cardsOf(features: Hero['features']): Block {
  const rows = features.map(({ title, details, address }) =>
    rowOf(
      title === '' ? [] : [textOf(title, [mark('bold')])],
      details === '' ? [] : [textOf(details)],
      address === undefined ? undefined : urlReference(address),
    ),
  );
  return { ...block('table'), ...cardTable(rows) };
}
