import path from 'node:path';

/** The server in the build folder: what scripts/serve.ts and all that it imports come to, without types. */
export const serverBundle = 'serve.mjs';

/** What Node runs the server with: it does little itself, and is to take little memory. */
export const serverFlags = ['--max-semi-space-size=1', '--max-old-space-size=128'];

/** What makes the first content, in the build folder: scripts/fill.ts but for the command line, which it seldom needs. */
export const fillBundle = 'fill.mjs';

/** Makes one module each of the server and of what fills it: they start faster and take less memory than their files. */
export async function bundleServer(root: string, outDir: string): Promise<void> {
  const { build } = await import('esbuild');
  await build({
    entryPoints: ['scripts/serve.ts', 'scripts/fill.ts'].map((file) => path.join(root, file)),
    outdir: outDir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    external: ['miniflare', 'wrangler', 'esbuild', '@octavo/cli'],
    logLevel: 'silent',
  });
}
