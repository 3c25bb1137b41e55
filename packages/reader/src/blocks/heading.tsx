import { anchorOf } from '../anchors.ts';
import { nodesOf } from '../document.ts';
import type { NodeComponent } from '../drawing.ts';
import { Anchors } from '../frame/anchors.tsx';
import { alignmentOf } from './paragraph.tsx';

/** A heading is a link to itself. The page's title is its only `h1`. */
export const Heading: NodeComponent = ({ node, at }) => {
  const { first, aliases } = at.headings;
  const level = Math.max(2, Number(/\d$/.exec(node.type ?? '')?.[0] ?? 1) - 1 + first);
  const own = anchorOf(node);
  const [id, ...more] = [...(own === undefined ? [] : [own]), ...(aliases.get(node) ?? [])];
  const inside = at.inlines(nodesOf(node));
  const Tag = `h${level}` as 'h2';
  if (id === undefined) return <Tag {...alignmentOf(node)}>{inside}</Tag>;
  return (
    <Tag id={id} {...alignmentOf(node)}>
      <Anchors ids={more} />
      {inside}
      <a class="anchor" href={`#${encodeURIComponent(id)}`} aria-labelledby={id}>
        #
      </a>
    </Tag>
  );
};
