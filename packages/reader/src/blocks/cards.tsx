import type { ComponentChildren } from 'preact';
import { dataOf } from '../document.ts';
import type { NodeComponent, PageDrawing } from '../drawing.ts';
import { Anchor } from '../frame/anchor.tsx';
import { Icon, Sign } from '../frame/icon.tsx';
import { type Resolved, shortAddress } from '../references.ts';
import { Images } from './images.tsx';

/** Bytes as people read them. */
function bytesOf(size: number): string {
  const units = ['B', 'KB', 'MB', 'GB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log(Math.max(size, 1)) / Math.log(1000)));
  return `${Number((size / 1000 ** power).toPrecision(3))} ${units[power]}`;
}

type ShownFile = NonNullable<Resolved['file']>;

/** The ending of the name says what a file is, else its type does. */
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

/** What leads somewhere, as a card. */
export const LinkCard = ({ at, to, title, description, sign = {}, isFile = false }: CardProps): ComponentChildren => (
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

/** What a reference leads to, as a card; nothing where it leads nowhere. */
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

/** A drawing is an image of the space. */
export const Drawing: NodeComponent = (props) => {
  const { node, at } = props;
  const found = at.view.resolve(dataOf(node).ref);
  return found?.file?.contentType.startsWith('image/') === true ? (
    <Images node={{ object: 'block', nodes: [{ object: 'block', data: { ref: dataOf(node).ref } }] }} at={at} />
  ) : (
    <FileCard {...props} />
  );
};
