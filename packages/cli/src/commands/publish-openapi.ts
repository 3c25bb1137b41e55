import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { OpenAPISource, OpenAPISpec } from '@octavo/schema';
import { readSpecification, SpecificationFault } from '@octavo/specification';
import { type Api, connect } from '../api.ts';
import { findConnection } from '../connection.ts';
import { createMisuseError, Failure, getMessage } from '../failure.ts';
import { findOnlyOrganization } from '../spaces.ts';
import { warn } from '../terminal.ts';
import { type Command, createTextOption, getText, printResult } from './command.ts';

const waitMilliseconds = 250;
const longestWaitMilliseconds = 5 * 60_000;

export const publishOpenAPI: Command = {
  summary: 'Publish an OpenAPI specification from a file or URL, and wait until it is processed',
  arguments: ['<file|URL>'],
  options: {
    slug: createTextOption('<slug>', 'The name by which pages refer to the specification', { required: true }),
    organization: createTextOption('<id>', 'The organization. Required if you can create specifications in several'),
  },
  json: { fields: ['slug', 'version', 'isNew', 'url'] },
  run: async (input, terminal) => {
    const {
      values,
      positionals: [from = ''],
    } = input;
    const specSlug = getText(values.slug);
    if (!specSlug) throw createMisuseError('--slug is required: the name by which pages refer to the specification.');
    const source = await readSource(from);
    const api = connect(await findConnection(terminal.env));
    const organizationId = getText(values.organization) ?? (await findOnlyOrganization(api, 'createOpenAPISpec')).id;
    const params = { organizationId, specSlug };
    const specification = await api.createOrUpdateOpenAPISpecBySlug({ params, body: { source } });
    const spec = await waitUntilRead(api, params);
    if (spec.lastProcessErrorCode !== undefined) {
      await removeEmpty(api, params, specification, spec);
      warn(terminal, `octavo: ${from} could not be published. ${spec.lastProcessErrorMessage}`);
      return 1;
    }
    const isNew = spec.lastVersion !== specification.lastVersion;
    const { lastVersion: version, urls } = spec;
    const line = `${isNew ? 'Published as' : 'No changes since'} version ${version}: ${urls.published ?? urls.location}`;
    printResult(terminal, input, { slug: specSlug, version, isNew, url: urls.published ?? urls.location }, line);
    return 0;
  },
};

async function readSource(from: string): Promise<OpenAPISource> {
  if (/^https?:\/\//i.test(from)) return { url: from };
  const text = await readFile(from, 'utf8').catch((error: unknown) => {
    throw new Failure(`The file ${from} could not be read: ${getMessage(error)}.`);
  });
  if (text === '') throw new Failure(`The file ${from} is empty.`);
  await checkText(from, text);
  return { text };
}

/** Parses the text as the server will, so that an invalid specification is not sent. @throws Failure */
async function checkText(from: string, text: string): Promise<void> {
  try {
    await readSpecification(new TextEncoder().encode(text), async () => {});
  } catch (error) {
    if (error instanceof SpecificationFault) throw new Failure(`${from} could not be published. ${error.message}`);
    throw error;
  }
}

/** Deletes the specification if this command created it and the server could not parse any version. */
async function removeEmpty(
  api: Api,
  params: { organizationId: string; specSlug: string },
  created: OpenAPISpec,
  { lastVersion }: OpenAPISpec,
): Promise<void> {
  const isNew = created.createdAt === created.updatedAt && created.lastVersion === undefined;
  if (isNew && lastVersion === undefined) await api.deleteOpenAPISpecBySlug({ params });
}

async function waitUntilRead(api: Api, params: { organizationId: string; specSlug: string }): Promise<OpenAPISpec> {
  const deadline = Date.now() + longestWaitMilliseconds;
  for (;;) {
    const spec = await api.getOpenAPISpecBySlug({ params });
    if (spec.processingState === 'complete') return spec;
    if (Date.now() > deadline)
      throw new Failure(`The specification is not processed after 5 minutes. Check its state: ${spec.urls.location}`);
    await wait(waitMilliseconds);
  }
}
