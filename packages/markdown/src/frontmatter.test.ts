import { describe, expect, test } from 'vitest';
import { readFrontmatter } from './frontmatter.ts';
import { getLinks, rewriteTargets } from './links/find-links.ts';

function getValues(...lines: string[]) {
  return readFrontmatter(['---', ...lines, '---', 'Body'].join('\n'));
}

describe('frontmatter detection', () => {
  test.each(['---\ntitle: A\n---\nBody', '---\r\ntitle: A\r\n---\r\nBody', '\ufeff---\ntitle: A\n---\nBody'])(
    '%j is frontmatter and then the body',
    (markdown) => {
      const { values, bodyOffset } = readFrontmatter(markdown);
      expect(values).toEqual({ title: 'A' });
      expect(markdown.slice(bodyOffset)).toBe('Body');
    },
  );

  test.each([
    ['nothing', ''],
    ['no block', 'title: A'],
    ['a thematic break', '---\n\nText\n\n---\n'],
    ['an unclosed block', '---\ntitle: A\n'],
    ['a list', '---\n- a\n---\n'],
    ['invalid YAML without lines of the form key: value', '---\ntitle: "A\nand more\n---\n'],
    ['an empty TOML block', '+++\n\n+++\n'],
    ['an unclosed TOML block', '+++\ntitle = "A"\n---\n'],
    ['a block over 64 KiB', `---\ntitle: ${'é'.repeat(33_000)}\n---\n`],
    ['a later block', '\n---\ntitle: A\n---\n'],
  ])('%s is not frontmatter', (_name, markdown) => {
    expect(readFrontmatter(markdown)).toEqual({ values: {}, bodyOffset: 0, problems: [] });
  });
});

describe('frontmatter values', () => {
  test('reads all known keys', () => {
    const { values, problems } = getValues(
      'title: " A "\nslug: a\nemoji: 🚀\nicon: rocket\ndescription: >-\n  two\n  lines',
      'hidden: true\nnoIndex: false\nnoRobotsIndex: true\ncondition: visitor.claims.beta\ncover: ../a.png\ncoverY: -12.5',
      'layout:\n  cover: {visible: false, size: hero}\n  title: true\n  outline: {visible: true}\n  coverSize: full',
      'variables: {name: x, count: 2, on: true}',
    );
    expect(problems).toEqual([]);
    expect(values).toEqual({
      title: ' A ',
      slug: 'a',
      emoji: '🚀',
      icon: 'rocket',
      description: 'two lines',
      hidden: true,
      noIndex: false,
      noRobotsIndex: true,
      condition: 'visitor.claims.beta',
      cover: '../a.png',
      coverY: -12.5,
      layout: { cover: false, title: true, outline: true, coverSize: 'full' },
      variables: { name: 'x', count: 2, on: true },
    });
  });

  test('reads an exported layout: the size and mask of the cover, the width, and the visible parts', () => {
    expect(
      getValues(
        'layout:',
        '  width: wide',
        '  cover: {visible: true, size: full, mask: radial}',
        '  metadata: {visible: false}',
        '  tags: {visible: false}',
        '  actions: false',
        '  anchors: true',
      ),
    ).toMatchObject({
      values: {
        layout: {
          width: 'wide',
          cover: true,
          coverSize: 'full',
          coverMask: 'radial',
          metadata: false,
          tags: false,
          actions: false,
          anchors: true,
        },
      },
      problems: [],
    });
    expect(getValues('layout: {width: huge, cover: {size: small, mask: 1}}')).toMatchObject({
      values: { layout: {} },
      problems: [
        { path: 'frontmatter.layout.width', message: "must be 'default' or 'wide'" },
        { path: 'frontmatter.layout.cover.size', message: "must be 'hero' or 'full' or 'background'" },
        { path: 'frontmatter.layout.cover.mask', message: "must be 'none' or 'radial'" },
      ],
    });
  });

  test.each(['title: ""', 'title: "   "', 'title: "\\u3000\\n"', 'title: |\n  \n'])('%j is not a title', (line) => {
    expect(getValues(line)).toMatchObject({ values: {}, problems: [] });
    expect(getValues(line).values).not.toHaveProperty('title');
  });

  test('strips the line end of a YAML block scalar from a title', () => {
    expect(getValues('title: >', '  two', '  lines')).toMatchObject({ values: { title: 'two lines' }, problems: [] });
  });

  test('accepts at most 100 variables per page', () => {
    const createLines = (count: number) => Array.from({ length: count }, (_, index) => `  v${index}: ${index}`);

    expect(Object.keys(getValues('variables:', ...createLines(100)).values.variables ?? {})).toHaveLength(100);
    expect(getValues('variables:', ...createLines(101))).toMatchObject({
      values: {},
      problems: [{ path: 'frontmatter.variables', message: 'must have at most 100 variables' }],
    });
  });

  test('keeps numbers, booleans and dates as written', () => {
    expect(getValues('title: 1.10', 'description: true', 'slug: 2024-01-01').values).toEqual({
      title: '1.10',
      description: 'true',
      slug: '2024-01-01',
    });
  });

  test('omits empty values and unknown keys', () => {
    expect(getValues('title:', 'emoji: ""', 'other: [1]')).toMatchObject({ values: { emoji: '' }, problems: [] });
  });

  test.each([
    ['title: [a]', 'frontmatter.title'],
    [`title: ${'a'.repeat(513)}`, 'frontmatter.title'],
    ['title: "a\\tb"', 'frontmatter.title'],
    ['title: "a\\x01"', 'frontmatter.title'],
    ['title: "a\\ud800b"', 'frontmatter.title'],
    ['title: |\n  two\n  lines', 'frontmatter.title'],
    ['hidden: "yes"', 'frontmatter.hidden'],
    [`icon: ${'a'.repeat(51)}`, 'frontmatter.icon'],
    [`slug: ${'a'.repeat(101)}`, 'frontmatter.slug'],
    ['coverY: .nan', 'frontmatter.coverY'],
    ['layout: 1', 'frontmatter.layout'],
    ['layout: {cover: 1}', 'frontmatter.layout.cover'],
    ['layout: {coverSize: big}', 'frontmatter.layout.coverSize'],
    ['variables: {a: [1]}', 'frontmatter.variables.a'],
    ['title: A\ntitle: B', 'frontmatter.title'],
    ['variables: {a: 1, a: 2}', 'frontmatter.variables.a'],
  ])('%j reports a problem at %s', (line, path) => {
    expect(getValues(line).problems).toEqual([{ path, message: expect.any(String) }]);
  });

  test('rejects YAML aliases, which could expand to a very large value', () => {
    const { values, problems } = getValues('a: &a [x, x]', 'b: &b [*a, *a]', 'title: *b', 'slug: s');
    expect(values).toEqual({ slug: 's' });
    expect(problems.map(({ path }) => path)).toEqual(['frontmatter.title']);
  });

  test('keys named like object members do not change prototypes', () => {
    const { values } = getValues('__proto__: {hidden: true}', 'constructor: 1', 'variables: {__proto__: x}');
    expect(Object.keys(values)).toEqual(['variables']);
    expect(Object.getPrototypeOf(values.variables)).toBe(Object.prototype);
    expect(values.hidden).toBeUndefined();
  });
});

describe('frontmatter of other generators', () => {
  test.each<[name: string, lines: string[], values: object, paths: string[]]>([
    ['a layout by its name', ['layout: home', 'title: A'], { title: 'A' }, ['layout']],
    ['a flag written as a string', ['hidden: "yes"'], {}, ['hidden']],
    ['a title in braces, which is invalid YAML', ['title: {#if x}'], { title: '{#if x}' }, ['']],
    [
      'a title with a template expression',
      ['title: {{ page.title }}', 'slug: a'],
      { title: '{{ page.title }}', slug: 'a' },
      [],
    ],
    ['lists and mappings in place of strings', ['description: [a, b]', 'icon: {name: x}'], {}, ['description', 'icon']],
    ['unknown fields', ['tags: [a]', 'sidebar: {order: 1}'], {}, []],
    ['a condition that is not a string is never met', ['condition: [a]'], { condition: 'false' }, ['condition']],
    [
      'a condition that is too long is never met',
      [`condition: ${'a'.repeat(1025)}`],
      { condition: 'false' },
      ['condition'],
    ],
    [
      'invalid YAML: a colon in a title',
      ['title: Docs: intro', 'hidden: true'],
      { title: 'Docs: intro', hidden: true },
      [''],
    ],
    ['invalid YAML: an unclosed quote', ['# first', 'title: "A', 'slug: b'], { title: '"A', slug: 'b' }, ['']],
    [
      'invalid YAML: lists and indented lines',
      ['title: A: b', 'tags:', '- x', '  y', '', 'cover: {{ a'],
      { title: 'A: b', cover: '{{ a' },
      [''],
    ],
    ['invalid YAML: a line without a key', ['title: A', 'and so on', 'slug: b'], { title: 'A', slug: 'b' }, ['']],
    [
      'invalid YAML: an alias',
      ['title: *a', 'slug: &b b', 'icon: @x'],
      { title: '*a', slug: '&b b', icon: '@x' },
      [''],
    ],
    ['no YAML: a list', ['title: A: b', 'description: [a, b]'], { title: 'A: b' }, ['', '.description']],
  ])('%s', (_name, lines, values, paths) => {
    const read = getValues(...lines);
    expect(read.values).toEqual(values);
    expect(read.problems.map(({ path }) => path)).toEqual(
      paths.map((path) => `frontmatter${path === '' || path.startsWith('.') ? path : `.${path}`}`),
    );
  });

  test('reads TOML between plus signs', () => {
    const lines = [
      'title = "A \\"b\\" \\u00e9" # said',
      "slug = 'a'",
      'hidden = true',
      'coverY = -1.5',
      'weight = 10',
      'description = ["a"]',
      'tags = [',
      '  "title = 1",',
      ']',
      'cover = "../a.png"',
      '[params]',
      'icon = "rocket"',
    ];
    const markdown = ['+++', ...lines, '+++', '# Body'].join('\n');
    const { values, problems, bodyOffset } = readFrontmatter(markdown);
    expect(values).toEqual({ title: 'A "b" é', slug: 'a', hidden: true, coverY: -1.5, cover: '../a.png' });
    expect(problems.map(({ path }) => path)).toEqual(['frontmatter.description']);
    expect(markdown.slice(bodyOffset)).toBe('# Body');
    expect(rewriteTargets(markdown, (target) => `/${target}`)).toBe(markdown.replace('../a.png', '/../a.png'));
  });

  test('rewrites the path of a cover in frontmatter that is not valid YAML', () => {
    const markdown = '---\r\ntitle: A: b\r\ncover: a.png\r\n---\r\n';
    expect(getLinks(markdown).map(({ target }) => target)).toEqual(['a.png']);
    expect(rewriteTargets(markdown, () => 'b.png')).toBe(markdown.replace('a.png', 'b.png'));
  });

  test('hostile blocks take linear time', () => {
    const fill = (line: string) => line.repeat(10_000 / line.length);
    for (const source of [
      fill('a: "\n'),
      fill('title: {{\n'),
      `title: A: b\nslug: ${'['.repeat(10_000)}\n`,
      fill('[a]\n'),
      fill('a = [\n'),
    ])
      for (const fence of ['---', '+++']) {
        const start = process.threadCpuUsage();
        readFrontmatter(`${fence}\n${source}${fence}\n`);
        expect(process.threadCpuUsage(start).user).toBeLessThan(1_000_000);
      }
  });
});
