import type { Check, Database, Parameter, Statement } from '@octavo/db';
import {
  commitCheckedOnce,
  createConflict,
  findFailedCheck,
  getOnlyRow,
  integrations,
  prepareQuery,
  readRow,
  retryOnConflict,
  selection,
  upsertIntegration,
} from '@octavo/db';
import type { Background } from '@octavo/runtime';
import { describeError, findExternalAddressFault, log, seal } from '@octavo/runtime';
import type { IntegrationBlock, OrganizationId, PublishIntegration, UserId } from '@octavo/schema';
import {
  conflict,
  createId,
  createRandomString,
  forbidden,
  invalid,
  maxIconBytes,
  maxPreviewBytes,
  notFound,
} from '@octavo/schema';
import { aliasedTable, eq, sql } from 'drizzle-orm';
import { imageSize } from 'image-size';
import { resetOwnInstallationFailures } from '../deliveries/subscriptions.ts';
import type { IntegrationsEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';
import { settlePending } from '../installations/settle-pending.ts';
import type { NewObject, ObjectKind } from './objects.ts';
import { markAllUnreferenced, markReferenced, uploadObjects } from './objects.ts';
import { presentIntegration } from './presenter.ts';
import { limitRowMembership, selectIntegration } from './queries.ts';

const iconLimits = { bytes: maxIconBytes, side: 2048 };
const previewLimits = { bytes: maxPreviewBytes, side: 8192 };

export const publishIntegration = handler('publishIntegration', async ({ params, body }, context) => {
  const { db, env, actor, commit, urls } = context;
  const owner = context.targets.organization?.id;
  if (owner === undefined) throw notFound('organization');
  requireReachableWebhook(env, body);
  const images = getImages(body);
  const getNames = async () => ({ name: await readStoredName(db, params.integrationName), owner });
  await retryOnConflict(async () => {
    const failure = await findFailedCheck(db, getChecks(await getNames()));
    if (failure !== undefined) throw failure;
  });
  const objects = await uploadObjects({ db, env }, [getScript(body), ...images]);
  const published = await retryOnConflict(async () => {
    const { name } = await getNames();
    const statements = await writeIntegration({ db, env }, { name, owner, actor: actor.id, objects, body });
    const write = [...statements, resetOwnInstallationFailures(db, name, owner)];
    const event = { type: 'integration.published' as const, organization: owner, data: { integration: name } };
    // The version is read in the same batch, so that each of several concurrent requests gets the version that it has
    // published itself.
    const { shown } = await commitCheckedOnce(db, getChecks({ name, owner }), (guards) =>
      commit({ guards, write, shown: selectIntegration(actor, name) }, [event]),
    );
    return limitRowMembership(actor, getOnlyRow(shown));
  });
  settleAfterPublication(context, published.integration.name);
  return presentIntegration(published, urls);
});

/** Runs after the response. If it does not finish, the cron continues the work. */
function settleAfterPublication(
  { env, background }: { env: IntegrationsEnvironment; background: Background },
  name: string,
): void {
  background.waitUntil(
    settlePending(env, background, name).catch((error: unknown) =>
      log('error', 'could not review pending installations, the cron will retry', {
        integration: name,
        cause: describeError(error),
      }),
    ),
  );
}

/** @throws ApiError invalid if events cannot or must not be posted to the webhook's address */
function requireReachableWebhook(env: IntegrationsEnvironment, { webhook }: PublishIntegration): void {
  const fault = webhook === undefined ? undefined : findExternalAddressFault(env, webhook);
  if (fault !== undefined) throw invalid([{ path: 'body.webhook', message: fault }]);
}

/** Returns the icon, if there is one, followed by the preview images. */
function getImages({ icon, previewImages }: PublishIntegration) {
  const previews = previewImages.map((each, index) => readImage(`body.previewImages.${index}`, each, previewLimits));
  return icon === undefined ? previews : [readImage('body.icon', icon, iconLimits), ...previews];
}

const getScript = ({ script }: PublishIntegration) => ({
  kind: 'js' as const,
  bytes: new TextEncoder().encode(script),
});

const maxPublished = 200;
/** 43 base-62 characters have 256 bits. */
const signingSecretLength = 43;

const i = aliasedTable(integrations, 'i');
const storedName = prepareQuery(selection({ name: i.name }), (select, name: Parameter<string>) =>
  select.from(i).where(eq(i.name, name)),
);

/** Returns the published spelling of a name, or the name unchanged if it is not published. */
async function readStoredName(db: Database, name: string): Promise<string> {
  return (await readRow(db, storedName(name)))?.name ?? name;
}

interface NamedIntegration {
  name: string;
  owner: OrganizationId;
}

/** Returns the checks for publishing a name. */
function getChecks({ name, owner }: NamedIntegration): Check[] {
  const published = sql`SELECT 1 FROM integrations i WHERE i.name = ${name}`;
  return [
    {
      condition: sql`NOT EXISTS (${published} AND i.organization <> ${owner})`,
      createError: () => forbidden(`The name ${name} belongs to an integration of another organization.`),
    },
    {
      condition: sql`NOT EXISTS (${published} AND i.unpublished_at IS NOT NULL)`,
      createError: () => conflict(`${name} is still being uninstalled. Try again in a minute.`),
    },
    {
      condition: sql`EXISTS (${published})
        OR (SELECT COUNT(*) FROM integrations i WHERE i.organization = ${owner}) < ${maxPublished}`,
      createError: () => conflict(`An organization can have at most ${maxPublished} integrations.`),
    },
    {
      condition: sql`NOT EXISTS (${published} AND i.name <> ${name} COLLATE BINARY)`,
      createError: () => createConflict('The name was published with different capitalization.'),
    },
  ];
}

interface Publishing extends NamedIntegration {
  actor: UserId;
  /** Keys of the script, the icon if there is one, and the preview images. */
  objects: string[];
  body: PublishIntegration;
}

/** Returns the statements of publishing. Secrets are sealed for the stored spelling of the name. */
async function writeIntegration(
  { db, env }: { db: Database; env: IntegrationsEnvironment },
  { name, owner, actor, objects, body }: Publishing,
): Promise<Statement[]> {
  const now = Date.now();
  const updatedFields = { ...getDescription(body, objects), ...(await getSecrets(env, name, body)), updatedAt: now };
  const createdFields = {
    ...{ name, organization: owner, account: createId('account') as string, createdBy: actor, createdAt: now },
    signingSecret: await seal(env, name, createRandomString(signingSecretLength)),
  };
  return [
    markAllUnreferenced(db, name),
    ...upsertIntegration(db, createdFields, updatedFields),
    markReferenced(db, objects),
  ];
}

function getDescription(body: PublishIntegration, [script = '', ...images]: string[]) {
  const { icon, blocks, contentSources, configurations, contentSecurityPolicy, events, webhook } = body;
  const { title, description, summary, target, visibility, runtime, scopes, categories, externalLinks } = body;
  return {
    ...{ title, description, target, visibility, runtime, scopes, categories, externalLinks },
    ...{ summary: summary ?? null, blocks: blocks ?? null, contentSources: contentSources ?? null },
    ...{ configurations: configurations ?? null, contentSecurityPolicy: contentSecurityPolicy ?? null },
    ...{ events: events ?? null, webhook: webhook ?? null, blockDomains: getBlockDomains(blocks) },
    ...{ script, icon: icon === undefined ? null : (images[0] ?? null) },
    previewImages: icon === undefined ? images : images.slice(1),
  };
}

/** Returns the sealed secrets. Omitted secrets stay unchanged. */
async function getSecrets(env: IntegrationsEnvironment, name: string, { secrets }: PublishIntegration) {
  if (secrets === undefined) return {};
  return { secrets: Object.keys(secrets).length === 0 ? null : await seal(env, name, secrets) };
}

const host = /^(?:[a-z*][a-z\d+.*-]*:\/\/)?((?:\*{1,2}\.)?[a-z\d][\w.-]*)(?:[/:?#]|$)/i;

/** Returns the domains of URL patterns that become blocks; the prefix `*.` matches subdomains. */
const getBlockDomains = (blocks: IntegrationBlock[] = []): string[] => [
  ...new Set(
    blocks.flatMap(({ urlUnfurl = [] }) =>
      urlUnfurl.flatMap((pattern) => {
        const domain = host
          .exec(pattern)?.[1]
          ?.toLowerCase()
          .replace(/^\*\*\./, '*.');
        return domain === undefined ? [] : [domain];
      }),
    ),
  ),
];

interface ImageLimits {
  bytes: number;
  /** Maximum width and height in pixels. */
  side: number;
}

/** Only this part of an image is parsed for its size, which bounds the cost of hostile files. */
const readBytes = 256 * 1024;

type ImageKind = Exclude<ObjectKind, 'js'>;

/** The first and last bytes of image formats, in Latin-1. Data after the end is rejected. */
const formats: { kind: ImageKind; prefix: string; ends: string }[] = [
  { kind: 'png', prefix: '\x89PNG\r\n\x1a\n\0\0\0\rIHDR', ends: '\0\0\0\0IEND\xaeB`\x82' },
  { kind: 'jpeg', prefix: '\xff\xd8\xff', ends: '\xff\xd9' },
  { kind: 'gif', prefix: 'GIF87a', ends: ';' },
  { kind: 'gif', prefix: 'GIF89a', ends: ';' },
  { kind: 'webp', prefix: 'RIFF', ends: '' },
];

/**
 * Decodes a base64 image and checks its bytes: it has to be exactly one image in a known format, of a size that can be
 * displayed.
 * @throws ApiError invalid, naming the field
 */
function readImage(path: string, base64: string, limits: ImageLimits): NewObject {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const createFault = (message: string) => invalid([{ path, message }]);
  if (bytes.length > limits.bytes) throw createFault(`must have at most ${limits.bytes / 1024} KB`);
  const kind = getKind(bytes);
  if (kind === undefined) throw createFault('must be a PNG, JPEG, GIF or WebP image without other data');
  const { width, height } = readImageDimensions(bytes, kind) ?? { width: 0, height: 0 };
  if (width < 1 || height < 1) throw createFault('must be an image with a width and height');
  if (Math.max(width, height) > limits.side) {
    throw createFault(`must be at most ${limits.side} pixels wide and high, not ${width} x ${height}`);
  }
  return { kind, bytes };
}

const decodeLatin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

function getKind(bytes: Uint8Array): ImageKind | undefined {
  const [first, last] = [decodeLatin1(bytes.subarray(0, 32)), decodeLatin1(bytes.subarray(-32))];
  const format = formats.find(({ prefix, ends }) => first.startsWith(prefix) && last.endsWith(ends));
  return format?.kind === 'webp' && !isWholeWebp(bytes) ? undefined : format?.kind;
}

/** A WebP file contains its length. */
function isWholeWebp(bytes: Uint8Array): boolean {
  if (bytes.length < 16 || decodeLatin1(bytes.subarray(8, 12)) !== 'WEBP') return false;
  const expectedLength = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true) + 8;
  return expectedLength === bytes.length;
}

function readImageDimensions(bytes: Uint8Array, kind: ImageKind): { width: number; height: number } | undefined {
  try {
    const { width, height, type } = imageSize(bytes.slice(0, readBytes));
    return type === (kind === 'jpeg' ? 'jpg' : kind) ? { width, height } : undefined;
  } catch {
    // An unreadable image is reported as an image without a size.
    return undefined;
  }
}
