import type { ComponentChildren, VNode } from 'preact';
import type { ShownLeaf, ShownMark, ShownNode } from '../document.ts';

const tags: Record<string, 'strong'> = {
  bold: 'strong',
  italic: 'em' as 'strong',
  code: 'code' as 'strong',
  strikethrough: 's' as 'strong',
  keyboard: 'kbd' as 'strong',
  superscript: 'sup' as 'strong',
  subscript: 'sub' as 'strong',
};

function marked(inside: ComponentChildren, { type }: ShownMark): ComponentChildren {
  const Tag = Object.hasOwn(tags, type) ? tags[type] : undefined;
  return Tag === undefined ? inside : <Tag>{inside}</Tag>;
}

const withBreaks = (text: string): ComponentChildren =>
  text.includes('\n') ? text.split('\n').flatMap((line, index) => (index === 0 ? [line] : [<br />, line])) : text;

const LeafText = ({ leaf: { text, marks } }: { leaf: ShownLeaf }): VNode => (
  <>{marks.reduceRight<ComponentChildren>(marked, withBreaks(text))}</>
);

export const Text = ({ node }: { node: ShownNode }): VNode => (
  <>
    {(node.leaves ?? []).map((leaf) => (
      <LeafText leaf={leaf} />
    ))}
  </>
);
