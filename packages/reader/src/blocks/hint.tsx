import { dataOf, nodesOf, textOf } from '../document.ts';
import type { NodeComponent } from '../drawing.ts';
import { Icon } from '../frame/icon.tsx';

const icons: Record<string, string> = {
  info: 'solid circle-info',
  success: 'solid circle-check',
  warning: 'solid circle-exclamation',
  danger: 'solid triangle-exclamation',
};

/** A remark that stands out. Its style is told by its icon and its colour; its words say the rest. */
export const Hint: NodeComponent = ({ node, at }) => {
  const data = dataOf(node);
  const style = Object.hasOwn(icons, textOf(data, 'style') ?? '') ? textOf(data, 'style') : 'info';
  return (
    <div class={`hint ${style}`}>
      <Icon at={at} name={textOf(data, 'icon') ?? icons[style ?? '']} />
      <div>{at.blocks(nodesOf(node))}</div>
    </div>
  );
};

export const Quotation: NodeComponent = ({ node, at }) => <blockquote>{at.blocks(nodesOf(node))}</blockquote>;

export const Divider: NodeComponent = () => <hr />;
