import path from 'node:path';
import { PlatformError, runWranglerCommand } from '@octavo/platform';
import { outDir } from '../settings.ts';

/** Runs a command of wrangler with more environment variables. */
export type RunWrangler = (args: string[], env: Record<string, string>) => Promise<void>;

/** @throws PlatformError with the output if the command fails */
export const runWrangler: RunWrangler = async (args, env) => {
  const cache = process.env.NODE_COMPILE_CACHE ?? path.join(outDir, 'compiled');
  const { isOk, output } = await runWranglerCommand(args, { env: { NODE_COMPILE_CACHE: cache, ...env } });
  if (isOk) return;
  // Omit the lines in which wrangler lists the names of uploaded static files, because they can be many.
  const lines = output.split('\n').filter((line) => !line.startsWith('+ '));
  throw new PlatformError(`wrangler ${args.join(' ')} failed:\n${lines.join('\n').trim()}`);
};
