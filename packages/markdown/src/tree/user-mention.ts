import { type Inline, inline, textAt } from './document-tree.ts';

const SIGN = /@(usr_[0-9A-Za-z]{1,40})(?!_{0,3}[0-9A-Za-z]|-[0-9A-Za-z])/y;
const WHOLE = /^@usr_[0-9A-Za-z]{1,40}$/;
const GLUES_BEFORE = /[0-9A-Za-z@/=]$/;
const GLUES_AFTER = /^(?:_{0,3}|-)[0-9A-Za-z]/;

/** The user whom `@usr_...` names at a place of a text. */
export function mentionAt(text: string, position: number): string | undefined {
  if (text.charAt(position) !== '@') return undefined;
  SIGN.lastIndex = position;
  return SIGN.exec(text)?.[1];
}

export const userMention = (user: string): Inline => ({
  ...inline('mention', { ref: { kind: 'user', user } }),
  isVoid: true,
});

/** The text of a mention of a user; undefined for another inline. */
export function renderMention({ data, type }: Inline): string | undefined {
  const sign = `@${textAt(data.ref, 'user') ?? ''}`;
  return type === 'mention' && textAt(data.ref, 'kind') === 'user' && isMention(sign) ? sign : undefined;
}

/** Whether a text is a mention and nothing else. */
export const isMention = (text: string): boolean => WHOLE.test(text);

/** Whether a mention after this text, or before it, is none: in a word, a path or a mail address. */
export const gluesBefore = (text: string): boolean => GLUES_BEFORE.test(text);
export const gluesAfter = (text: string): boolean => GLUES_AFTER.test(text);
