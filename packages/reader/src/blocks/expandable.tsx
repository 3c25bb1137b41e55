import { slugify } from '@octavo/markdown';
import type { ComponentChildren } from 'preact';
import { dataOf, fragmentOf, nodesOf, plainText, textOf } from '../document.ts';
import type { NodeComponent } from '../drawing.ts';
import { Icon } from '../frame/icon.tsx';

/** What opens when its title is chosen, or when the address names it. */
export const Expandable: NodeComponent = ({ node, at }) => {
  const title = fragmentOf(node, 'expandable-title').flatMap(nodesOf);
  const words = plainText(title).trim();
  const name = slugify(words);
  return (
    <details
      class="expandable"
      open={dataOf(node).defaultExpanded === true}
      {...(name === '' ? {} : { id: at.anchor(name) })}
    >
      <summary>{words === '' ? '…' : at.inlines(title)}</summary>
      <div>{at.blocks(fragmentOf(node, 'expandable-body'))}</div>
    </details>
  );
};

/** A text for an assistant: what it is for, and the text to copy, which is seen as far as its author says. */
export const Prompt: NodeComponent = ({ node, at }): ComponentChildren => {
  const data = dataOf(node);
  const text = nodesOf(node)
    .flatMap(nodesOf)
    .map((line) => plainText([line]))
    .join('\n');
  return (
    <details class="expandable prompt" open={['partial', 'full'].includes(String(data.defaultExpanded))}>
      <summary>
        <Icon at={at} name={textOf(data, 'icon') ?? 'wand-magic-sparkles'} />
        <span>{textOf(data, 'description') ?? at.texts.prompt}</span>
      </summary>
      <code-block data-copy={at.texts.copy} data-copied={at.texts.copied}>
        <pre tabIndex={0}>
          <code>{text}</code>
        </pre>
      </code-block>
    </details>
  );
};
