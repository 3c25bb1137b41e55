import type { Labels, SourceBlock } from './blocks.ts';
import { isLeftOutWhole, withoutNamesInHtml } from './links/target-names.ts';
import { collapse, plainHtml, plainText } from './plain-text.ts';
import { withoutAttributeLists } from './tree/attribute-lists.ts';
import { attributeIn, jsxTagAt } from './tree/jsx.ts';
import { namesVariable, withoutTags } from './tree/variables.ts';

/** Readers see the value of an expression, and not what it is written as; code stays. */
const EXPRESSION = /(`+)[^`]+\1|\{\{([^{}]*)\}\}|<code class="expression">[^<]*<\/code>/g;

/** What everybody is shown of a block who is shown the text: no names of what it refers to. */
export function textOfBlock(
  block: Pick<SourceBlock, 'kind' | 'source'> & { isHtml?: boolean },
  labels: Labels,
): string {
  const { kind, source } = block;
  if (kind === 'code') return collapse(source);
  const shown = source.replace(EXPRESSION, (found, code, braced) => {
    const stays = code !== undefined || (braced !== undefined && !namesVariable(braced));
    return stays ? found : '';
  });
  if (kind === 'html' || block.isHtml)
    return isLeftOutWhole(shown) ? '' : plainHtml(withoutTags(withoutNamesInHtml(shown)));
  return plainText(
    outsideOfCode(shown, (part) => withBadges(withoutNamesInHtml(withoutAttributeLists(part)))),
    labels,
    { isOwnOnly: true },
  );
}

const BADGE = /<Badge\s[^<>]{0,500}>/g;

/** A badge is its text. */
const withBadges = (part: string): string =>
  part.replace(BADGE, (tag) => attributeIn(jsxTagAt(tag, 0) ?? noTag, 'text', 'label') ?? '');

const noTag = { name: '', closes: false, isEmpty: false, end: 0, attributes: [] };

const CODE = /(`+)[^`]+\1/g;

/** A text with what `to` makes of the parts between its code. */
function outsideOfCode(source: string, to: (part: string) => string): string {
  let [shown, from] = ['', 0];
  for (const { 0: code, index } of source.matchAll(CODE)) {
    shown += to(source.slice(from, index)) + code;
    from = index + code.length;
  }
  return shown + to(source.slice(from));
}
