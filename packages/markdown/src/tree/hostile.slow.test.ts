import { describe, expect, test } from 'vitest';
import { getSample, isOfAll } from '../../../../test/support/random.ts';
import { parseTree, renderTree } from './parse-tree.ts';

/** Texts of about 25 kB at scale 1. Tests use smaller scales. */
const texts: Record<string, (scale: number) => string> = {
  spaces: (n) => ' '.repeat(n * 25000),
  'spaces before a letter': (n) => `${' '.repeat(n * 25000)}x`,
  newlines: (n) => '\n'.repeat(n * 25000),
  brackets: (n) => '['.repeat(n * 5000),
  'closed brackets': (n) => `${'['.repeat(n * 2500)}a${']'.repeat(n * 2500)}`,
  'link starts': (n) => '[a](<b'.repeat(n * 4000),
  'image starts': (n) => '![a]('.repeat(n * 4000),
  quotes: (n) => '>'.repeat(n * 10000),
  stars: (n) => '*'.repeat(n * 5000),
  'mixed emphasis': (n) => '*a_ **b~~'.repeat(n * 2500),
  backticks: (n) => '` '.repeat(n * 5000),
  'comment starts': (n) => `x${'<!--'.repeat(n * 5000)}`,
  'tag starts': (n) => '<a '.repeat(n * 5000),
  'mark starts': (n) => '<kbd>'.repeat(n * 5000),
  'links within links': (n) => '<a href="x">'.repeat(n * 2000),
  entities: (n) => '&#x'.repeat(n * 5000),
  formulas: (n) => '$$a'.repeat(n * 5000),
  expressions: (n) => '{{ a '.repeat(n * 5000),
  emoji: (n) => ':a'.repeat(n * 10000),
  'block tag starts': (n) => '{% '.repeat(n * 5000),
  'nested tags': (n) => `${'{% hint style="info" %}\n'.repeat(n * 250)}a\n${'{% endhint %}\n'.repeat(n * 250)}`,
  'open tags': (n) => '{% hint style="info" %}\n'.repeat(n * 1000),
  'end tags': (n) => '{% endhint %}\n'.repeat(n * 1000),
  'crossing tags': (n) => '{% tabs %}\n{% hint %}\n{% endtabs %}\n{% endhint %}\n'.repeat(n * 300),
  'else without if': (n) => `{% hint %}\n${'{% embed url="a" %}\n{% else %}\n'.repeat(n * 500)}`,
  'open details': (n) => '<details>\n'.repeat(n * 1000),
  'quoted formulas': (n) => '> $$\n\n'.repeat(n * 1000),
  'a long table': (n) => `| a | b |\n|---|---|\n${'| `x` | [y](z) |\n'.repeat(n * 500)}`,
  'a wide table': (n) => `${'|a'.repeat(n * 1000)}\n${'|-'.repeat(n * 1000)}\n${'|x'.repeat(n * 1000)}`,
  'an HTML table': (n) => `<table>${'<tr><td>'.repeat(n * 2000)}`,
  'a wide HTML table': (n) => `<table><tbody><tr>${'<td>a</td>'.repeat(n * 1500)}</tr></tbody></table>`,
  'a nested list': (n) => '- '.repeat(n * 5000),
  'a list': (n) => '* [x] a\n'.repeat(n * 2000),
  headings: (n) => '# a\n'.repeat(n * 2000),
  definitions: (n) => '[a]: b\n'.repeat(n * 2000),
  'code lines': (n) => `\`\`\`\n${'a\n'.repeat(n * 10000)}\`\`\`\n`,
  'colons without an end': (n) => ':::tip\n'.repeat(n * 2000),
  'nested colons': (n) => `${':::tip\n'.repeat(n * 1000)}a\n${':::\n'.repeat(n * 1000)}`,
  'nested exclamations': (n) =>
    Array.from({ length: n * 1000 }, (_, at) => `${' '.repeat(4 * (at % 60))}!!! a`).join('\n'),
  'tabs without content': (n) => '=== "a"\n'.repeat(n * 2000),
  alerts: (n) => '> [!NOTE]\n'.repeat(n * 2000),
  'nested alerts': (n) =>
    Array.from({ length: n * 20 }, () => '> '.repeat(60))
      .map((each) => `${each}[!NOTE]`)
      .join('\n'),
  'nested elements': (n) => `${'<div className="a">\n'.repeat(n * 600)}a\n${'</div>\n'.repeat(n * 600)}`,
  'elements without an end': (n) => '<div className="a">\n\n    a\n'.repeat(n * 600),
  'element starts': (n) => '<div a={\n'.repeat(n * 2500),
  'elements in a line': (n) => `<div>${'<div '.repeat(n * 4000)}`,
  'indented elements': (n) =>
    `<div className="a">\n${Array.from({ length: n * 1000 }, (_, at) => `${' '.repeat(4 * (at % 60))}- a`).join('\n\n')}\n</div>`,
  'component starts': (n) => '<A b={\n'.repeat(n * 3000),
  'components without an end': (n) => '<Tabs>\n'.repeat(n * 800),
  'nested components': (n) => `${'<Tabs>\n'.repeat(n * 1000)}a\n${'</Tabs>\n'.repeat(n * 1000)}`,
  'components in a line': (n) => '<Tab a="b">c</Tab>\n'.repeat(n * 1000),
  'long components': (n) => `<A\n${'b="c"\n'.repeat(n * 3000)}>`,
  imports: (n) => "import a from 'b'\n".repeat(n * 1500),
  'import starts': (n) => `import ${'from '.repeat(n * 4000)}`,
  'comments of mdx': (n) => '{/* a\n'.repeat(n * 800),
  'heading lists': (n) => '# a {#b .c d="e"\n'.repeat(n * 1000),
  shortcodes: (n) => '{{< hint a b="c" >}}\n'.repeat(n * 1000),
  'one-line components': (n) => `${'<Ab>'.repeat(n * 150)}${'</Ab>'.repeat(n * 150)}\n`.repeat(4),
  'components beside each other': (n) => `${'<Ab c="d" />'.repeat(300)}\n`.repeat(n * 8),
  'tags before texts': (n) => '<Note>a\n'.repeat(n * 2000),
  'tags behind texts': (n) => `${'<Note>\n'.repeat(n * 800)}${'a</Note>\n'.repeat(n * 800)}`,
  'tags behind each other': (n) => `${'<Note>\n'.repeat(400)}${'</Note>'.repeat(400)}\n`.repeat(n * 4),
  'exports with blank lines': (n) => 'export const a = {\n\n'.repeat(n * 1000),
  'lazy alerts': (n) => `> [!NOTE]\n${'> a\nb\n'.repeat(n * 2000)}`,
  'templates without an end': (n) => '{% raw %} {{ '.repeat(n * 2000),
  'code of Jekyll without an end': (n) => '{% highlight js %}\n'.repeat(n * 1000),
  'integrations without an end': (n) => '{% @a/b c="\n'.repeat(n * 1500),
  heroes: (n) => `---\nhero:\n  actions:\n${'    - {text: a, link: b}\n'.repeat(Math.min(n, 2) * 1000)}---\n`,
  paragraphs: (n) => 'a\n\n'.repeat(n * 4000),
};

const scale = isOfAll ? 1 / 4 : 1 / 6;
const factor = 8;

/** Returns the processor time in microseconds of reading and writing a document a number of times. */
function measureProcessorTime(markdown: string, times: number): number {
  const start = process.threadCpuUsage();
  for (let time = 0; time < times; time += 1) expect(renderTree(parseTree(markdown)) === markdown).toBe(true);
  const { user, system } = process.threadCpuUsage(start);
  return user + system;
}

describe('a tree takes linear time, and its text is preserved', () => {
  test.each(getSample(Object.entries(texts), 2))('%s', (_name, text) => {
    const [small, large] = [text(scale), text(factor * scale)];
    measureProcessorTime(small, 1);
    // Both sides are measured again if garbage collection or compilation took most of the time of the large document.
    const isLinear = () => measureProcessorTime(large, 1) < 3 * measureProcessorTime(small, factor) + 50_000;
    expect(Array.from({ length: 5 }).some(isLinear)).toBe(true);
  });
});

describe('preserves content that exceeds a limit as text', () => {
  const createTable = (cells: number) => `<table><tbody><tr>${'<td>a</td>'.repeat(cells)}</tr></tbody></table>\n`;
  test.each([
    ['40,000 paragraphs', 'a\n\n'.repeat(40_000), 'markdown'],
    ['30,000 paragraphs', 'a\n\n'.repeat(30_000), 'paragraph'],
    ['50,001 lines of code', `\`\`\`\n${'a\n'.repeat(50_001)}\`\`\`\n`, 'markdown'],
    ['50,000 lines of code', `\`\`\`\n${'a\n'.repeat(50_000)}\`\`\`\n`, 'code'],
    ['200,000 characters of a table', createTable(20_000), 'html'],
    ['150,000 characters of a table', createTable(15_000), 'table'],
  ])('%s', (_name, markdown, type) => {
    const tree = parseTree(markdown);
    expect(tree.nodes[0]?.type).toBe(type);
    expect(renderTree(tree) === markdown).toBe(true);
  });

  test('more than 100,000 blocks, in chunks that each fit into one step', () => {
    const markdown = `# Title\n\n[a]: https://a.example\n\n${'a\n\n```\nb\n\nc\n```\n\n'.repeat(30_000)}`;
    const tree = parseTree(markdown, { sources: 'all' });
    const lengths = tree.nodes.map(({ data }) => String(data.markdown).length);

    expect(Math.max(...lengths)).toBeLessThan(10_000);
    expect(tree.nodes.every(({ data }) => String(data.markdown).split('```').length % 2 === 1)).toBe(true);
    expect(renderTree(tree) === markdown).toBe(true);
  });

  test('more than 100,000 markup tokens in a document', () => {
    const tree = parseTree(`${'*a* '.repeat(60_000)}\n\n*b*\n`);
    expect(tree.nodes.map(({ nodes }) => nodes)).toEqual(
      [expect.stringMatching(/^(\*a\* )+/), '*b*'].map((text) => [
        { object: 'text', leaves: [{ object: 'leaf', text, marks: [] }] },
      ]),
    );
  });

  test('more than 20 nested links', () => {
    const createLinks = (count: number) => {
      const markdown = `x ${'<a href="x">'.repeat(count)}a${'</a>'.repeat(count)}\n`;
      const tree = parseTree(markdown);
      expect(renderTree(tree)).toBe(markdown);
      return JSON.stringify(tree.nodes[0]?.nodes).split('"type":"link"').length - 1;
    };
    expect([createLinks(20), createLinks(25)]).toEqual([20, 20]);
  });
});
