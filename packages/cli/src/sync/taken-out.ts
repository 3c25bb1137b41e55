import { readFrontmatter, titleOf } from '@octavo/markdown';
import { defaultPageLayout, type PageMetadata } from '@octavo/schema';

/** The text of a file as it was in the repository and as it is, and the text of its page. */
export interface Versions {
  was: string;
  is: string;
  held: string;
}

const texts = ['emoji', 'icon', 'description'] as const;

/**
 * What an export had written into the frontmatter of a file, and a commit took out: the text of the page never had it. What
 * keeps a page from readers is written again instead, as is all where the frontmatter cannot be read any more.
 */
export function takenOut({ was, is, held }: Versions): PageMetadata {
  const { problems, bodyOffset } = readFrontmatter(is);
  if (problems.length > 0 || (bodyOffset === 0 && is.startsWith('---'))) return {};
  const [former, now, own] = [was, is, held].map((text) => readFrontmatter(text).values) as [Said, Said, Said];
  const isOut = (key: keyof Said) => former[key] !== undefined && now[key] === undefined && own[key] === undefined;
  const gone = (key: 'layout' | 'variables') =>
    Object.keys(former[key] ?? {}).filter((name) => [now, own].every((said) => !Object.hasOwn(said[key] ?? {}, name)));
  const layout = gone('layout').map((key) => [key, defaultPageLayout[key as keyof typeof defaultPageLayout]]);
  const variables = gone('variables').map((name) => [name, null]);
  return {
    ...Object.fromEntries(texts.filter(isOut).map((key) => [key, ''])),
    ...(isOut('cover') && { cover: null }),
    ...(layout.length > 0 && { layout: Object.fromEntries(layout) }),
    ...(variables.length > 0 && { variables: Object.fromEntries(variables) }),
  };
}

type Said = ReturnType<typeof readFrontmatter>['values'];

const titleIn = (text: string): string | undefined => readFrontmatter(text).values.title ?? titleOf(text);

/** The title that a commit gave a page where an export had written its title into the file. */
export function retitled({ was, is, held }: Versions, title: string): string | undefined {
  const now = titleIn(is);
  const isWritten = titleIn(was) === title && titleIn(held) !== title;
  return isWritten && now !== title && readFrontmatter(is).values.title === undefined ? now : undefined;
}

/**
 * A text without what an export had written above all of it, where that still stands there and is written again: so the
 * page has changed where the file was edited.
 */
export function withoutWritten(text: string, { was, held }: Versions): string {
  const above = was.endsWith(held) ? was.slice(0, was.length - held.length) : '';
  const rest = text.startsWith(above) ? text.slice(above.length) : '';
  const isAgain = rest !== '' && /^\r?\n/.test(rest) === /^\r?\n/.test(held);
  const isUntitled = titleOf(above) === undefined || titleOf(rest) === undefined;
  return above !== '' && isAgain && isUntitled && !rest.startsWith('---') ? rest : text;
}
