import { providedAt } from '@octavo/embeds';
import type { ComponentChildren } from 'preact';
import type { NodeData, ShownNode } from '../document.ts';
import { classesOf, dataOf, fragmentOf, nodesOf, plainText, textOf } from '../document.ts';
import type { NodeComponent, PageDrawing } from '../drawing.ts';
import { hrefOf } from '../drawing.ts';
import { Anchor, Icon, Sign } from '../elements.tsx';
import type { Resolved } from '../view.ts';
import { safeAddress, shortAddress } from '../view.ts';

const maxPixels = 10_000;

/** Converts a length to CSS: pixels or a percentage of the container. */
function lengthOf(length: unknown): string | undefined {
  if (typeof length === 'number') return `${Math.min(length, maxPixels)}px`;
  const { unit, value } = (typeof length === 'object' && length !== null ? length : {}) as {
    unit?: string;
    value?: number;
  };
  return unit === '%' && typeof value === 'number' ? `${Math.min(value, 100)}%` : undefined;
}

interface Size {
  width?: number;
  height?: number;
}

/** Returns the image's dimensions, so that the layout does not shift when it loads. */
function sizeOf({ file }: Resolved): Size {
  const { width, height } = file?.dimensions ?? {};
  if (width === undefined || height === undefined || width < 1 || height < 1) return {};
  return { width: Math.round(width), height: Math.round(height) };
}

interface Props {
  data: NodeData;
  at: PageDrawing;
  caption?: string;
  sized?: string | undefined;
}

/** An image with its light and dark variants, or its alternative text if there is no image. */
export function Picture({ data, at, caption = '', sized }: Props) {
  const [day, night] = [
    at.view.resolve(data.ref),
    data.refDark === undefined ? undefined : at.view.resolve(data.refDark),
  ];
  const alt = textOf(data, 'alt') ?? caption;
  const loading = at.loading();
  const image = (shown: Resolved | undefined, only: string | undefined) => {
    const source = shown === undefined ? undefined : hrefOf(at.view, shown.to);
    if (shown === undefined || source === undefined) return only === 'in-dark' || alt === '' ? null : <em>{alt}</em>;
    return <img src={source} alt={alt} loading={loading} {...sizeOf(shown)} {...classesOf(only, sized)} />;
  };
  if (night === undefined) return image(day, undefined);
  return (
    <>
      {image(day, 'in-light')}
      {image(night, 'in-dark')}
    </>
  );
}

function Figure({ node, at }: { node: ShownNode; at: PageDrawing }) {
  const data = dataOf(node);
  const caption = fragmentOf(node, 'caption').flatMap(nodesOf);
  const [width, height] = [lengthOf(data.width), lengthOf(data.height)];
  // The width applies to the figure, so that percentages refer to the container and the caption is as wide as the
  // image.
  const own = width === undefined ? undefined : at.sheet.classOf(`inline-size:${width}`);
  const sized = height === undefined ? undefined : at.sheet.classOf(`block-size:${height};object-fit:contain`);
  return (
    <figure {...classesOf(own)}>
      <zoom-image data-enlarge={at.texts.enlarge} data-close={at.texts.close}>
        <Picture data={data} at={at} caption={plainText(caption)} sized={sized} />
      </zoom-image>
      {caption.length > 0 && <figcaption>{at.inlines(caption)}</figcaption>}
    </figure>
  );
}

const sides = new Set(['left', 'right', 'center']);

/** A row of images, each with its caption. */
export const Images: NodeComponent = ({ node, at }) => {
  const { align, fullWidth, withFrame } = dataOf(node);
  const side = sides.has(String(align)) && String(align);
  return (
    <div {...classesOf('images', side, fullWidth === true && 'full', withFrame === true && 'framed')}>
      {nodesOf(node).map((image) => (
        <Figure node={image} at={at} />
      ))}
    </div>
  );
};

/** Formats a number of bytes for people. */
function bytesOf(size: number): string {
  const units = ['B', 'KB', 'MB', 'GB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log(Math.max(size, 1)) / Math.log(1000)));
  return `${Number((size / 1000 ** power).toPrecision(3))} ${units[power]}`;
}

type ShownFile = NonNullable<Resolved['file']>;

/** Returns the file extension in capitals, or the content type if there is none. */
const kindOf = ({ name, contentType }: ShownFile): string =>
  /\.([a-z\d]{1,8})$/i.exec(name)?.[1]?.toUpperCase() ?? contentType;

const icons: [pattern: RegExp, icon: string][] = [
  [/^image\//, 'file-image'],
  [/^video\//, 'file-video'],
  [/^audio\//, 'file-audio'],
  [/pdf/, 'file-pdf'],
  [/csv|spreadsheet|excel/, 'file-csv'],
  [/zip|tar|compressed/, 'file-zipper'],
  [/json|xml|javascript|yaml/, 'file-code'],
  [/word|^text\//, 'file-lines'],
];

const iconOf = (contentType: string): string => icons.find(([pattern]) => pattern.test(contentType))?.[1] ?? 'file';

interface CardProps {
  at: PageDrawing;
  to: string;
  title: string;
  description?: string | undefined;
  sign?: { icon?: string | undefined; emoji?: string | undefined };
  isFile?: boolean;
}

/** A link shown as a card. */
const LinkCard = ({ at, to, title, description, sign = {}, isFile = false }: CardProps): ComponentChildren => (
  <p class="card">
    <Anchor at={at} to={to}>
      <Sign at={at} of={sign} />
      <span>
        <strong>{title}</strong>
        {description !== undefined && <small>{description}</small>}
      </span>
      <Icon at={at} name={isFile ? 'download' : 'arrow-right'} />
    </Anchor>
  </p>
);

/** A reference shown as a card. Nothing is drawn for a broken link. */
export const ContentReference: NodeComponent = ({ node, at }) => {
  const found = at.view.resolve(dataOf(node).ref);
  if (found === undefined) return null;
  const { to, title, description, icon, emoji } = found;
  return (
    <LinkCard at={at} to={to} title={title ?? shortAddress(to)} description={description} sign={{ icon, emoji }} />
  );
};

/** A file to download. */
export const FileCard: NodeComponent = ({ node, at }) => {
  const found = at.view.resolve(dataOf(node).ref);
  if (found === undefined) return null;
  const { to, file, title } = found;
  const about = file === undefined ? undefined : `${kindOf(file)} · ${bytesOf(file.size)}`;
  const icon = file === undefined ? 'file-arrow-down' : iconOf(file.contentType);
  return <LinkCard at={at} to={to} title={title ?? to} description={about} sign={{ icon }} isFile />;
};

/** A drawing, which is stored as an image of the space. */
export const Drawing: NodeComponent = (props) => {
  const { node, at } = props;
  const found = at.view.resolve(dataOf(node).ref);
  return found?.file?.contentType.startsWith('image/') === true ? (
    <Images node={{ object: 'block', nodes: [{ object: 'block', data: { ref: dataOf(node).ref } }] }} at={at} />
  ) : (
    <FileCard {...props} />
  );
};

interface Source {
  at: PageDrawing;
  url: string;
}

/** A link card. For a known provider, it can load the content in a frame. */
function SourceCard({ at, url }: Source): ComponentChildren {
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
  const label = cut === 'tall' ? at.texts.loadFrom : at.texts.playOn;
  return (
    <embed-frame class={cut} data-source={frame} data-title={site} data-load={label.replace('{site}', () => site)}>
      {card}
    </embed-frame>
  );
}

/** Embedded content of another site. */
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

/** A block of an integration. Only the URL from which it was made is shown. */
export const Integration: NodeComponent = ({ node, at }) => {
  const url = textOf(dataOf(node), 'url');
  return safeAddress(url) === undefined || url === undefined ? null : <SourceCard at={at} url={url} />;
};
