import type { SiteCustomization } from '@octavo/schema';
import type { ComponentChildren } from 'preact';
import type { PageDrawing } from '../drawing.ts';
import { Anchor } from './anchor.tsx';

type HeaderItem = SiteCustomization['header']['links'][number];
type ItemLink = Pick<HeaderItem, 'title' | 'localizedTitle' | 'style' | 'to'>;

/** How many links stand in the header; the others open below the last of them. */
const maxLinks = 6;

/** A link of the header, or one below it. */
function ItemAnchor({ at, item }: { at: PageDrawing; item: ItemLink }): ComponentChildren {
  const style = item.style?.startsWith('button') ? { class: item.style } : {};
  return (
    <Anchor at={at} to={at.view.resolve(item.to)?.to} {...style}>
      {item.localizedTitle?.[at.locale] ?? item.title}
    </Anchor>
  );
}

/** The links of an item, itself first where it leads somewhere. */
const inside = ({ links, ...item }: HeaderItem): ItemLink[] => [...(item.to === null ? [] : [item]), ...links];

const List = ({ at, links }: { at: PageDrawing; links: ItemLink[] }): ComponentChildren => (
  <ul>
    {links.map((link) => (
      <li>
        <ItemAnchor at={at} item={link} />
      </li>
    ))}
  </ul>
);

/** An item with the links below it in a menu that opens. */
function Item({ at, item }: { at: PageDrawing; item: HeaderItem }): ComponentChildren {
  if (item.links.length === 0) return <ItemAnchor at={at} item={item} />;
  return (
    <details class="drop">
      <summary>{item.localizedTitle?.[at.locale] ?? item.title}</summary>
      <List at={at} links={inside(item)} />
    </details>
  );
}

/** Items with all of their links in sight. */
const OpenItems = ({ at, items }: { at: PageDrawing; items: HeaderItem[] }): ComponentChildren =>
  items.map((item) => (
    <li class={item.links.length === 0 ? undefined : 'group'}>
      {item.links.length === 0 ? (
        <ItemAnchor at={at} item={item} />
      ) : (
        <>
          <p>{item.localizedTitle?.[at.locale] ?? item.title}</p>
          <List at={at} links={inside(item)} />
        </>
      )}
    </li>
  ));

/** The links that stand in the header, where there is room for them. */
export function HeaderLinks({ at }: { at: PageDrawing }): ComponentChildren {
  const { links } = at.view.site.look.header;
  if (links.length === 0) return null;
  const shown = links.length > maxLinks ? links.slice(0, maxLinks - 1) : links;
  return (
    <ul class="links">
      {shown.map((item) => (
        <li>
          <Item at={at} item={item} />
        </li>
      ))}
      {links.length > shown.length && (
        <li>
          <details class="drop">
            <summary>{at.texts.more}</summary>
            <ul>
              <OpenItems at={at} items={links.slice(shown.length)} />
            </ul>
          </details>
        </li>
      )}
    </ul>
  );
}

/** The links of the header in the menu of phones. */
export const MenuLinks = ({ at }: { at: PageDrawing }): ComponentChildren =>
  at.view.site.look.header.links.length === 0 ? null : (
    <details class="menu-links">
      <summary>{at.texts.more}</summary>
      <ul>
        <OpenItems at={at} items={at.view.site.look.header.links} />
      </ul>
    </details>
  );
