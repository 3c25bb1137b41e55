import { expect, test } from 'vitest';
import { checkBlocks } from './check-blocks.ts';

const check = (...lines: string[]) =>
  checkBlocks(lines.join('\n')).faults.map(({ line, message }) => `${line}: ${message}`);

test.each<[what: string, lines: string[], faults: string[]]>([
  [
    'an unknown hint style',
    ['---', 'title: A', '---', '', '{% hint style="tip" %}', 'a', '{% endhint %}'],
    ['5: The hint style "tip" is unknown, so it is shown as info. Did you mean success?'],
  ],
  [
    'a hint style that is not similar to any other',
    ['{% hint style="x" %}', '{% endhint %}'],
    ['1: The hint style "x" is unknown, so it is shown as info. Use info, success, warning, danger.'],
  ],
  [
    'a block that the closing tag of another block closes',
    ['{% tabs %}', '{% tab title="a" %}', 'a', '{% endtabs %}'],
    ['2: {% tab %} is never closed, so it is shown as text. Add {% endtab %}.'],
  ],
  [
    'a misspelled closing tag',
    ['> {% hint %}', '> a', '> {% endhnit %}'],
    [
      '1: {% hint %} is never closed, so it is shown as text. Add {% endhint %}.',
      '3: The block {% endhnit %} is unknown, so it is shown as text. Did you mean {% endhint %}?',
    ],
  ],
  [
    'a closing tag without an opening tag',
    ['a', '', '{% endhint %}'],
    ['3: {% endhint %} closes no open {% hint %}, so it is shown as text.'],
  ],
  [
    'an unknown block, reported once for both tags',
    ['- a', '', '  {% tabz %}', '', '  {% endtabz %}'],
    ['3: The block {% tabz %} is unknown, so it is shown as text. Did you mean {% tabs %}?'],
  ],
  [
    'tags within a line',
    ['a', '{% hint %} b {% endhint %} `{% hint %}`'],
    ['2: {% hint %} is not on a line of its own, so it is shown as text.'],
  ],
  [
    'attributes without quotes',
    ['{% embed url=a %}'],
    ['1: The attributes of {% embed %} cannot be read, so it is shown as text.'],
  ],
  ['an unknown container', [':::lamp', 'a', ':::'], ['1: The block :::lamp is unknown, so only its content is shown.']],
])('reports %s', (_, lines, faults) => {
  expect(check(...lines)).toEqual(faults);
});

test('reports no problem for supported blocks, code, and the tags of other generators', () => {
  const good = [
    ...[
      '{% hint style="danger" %}',
      '{% tabs %}',
      '{% tab title="a" %}',
      '{% endtab %}',
      '{% endtabs %}',
      '{% endhint %}',
    ],
    ...['', ':::tip', 'a', ':::', '', '{% embed url="https://example.com" %}', '', '{% include "a.md" %}', ''],
    ...[
      '```',
      '{% nothing %}',
      '```',
      '',
      '    {% hint %}',
      '',
      '{% if visitor.claims.a %}',
      'a',
      '{% else %}',
      '{% endif %}',
    ],
    ...[
      '',
      '{% raw %}',
      '{% endraw %}',
      '{% for a in b %}',
      '{% endfor %}',
      '<code>{% hint %}</code> {% if a %}b{% endif %}',
    ],
  ];
  expect(check(...good)).toEqual([]);
});
