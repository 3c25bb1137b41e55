import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { IntegrationName, IntegrationVisibility, integrations, type ValidationIssue, validate } from '@octavo/schema';
import { isCollection, LineCounter, parseDocument } from 'yaml';
import * as z from 'zod';
import { Failure, getMessage } from '../failure.ts';
import { type Terminal, warn } from '../terminal.ts';

const {
  script: _script,
  icon: _icon,
  previewImages: _images,
  organization,
  ...published
} = integrations.publishIntegration.body.shape;

const FileName = z.string().min(1).max(4096);

/** Fields that can differ between servers. */
const prompts = {
  organization: organization.optional(),
  visibility: IntegrationVisibility.optional(),
  secrets: published.secrets,
};

const fields = {
  ...published,
  ...prompts,
  name: IntegrationName,
  description: published.description.default(''),
  script: FileName,
  icon: FileName.optional(),
  previewImages: z.array(FileName).max(3).default([]),
  envs: z.record(z.string(), z.object(prompts)).default({}),
};

/** The schema of a manifest: the fields of a publish request, with file names in place of the content of files. */
const IntegrationManifest = z.strictObject(fields);
type IntegrationManifest = z.infer<typeof IntegrationManifest>;

/** Like `IntegrationManifest`, but ignores other fields, which a manifest for another platform can have. */
const ForeignManifest = z.object(fields);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Returns the paths of fields that are in the input but not in the parsed value, at any depth. */
function findUnknownFields(input: unknown, accepted: unknown, parentPath: string[] = []): string[][] {
  if (!isObject(input) || !isObject(accepted)) return [];
  return Object.entries(input).flatMap(([name, value]) => {
    const path = [...parentPath, name];
    return Object.hasOwn(accepted, name) ? findUnknownFields(value, accepted[name], path) : [path];
  });
}

export const ownName = 'integration.yaml';
const foreignName = 'gitbook-manifest.yaml';
const maxFaults = 10;
const noSuchField = 'is not a known field';

export interface FoundManifest {
  /** Path of the manifest. File names in the manifest are relative to its folder. */
  file: string;
  manifest: IntegrationManifest;
}

/** Reads the manifest of a folder, or the given file, with the settings of one environment. @throws Failure */
export async function readManifest(from: string, terminal: Terminal, environment?: string): Promise<FoundManifest> {
  const file = await findManifest(from);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Failure(`The manifest ${file} could not be read: ${getMessage(error)}.`);
  });
  const { envs, ...manifest } = parseManifest(text, file, terminal);
  const part = environment === undefined ? {} : Object.hasOwn(envs, environment) ? envs[environment] : undefined;
  if (part === undefined) throw new Failure(`The manifest ${file} has no environment "${environment}" in envs.`);
  const merged = { ...manifest, ...part, envs };
  return {
    file,
    manifest: { ...merged, ...(merged.secrets && { secrets: fillSecrets(merged.secrets, terminal.env) }) },
  };
}

async function findManifest(from: string): Promise<string> {
  const stats = await stat(from).catch(() => undefined);
  if (stats === undefined) throw new Failure(`The folder or file ${path.resolve(from)} does not exist.`);
  if (stats.isFile()) return from;
  for (const name of [ownName, foreignName]) {
    const file = path.join(from, name);
    if (await stat(file).catch(() => undefined)) return file;
  }
  throw new Failure(
    `${path.resolve(from)} contains no manifest ${ownName}. Run octavo integration init to create one.`,
  );
}

function parseManifest(text: string, file: string, terminal: Terminal): IntegrationManifest {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const getPosition = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}, line ${line}, column ${col}`;
  };
  const [yamlError] = document.errors;
  if (yamlError)
    throw new Failure(`${getPosition(yamlError.pos[0])}: ${yamlError.message.split(/ at line |:?\n/)[0]}.`);
  const formatIssue = (fault: ValidationIssue) =>
    `${getPosition(getOffset(document, fault.path))}: ` +
    `${fault.path.length > 0 ? `\`${fault.path.join('.')}\`` : 'The manifest'} ${fault.message}.`;
  const isForeign = path.basename(file) === foreignName;
  const input = readInput(document, file);
  const result = validate(isForeign ? ForeignManifest : IntegrationManifest, input);
  const faults = result.success
    ? findUnknownFields(input, result.data).map((path) => ({ path, message: noSuchField }))
    : result.issues;
  if (!result.success || (faults.length > 0 && !isForeign))
    throw new Failure(faults.slice(0, maxFaults).map(formatIssue).join('\n'));
  for (const fault of faults) warn(terminal, `octavo: ${formatIssue(fault)} It is ignored.`);
  return result.data;
}

type Document = ReturnType<typeof parseDocument>;

/** Returns the value of a document. @throws Failure, for example if aliases expand too far */
function readInput(document: Document, file: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new Failure(`The manifest ${file} could not be read: ${getMessage(error)}.`);
  }
}

/**
 * Returns the offset of a value in the text. If the value does not exist, returns the offset of the closest value that
 * would contain it, or 0.
 */
function getOffset({ contents }: Document, path: PropertyKey[]): number {
  let offset = contents?.range?.[0] ?? 0;
  let node: unknown = contents;
  for (const key of path) {
    if (!isCollection(node)) break;
    node = node.get(key, true);
    const range = (node as { range?: [number, number, number] } | undefined)?.range;
    if (range) [offset] = range;
  }
  return offset;
}

/** Replaces `${{ env.NAME }}` with environment variables, so that the manifest contains no secrets. @throws Failure */
const fillSecrets = (secrets: Record<string, string>, env: Terminal['env']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(secrets).map(([secret, text]) => [
      secret,
      text.replace(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) => {
        const name = /^env\.(\w+)$/.exec(expression)?.[1];
        if (name === undefined)
          throw new Failure(`The secret ${secret} contains "${expression}". Only env.NAME is supported.`);
        const value = env[name];
        if (!value) throw new Failure(`The secret ${secret} needs the environment variable ${name}, which is not set.`);
        return value;
      }),
    ]),
  );
