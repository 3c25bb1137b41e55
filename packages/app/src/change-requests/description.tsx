import type { PageNode } from '@octavo/reader/drawing';
import type { VNode } from 'preact';
import { useTextDrawing } from '../page/use-text-drawing.ts';
import { useLoaded } from '../use-api.ts';

/** Parses a text in Markdown. The parser is loaded when it is first needed. */
async function parse(markdown: string): Promise<PageNode[]> {
  const { parseTree } = await import('@octavo/markdown/editing');
  return parseTree(markdown).nodes as PageNode[];
}

/** The description of a change request. Until its parser is loaded, it is shown as it was written. */
export function DescriptionText({ markdown }: { markdown: string }): VNode {
  const { value: nodes } = useLoaded(`description ${markdown}`, () => parse(markdown));
  if (nodes === undefined) return <div class="description plain">{markdown}</div>;
  return <DrawnText nodes={nodes} markdown={markdown} />;
}

function DrawnText({ nodes, markdown }: { nodes: PageNode[]; markdown: string }): VNode {
  const { className, blocks } = useTextDrawing(nodes, markdown);
  return <article class={`description ${className}`}>{blocks}</article>;
}
