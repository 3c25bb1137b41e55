/** A person who can be mentioned. */
export interface Person {
  id: string;
  name: string;
}

/** A mention in a draft: the person, and the offset of the `@` before the name. */
export interface Mention {
  person: Person;
  at: number;
}

/** A text with names instead of ids, for editing and reading. Several people can have the same name. */
interface MentionDraft {
  text: string;
  mentions: Mention[];
}

const userId = /@((?:usr|acc)_\w+)/g;

/** Whether a name continues the word before it, as in an email address, or is continued by the text after it. */
const isInWord = (before: string, after: string): boolean =>
  /[\p{L}\p{N}._-]$/u.test(before) || /^[\p{L}\p{N}_]/u.test(after);

/**
 * Returns the text with the ids of mentioned people, as the API expects it. A name that is not one of the mentions is
 * the name of the first of `people` who has it.
 */
export function toMarkdown({ text: draft, mentions }: MentionDraft, people: Person[]): string {
  // Longer names first: "@Ann" must not replace the start of "@Ann Berger".
  const byLength = people.toSorted((a, b) => b.name.length - a.name.length);
  let text = '';
  let rest = draft;
  while (rest !== '') {
    const at = draft.length - rest.length;
    const mentioned = mentions.flatMap((mention) => (mention.at === at ? mention.person : []));
    const person = [...mentioned, ...byLength].find(
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

/** Returns the text with names instead of ids. Ids without a known name are kept. */
export function toDraft(markdown: string, names: ReadonlyMap<string, string>): MentionDraft {
  const mentions: Mention[] = [];
  let text = '';
  let end = 0;
  for (const { 0: source, 1: id = '', index } of markdown.matchAll(userId)) {
    const name = names.get(id);
    text += markdown.slice(end, index);
    end = index + source.length;
    if (name !== undefined) mentions.push({ person: { id, name }, at: text.length });
    text += name === undefined ? source : `@${name}`;
  }
  return { text: text + markdown.slice(end), mentions };
}

/** Returns the length of the text with which both texts start. */
function countCommonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

/**
 * Returns a draft after its text was changed at one place, with the new offsets of its mentions. The cursor is at the
 * end of the change.
 */
export function changeDraft({ text: before, mentions }: MentionDraft, text: string, cursor: number): MentionDraft {
  const rest = text.slice(cursor);
  // The texts end differently if the change was not at the cursor, for example when the user undoes an earlier one.
  const end = before.endsWith(rest) ? before.length - rest.length : before.length;
  const growth = text.length - before.length;
  const start = countCommonStart(before.slice(0, end), text.slice(0, end + growth));
  const moved = mentions.flatMap(({ person, at }) => {
    if (at >= end) return { person, at: at + growth };
    return at < start ? { person, at } : [];
  });
  return { text, mentions: moved };
}

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
