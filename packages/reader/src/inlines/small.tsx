import { Picture } from '../blocks/images.tsx';
import { dataOf, emojiOf, fragmentOf, nodesOf, plainText, textOf } from '../document.ts';
import type { NodeComponent } from '../drawing.ts';
import { Anchor } from '../frame/anchor.tsx';
import { Icon } from '../frame/icon.tsx';

export const Emoji: NodeComponent = ({ node }) => emojiOf(textOf(dataOf(node), 'code') ?? '');

export const IconInline: NodeComponent = ({ node, at }) => <Icon at={at} name={textOf(dataOf(node), 'icon')} />;

/** What a mention leads to, by its name; nothing where it leads nowhere. */
export const Mention: NodeComponent = ({ node, at }) => {
  const found = at.view.resolve(dataOf(node).ref);
  if (found === undefined) return null;
  return (
    <Anchor at={at} to={found.to}>
      {found.title ?? found.to}
    </Anchor>
  );
};

export const Button: NodeComponent = ({ node, at }) => {
  const data = dataOf(node);
  const kind = data.kind === 'secondary' ? 'button-secondary' : 'button-primary';
  return (
    <Anchor at={at} to={at.view.resolve(data.ref)?.to} class={kind}>
      <Icon at={at} name={textOf(data, 'icon')} />
      {textOf(data, 'label') ?? ''}
    </Anchor>
  );
};

export const InlineImage: NodeComponent = ({ node, at }) => (
  <Picture data={dataOf(node)} at={at} sized={dataOf(node).size === 'original' ? 'original' : 'inline'} />
);

/** A word with a note, which opens over the page without scripts. */
export const Annotation: NodeComponent = ({ node, at }) => {
  const id = at.id('note');
  return (
    <>
      <button type="button" class="annotation" popovertarget={id}>
        {plainText(nodesOf(node))}
      </button>
      <span id={id} class="note" popover="auto">
        {fragmentOf(node, 'annotation-body').map((block) => (
          <span class="note-part">{at.inlines(nodesOf(block))}</span>
        ))}
      </span>
    </>
  );
};
