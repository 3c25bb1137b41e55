import { describe, expect, test } from 'vitest';
import { getSections } from './sections.ts';

describe('splitting a document into sections', () => {
  test('headings of levels 1 to 3 start a section, deeper headings are part of its text', () => {
    const markdown = '---\ntitle: T\n---\nIntro\n\n# One\n\na\n\n#### Deep\n\nb\n\nTwo\n---\n\n### Three `x`\r\n\r\nc';
    expect(getSections(markdown)).toEqual([
      { anchor: '', level: 0, title: '', text: 'Intro' },
      { anchor: 'one', level: 1, title: 'One', text: 'a Deep b' },
      { anchor: 'two', level: 2, title: 'Two', text: '' },
      { anchor: 'three-x', level: 3, title: 'Three x', text: 'c' },
    ]);
  });

  test('anchors are unique', () => {
    const anchors = getSections('# A\n# A\n# A 2\n# A\n').map(({ anchor }) => anchor);
    expect(anchors).toEqual(['a', 'a-2', 'a-2-2', 'a-3']);
  });

  test('headings in fences, quotes and lists start no section', () => {
    const sections = getSections('# A\n\n```\n# B\n```\n\n> # C\n\n- # D\n');
    expect(sections).toEqual([{ anchor: 'a', level: 1, title: 'A', text: '# B C D' }]);
  });

  test('the text of a section is the text that a reader sees', () => {
    const markdown = [
      '* **bold** [link](https://a.example/x_y) ![alt](b.png)',
      '',
      '| h1 | h2 |\n|---|---|\n| a `c\\|d` | e |',
      '',
      '<div class="x"><!-- no -->inside<br>tags</div>',
      '',
      '{% hint style="info" %}\nHint\n{% endhint %}',
      '',
      '```js\nconst  a = "<b>";\n```',
      '',
      '[ref]: https://a.example',
    ];
    const [section] = getSections(markdown.join('\n'));
    expect(section?.text).toBe('bold link alt h1 h2 a c|d e inside tags Hint const a = "<b>";');
  });

  test.each([
    ['{% tabs %}\n{% tab title="Heron" %}\nx\n{% endtab %}\n{% endtabs %}', 'Heron x'],
    ['=== "Heron"\n    x\n\n=== "Crane"\n    y', 'Heron x Crane y'],
    ['<Tabs>\n<TabItem label="Heron">\n\nx\n\n</TabItem>\n</Tabs>', 'Heron x'],
    ['<LinkCard title="Heron" description="Of the *lake*" href="/birds/" />', 'Heron Of the lake'],
    ['<Card title="Heron" icon="x">\nx\n</Card>', 'Heron x'],
    ['a <Badge text="Heron" variant="tip" /> b `<Badge text="c" />`', 'a Heron b <Badge text="c" />'],
    [':::tabs\n:::tab Heron\nx\n:::\n:::', 'Heron x'],
    ['<LinkCard title="secret-page" description="It is" href="./secret-page.md" />', 'It is'],
    [
      '{% if visitor.claims.x %}\n{% tabs %}\n{% tab title="Heron" %}\n{% endtab %}\n{% endtabs %}\n{% endif %}',
      'Heron',
    ],
  ])('includes the titles in %j in the text', (markdown, text) => {
    const sections = getSections(markdown);
    expect(sections).toMatchObject([{ text }]);
    expect(sections[0]?.conditions).toEqual(markdown.startsWith('{% if') ? ['+visitor.claims.x'] : undefined);
  });

  test('does not split words when it splits a long document', () => {
    const [section] = getSections(`${'ab '.repeat(87_380)}crossingheron end`);
    expect(section?.text.endsWith('ab crossingheron end')).toBe(true);
  });

  test('an empty document has no sections', () => {
    expect(getSections('\n\n<!-- -->\n')).toEqual([]);
  });
});

describe('splitting a document with conditions', () => {
  const cut = (...lines: string[]) =>
    getSections(lines.join('\n')).map(({ anchor, title, text, conditions = [] }) => [
      anchor,
      title,
      text,
      ...conditions,
    ]);

  test('content under a condition is a separate section, and the text after it continues the previous section', () => {
    const lines = [
      '# A',
      'one',
      '{% if x %}',
      'two',
      '# B',
      'three',
      '{% else %}',
      'four',
      '{% endif %}',
      'five',
      '# B',
    ];
    expect(cut(...lines)).toEqual([
      ['a', 'A', 'one five'],
      ['a', '', 'two', '+x'],
      ['b-2', 'B', 'three', '+x'],
      ['a', '', 'four', '-x'],
      ['b', 'B', ''],
    ]);
  });

  test('requires all nested conditions, and the negation of the earlier branches', () => {
    const lines = [
      '{% if x %}',
      '{% if y %}',
      'a',
      '{% endif %}',
      '{% elseif z %}',
      'b',
      '{% else %}',
      'c',
      '{% endif %}',
    ];
    expect(cut(...lines)).toEqual([
      ['', '', 'a', '+x', '+y'],
      ['', '', 'b', '-x', '+z'],
      ['', '', 'c', '-x', '-z'],
    ]);
  });

  test.each([
    [['free', '{% if x %}', 'secret']],
    [['free', 'before {% if x %} secret {% endif %}']],
    [['free', '- {% if x %}', '  secret', '  {% endif %}']],
    [['free', '<details>', '{% if x %}', '</details>', 'secret', '{% endif %}']],
    [['free', '{% if %}', 'secret', '{% endif %}']],
  ])('content after an invalid condition is hidden from everyone: %j', (lines) => {
    const sections = cut(...lines);

    expect(sections[0]).toEqual(['', '', 'free']);
    expect(sections.slice(1).every((section) => section.includes('!'))).toBe(true);
  });

  test('tags in code are text', () => {
    expect(cut('`{% if x %}` is', '```', '{% if x %}', '```', 'shown')).toEqual([
      ['', '', '{% if x %} is {% if x %} shown'],
    ]);
  });

  test('separates conditional content in a quote', () => {
    expect(cut('a', '', '> {% if x %}', '> b', '> {% endif %}')).toEqual([
      ['', '', 'a'],
      ['', '', 'b', '+x'],
    ]);
  });
});

describe('titles of linked pages', () => {
  test.each([
    ['{% content-ref url="plan.md" %}\n[Secret](plan.md)\n{% endcontent-ref %}'],
    ['- {% content-ref url="/plan" %}\n\n  [Secret](/plan)\n\n  {% endcontent-ref %}'],
    ['> {% content-ref url="a/secret" %}\n> [a](a/secret) secret\n> {% endcontent-ref %}'],
    ['{% hint %}\n{% content-ref url="plan.md" %}\nSecret\n{% endcontent-ref %}\n{% endhint %}'],
    ['[Secret plan](/plan "mention")'],
    ["[Secret plan]( <plan.md> 'mention' )"],
    ['[secret](../a/secret.md#part)'],
    ['[**secret**](/secret)'],
    ['[secret][]\n\n[secret]: /a/secret'],
    ['<a href="/plan" data-mention>Secret</a>'],
    ['text of <a class="x" href=\'a/secret\'>secret</a>'],
    ['text of <a href="a/secret"><strong>sec<em class="x">ret</em></strong></a>'],
    ['<p><a href="a/secret">\n<b>secret</b>\n</a></p>'],
    ['<A HREF="a/secret"><!-- x --><b>secret</b></A>'],
    ['<div>Secret <a href="plan.md">words</a></div>'],
    ['<figure><img src="a.png" alt=""><figcaption>Secret <a href="/plan">words</a></figcaption></figure>'],
    ['<table data-view="cards"><tr><td><a href="../secret.md">secret.md</a></td></tr></table>'],
    ['<https://docs.example/app/spaces/spc_secret/content/page/pg_secret>'],
    ['[https://docs.example/app/spaces/secret](https://docs.example/app/spaces/secret)'],
    [`${'word '.repeat(60_000)}[Secret](/plan "mention")`],
  ])('are not part of the text: %j', (markdown) => {
    const sections = getSections(`before\n\n${markdown}\n\nafter`);

    expect(JSON.stringify(sections)).not.toMatch(/secret/i);
    expect(sections.map(({ text }) => text).join(' ')).toMatch(/before .*after$/);
  });

  test.each([
    ['[Shown words](/plan)'],
    ['[words shown](shown.md)'],
    ['`[shown](shown)`'],
    ['<https://shown.example>'],
    ['[shown.example](https://shown.example)'],
    ['[shown](#shown)'],
    ['{% content-ref url="plan.md" %}\nshown'],
    ['```\n{% content-ref url="x" %}\n[shown](shown)\n{% endcontent-ref %}\n```'],
    ['<a href="/plan">shown words</a>'],
    ['<div>shown <a href="https://a.example">words</a></div>'],
    ['<table><tr><td>shown <a href="/plan">words</a></td></tr></table>'],
    ['`<a href="shown">shown</a>`'],
    ['[a [inner](inner) shown](/plan "title")'],
  ])('are kept if the author wrote another link text: %j', (markdown) => {
    expect(
      getSections(markdown)
        .map(({ text }) => text)
        .join(' '),
    ).toMatch(/shown/i);
  });

  test.each(['<a href="b">', '<a href="b"><b>', '<a href="b">b</a', '<a'])(
    'many repetitions of %s take linear time',
    (tag) => {
      const start = process.threadCpuUsage();
      getSections(`${tag.repeat(30_000)} end`);
      const { user, system } = process.threadCpuUsage(start);

      expect((user + system) / 1000).toBeLessThan(3_000);
    },
  );

  test('nested links take as long as adjacent links', () => {
    const depth = 10_000;
    const [section] = getSections(`${'['.repeat(depth)}a${'](b "mention")'.repeat(depth)} end`);

    expect(section?.text).toBe('end');
  });
});

describe('included texts', () => {
  const include = (name: string) => `{% include "${name}" %}`;
  const shorten = (text: string, texts: Record<string, string>) => {
    const contents = new Map(
      Object.entries(texts).map(([name, markdown]) => [name, { markdown, findTarget: (address: string) => address }]),
    );
    return getSections(text, { findTarget: (address) => address, contents }).map(
      ({ anchor, title, text: body, conditions = [] }) => [anchor, title, body, conditions.join(' ')],
    );
  };

  test('belong to the section of the include', () => {
    expect(shorten(`a\n\n# H\n\nb\n\n${include('x')}\n\nc\n`, { x: 'heron\n' })).toEqual([
      ['', '', 'a', ''],
      ['h', 'H', 'b heron c', ''],
    ]);
  });

  test('have headings with the anchors that they have in the document', () => {
    const texts = { x: '# H\n\nheron\n' };
    expect(shorten(`# H\n\na\n\n${include('x')}\n\nb\n\n${include('x')}\n`, texts)).toEqual([
      ['h', 'H', 'a', ''],
      ['h-2', 'H', 'heron b', ''],
      ['h-3', 'H', 'heron', ''],
    ]);
  });

  test('have no headings in a quote or a list', () => {
    const texts = { x: '# H\n\nheron\n' };
    for (const place of ['> ', '- ']) {
      expect(shorten(`a\n\n${place}${include('x')}\n\nb\n`, texts), place).toEqual([['', '', 'a H heron b', '']]);
    }
  });

  test('are found in containers and at several levels, but not in code and comments', () => {
    const texts = { x: `heron\n\n${include('y')}\n`, y: 'stork\n' };
    const nested = `{% hint style="info" %}\n${include('x')}\n{% endhint %}\n`;
    expect(shorten(nested, texts)).toEqual([['', '', 'heron stork', '']]);
    const ends = ['```\n', '```\n'];
    expect(shorten(`a\n\n${ends.join(`${include('x')}\n`)}`, texts)).toEqual([['', '', `a ${include('x')}`, '']]);
    expect(shorten(`a\n\n<!--\n${include('x')}\n-->\n`, texts)).toEqual([['', '', 'a', '']]);
  });

  test('are under the conditions of the include and their own', () => {
    const texts = { x: 'heron\n\n{% if b %}\nstork\n{% endif %}\n' };
    expect(shorten(`one\n\n{% if a %}\n${include('x')}\n{% else %}\ntwo\n{% endif %}\n`, texts)).toEqual([
      ['', '', 'one', ''],
      ['', '', 'heron', '+a'],
      ['', '', 'stork', '+a +b'],
      ['', '', 'two', '-a'],
    ]);
  });

  test('cannot end a condition of the document', () => {
    for (const x of ['{% endif %}\n\nheron\n', '{% else %}\n\nheron\n'])
      expect(shorten(`one\n\n{% if a %}\n${include('x')}\n{% endif %}\n\nlast\n`, { x })).toEqual([
        ['', '', 'one last', ''],
        ['', '', 'heron', '+a'],
      ]);
  });

  test('hide what follows a malformed condition in them', () => {
    const texts = { x: 'heron\n\n{% if c %}\nstork\n' };
    expect(shorten(`one\n\n${include('x')}\n\nlast\n`, texts)).toEqual([
      ['', '', 'one heron', ''],
      ['', '', 'stork last', '!'],
    ]);
  });

  test('that are recursive, unknown or too long are left out', () => {
    expect(shorten(`a\n\n${include('x')}\n\n${include('none')}\n`, { x: `b\n\n${include('x')}\n` })).toEqual([
      ['', '', 'a b', ''],
    ]);
    const chain = Object.fromEntries(
      [1, 2, 3, 4, 5, 6].map((level) => [`c${level}`, `level${level}\n\n${include(`c${level + 1}`)}\n`]),
    );
    expect(shorten(include('c1'), chain)).toEqual([['', '', 'level1 level2 level3 level4 level5', '']]);
    const long = 'word '.repeat(20_000);
    const [section] = shorten(`${include('x')}\n\n${include('x')}\n`, { x: long });
    expect(section?.[2]?.length).toBe(long.length - 1);
  });
});
