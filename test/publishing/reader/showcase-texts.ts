import { boxes } from './showcase-boxes.ts';

/** Draws the picture for the light and the dark theme. */
const createPicture = (sky: string, ground: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="320" viewBox="0 0 640 320"><rect width="640" height="320" fill="${sky}"/><circle cx="500" cy="90" r="40" fill="#f5c518"/><path d="M0 320 160 150 300 260 430 130 640 320z" fill="${ground}"/></svg>`;

const text = `---
description: Words, lists, notes, formulas and pictures.
---

# Text

Words that are **bold**, *italic*, ~~struck~~, \`code\`, H<sub>2</sub>O, x<sup>2</sup> and <kbd>Ctrl</kbd>. A note[^1], an
emoji :rocket:, and a link to [boxes](boxes.md#tabs) and to [elsewhere](https://example.com/).

[^1]: The note has words of its own.

## A list

1. first
2. second
   - below
   - and more
3. third

- [x] done
- [ ] to do
- [ ] with **more**

### Deeper

A formula $$a^2 + b^2 = c^2$$ in a line, and one of its own:

$$
\\int_0^1 \\frac{x^2}{\\sqrt{1 - x}} \\, dx
$$

## Pictures

<figure><picture><source srcset="dark.svg" media="(prefers-color-scheme: dark)"><img src="light.svg" alt="Hills"></picture><figcaption><p>Hills at <a href="boxes.md">noon</a></p></figcaption></figure>

![Hills alone](light.svg)

### ﷽ العربية

هذا نص عربي في صفحة إنجليزية.

## A last part

${'Some more words, so that the page is longer than a screen and the outline has something to follow. '.repeat(12)}

<a href="boxes.md" class="button primary">To the boxes</a>
`;

const code = `# Code

{% code title="greet.ts" lineNumbers="true" %}
\`\`\`ts
// says hello
export function greet(name: string): string {
  const words = ['Hello', name];
  return words.join(', ') + '!';
}
\`\`\`
{% endcode %}

{% code overflow="wrap" %}
\`\`\`json
{ "a long line": "${'which goes on and on '.repeat(12)}", "more": [1, 2.5, null, true] }
\`\`\`
{% endcode %}

\`\`\`python {2}
def add(a: int, b: int) -> int:
    return a + b  # marked
\`\`\`

\`\`\`diff
- gone
+ new
\`\`\`

\`\`\`mermaid
graph TD
  A[Write] --> B{Review}
  B -->|yes| C[Merge]
  B -->|no| A
\`\`\`

\`\`\`
plain ${'text '.repeat(60)}
\`\`\`
`;

const tables = `# Tables

| name | what it is | size |
|---|:---:|---:|
| a | **bold** | 1 |
| b | \`code\` | 22 |
| c | [link](text.md) | 333 |

## Wide

| ${Array.from({ length: 14 }, (_, index) => `column ${index}`).join(' | ')} |
| ${'--- | '.repeat(14)}
| ${Array.from({ length: 14 }, (_, index) => `a value ${index}`).join(' | ')} |

## Typed

<table><thead><tr><th width="120">Feature</th><th data-type="checkbox">Done</th><th data-type="rating" data-max="5">Stars</th><th data-type="number">Count</th><th data-type="select">State</th></tr></thead><tbody><tr><td>Search</td><td>true</td><td>4</td><td>12</td><td><span data-option="new">New</span></td></tr><tr><td>Print</td><td>false</td><td>2</td><td>3</td><td></td></tr></tbody></table>

## Cards

<table data-view="cards"><thead><tr><th></th><th></th><th data-hidden data-card-target data-type="content-ref"></th><th data-hidden data-card-cover data-type="files"></th></tr></thead><tbody><tr><td><strong>Text</strong></td><td>Words and lists.</td><td><a href="text.md">text.md</a></td><td><a href="light.svg">light.svg</a></td></tr><tr><td><strong>Boxes</strong></td><td>Hints and tabs.</td><td><a href="boxes.md">boxes.md</a></td><td><a href="dark.svg">dark.svg</a></td></tr><tr><td><strong>Code</strong></td><td>Lines of code.</td><td><a href="code.md">code.md</a></td><td></td></tr></tbody></table>
`;

const updates = `---
description: What has changed, by its days.
---

# Changes

{% updates format="full" %}
{% update date="2026-11-20" tags="added" %}
## Sites

Sites are drawn now.
{% endupdate %}
{% update date="2026-10-02" %}
## Merging

Merges are shown at once.
{% endupdate %}
{% endupdates %}
`;

const landing = `---
icon: house
cover: dark.svg
coverY: 0
layout:
  width: wide
  outline:
    visible: false
---

# Welcome

Everything that a team writes for those who use what it builds.

<a href="text.md" class="button primary">Begin</a> <a href="boxes.md" class="button secondary">See boxes</a>

<table data-view="cards"><thead><tr><th></th><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td>🚀 <strong>Start</strong></td><td>From nothing to a first page.</td><td><a href="text.md">text.md</a></td></tr><tr><td>🧰 <strong>Tools</strong></td><td>What there is to build with.</td><td><a href="code.md">code.md</a></td></tr></tbody></table>
`;

const summary = `# Table of contents

* [Welcome](README.md)

## Blocks

* [Text](text.md)
  * [Boxes](boxes.md)
  * [Code](code.md)
* [Tables](tables.md)

## More

* [Changes](changes.md)
* [Talk](talk.md)
* [Elsewhere](https://example.com/)
`;

/** A space with a page for each kind of block, as repository files. */
export const everyBlock: Record<string, string> = {
  'SUMMARY.md': summary,
  'README.md': landing,
  'text.md': text,
  'boxes.md': boxes,
  'code.md': code,
  'tables.md': tables,
  'changes.md': updates,
  'talk.md': '# Talk\n\n{% embed url="https://www.youtube.com/watch?v=dQw4w9WgXcQ" %}\n',
  'light.svg': createPicture('#bfe3ff', '#3f7d58'),
  'dark.svg': createPicture('#16213e', '#1f4037'),
  'plan.txt': 'First this, then that.\n',
};

/** A small space in one language. */
export const makeSmallSpace = (title: string, words: string): Record<string, string> => ({
  'README.md': `# ${title}\n\n${words}\n\n## ${title} 1\n\n${words}\n\n## ${title} 2\n\n${words}\n`,
  'more.md': `# ${title} 3\n\n${words} [${title}](README.md#${encodeURIComponent(title.toLowerCase().replaceAll(' ', '-'))}-2)\n`,
});
