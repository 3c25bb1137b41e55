import { copyFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buildPackage } from './packages/build-packages.ts';
import { root } from './settings.ts';
import { explain } from './terminal.ts';

/*
 * Prepares `npm pack` of a package: builds it, and replaces its `package.json`, which names the sources, until the
 * package's `postpack` restores it.
 */

const [name = ''] = process.argv.slice(2);
try {
  const manifest = path.join(root, 'packages', name, 'package.json');
  const packed = await buildPackage(root, name);
  await copyFile(manifest, `${manifest}.workspace`);
  await writeFile(manifest, packed);
} catch (error) {
  explain(error);
}
