/** Matches a tag of a condition. */
const TAG = /\{%-?\s*(?:if|elseif|elsif|else|endif)\b/;
const INNER = /^-?\s*(if|elseif|elsif|else|endif)\b([\s\S]*)$/;
const MAX_LENGTH = 4096;

/** Names that conditions of other generators use. Names that could be variables of `page` in Octavo are excluded. */
const OBJECTS =
  /(?<![\w.])(?:site|layout|jekyll|include|paginator|forloop|loop|theme|config|post|page(?![ \t]{0,9}(?:\?\.|\.|\[)[ \t]{0,9}["']?(?:var|claim|visitor|space)))[ \t]{0,9}[.[]/;

/**
 * Whether a condition belongs to another generator (`site.x`, `page.title == "a"`). Such a condition is never
 * evaluated. A condition that could be one of Octavo is not foreign, and its content is hidden.
 */
const isForeignCondition = (condition: string): boolean =>
  !namesVariable(condition) &&
  !condition.includes('{%') &&
  OBJECTS.test(condition.replace(/"[^"]*"|'[^']*'/g, (quoted) => quoted.charAt(0).repeat(2)));

interface ConditionTag {
  start: number;
  end: number;
  name: string;
  condition: string;
}

/**
 * Whether any tag of a text, even an unclosed one, uses a name of Octavo conditions. Such a text may hide content, so
 * none of its conditions is treated as foreign.
 */
const hasConditionTag = (text: string): boolean =>
  text
    .split('{%')
    .slice(1)
    .some((tag) => namesVariable(`x ${tag.split('%}', 1)[0]}`));

function* findTags(text: string): Generator<ConditionTag> {
  let close = -1;
  let after = 0;
  for (let start = text.indexOf('{%'); start >= 0; start = text.indexOf('{%', after)) {
    if (close < start + 2) close = text.indexOf('%}', start + 2);
    if (close < 0) return;
    const [, name, rest = ''] = INNER.exec(text.slice(start + 2, Math.min(close, start + MAX_LENGTH))) ?? [];
    after = name === undefined ? start + 2 : close + 2;
    const condition = close < start + MAX_LENGTH ? rest.replace(/-$/, '') : '{%';
    if (name !== undefined) yield { start, end: close + 2, name, condition };
  }
}

const isForeignTag = ({ name, condition }: Pick<ConditionTag, 'name' | 'condition'>): boolean => {
  if (name === 'elsif') return !namesVariable(condition) && !condition.includes('{%');
  return /^(?:if|elseif)$/.test(name) ? isForeignCondition(condition) : condition.trim() === '';
};

/** Returns the tags of other generators' conditions that are closed within the text, by offset. */
export function findForeignTags(text: string): Map<number, ConditionTag> {
  const tagsByOffset = new Map<number, ConditionTag>();
  const open: ConditionTag[][] = [];
  if (hasConditionTag(text)) return tagsByOffset;
  for (const tag of findTags(text)) {
    if (tag.name === 'if') open.push([tag]);
    else open.at(-1)?.push(tag);
    const tags = tag.name === 'endif' ? open.pop() : undefined;
    if (tags?.every(isForeignTag) === true) for (const each of tags) tagsByOffset.set(each.start, each);
  }
  return tagsByOffset;
}

function removeTags(text: string, tags: Iterable<ConditionTag>): string {
  const parts: string[] = [];
  let position = 0;
  for (const { start, end } of [...tags].sort((one, other) => one.start - other.start)) {
    parts.push(text.slice(position, start));
    position = end;
  }
  return [...parts, text.slice(position)].join('');
}

/** Whether a part of a text may contain an Octavo condition. */
export const mayBeConditional = (text: string): boolean =>
  TAG.test(text) && TAG.test(removeTags(text, findForeignTags(text).values()));

const DECLARED =
  /\{%-?[ \t]{0,9}(?:for[ \t]{1,9}([\w-]{1,50})[ \t]{1,9}in|assign[ \t]{1,9}([\w-]{1,50})[ \t]{0,9}=|capture[ \t]{1,9}([\w-]{1,50}))[ \t]/g;

/** Whether all conditions of a text belong to other generators. */
export function isForeignText(markdown: string): boolean {
  if (!TAG.test(markdown) || hasConditionTag(markdown)) return false;
  const tags = [...findTags(markdown)];
  const declared = new Set([...markdown.matchAll(DECLARED)].flatMap(([, ...names]) => names.filter(Boolean)));
  const isDeclaredCondition = (condition: string): boolean =>
    !namesVariable(condition) && declared.has(/^\s*([\w-]{1,50})(?![\w-])/.exec(condition)?.[1] ?? '');
  return (
    tags.every((tag) => isForeignTag(tag) || isDeclaredCondition(tag.condition)) &&
    !TAG.test(removeTags(markdown, tags))
  );
}

/** Whether any content of a text may be under an Octavo condition. */
export const isConditional = (markdown: string): boolean => TAG.test(markdown) && !isForeignText(markdown);

/**
 * Whether double braces contain a variable of Octavo expressions: `space`, `visitor`, or the variables of the page.
 * Other generators use them for templates and shortcodes (`{{ site.title }}`, `{{ page.title }}`, `{{< figure >}}`).
 */
export const namesVariable = (source: string): boolean =>
  /^[^<%#/]/.test(source.trimStart()) &&
  (/\b(?:space|visitor)\b/.test(source) || /\bpage[ \t]{0,9}(?:\?\.|\.|\[)[ \t]{0,9}["']?vars\b/.test(source));

const BRACES = /\{\{([^{}]*)\}\}/g;

/** Removes expressions in double braces. */
export const removeExpressions = (text: string): string =>
  text.replace(BRACES, (expression, source: string) => (namesVariable(source) ? '' : expression));

const LOGIC = /^(?:(?:end)?(?:unless|for|case|capture|tablerow)|when|assign|break|continue|cycle|increment|decrement)$/;

/** Whether a tag is control flow of another generator's templates other than a condition. */
export const isForeignControlFlow = (name: string): boolean => LOGIC.test(name);

const TEMPLATE_TAG = /\{%-?[ \t]{0,9}[a-z_]{2,20}(?![\w-])(?:[^%{}]|%(?!\})){0,1000}%\}/g;

/** Removes the template tags of a text. */
export const stripTags = (text: string): string => text.replace(TEMPLATE_TAG, '');
