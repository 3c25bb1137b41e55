import { findEmbed } from '@octavo/embeds';
import { toWebOrigin } from '@octavo/schema/web-origin';
import type { ComponentChildren } from 'preact';
import type { NodeComponent, RenderContext } from '../context.ts';
import { toHref } from '../context.ts';
import type { NodeData, PageNode } from '../document.ts';
import { getData, getFragment, getNodes, getText, toClass, toPlainText } from '../document.ts';
import { Anchor, Icon, TitleIcon } from '../elements.tsx';
import type { ResolvedReference } from '../view.ts';
import { shortenAddress, toSafeAddress } from '../view.ts';

const maxPixels = 10_000;

/** Converts a length to CSS: pixels or a percentage of the container. */
function toCssLength(length: unknown): string | undefined {
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
function getImageSize({ file }: ResolvedReference): Size {
  const { width, height } = file?.dimensions ?? {};
  if (width === undefined || height === undefined || width < 1 || height < 1) return {};
  return { width: Math.round(width), height: Math.round(height) };
}

interface Props {
  data: NodeData;
  context: RenderContext;
  caption?: string;
  sizeClass?: string | undefined;
}

/** An image with its light and dark variants, or its alternative text if there is no image. */
export function Picture({ data, context, caption = '', sizeClass }: Props) {
  const [day, night] = [
    context.view.resolve(data.ref),
    data.refDark === undefined ? undefined : context.view.resolve(data.refDark),
  ];
  const alt = getText(data, 'alt') ?? caption;
  const loading = context.loading();
  const renderImage = (reference: ResolvedReference | undefined, colorScheme: string | undefined) => {
    const source = reference === undefined ? undefined : toHref(context.view, reference.to);
    if (reference === undefined || source === undefined)
      return colorScheme === 'in-dark' || alt === '' ? null : <em>{alt}</em>;
    return (
      <img src={source} alt={alt} loading={loading} {...getImageSize(reference)} {...toClass(colorScheme, sizeClass)} />
    );
  };
  if (night === undefined) return renderImage(day, undefined);
  return (
    <>
      {renderImage(day, 'in-light')}
      {renderImage(night, 'in-dark')}
    </>
  );
}

function Figure({ node, context }: { node: PageNode; context: RenderContext }) {
  const data = getData(node);
  const caption = getFragment(node, 'caption').flatMap(getNodes);
  const [width, height] = [toCssLength(data.width), toCssLength(data.height)];
  // The width applies to the figure, so that percentages refer to the container and the caption is as wide as the
  // image.
  const widthClass = width === undefined ? undefined : context.sheet.addClass(`inline-size:${width}`);
  const sizeClass =
    height === undefined ? undefined : context.sheet.addClass(`block-size:${height};object-fit:contain`);
  return (
    <figure {...toClass(widthClass)}>
      <zoom-image data-enlarge={context.texts.enlarge} data-close={context.texts.close}>
        <Picture data={data} context={context} caption={toPlainText(caption)} sizeClass={sizeClass} />
      </zoom-image>
      {caption.length > 0 && <figcaption>{context.inlines(caption)}</figcaption>}
    </figure>
  );
}

const sides = new Set(['left', 'right', 'center']);

/** A row of images, each with its caption. */
export const Images: NodeComponent = ({ node, context }) => {
  const { align, fullWidth, withFrame } = getData(node);
  const side = sides.has(String(align)) && String(align);
  return (
    <div {...toClass('images', side, fullWidth === true && 'full', withFrame === true && 'framed')}>
      {getNodes(node).map((image) => (
        <Figure node={image} context={context} />
      ))}
    </div>
  );
};

/** Formats a number of bytes for people. */
function formatBytes(size: number): string {
  const units = ['B', 'KB', 'MB', 'GB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log(Math.max(size, 1)) / Math.log(1000)));
  return `${Number((size / 1000 ** power).toPrecision(3))} ${units[power]}`;
}

type ShownFile = NonNullable<ResolvedReference['file']>;

/** Returns the file extension in capitals, or the content type if there is none. */
const getFileKind = ({ name, contentType }: ShownFile): string =>
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

const getFileIcon = (contentType: string): string =>
  icons.find(([pattern]) => pattern.test(contentType))?.[1] ?? 'file';

interface CardProps {
  context: RenderContext;
  to: string;
  title: string;
  description?: string | undefined;
  sign?: { icon?: string | undefined; emoji?: string | undefined };
  isFile?: boolean;
}

/** A link shown as a card. */
const LinkCard = ({ context, to, title, description, sign = {}, isFile = false }: CardProps): ComponentChildren => (
  <p class="card">
    <Anchor context={context} to={to}>
      <TitleIcon context={context} item={sign} />
      <span>
        <strong>{title}</strong>
        {description !== undefined && <small>{description}</small>}
      </span>
      <Icon context={context} name={isFile ? 'download' : 'arrow-right'} />
    </Anchor>
  </p>
);

/** A reference shown as a card. Nothing is drawn for a broken link. */
export const ContentReference: NodeComponent = ({ node, context }) => {
  const reference = context.view.resolve(getData(node).ref);
  if (reference === undefined) return null;
  const { to, title, description, icon, emoji } = reference;
  return (
    <LinkCard
      context={context}
      to={to}
      title={title ?? shortenAddress(to)}
      description={description}
      sign={{ icon, emoji }}
    />
  );
};

/** A file to download. */
export const FileCard: NodeComponent = ({ node, context }) => {
  const reference = context.view.resolve(getData(node).ref);
  if (reference === undefined) return null;
  const { to, file, title } = reference;
  const description = file === undefined ? undefined : `${getFileKind(file)} · ${formatBytes(file.size)}`;
  const icon = file === undefined ? 'file-arrow-down' : getFileIcon(file.contentType);
  return <LinkCard context={context} to={to} title={title ?? to} description={description} sign={{ icon }} isFile />;
};

/** A drawing, which is stored as an image of the space. */
export const Drawing: NodeComponent = (props) => {
  const { node, context } = props;
  const reference = context.view.resolve(getData(node).ref);
  return reference?.file?.contentType.startsWith('image/') === true ? (
    <Images
      node={{ object: 'block', nodes: [{ object: 'block', data: { ref: getData(node).ref } }] }}
      context={context}
    />
  ) : (
    <FileCard {...props} />
  );
};

interface Source {
  context: RenderContext;
  url: string;
}

/** A link card. If the provider is known, the card can load the content in a frame. */
function SourceCard({ context, url }: Source): ComponentChildren {
  const address = URL.parse(url) ?? undefined;
  const provided = address && /^https?:$/.test(address.protocol) ? findEmbed(address) : undefined;
  const card = (
    <LinkCard
      context={context}
      to={url}
      title={provided?.site ?? address?.hostname ?? url}
      description={url}
      sign={{ icon: provided?.frame === undefined ? 'link' : 'circle-play' }}
    />
  );
  if (provided?.frame === undefined) return card;
  const { frame, site, shape } = provided;
  const origin = toWebOrigin(frame);
  if (origin === undefined) return card;
  context.frames.add(origin);
  const label = shape === 'tall' ? context.texts.loadFrom : context.texts.playOn;
  return (
    <embed-frame class={shape} data-source={frame} data-title={site} data-load={label.replace('{site}', () => site)}>
      {card}
    </embed-frame>
  );
}

/** Embedded content of another site. */
export const Embed: NodeComponent = ({ node, context }) => {
  const data = getData(node);
  const url = getText(data, 'url');
  if (toSafeAddress(url) === undefined || url === undefined) return null;
  const caption = getFragment(node, 'caption').flatMap(getNodes);
  return (
    <figure class={data.fullWidth === true ? 'embed full' : 'embed'}>
      <SourceCard context={context} url={url} />
      {caption.length > 0 && <figcaption>{context.inlines(caption)}</figcaption>}
    </figure>
  );
};

/** A block of an integration. Only the URL that the block was created from is shown. */
export const Integration: NodeComponent = ({ node, context }) => {
  const url = getText(getData(node), 'url');
  return toSafeAddress(url) === undefined || url === undefined ? null : <SourceCard context={context} url={url} />;
};
