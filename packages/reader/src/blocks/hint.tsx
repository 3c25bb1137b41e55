import { dataOf, nodesOf, textOf } from '../document.ts';
import type { NodeComponent } from '../drawing.ts';
import { Icon } from '../frame/icon.tsx';

const icons = {
  info: 'solid circle-info',
  success: 'solid circle-check',
  warning: 'solid circle-exclamation',
  danger: 'solid triangle-exclamation',
};

const isStyle = (style: string): style is keyof typeof icons => Object.hasOwn(icons, style);

/** A remark that stands out: its style is told by its icon and its colour, and by a word to who sees neither. */
export const Hint: NodeComponent = ({ node, at }) => {
  const data = dataOf(node);
  const given = textOf(data, 'style') ?? '';
  const style = isStyle(given) ? given : 'info';
  return (
    <div class={`hint ${style}`}>
      <Icon at={at} name={textOf(data, 'icon') ?? icons[style]} />
      <span class="hidden">{at.texts[style]}</span>
      <div>{at.blocks(nodesOf(node))}</div>
    </div>
  );
};

export const Quotation: NodeComponent = ({ node, at }) => <blockquote>{at.blocks(nodesOf(node))}</blockquote>;

export const Divider: NodeComponent = () => <hr />;
