import { nodesOf, textOf } from '../document.ts';
import type { NodeComponent } from '../drawing.ts';

/** A heading is a link to itself. The page's title is its only `h1`: headings begin at the second level. */
export const Heading: NodeComponent = ({ node, at }) => {
  const level = Math.min(Number(/\d$/.exec(node.type ?? '')?.[0] ?? 1) + 1, 4);
  const id = node.meta?.id ?? textOf(node.data ?? {}, 'id');
  const inside = at.inlines(nodesOf(node));
  const Tag = `h${level}` as 'h2';
  return id === undefined ? (
    <Tag>{inside}</Tag>
  ) : (
    <Tag id={id}>
      {inside}
      <a class="anchor" href={`#${encodeURIComponent(id)}`} aria-labelledby={id}>
        #
      </a>
    </Tag>
  );
};
