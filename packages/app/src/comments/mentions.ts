/** A person who can be mentioned. */
export interface Person {
  id: string;
  name: string;
}

const userId = /@((?:usr|acc)_\w+)/g;

/** Whether a name continues the word before it, as in an email address, or is continued by the text after it. */
const isInWord = (before: string, after: string): boolean =>
  /[\p{L}\p{N}._-]$/u.test(before) || /^[\p{L}\p{N}_]/u.test(after);

/** Returns the text with the ids of mentioned people, as the API expects it. */
export function toMarkdown(draft: string, people: Person[]): string {
  // Longer names first: "@Ann" must not replace the start of "@Ann Berger".
  const byLength = people.toSorted((a, b) => b.name.length - a.name.length);
  let text = '';
  let rest = draft;
  while (rest !== '') {
    const person = byLength.find(
      ({ name }) => rest.startsWith(`@${name}`) && !isInWord(text, rest.slice(name.length + 1)),
    );
    const length = person === undefined ? 1 : person.name.length + 1;
    text += person === undefined ? rest[0] : `@${person.id}`;
    rest = rest.slice(length);
  }
  return text;
}

/** Returns the ids of the people that a text mentions. */
export const findMentionedIds = (markdown: string): string[] => [
  ...new Set([...markdown.matchAll(userId)].flatMap(([, id]) => id ?? [])),
];

/** Returns the text with names instead of ids, for editing and reading. */
export const toDraft = (markdown: string, names: ReadonlyMap<string, string>): string =>
  markdown.replace(userId, (mention, id: string) => (names.has(id) ? `@${names.get(id)}` : mention));

/** An unfinished mention before the cursor. */
export interface MentionQuery {
  start: number;
  words: string;
}

/** Returns the mention that is being typed: an `@` at the start of a word, and at most two words after it. */
export function findMentionQuery(text: string, cursor: number): MentionQuery | undefined {
  const match = /(?:^|[\s(])@([\p{L}\p{N}._-]*(?: [\p{L}\p{N}._-]*)?)$/u.exec(text.slice(0, cursor));
  if (match === null) return undefined;
  const words = match[1] ?? '';
  return { start: cursor - words.length - 1, words };
}
