import { type Mark, type TreeData, textAt } from './document-tree.ts';

/** The order in which a leaf names its marks. */
const ORDER = ['bold', 'italic', 'strikethrough', 'color', 'keyboard', 'code'];

export const mark = (type: string, data?: TreeData): Mark =>
  data === undefined ? { object: 'mark', type } : { object: 'mark', type, data };

/** The marks with one more; a type counts once. */
export function addMark(marks: Mark[], added: Mark): Mark[] {
  return [...marks.filter(({ type }) => type !== added.type), added].sort(
    (one, other) => ORDER.indexOf(one.type) - ORDER.indexOf(other.type),
  );
}

/** The marks around an expression. */
export const marksOf = ({ marks }: TreeData): Mark[] =>
  Array.isArray(marks) ? (marks.filter((each) => textAt(each, 'type') !== undefined) as Mark[]) : [];

/** The color of `<mark style="...">`. */
export function colorMark(attributes: Map<string, string>): Mark | undefined {
  const style = attributes.get('style');
  if (style === undefined || attributes.size !== 1) return undefined;
  const data: TreeData = {};
  for (const part of style.split(';').filter((text) => text.trim() !== '')) {
    const [, name, value = ''] = /^\s*(color|background-color)\s*:\s*([#\w-]+)\s*$/.exec(part) ?? [];
    if (name === undefined) return undefined;
    data[name === 'color' ? 'text' : 'background'] = value;
  }
  return Object.keys(data).length === 0 ? undefined : mark('color', data);
}

const plain = (value: string | undefined): string | undefined => (value && /^[#\w-]+$/.test(value) ? value : undefined);

/** The HTML tags of a mark that has no sign in markdown, or where its sign would not be read. */
export function markTags({ type, data }: Mark): [string, string] {
  if (type === 'bold') return ['<strong>', '</strong>'];
  if (type === 'italic') return ['<em>', '</em>'];
  if (type === 'strikethrough') return ['<del>', '</del>'];
  if (type === 'keyboard') return ['<kbd>', '</kbd>'];
  if (type !== 'color') return ['', ''];
  const text = plain(textAt(data, 'text'));
  const background = plain(textAt(data, 'background'));
  if (text === undefined && background === undefined) return ['', ''];
  const style = `${text === undefined ? '' : `color:${text};`}${background === undefined ? '' : `background-color:${background};`}`;
  return [`<mark style="${style}">`, '</mark>'];
}
