import { type DataObject, getNumber, textAt, valueAt } from './data/read-data.ts';

/** The frontmatter fields of all generators that affect the position of a page in the tree. */
interface TreeFields {
  /** Pages with a number come before pages without one, in ascending order. */
  position?: number;
  /** The title in the tree, if it differs from the page's title. */
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

/** Splits a name into its number prefix (`01-intro`) and the rest. */
export function numberedName(name: string): { number?: number; rest: string } {
  const [prefix = '', digits] = numbered.exec(name) ?? [];
  return digits === undefined ? { rest: name } : { number: Number(digits), rest: name.slice(prefix.length) };
}
