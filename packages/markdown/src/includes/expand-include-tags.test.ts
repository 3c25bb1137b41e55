import { expect, test } from 'vitest';
import { getSections } from '../sections.ts';
import { expandIncludeTags, type FindTagged } from './expand-include-tags.ts';

const findIn =
  (texts: Record<string, string>): FindTagged =>
  (address) => {
    const text = texts[address];
    return text === undefined ? undefined : { id: address, text, find: findIn(texts) };
  };

const tag = (address: string) => `{% include "${address}" %}`;

test('replaces tags by their texts, nested, without frontmatter; not in code, unknown or recursive ones', () => {
  const texts = { a: `---\ntitle: A\n---\nalpha ${tag('b')}`, b: 'beta', c: `gamma ${tag('c')}` };
  const markdown = `top\n\n${tag('a')}\n\n\`\`\`\n${tag('b')}\n\`\`\`\n\n${tag('c')} ${tag('none')} end\n`;
  const expanded = expandIncludeTags(markdown, findIn(texts));
  expect(expanded.replace(/\s+/g, ' ')).toBe(
    `top alpha beta \`\`\` ${tag('b')} \`\`\` gamma ${tag('c')} ${tag('none')} end `,
  );
});

test('the text of a tag has the conditions around it, and a text that changes conditions outside is left out', () => {
  const secret = (inside: string) => `{% if visitor.claims.a %}\n\n${inside}\n\nhidden\n\n{% endif %}\n\nopen\n`;
  const getConditions = (word: string, included: string) =>
    getSections(expandIncludeTags(secret(tag('a')), findIn({ a: included }))).find(({ text }) => text.includes(word))
      ?.conditions;
  expect(getConditions('beta', 'beta')).toEqual(getConditions('hidden', 'x'));
  expect(getConditions('beta', '{% if visitor.claims.b %}\n\nbeta\n\n{% endif %}')).toHaveLength(2);
  for (const odd of [
    '{% endif %}\n\nbeta',
    '```\nbeta',
    '{% if visitor.claims.b %}\n\nbeta',
    '{% else %}\n\nbeta',
    '{% endif %}\n\n{% if visitor.claims.x %}\n\nbeta',
  ]) {
    expect([odd, getConditions('beta', odd)]).toEqual([odd, undefined]);
    expect([odd, getConditions('hidden', odd)]).toEqual([odd, ['+visitor.claims.a']]);
    expect([odd, getConditions('open', odd)]).toEqual([odd, undefined]);
  }
});
