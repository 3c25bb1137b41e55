import type { ComponentChildren } from 'preact';
import { anchorOf } from '../anchors.ts';
import { nodesOf, plainText, type ShownNode } from '../document.ts';
import type { PageDrawing } from '../drawing.ts';

const maxEntries = 100;

function headingsOf(nodes: ShownNode[]): ShownNode[] {
  return nodes.flatMap((node) => {
    if (/^heading-[123]$/.test(node.type ?? '')) return [node];
    return ['stepper', 'stepper-step', 'columns', 'column'].includes(node.type ?? '') ? headingsOf(nodesOf(node)) : [];
  });
}

/** The headings of the page; it marks the one that is read where scripts run. */
export function Outline({ at }: { at: PageDrawing }): ComponentChildren {
  const { page } = at.view;
  const headings = headingsOf(page.document.nodes).filter((node) => anchorOf(node) !== undefined);
  if (!page.layout.outline || headings.length < 2) return null;
  const top = Math.min(...headings.map(({ type }) => Number(type?.at(-1))));
  return (
    <aside class="outline">
      <page-outline>
        <nav aria-label={at.texts.outline}>
          <p>{at.texts.outline}</p>
          <ul>
            {headings.slice(0, maxEntries).map((node) => (
              <li class={Number(node.type?.at(-1)) > top ? 'deeper' : undefined}>
                <a href={`#${encodeURIComponent(anchorOf(node) ?? '')}`}>{plainText(nodesOf(node))}</a>
              </li>
            ))}
          </ul>
        </nav>
      </page-outline>
    </aside>
  );
}
