import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { buildPackages } from './packages/build-packages.ts';
import { outDir, root } from './settings.ts';
import { explain } from './terminal.ts';

const destination = path.join(outDir, 'packages');

try {
  for (const folder of await buildPackages(root, outDir)) {
    const args = ['pack', '--silent', '--pack-destination', destination];
    const { stdout } = await promisify(execFile)('npm', args, { cwd: folder });
    console.log(path.join(path.relative(root, destination), stdout.trim()));
  }
} catch (error) {
  explain(error);
}
