import type { ComponentChildren } from 'preact';
import type { ShownHeading } from '../anchors.ts';
import { anchorOf } from '../anchors.ts';
import type { ShownNode } from '../document.ts';
import { nodesOf, plainText } from '../document.ts';
import type { PageDrawing } from '../drawing.ts';
import { Anchor, Sign } from '../elements.tsx';
import { partHeadings } from '../reference/reference.tsx';
import type { NavigationNode, SectionTab } from '../view.ts';

interface Props {
  at: PageDrawing;
  nodes: NavigationNode[];
}

function Entry({ node, at }: { node: NavigationNode; at: PageDrawing }): ComponentChildren {
  const label = (
    <Anchor at={at} to={node.to} isCurrent={node.isCurrent}>
      <Sign at={at} of={node} />
      <span>{node.title}</span>
      {node.method !== undefined && <small class={`method ${node.method}`}>{node.method}</small>}
    </Anchor>
  );
  if (node.kind === 'group')
    return (
      <li class="group">
        <p>{label}</p>
        {node.children.length > 0 && <Tree nodes={node.children} at={at} />}
      </li>
    );
  if (node.children.length === 0) return <li>{label}</li>;
  return (
    <li class="branch">
      {label}
      <details open={node.isOpen === true}>
        <summary>
          <span class="hidden">{at.texts.below.replace('{title}', () => node.title)}</span>
        </summary>
        <Tree nodes={node.children} at={at} />
      </details>
    </li>
  );
}

const Tree = ({ nodes, at }: Props): ComponentChildren => (
  <ul>
    {nodes.map((node) => (
      <Entry node={node} at={at} />
    ))}
  </ul>
);

/** The pages of the space as a tree. */
export const Navigation = ({ at }: { at: PageDrawing }): ComponentChildren => (
  <nav class="pages" aria-label={at.texts.pages}>
    <Tree nodes={at.view.navigation} at={at} />
  </nav>
);

function Tab({ tab, at }: { tab: SectionTab; at: PageDrawing }): ComponentChildren {
  const label = (
    <>
      <Sign at={at} of={tab} />
      <span>{tab.title}</span>
    </>
  );
  if (tab.children.length === 0)
    return (
      <li>
        <Anchor at={at} to={tab.to} isCurrent={tab.isCurrent}>
          {label}
        </Anchor>
      </li>
    );
  const isCurrent = tab.children.some((child) => child.isCurrent);
  return (
    <li>
      <details class={isCurrent ? 'drop current' : 'drop'}>
        <summary>{label}</summary>
        <ul>
          {tab.children.map((child) => (
            <Tab tab={child} at={at} />
          ))}
        </ul>
      </details>
    </li>
  );
}

/** The sections of the site. */
export const Sections = ({ at }: { at: PageDrawing }): ComponentChildren =>
  at.view.sections.length === 0 ? null : (
    <nav class="sections" aria-label={at.texts.sections}>
      <ul>
        {at.view.sections.map((tab) => (
          <Tab tab={tab} at={at} />
        ))}
      </ul>
    </nav>
  );

/** A menu of the other variants (versions or languages). */
export const Variants = ({ at }: { at: PageDrawing }): ComponentChildren => {
  const { variants } = at.view;
  if (variants.length < 2) return null;
  return (
    <nav class="variants" aria-label={at.texts.variants}>
      <details class="drop">
        <summary>{variants.find(({ isCurrent }) => isCurrent)?.title ?? at.texts.variants}</summary>
        <ul>
          {variants.map((variant) => (
            <li>
              <Anchor at={at} to={variant.to} isCurrent={variant.isCurrent}>
                {variant.title}
              </Anchor>
            </li>
          ))}
        </ul>
      </details>
    </nav>
  );
};

/** Links to the page's ancestors. */
export const Breadcrumbs = ({ at }: { at: PageDrawing }): ComponentChildren =>
  at.view.breadcrumbs.length === 0 ? null : (
    <nav class="breadcrumbs" aria-label={at.texts.breadcrumbs}>
      <ol>
        {at.view.breadcrumbs.map((each) => (
          <li>
            <Anchor at={at} to={each.to}>
              {each.title}
            </Anchor>
          </li>
        ))}
      </ol>
    </nav>
  );

/** Links to the previous and next pages. */
export const Neighbours = ({ at }: { at: PageDrawing }): ComponentChildren => {
  const { previous, next } = at.view;
  if (previous === undefined && next === undefined) return null;
  return (
    <nav class="neighbours" aria-label={at.texts.neighbours}>
      {previous !== undefined && (
        <Anchor at={at} to={previous.to} class="previous">
          <small>{at.texts.previous}</small>
          {previous.title}
        </Anchor>
      )}
      {next !== undefined && (
        <Anchor at={at} to={next.to} class="next">
          <small>{at.texts.next}</small>
          {next.title}
        </Anchor>
      )}
    </nav>
  );
};

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

/**
 * The outline of the page. With scripts, it marks the heading in view. On narrow screens a button above the page opens
 * it.
 */
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
