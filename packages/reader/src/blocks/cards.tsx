import type { ComponentChildren } from 'preact';
import { dataOf, fragmentOf, nodesOf, textOf } from '../document.ts';
import type { NodeComponent, PageDrawing } from '../drawing.ts';
import { Anchor } from '../frame/anchor.tsx';
import { Sign } from '../frame/icon.tsx';

/** Bytes as people read them. */
function bytesOf(size: number): string {
  const units = ['B', 'KB', 'MB', 'GB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log(Math.max(size, 1)) / Math.log(1000)));
  return `${Number((size / 1000 ** power).toPrecision(3))} ${units[power]}`;
}

interface CardProps {
  at: PageDrawing;
  to: string;
  title: string;
  description?: string | undefined;
  sign?: { icon?: string | undefined; emoji?: string | undefined };
}

const LinkCard = ({ at, to, title, description, sign = {} }: CardProps): ComponentChildren => (
  <p class="card">
    <Anchor at={at} to={to}>
      <Sign at={at} of={sign} />
      <span>
        <strong>{title}</strong>
        {description !== undefined && <small>{description}</small>}
      </span>
    </Anchor>
  </p>
);

/** What a reference leads to, as a card; nothing where it leads nowhere. */
export const ContentReference: NodeComponent = ({ node, at }) => {
  const found = at.view.resolve(dataOf(node).ref);
  if (found === undefined) return null;
  const { to, title, description, icon, emoji } = found;
  return <LinkCard at={at} to={to} title={title ?? to} description={description} sign={{ icon, emoji }} />;
};

/** A file to download. */
export const FileCard: NodeComponent = ({ node, at }) => {
  const found = at.view.resolve(dataOf(node).ref);
  if (found === undefined) return null;
  const { to, file, title } = found;
  const about = file === undefined ? undefined : `${bytesOf(file.size)} · ${file.contentType}`;
  return <LinkCard at={at} to={to} title={title ?? to} description={about} sign={{ icon: 'file-arrow-down' }} />;
};

/** What other sites offer for a page, as a card that leads there. */
export const Embed: NodeComponent = ({ node, at }) => {
  const url = textOf(dataOf(node), 'url');
  if (url === undefined) return null;
  const caption = fragmentOf(node, 'caption').flatMap(nodesOf);
  return (
    <figure class="embed">
      <LinkCard at={at} to={url} title={URL.parse(url)?.hostname ?? url} description={url} sign={{ icon: 'link' }} />
      {caption.length > 0 && <figcaption>{at.inlines(caption)}</figcaption>}
    </figure>
  );
};
