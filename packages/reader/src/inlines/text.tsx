import type { ComponentChildren, VNode } from 'preact';
import { classesOf, type NodeData, type ShownLeaf, type ShownMark, type ShownNode } from '../document.ts';
import { toneOf } from '../theme/tone.ts';

const tags: Record<string, 'strong'> = {
  bold: 'strong',
  italic: 'em' as 'strong',
  code: 'code' as 'strong',
  strikethrough: 's' as 'strong',
  keyboard: 'kbd' as 'strong',
  superscript: 'sup' as 'strong',
  subscript: 'sub' as 'strong',
};

/** A text in a colour, or on one: of those that the styles have. */
function coloured(inside: ComponentChildren, { text, background }: NodeData): ComponentChildren {
  const [ink, ground] = [toneOf(text), toneOf(background)];
  const classes = classesOf(ink && `ink-${ink}`, ground && `on-${ground}`);
  if (ground !== undefined) return <mark {...classes}>{inside}</mark>;
  return ink === undefined ? inside : <span {...classes}>{inside}</span>;
}

function marked(inside: ComponentChildren, { type, data = {} }: ShownMark): ComponentChildren {
  if (type === 'color') return coloured(inside, data);
  const Tag = Object.hasOwn(tags, type) ? tags[type] : undefined;
  return Tag === undefined ? inside : <Tag>{inside}</Tag>;
}

/** The marks that are drawn. */
export const markTypes = [...Object.keys(tags), 'color'];

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
