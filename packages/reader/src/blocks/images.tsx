import { dataOf, fragmentOf, type NodeData, nodesOf, plainText, type ShownNode, textOf } from '../document.ts';
import { hrefOf, type NodeComponent, type PageDrawing } from '../drawing.ts';
import type { Resolved } from '../references.ts';

/** Pixels, or a share of what is around. */
function lengthOf(length: unknown): string | undefined {
  if (typeof length === 'number') return `${Math.min(length, 10_000)}px`;
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

/** An image in the look for the light and, where it has one, that for the dark. */
export function Picture({ data, at, caption = '', sized }: Props) {
  const [day, night] = [
    at.view.resolve(data.ref),
    data.refDark === undefined ? undefined : at.view.resolve(data.refDark),
  ];
  const alt = textOf(data, 'alt') ?? caption;
  const image = (shown: Resolved | undefined, only: string | undefined) => {
    const source = shown === undefined ? undefined : hrefOf(at.view, shown.to);
    if (shown === undefined || source === undefined) return null;
    const classes = [only, sized].filter((each) => each !== undefined).join(' ');
    return (
      <img src={source} alt={alt} loading="lazy" {...sizeOf(shown)} {...(classes === '' ? {} : { class: classes })} />
    );
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
  const rules = [
    ...(width === undefined ? [] : [`inline-size:${width}`]),
    ...(height === undefined ? [] : [`block-size:${height}`]),
  ];
  const sized = rules.length === 0 ? undefined : at.sheet.classOf(rules.join(';'));
  return (
    <figure>
      <Picture data={data} at={at} caption={plainText(caption)} sized={sized} />
      {caption.length > 0 && <figcaption>{at.inlines(caption)}</figcaption>}
    </figure>
  );
}

/** Images beside each other, each with its caption. */
export const Images: NodeComponent = ({ node, at }) => {
  const { align, fullWidth, withFrame } = dataOf(node);
  const classes = ['images', String(align ?? ''), fullWidth === true ? 'full' : '', withFrame === true ? 'framed' : ''];
  return (
    <div class={classes.filter((each) => /^[a-z]+$/.test(each)).join(' ')}>
      {nodesOf(node).map((image) => (
        <Figure node={image} at={at} />
      ))}
    </div>
  );
};
