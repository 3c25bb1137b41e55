import type { ComponentChildren } from 'preact';
import type { OutlineHeading } from '../anchors.ts';
import { getAnchor } from '../anchors.ts';
import type { RenderContext } from '../context.ts';
import type { PageNode } from '../document.ts';
import { getNodes, toPlainText } from '../document.ts';
import { Anchor, TitleIcon } from '../elements.tsx';
import { getPartHeadings } from '../reference/reference.tsx';
import type { NavigationNode, SectionTab } from '../view.ts';

interface Props {
  context: RenderContext;
  nodes: NavigationNode[];
}

/** The HTTP method of an entry for an operation or a webhook. */
const Method = ({ name }: { name: string | undefined }): ComponentChildren =>
  name === undefined ? null : <small class={`method ${name}`}>{name}</small>;

function Entry({ node, context }: { node: NavigationNode; context: RenderContext }): ComponentChildren {
  const label = (
    <Anchor context={context} to={node.to} isCurrent={node.isCurrent}>
      <TitleIcon context={context} item={node} />
      <span>{node.title}</span>
      <Method name={node.method} />
    </Anchor>
  );
  if (node.kind === 'group')
    return (
      <li class="group">
        <p>{label}</p>
        {node.children.length > 0 && <Tree nodes={node.children} context={context} />}
      </li>
    );
  if (node.children.length === 0) return <li>{label}</li>;
  return (
    <li class="branch">
      {label}
      <details open={node.isOpen === true}>
        <summary>
          <span class="hidden">{context.texts.below.replace('{title}', () => node.title)}</span>
        </summary>
        <Tree nodes={node.children} context={context} />
      </details>
    </li>
  );
}

const Tree = ({ nodes, context }: Props): ComponentChildren => (
  <ul>
    {nodes.map((node) => (
      <Entry node={node} context={context} />
    ))}
  </ul>
);

/** The pages of the space as a tree. */
export const Navigation = ({ context }: { context: RenderContext }): ComponentChildren => (
  <nav class="pages" aria-label={context.texts.pages}>
    <Tree nodes={context.view.navigation} context={context} />
  </nav>
);

function Tab({ tab, context }: { tab: SectionTab; context: RenderContext }): ComponentChildren {
  const label = (
    <>
      <TitleIcon context={context} item={tab} />
      <span>{tab.title}</span>
    </>
  );
  if (tab.children.length === 0)
    return (
      <li>
        <Anchor context={context} to={tab.to} isCurrent={tab.isCurrent}>
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
            <Tab tab={child} context={context} />
          ))}
        </ul>
      </details>
    </li>
  );
}

/** The sections of the site. */
export const Sections = ({ context }: { context: RenderContext }): ComponentChildren =>
  context.view.sections.length === 0 ? null : (
    <nav class="sections" aria-label={context.texts.sections}>
      <ul>
        {context.view.sections.map((tab) => (
          <Tab tab={tab} context={context} />
        ))}
      </ul>
    </nav>
  );

/** A menu of the other variants (versions or languages). */
export const Variants = ({ context }: { context: RenderContext }): ComponentChildren => {
  const { variants } = context.view;
  if (variants.length < 2) return null;
  return (
    <nav class="variants" aria-label={context.texts.variants}>
      <details class="drop">
        <summary>{variants.find(({ isCurrent }) => isCurrent)?.title ?? context.texts.variants}</summary>
        <ul>
          {variants.map((variant) => (
            <li>
              <Anchor context={context} to={variant.to} isCurrent={variant.isCurrent}>
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
export const Breadcrumbs = ({ context }: { context: RenderContext }): ComponentChildren =>
  context.view.breadcrumbs.length === 0 ? null : (
    <nav class="breadcrumbs" aria-label={context.texts.breadcrumbs}>
      <ol>
        {context.view.breadcrumbs.map((link) => (
          <li>
            <Anchor context={context} to={link.to}>
              {link.title}
            </Anchor>
          </li>
        ))}
      </ol>
    </nav>
  );

/** Links to the previous and next pages. */
export const PreviousAndNext = ({ context }: { context: RenderContext }): ComponentChildren => {
  const { previous, next } = context.view;
  if (previous === undefined && next === undefined) return null;
  return (
    <nav class="neighbours" aria-label={context.texts.neighbours}>
      {previous !== undefined && (
        <Anchor context={context} to={previous.to} class="previous">
          <small>{context.texts.previous}</small>
          {previous.title}
        </Anchor>
      )}
      {next !== undefined && (
        <Anchor context={context} to={next.to} class="next">
          <small>{context.texts.next}</small>
          {next.title}
        </Anchor>
      )}
    </nav>
  );
};

const maxEntries = 100;
const outlineId = '~outline';

function findOutlineEntries(nodes: PageNode[], context: RenderContext): OutlineHeading[] {
  return nodes.flatMap((node): OutlineHeading[] => {
    const [id, level] = [getAnchor(node), /^heading-([123])$/.exec(node.type ?? '')?.[1]];
    if (level !== undefined)
      return id === undefined ? [] : [{ id, level: Number(level), text: toPlainText(getNodes(node)) }];
    if (context.references.blocks.has(node)) return getPartHeadings(node, context);
    return ['stepper', 'stepper-step', 'columns', 'column'].includes(node.type ?? '')
      ? findOutlineEntries(getNodes(node), context)
      : [];
  });
}

/**
 * The outline of the page. With scripts, it marks the heading in view. On narrow screens a button above the page opens
 * it.
 */
export function Outline({ context }: { context: RenderContext }): ComponentChildren {
  const { page } = context.view;
  const entries = findOutlineEntries(page.document.nodes, context);
  if (!page.layout.outline || entries.length < 2) return null;
  const top = Math.min(...entries.map(({ level }) => level));
  return (
    <aside class="outline">
      <page-outline>
        <button type="button" class="outline-opener" popovertarget={outlineId}>
          {context.texts.outline}
        </button>
        <nav id={outlineId} popover="auto" aria-label={context.texts.outline}>
          <p>{context.texts.outline}</p>
          <ul>
            {entries.slice(0, maxEntries).map(({ id, level, text, method }) => (
              <li class={level > top ? 'deeper' : undefined}>
                <a href={`#${encodeURIComponent(id)}`}>
                  {text}
                  <Method name={method} />
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </page-outline>
    </aside>
  );
}
