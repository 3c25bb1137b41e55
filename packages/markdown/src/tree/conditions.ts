/** A tag of a condition. */
const TAG = /\{%-?\s*(?:if|elseif|elsif|else|endif)\b/;
const INNER = /^-?\s*(if|elseif|elsif|else|endif)\b([\s\S]*)$/;
const MAX_LENGTH = 4096;

/** What templates of other generators ask for; of a page all but its variables, and what could be meant for these. */
const OBJECTS =
  /(?<![\w.])(?:site|layout|jekyll|include|paginator|forloop|loop|theme|config|post|page(?![ \t]{0,9}(?:\?\.|\.|\[)[ \t]{0,9}["']?(?:var|claim|visitor|space)))[ \t]{0,9}[.[]/;

/**
 * Whether a condition is one of another generator (`site.x`, `page.title == "a"`), which is never evaluated. One that could
 * be meant as ours is none of these: what stands under it is shown to nobody.
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
 * Whether any tag of a text, also one that nothing ends, names what a condition of ours asks for. Such a text may hide
 * something: then none of its conditions is taken for another generator's.
 */
const namesOurs = (text: string): boolean =>
  text
    .split('{%')
    .slice(1)
    .some((tag) => namesVariable(`x ${tag.split('%}', 1)[0]}`));

function* tagsIn(text: string): Generator<ConditionTag> {
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

/** The tags of the conditions of other generators that open and end in a text, by where they begin. */
export function foreignTags(text: string): Map<number, ConditionTag> {
  const found = new Map<number, ConditionTag>();
  const open: ConditionTag[][] = [];
  if (namesOurs(text)) return found;
  for (const tag of tagsIn(text)) {
    if (tag.name === 'if') open.push([tag]);
    else open.at(-1)?.push(tag);
    const tags = tag.name === 'endif' ? open.pop() : undefined;
    if (tags?.every(isForeignTag) === true) for (const each of tags) found.set(each.start, each);
  }
  return found;
}

function without(text: string, tags: Iterable<ConditionTag>): string {
  const parts: string[] = [];
  let position = 0;
  for (const { start, end } of [...tags].sort((one, other) => one.start - other.start)) {
    parts.push(text.slice(position, start));
    position = end;
  }
  return [...parts, text.slice(position)].join('');
}

/** Whether a part of a text holds something that may be a condition of ours. */
export const mayBeConditional = (text: string): boolean =>
  TAG.test(text) && TAG.test(without(text, foreignTags(text).values()));

const DECLARED =
  /\{%-?[ \t]{0,9}(?:for[ \t]{1,9}([\w-]{1,50})[ \t]{1,9}in|assign[ \t]{1,9}([\w-]{1,50})[ \t]{0,9}=|capture[ \t]{1,9}([\w-]{1,50}))[ \t]/g;

/** Whether all conditions of a whole text are of other generators: then nothing of it stands under any. */
export function isForeignText(markdown: string): boolean {
  if (!TAG.test(markdown) || namesOurs(markdown)) return false;
  const tags = [...tagsIn(markdown)];
  const declared = new Set([...markdown.matchAll(DECLARED)].flatMap(([, ...names]) => names.filter(Boolean)));
  const isDeclared = (condition: string): boolean =>
    !namesVariable(condition) && declared.has(/^\s*([\w-]{1,50})(?![\w-])/.exec(condition)?.[1] ?? '');
  return tags.every((tag) => isForeignTag(tag) || isDeclared(tag.condition)) && !TAG.test(without(markdown, tags));
}

/** Whether anything of a whole text may stand under a condition of ours. */
export const isConditional = (markdown: string): boolean => TAG.test(markdown) && !isForeignText(markdown);

/**
 * Whether what stands in double braces names a variable that an expression may read: `space`, `visitor`, or the variables
 * of the page. Others write templates and shortcodes so (`{{ site.title }}`, `{{ page.title }}`, `{{< figure >}}`).
 */
export const namesVariable = (source: string): boolean =>
  /^[^<%#/]/.test(source.trimStart()) &&
  (/\b(?:space|visitor)\b/.test(source) || /\bpage[ \t]{0,9}(?:\?\.|\.|\[)[ \t]{0,9}["']?vars\b/.test(source));

const BRACES = /\{\{([^{}]*)\}\}/g;

/** A text without the expressions in double braces. */
export const withoutExpressions = (text: string): string =>
  text.replace(BRACES, (whole, source: string) => (namesVariable(source) ? '' : whole));

const LOGIC = /^(?:(?:end)?(?:unless|for|case|capture|tablerow)|when|assign|break|continue|cycle|increment|decrement)$/;

/** Whether a tag of this name is one of templates of other generators that decides or counts, and is no condition. */
export const isPlainLogic = (name: string): boolean => LOGIC.test(name);

const TEMPLATE_TAG = /\{%-?[ \t]{0,9}[a-z_]{2,20}(?![\w-])(?:[^%{}]|%(?!\})){0,1000}%\}/g;

/** A text without the tags of templates in it. */
export const withoutTags = (text: string): string => text.replace(TEMPLATE_TAG, '');
