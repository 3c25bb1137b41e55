import { providedAt } from '@octavo/embeds';
import type { ComponentChildren } from 'preact';
import { dataOf, fragmentOf, nodesOf, textOf } from '../document.ts';
import type { NodeComponent, PageDrawing } from '../drawing.ts';
import { safeAddress } from '../references.ts';
import { LinkCard } from './cards.tsx';

interface Source {
  at: PageDrawing;
  url: string;
}

/** A card that leads to an address; of a provider that is known, it offers what that shows in a frame. */
export function SourceCard({ at, url }: Source): ComponentChildren {
  const address = URL.parse(url) ?? undefined;
  const provided = address && /^https?:$/.test(address.protocol) ? providedAt(address) : undefined;
  const card = (
    <LinkCard
      at={at}
      to={url}
      title={provided?.site ?? address?.hostname ?? url}
      description={url}
      sign={{ icon: provided?.frame === undefined ? 'link' : 'circle-play' }}
    />
  );
  if (provided?.frame === undefined) return card;
  const { frame, site, cut } = provided;
  at.frames.add(new URL(frame).origin);
  return (
    <embed-frame class={cut} data-source={frame} data-title={site} data-load={`${at.texts.loadFrom} ${site}`}>
      {card}
    </embed-frame>
  );
}

/** What other sites offer for a page. */
export const Embed: NodeComponent = ({ node, at }) => {
  const data = dataOf(node);
  const url = textOf(data, 'url');
  if (safeAddress(url) === undefined || url === undefined) return null;
  const caption = fragmentOf(node, 'caption').flatMap(nodesOf);
  return (
    <figure class={data.fullWidth === true ? 'embed full' : 'embed'}>
      <SourceCard at={at} url={url} />
      {caption.length > 0 && <figcaption>{at.inlines(caption)}</figcaption>}
    </figure>
  );
};

/** Of a block that an integration draws elsewhere, the address that it was made of. */
export const Integration: NodeComponent = ({ node, at }) => {
  const url = textOf(dataOf(node), 'url');
  return safeAddress(url) === undefined || url === undefined ? null : <SourceCard at={at} url={url} />;
};
