import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Integration } from '@octavo/schema';
import type { Api } from '../api.ts';
import { Failure, messageOf } from '../failure.ts';
import { onlyOrganization } from '../spaces.ts';
import { buildScript } from './build-script.ts';
import type { FoundManifest } from './read-manifest.ts';
import { requireFetch } from './require-fetch.ts';

/** Builds what a manifest names and publishes it. */
export async function publishManifest(api: Api, found: FoundManifest, organization?: string): Promise<Integration> {
  const { name, envs: _envs, icon, previewImages, ...manifest } = found.manifest;
  const image = (file: string) => readImage(path.resolve(path.dirname(found.file), file));
  const script = await buildScript(found);
  await requireFetch(script, manifest.script);
  const body = {
    ...manifest,
    runtime: 'v2' as const,
    script,
    organization: organization ?? manifest.organization ?? (await onlyOrganization(api, 'admin')).id,
    ...(icon !== undefined && { icon: await image(icon) }),
    previewImages: await Promise.all(previewImages.map(image)),
  };
  return api.publishIntegration({ params: { integrationName: name }, body });
}

async function readImage(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new Failure(`The image ${file} cannot be read: ${messageOf(error)}.`);
  });
  return bytes.toString('base64');
}
