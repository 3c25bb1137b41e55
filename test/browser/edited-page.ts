import path from 'node:path';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { serveLocally } from '../support/local-server.ts';

const root = path.resolve(import.meta.dirname, '../..');

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; base-uri 'none'";

/** A page that contains the editor and nothing else. `window.editor` is the editor, and `window.changes` counts changes. */
const start = `
import { mountEditor } from '@octavo/editor';
window.hits = [];
window.hit = (name) => window.hits.push(name);
window.changes = 0;
window.uploads = [];
window.blocks = [];
window.mount = (markdown, title) => {
  window.editor?.destroy();
  window.editor = mountEditor(document.querySelector('main'), {
    markdown,
    title,
    label: 'Text of the page',
    onChange: () => { window.changes += 1; },
    onBlock: (block) => window.blocks.push(block),
    searchPages: async (query) =>
      [{ title: 'Install', target: 'install.md' }, { title: 'Import', target: 'import.md' }]
        .filter(({ title }) => title.toLowerCase().startsWith(query.toLowerCase())),
    describeFile: (target) => target === 'terms.pdf' ? { name: 'Terms of use.pdf', detail: '12 KB' } : undefined,
    upload: (file, report) => new Promise((resolve, reject) => window.uploads.push({ name: file.name, report, resolve, reject })),
    resolveImage: (target) => target === 'picture.png' ? '/picture.png' : undefined,
  });
};
`;

/** Bundles the editor as the app does. Returns its files by their names. */
export async function bundleEditor(): Promise<Map<string, Uint8Array>> {
  const { outputFiles } = await build({
    stdin: { contents: start, resolveDir: path.join(root, 'test') },
    ...{
      absWorkingDir: root,
      outdir: path.join(root, 'build/editor'),
      entryNames: 'editor',
      chunkNames: '[name].[hash]',
    },
    ...{ bundle: true, splitting: true, minify: true, write: false, format: 'esm', target: 'es2023' },
  });
  return new Map(outputFiles.map(({ path: file, contents }) => [path.basename(file), contents]));
}

async function bundleStyles(): Promise<Uint8Array | undefined> {
  const sheets = [
    'packages/reader/styles/reset.css',
    'packages/reader/styles/tokens.css',
    'packages/editor/src/styles.css',
  ];
  const { outputFiles } = await build({
    stdin: { contents: sheets.map((sheet) => `@import "./${sheet}";`).join('\n'), loader: 'css', resolveDir: root },
    ...{ absWorkingDir: root, bundle: true, write: false, outfile: 'style.css' },
  });
  return outputFiles[0]?.contents;
}

/** Serves the editor with a strict content security policy, and returns the address. */
export async function serveEditor(): Promise<string> {
  const [files, style] = await Promise.all([bundleEditor(), bundleStyles()]);
  return serveLocally((request, response) => {
    const name = (request.url ?? '/').slice(1);
    response.setHeader('content-security-policy', policy);
    const file = name === 'style.css' ? style : files.get(name);
    if (name === '')
      response
        .setHeader('content-type', 'text/html')
        .end(
          '<!doctype html><html lang="en"><title>Editor</title><link rel="stylesheet" href="/style.css"><script type="module" src="/editor.js"></script><main></main></html>',
        );
    else if (file === undefined) response.writeHead(404).end();
    else response.setHeader('content-type', name.endsWith('.css') ? 'text/css' : 'text/javascript').end(file);
  });
}

/** Values that the page of `serveEditor` sets. */
interface EditorWindow {
  mount(markdown: string, title?: string): void;
  editor: {
    getMarkdown(): string;
    setMarkdown(markdown: string, title?: string): void;
    setEditors(editors: { block: number; name: string }[]): void;
    setSourceMode(isSource: boolean): Promise<void>;
    focus(): void;
  };
  hits: string[];
  changes: number;
  /** The reported positions of the block with the cursor. */
  blocks: number[];
  uploads: {
    name: string;
    report(fraction: number): void;
    resolve(target: string): void;
    reject(error: Error): void;
  }[];
}

/** Opens the editor with a text. `problems` collects errors and violations of the policy. */
export async function openEditor(
  browser: Browser,
  address: string,
  markdown: string,
): Promise<{ page: Page; problems: string[] }> {
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  await page.goto(address);
  await page.evaluate((text) => (globalThis as unknown as EditorWindow).mount(text), markdown);
  return { page, problems };
}

/** Runs a function with the values of the page. */
export const runInEditor = <Result>(page: Page, run: (window: EditorWindow) => Result): Promise<Result> =>
  page.evaluate<Result>(`(${run.toString()})(window)`);

export const getEditedMarkdown = (page: Page): Promise<string> =>
  runInEditor(page, ({ editor }) => editor.getMarkdown());
