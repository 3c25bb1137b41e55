import type { SemanticChange } from '@octavo/schema';

/** The attributes of a diff entry, each with a value or text before and after the change. */
type Attributes = Record<
  string,
  { before?: unknown; after?: unknown; diff?: string | undefined; truncated?: true | undefined } | undefined
>;

/**
 * Returns the lines that describe a change: its type and title, the changed fields, and the differences of the text.
 */
export function describeChange(change: SemanticChange): string[] {
  const title = `${change.type.replaceAll('_', ' ')}: ${getTitle(change)}`;
  const { document, ...attributes }: Attributes = 'attributes' in change ? (change.attributes ?? {}) : {};
  const moved = change.type === 'page_moved' ? { parent: change.parent } : {};
  const fields = Object.entries({ ...attributes, ...moved }).flatMap(([name, values]) =>
    values === undefined ? [] : [`  ${name}: ${format(values.before)} -> ${format(values.after)}`],
  );
  return [title, ...fields, ...describeDocument(document)];
}

function getTitle(change: SemanticChange): string {
  if ('page' in change) return change.page.path ? `${change.page.title} (${change.page.path})` : change.page.title;
  if ('file' in change) return change.file.name;
  return 'reusableContent' in change ? change.reusableContent.title : '';
}

function describeDocument(document: Attributes[string]): string[] {
  if (document === undefined) return [];
  const { before, after, diff, truncated } = document;
  if (truncated) return ['  The text is too large to show.'];
  if (diff !== undefined)
    return diff
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`);
  const mark = (text: unknown, sign: string) =>
    typeof text === 'string' && text !== ''
      ? text
          .trimEnd()
          .split('\n')
          .map((line) => `  ${sign}${line}`)
      : [];
  return [...mark(before, '-'), ...mark(after, '+')];
}

function format(value: unknown): string {
  if (value === undefined) return 'none';
  if (typeof value === 'object' && value !== null && 'title' in value) return String(value.title);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
