import { access, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findProblem, IntegrationName } from '@octavo/schema';
import { createMisuseError, Failure, getMessage } from '../failure.ts';
import { ownName } from './manifest.ts';

const longestTitle = 30;

const getManifest = (name: string): string => `name: ${JSON.stringify(name)}
title: ${JSON.stringify(name.slice(0, longestTitle).padEnd(2, '-'))}
description: A short description
script: index.ts
scopes: [space:content:read]
events: [change_request.created]
`;

const script = `import { at, defineIntegration } from '@octavo/integration';

export default defineIntegration({
  events: {
    'change_request.created': async ({ spaceId = '', changeRequest }, { api }) => {
      const { subject } = await api.get<{ subject: string }>(at\`/spaces/\${spaceId}/change-requests/\${changeRequest}\`);
      console.log('opened', subject);
    },
  },
  fetch: (request) => new Response(\`You asked for \${request.url}\`),
});
`;

/**
 * Writes a manifest and a script to a folder. The name defaults to that of the folder.
 * @throws Failure if a file already exists or the name is invalid
 */
export async function beginIntegration(folder: string, requestedName: string | undefined) {
  const name = requestedName ?? path.basename(path.resolve(folder));
  const fault = findProblem(IntegrationName, name);
  if (fault !== undefined) throw createMisuseError(`The name "${name}" ${fault}. Set another name with --name.`);
  const texts = { [path.join(folder, ownName)]: getManifest(name), [path.join(folder, 'index.ts')]: script };
  const files = Object.keys(texts);
  for (const file of files)
    if (await isExistingFile(file)) throw new Failure(`The file ${file} already exists. Nothing was written.`);
  try {
    await mkdir(folder, { recursive: true });
    for (const [file, text] of Object.entries(texts)) await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    throw new Failure(`Could not write to the folder ${folder}: ${getMessage(error)}.`);
  }
  return { name, files };
}

const isExistingFile = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
