import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { png } from './conventions.ts';
import { createCommandLine, createTemporaryFolder, findSpaceId, writeTree } from './octavo.ts';

const files = {
  'docusaurus.config.js': 'module.exports = { presets: [["classic", { docs: {} }]] };\n',
  'docs/intro.mdx':
    '# Intro\n\nimport Note from "./parts/_note.mdx";\n\n<Note name="you">\n\nInside.\n\n</Note>\n\n' +
    '```rust\n{{#include ../listings/a.rs:body}}\n```\n\n<<< @/../listings/x.ts{1}\r\n\n--8<-- "docs/parts/_lines.md:2:2"\n',
  'docs/parts/_note.mdx':
    '---\nid: note\n---\n\nHello {props.name}, see [the guide](../guide.md#use) and ![p](./pixel.png).\n\n{props.children}\n',
  'docs/parts/_lines.md': 'One.\nTwo **bold**.\nThree.\n',
  'docs/parts/pixel.png': png,
  'docs/guide.md': '# Guide\n\n## Use\n\nText.\n',
  'listings/a.rs': 'fn out() {}\n// ANCHOR: body\nfn main() {}\n// ANCHOR_END: body\n',
  'listings/x.ts': 'const a = 1;\r\n',
};

test('shows included files and imported markdown on the page, and exports the includes unchanged', async () => {
  const { octavo, token } = await createCommandLine();
  const folder = await writeTree(files);
  const first = await octavo('publish', folder);
  expect(first.stderr).not.toContain('docs/intro.mdx');
  const address = /https?:\S+/.exec(first.stdout.split('\n').find((line) => /^Published/.test(line)) ?? '')?.[0] ?? '';
  const content = `/v1/spaces/${findSpaceId(first.stdout)}/content`;

  const readHtml = async () => (await fetch(`${address}intro`)).text();
  const page = (await readHtml()).replace(/<script[\s\S]*?<\/script>|<wbr>/g, '');
  const shown = page.slice(page.indexOf('<main')).replace(/<[^>]+>/g, '');
  for (const text of ['Hello you, see the guide', 'Inside.', 'fn main() {}', 'const a = 1;', 'Two bold.'])
    expect(shown).toContain(text);
  for (const text of ['import', '{{#', '<<<', '8<', 'fn out', 'One.']) expect(shown).not.toContain(text);
  expect(page).toMatch(/href="[^"]*#use">the guide</);
  expect(page).toMatch(/<img[^>]+src="[^"]*\/files\//);

  const { markdown } = await json<{ markdown: string }>(`${content}/path/intro`, { token });
  expect(markdown).toBe(files['docs/intro.mdx']);
  const out = await createTemporaryFolder();
  expect((await octavo('export', findSpaceId(first.stdout), out)).code).toBe(0);
  for (const [file, text] of Object.entries(files))
    expect(await readFile(path.join(out, file)), file).toEqual(Buffer.from(text));

  expect((await octavo('publish', folder)).stdout).toContain('No changes');
  await writeFile(path.join(folder, 'listings/a.rs'), '// ANCHOR: body\nfn other() {}\n// ANCHOR_END: body\n');
  await octavo('publish', folder);
  expect(await readHtml()).toContain('other');
});
