import type { ComponentChildren } from 'preact';
import { anchorOf } from '../anchors.ts';
import { nodesOf, plainText, type ShownNode } from '../document.ts';
import type { PageDrawing } from '../drawing.ts';
import { partHeadings } from '../reference/part-headings.ts';
import type { ShownHeading } from './shown-heading.ts';

const maxEntries = 100;
const outlineId = '~outline';

function entriesIn(nodes: ShownNode[], at: PageDrawing): ShownHeading[] {
  return nodes.flatMap((node): ShownHeading[] => {
    const [id, level] = [anchorOf(node), /^heading-([123])$/.exec(node.type ?? '')?.[1]];
    if (level !== undefined)
      return id === undefined ? [] : [{ id, level: Number(level), text: plainText(nodesOf(node)) }];
    if (at.references.blocks.has(node)) return partHeadings(node, at);
    return ['stepper', 'stepper-step', 'columns', 'column'].includes(node.type ?? '')
      ? entriesIn(nodesOf(node), at)
      : [];
  });
}

/** The headings of the page; it marks the one that is read where scripts run. Where there is no room beside the page, a button above it opens them. */
export function Outline({ at }: { at: PageDrawing }): ComponentChildren {
  const { page } = at.view;
  const entries = entriesIn(page.document.nodes, at);
  if (!page.layout.outline || entries.length < 2) return null;
  const top = Math.min(...entries.map(({ level }) => level));
  return (
    <aside class="outline">
      <page-outline>
        <button type="button" class="outline-opener" popovertarget={outlineId}>
          {at.texts.outline}
        </button>
        <nav id={outlineId} popover="auto" aria-label={at.texts.outline}>
          <p>{at.texts.outline}</p>
          <ul>
            {entries.slice(0, maxEntries).map(({ id, level, text }) => (
              <li class={level > top ? 'deeper' : undefined}>
                <a href={`#${encodeURIComponent(id)}`}>{text}</a>
              </li>
            ))}
          </ul>
        </nav>
      </page-outline>
    </aside>
  );
}
