import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** A large book if it is on this machine, otherwise the product's documentation. */
const books = ['../../../shared/data/rust-book/src', '../../docs'].map((at) => path.resolve(import.meta.dirname, at));
export const book = books.find((folder) => existsSync(folder)) ?? '';

/** Returns the paths of all files of the book. */
export async function listBookFiles(): Promise<Set<string>> {
  const entries = await readdir(book, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return new Set(files.map((entry) => path.relative(book, path.join(entry.parentPath, entry.name))));
}

/** Returns the targets of the links and images in a text, except those in code, comments and unused definitions. */
export function findTargets(markdown: string): string[] {
  const text = markdown
    .replace(/^([ >]*)(```+|~~~+).*\n(?:.*\n)*?[ >]*\2.*$/gm, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/(?<!`)(`+)(?!`)(?:(?!\n\s*\n)[\s\S])+?(?<!`)\1(?!`)/g, (code) => code.replace(/[[\]()<>]/g, '.'));
  const inline = [...text.matchAll(/\]\(\s*<?([^()\s>]*(?:\([^()\s]*\))?[^()\s>]*)>?(?:\s+"[^"]*")?\s*\)/g)];
  const html = [...text.matchAll(/<(?:a|img)\b[^<>]*?\s(?:href|src)="([^"]*)"/g)];
  const label = (each: string) => each.toLowerCase().replace(/\s+/g, ' ').trim();
  const body = text.replace(/^[ >]*\[[^\]]+\]:\s*\S+.*$/gm, '');
  const used = new Set([...body.matchAll(/\[((?:[^[\]]|\[[^[\]]*\])+)\]/g)].map(([, name = '']) => label(name)));
  const defined = [...text.matchAll(/^[ >]*\[([^\]^][^\]]*)\]:\s*<?(\S+?)>?(?:[ \t].*)?$/gm)];
  return [
    ...[...inline, ...html].map(([, target = '']) => target),
    ...defined.flatMap(([, name = '', target = '']) => (used.has(label(name)) ? [target] : [])),
  ].filter((target) => target !== '');
}

export const isOutside = (target: string): boolean => /^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(target);

/** Returns the file that a target refers to: '' for the same page, or undefined if there is no such file. */
export function findLinkedFile(target: string, from: string, files: Set<string>): string | undefined {
  const written = decodeURIComponent(target.replace(/[?#].*$/, ''));
  if (written === '') return '';
  const at = path.posix.normalize(path.posix.join(written.startsWith('/') ? '' : path.posix.dirname(from), written));
  const names = [at, `${at}.md`, `${at}/README.md`, `${at}/index.md`, at.replace(/\.html$/, '.md')];
  const asIndex = at.replace(/(^|\/)index\.html$/, '$1README.md');
  return [...names, asIndex].map((name) => name.replace(/^\.\//, '')).find((name) => files.has(name));
}
