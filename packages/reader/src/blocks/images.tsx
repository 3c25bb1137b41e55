import {
  classesOf,
  dataOf,
  fragmentOf,
  type NodeData,
  nodesOf,
  plainText,
  type ShownNode,
  textOf,
} from '../document.ts';
import { hrefOf, type NodeComponent, type PageDrawing } from '../drawing.ts';
import type { Resolved } from '../references.ts';

const maxPixels = 10_000;

/** Pixels, or a share of what is around. */
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

/** The size of the file, so that nothing moves when it comes. */
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

/** An image in the look for the light and, where it has one, that for the dark; its words where there is none. */
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
  // The width is that of the figure: a share of it is one of what is around, and a caption is no wider than its image.
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

/** Images beside each other, each with its caption. */
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
