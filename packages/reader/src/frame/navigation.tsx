import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { RenderContext } from '../context.ts';
import { Anchor, TitleIcon } from '../elements.tsx';
import type { NavigationNode, SectionTab } from '../view.ts';

/** The HTTP method of an entry for an operation or a webhook. */
const Method = ({ name }: { name: string | undefined }): ComponentChildren =>
  name === undefined ? null : <small class={`method ${name}`}>{name}</small>;

/** Returns the HTML of the link of an entry. */
const renderLabel = (node: NavigationNode, context: RenderContext): string =>
  renderToString(
    <Anchor context={context} to={node.to} isCurrent={node.isCurrent}>
      <TitleIcon context={context} item={node} />
      <span>{node.title}</span>
      <Method name={node.method} />
    </Anchor>,
  );

const renderSummary = ({ title }: NavigationNode, { texts }: RenderContext): string =>
  renderToString(
    <summary>
      <span class="hidden">{texts.below.replace('{title}', () => title)}</span>
    </summary>,
  );

function renderEntry(node: NavigationNode, context: RenderContext): string {
  const label = renderLabel(node, context);
  const tree = node.children.length === 0 ? '' : renderTree(node.children, context);
  if (node.kind === 'group') return `<li class="group"><p>${label}</p>${tree}</li>`;
  if (tree === '') return `<li>${label}</li>`;
  const open = node.isOpen === true ? ' open' : '';
  return `<li class="branch">${label}<details${open}>${renderSummary(node, context)}${tree}</details></li>`;
}

/**
 * Maximum number of cached variants of an entry, which differ mainly in the depth of the page's path. Most sites have
 * fewer levels. Deeper addresses may be those of missing pages, so they are not cached.
 */
const maxCachedVariants = 8;

/** The HTML of closed entries. The inner key holds all other values that it depends on, such as the relative root. */
const closedEntries = new WeakMap<NavigationNode, Map<string, string>>();

/** Returns the HTML of an entry. Most entries are the same on all pages, so closed ones are rendered once. */
function getEntry(node: NavigationNode, context: RenderContext, key: string): string {
  if (node.isOpen === true || node.isCurrent === true) return renderEntry(node, context);
  const entries = closedEntries.get(node) ?? new Map<string, string>();
  const entry = entries.get(key) ?? renderEntry(node, context);
  if (entries.size < maxCachedVariants) closedEntries.set(node, entries.set(key, entry));
  return entry;
}

function renderTree(nodes: NavigationNode[], context: RenderContext): string {
  const { relativeRoot, site } = context.view;
  const { styling, externalLinks } = site.customization;
  const key = JSON.stringify([relativeRoot, site.url, styling.icons, externalLinks.target, context.locale]);
  return `<ul>${nodes.map((node) => getEntry(node, context, key)).join('')}</ul>`;
}

/** The pages of the space as a tree. */
export const Navigation = ({ context }: { context: RenderContext }): ComponentChildren => (
  // This HTML was rendered by components.
  <nav
    class="pages"
    aria-label={context.texts.pages}
    dangerouslySetInnerHTML={{ __html: renderTree(context.view.navigation, context) }}
  />
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

/** A menu of all variants (versions or languages), if there are several. */
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

/**
 * The outline of the page. With scripts, it marks the heading in view. On narrow screens a button above the page opens
 * it.
 */
export function Outline({ context }: { context: RenderContext }): ComponentChildren {
  const entries = context.document.outline.slice(0, maxEntries);
  if (!context.view.page.layout.outline || entries.length < 2) return null;
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
            {entries.map(({ id, level, text, method }) => (
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
