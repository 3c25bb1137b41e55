import { type DataObject, getNumber, getTextAt, getValueAt } from './data/read-data.ts';

/** The frontmatter fields of all generators that affect the position of a page in the tree. */
interface TreeFields {
  /** Pages with a number come before pages without one, in ascending order. */
  position?: number;
  /** The title in the tree, if it differs from the page's title. */
  label?: string;
  isHidden: boolean;
  isDraft: boolean;
}

export function readPageFields(fields: DataObject): TreeFields {
  const position =
    getNumber(getValueAt(fields, 'sidebar_position')) ??
    getNumber(getValueAt(fields, 'sidebar', 'order')) ??
    getNumber(getValueAt(fields, 'nav_order')) ??
    (getNumber(getValueAt(fields, 'weight')) || undefined) ??
    getNumber(getValueAt(fields, 'order'));
  const label =
    getTextAt(fields, 'sidebar_label') ??
    getTextAt(fields, 'sidebar', 'label') ??
    getTextAt(fields, 'nav_title') ??
    getTextAt(fields, 'linkTitle');
  const isDraft = getValueAt(fields, 'draft') === true || getValueAt(fields, 'published') === false;
  return {
    isDraft,
    isHidden: isDraft || isUnlisted(fields),
    ...(position !== undefined && { position }),
    ...(label !== undefined && { label }),
  };
}

const isUnlisted = (fields: DataObject): boolean =>
  getValueAt(fields, 'unlisted') === true ||
  getValueAt(fields, 'nav_exclude') === true ||
  getValueAt(fields, 'toc_hide') === true ||
  getValueAt(fields, 'bookHidden') === true ||
  getValueAt(fields, 'sidebar', 'hidden') === true;

const numberPrefix = /^(\d{1,4})[ \t]*[-_.]+[ \t]*(?=[^\s\d._-])/;

/** Splits a name into its number prefix (`01-intro`) and the rest. */
export function parseNumberedName(name: string): { number?: number; rest: string } {
  const [prefix = '', digits] = numberPrefix.exec(name) ?? [];
  return digits === undefined ? { rest: name } : { number: Number(digits), rest: name.slice(prefix.length) };
}
