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
