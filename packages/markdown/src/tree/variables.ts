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
