import type { ComponentChildren } from 'preact';
import { Picture } from '../blocks/images.tsx';
import { dataOf, emojiOf, fragmentOf, nodesOf, plainText, type ShownNode, textOf } from '../document.ts';
import type { NodeComponent, PageDrawing } from '../drawing.ts';
import { Anchor } from '../frame/anchor.tsx';
import { Icon, Sign } from '../frame/icon.tsx';
import { shortAddress } from '../references.ts';
import { toneOf } from '../theme/tone.ts';

export const Emoji: NodeComponent = ({ node }) => emojiOf(textOf(dataOf(node), 'code') ?? '');

export const IconInline: NodeComponent = ({ node, at }) => {
  const data = dataOf(node);
  return <Icon at={at} name={textOf(data, 'icon')} tone={toneOf(data.color)} />;
};

/** What a mention leads to, by its name; nothing where it leads nowhere. */
export const Mention: NodeComponent = ({ node, at }) => {
  const found = at.view.resolve(dataOf(node).ref);
  if (found === undefined) return null;
  return (
    <Anchor at={at} to={found.to} class="mention">
      <Sign at={at} of={found} />
      {found.title ?? shortAddress(found.to)}
    </Anchor>
  );
};

export const InlineImage: NodeComponent = ({ node, at }) => (
  <Picture data={dataOf(node)} at={at} sized={dataOf(node).size === 'line' ? 'inline' : undefined} />
);

/** A sign with a note, which opens over the page without scripts. */
export const Annotation: NodeComponent = ({ node, at }) => {
  const id = at.id('note');
  const sign = plainText(nodesOf(node));
  return (
    <>
      <button type="button" class="annotation" popovertarget={id} aria-label={`${at.texts.note} ${sign}`}>
        {sign}
      </button>
      <span id={id} class="note" popover="auto" role="note">
        {fragmentOf(node, 'annotation-body').map((block) => (
          <NotePart block={block} at={at} />
        ))}
      </span>
    </>
  );
};

/** A block of a note as it may stand within a paragraph: lists and code keep their lines. */
function NotePart({ block, at }: { block: ShownNode; at: PageDrawing }): ComponentChildren {
  if (block.type === 'divider') return null;
  if (block.type === 'code')
    return (
      <code class="note-part">
        {nodesOf(block)
          .map((line) => plainText(nodesOf(line)))
          .join('\n')}
      </code>
    );
  if (/^list-(?!item)/.test(block.type ?? ''))
    return nodesOf(block).map((item) => (
      <span class="note-part item">
        {nodesOf(item).map((inner) => (
          <NotePart block={inner} at={at} />
        ))}
      </span>
    ));
  return <span class="note-part">{at.inlines(nodesOf(block))}</span>;
}
