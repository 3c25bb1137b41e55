import { type DataObject, getNumber, textAt, valueAt } from './data/read-data.ts';

/** What the frontmatter of a page, by the words of any generator, says of its place in the tree. */
interface TreeFields {
  /** Pages with a number come before those without, the least first. */
  position?: number;
  /** What stands in the tree for the title. */
  label?: string;
  isHidden: boolean;
  isDraft: boolean;
}

export function pageFields(fields: DataObject): TreeFields {
  const position =
    getNumber(valueAt(fields, 'sidebar_position')) ??
    getNumber(valueAt(fields, 'sidebar', 'order')) ??
    getNumber(valueAt(fields, 'nav_order')) ??
    (getNumber(valueAt(fields, 'weight')) || undefined) ??
    getNumber(valueAt(fields, 'order'));
  const label =
    textAt(fields, 'sidebar_label') ??
    textAt(fields, 'sidebar', 'label') ??
    textAt(fields, 'nav_title') ??
    textAt(fields, 'linkTitle');
  const isDraft = valueAt(fields, 'draft') === true || valueAt(fields, 'published') === false;
  return {
    isDraft,
    isHidden: isDraft || isUnlisted(fields),
    ...(position !== undefined && { position }),
    ...(label !== undefined && { label }),
  };
}

const isUnlisted = (fields: DataObject): boolean =>
  valueAt(fields, 'unlisted') === true ||
  valueAt(fields, 'nav_exclude') === true ||
  valueAt(fields, 'toc_hide') === true ||
  valueAt(fields, 'bookHidden') === true ||
  valueAt(fields, 'sidebar', 'hidden') === true;

const numbered = /^(\d{1,4})[ \t]*[-_.]+[ \t]*(?=[^\s\d._-])/;

/** The number that a name begins with to be in its place (`01-intro`), and the name without it. */
export function numberedName(name: string): { number?: number; rest: string } {
  const [prefix = '', digits] = numbered.exec(name) ?? [];
  return digits === undefined ? { rest: name } : { number: Number(digits), rest: name.slice(prefix.length) };
}
