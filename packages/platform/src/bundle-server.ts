import path from 'node:path';

/** The server in the build folder: what scripts/serve.ts and all that it imports come to, without types. */
export const serverBundle = 'serve.mjs';

/** Makes one module of the server, which starts faster and takes less memory than its files. */
export async function bundleServer(root: string, outDir: string): Promise<void> {
  const { build } = await import('esbuild');
  await build({
    entryPoints: [path.join(root, 'scripts/serve.ts')],
    outfile: path.join(outDir, serverBundle),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    external: ['miniflare', 'wrangler', 'esbuild'],
    logLevel: 'silent',
  });
}
