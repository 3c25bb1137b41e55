import type { BuildResult, Plugin } from 'esbuild';
import { messageOf } from '../failure.ts';
import { buildOptions, tellErrors } from './build-script.ts';
import type { FoundManifest } from './read-manifest.ts';

interface Builds {
  onBuilt(script: string): Promise<void>;
  onFailed(why: string): void;
}

/** Builds the script now and whenever a file that it is made of changes; gives what ends that. */
export async function watchScript(found: FoundManifest, { onBuilt, onFailed }: Builds): Promise<() => Promise<void>> {
  const { context } = await import('esbuild');
  const take = async ({ errors, outputFiles }: BuildResult) => {
    if (errors.length > 0) onFailed(tellErrors(errors));
    else await onBuilt(outputFiles?.[0]?.text ?? '').catch((error: unknown) => onFailed(messageOf(error)));
  };
  const options = buildOptions(found, 'development');
  const onEnd: Plugin = { name: 'take', setup: (build) => build.onEnd(take) };
  const built = await context({ ...options, plugins: [...(options.plugins ?? []), onEnd] });
  await built.watch();
  return () => built.dispose();
}
