import { open } from 'node:fs/promises';
import path from 'node:path';

/** Where generators of documentation say how a site is called, and how that is written there. */
const toml = /^title\s*=\s*(["'])(?<title>[^"'\n]+)\1/m;
const yaml = /^(?:site_name|title):[ \t]+(?<quote>["']?)(?<title>[^"'\n#]+?)\k<quote>[ \t]*(?:#.*)?$/m;
const script = /\btitle:\s*(["'`])(?<title>[^"'`\n$]+)\1/;
const configurations: [file: string, title: RegExp][] = [
  ...['book.toml', 'hugo.toml', 'config.toml'].map((file): [string, RegExp] => [file, toml]),
  ...['mkdocs.yml', 'mkdocs.yaml', '_config.yml', 'hugo.yaml'].map((file): [string, RegExp] => [file, yaml]),
  ...['docusaurus.config', '.vitepress/config', 'astro.config'].flatMap((name) =>
    ['js', 'mjs', 'ts', 'mts'].map((ending): [string, RegExp] => [`${name}.${ending}`, script]),
  ),
];

/** Folders that say what they hold, and not of what. */
const plain = new Set(['.', 'book', 'content', 'contents', 'doc', 'docs', 'documentation', 'pages', 'site', 'src']);
const maxBytes = 64 * 1024;
const maxAbove = 2;

/** How a file begins; nothing where it cannot be read. */
async function beginning(file: string): Promise<string> {
  try {
    const handle = await open(file);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    return '';
  }
}

async function configured(folder: string): Promise<string | undefined> {
  for (const [file, pattern] of configurations) {
    const title = pattern.exec(await beginning(path.join(folder, file)))?.groups?.title?.trim();
    if (title) return title;
  }
  return undefined;
}

/**
 * How the site of a folder is called: as the configuration of its generator says, in it or above it, where the folder has
 * one of the names that all have, such as `docs`; else by the name of the folder, or of that which such a folder is in.
 */
export async function titleOfFolder(folder: string): Promise<string> {
  let at = path.resolve(folder).replace(/\.zip$/i, '');
  for (let above = 0; above < maxAbove; above += 1) {
    const title = await configured(at);
    if (title !== undefined) return title;
    if (!plain.has(path.basename(at).toLowerCase()) || path.dirname(at) === at) break;
    at = path.dirname(at);
  }
  return (await configured(at)) ?? path.basename(at);
}
