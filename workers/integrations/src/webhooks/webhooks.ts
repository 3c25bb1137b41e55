import type { Check, Database, Statement } from '@octavo/db';
import { commitChecked, decodeCursor, getOnlyRow, isAfterCursor, paginate, readRows, subscriptions } from '@octavo/db';
import type { ActorContext, HandlerInput } from '@octavo/runtime';
import { findExternalAddressFault, seal } from '@octavo/runtime';
import type { integrations, NewEvent, OrganizationId } from '@octavo/schema';
import { conflict, createId, createRandomString, formatTimestamp, invalid, notFound, pingType } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import { getReceiver, getVerdict, postEvent } from '../deliveries/post-event.ts';
import { wakeAfterCommit } from '../deliveries/schedule.ts';
import { clearedFailureColumns } from '../deliveries/subscriptions.ts';
import type { IntegrationsEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';
import { presentWebhook } from './presenter.ts';
import type { WebhookRecord } from './queries.ts';
import { belongsToOrganization, findWebhook, selectWebhook, webhookRow } from './queries.ts';

export const listWebhooks = handler('listWebhooks', async ({ query: { page, limit } }, { db, organization, urls }) => {
  const cursor = decodeCursor(page, ['number', 'string']);
  const webhooks = webhookRow.query(sql`
    SELECT ${webhookRow} FROM subscriptions s INDEXED BY subscriptions_of_organization
    WHERE ${belongsToOrganization(organization.id)} AND ${isAfterCursor(cursor, sql`s.created_at`, sql`s.id`)}
    ORDER BY s.created_at DESC, s.id DESC LIMIT ${limit + 1}`);
  return paginate(await readRows(db, webhooks), limit, {
    item: (record) => presentWebhook(record, urls),
    getCursor: ({ createdAt, id }) => [createdAt, id],
  });
});

export const getWebhook = handler('getWebhook', async ({ params: { webhookId } }, { db, organization, urls }) =>
  presentWebhook(await findWebhook(db, organization.id, webhookId), urls),
);

/** Maximum number of webhooks of an organization, because each event is distributed to all of them. */
const maxWebhooks = 20;

export const createWebhook = handler(
  'createWebhook',
  async ({ body }, { db, env, organization, actor, commit, urls }) => {
    requirePublic(env, body.url);
    const id = createId('webhook');
    const { plaintext, sealedText } = await createSecret(env, id);
    const now = Date.now();
    const mayHaveMore = {
      condition: sql`(SELECT COUNT(*) FROM subscriptions s WHERE ${belongsToOrganization(organization.id)}) < ${maxWebhooks}`,
      createError: () => conflict(`An organization can have at most ${maxWebhooks} webhooks.`),
    };
    const write = db.insert(subscriptions).values({
      ...{ id, organization: organization.id, kind: 'webhook', status: body.active ? 'active' : 'paused' },
      ...(body.active ? {} : { pausedReason: 'requested' as const, pausedSince: now }),
      ...{ url: body.url, description: body.description ?? '' },
      ...{ events: normalizeEvents(body.events), spaces: body.spaces ?? null },
      ...{ secret: sealedText, sealedFor: id, createdBy: actor.id, createdAt: now, updatedAt: now },
    });
    const checks = [mayHaveMore, ...belongToOrganization(organization.id, body.spaces)];
    const selectCreated = selectWebhook(organization.id, id);
    const rows = await commitChecked(db, checks, (guards) =>
      commit({ guards, write, made: selectCreated }, [
        { type: 'webhook.created', organization: organization.id, data: { webhook: id } },
      ]),
    );
    return { ...presentWebhook(getOnlyRow(rows.made), urls), secret: plaintext };
  },
);

/** A webhook that is already paused keeps the reason of its pause. */
function getStatus(isActive: boolean, now: number) {
  if (isActive) return { status: 'active' as const, pausedReason: null, pausedSince: null };
  return {
    status: 'paused' as const,
    pausedReason: sql`CASE status WHEN 'paused' THEN paused_reason ELSE 'requested' END`,
    pausedSince: sql`CASE status WHEN 'paused' THEN paused_since ELSE ${now} END`,
  };
}

function getChange(
  { url, description, events, spaces, active }: HandlerInput<typeof integrations.updateWebhook>['body'],
  now: number,
) {
  // A paused webhook is not woken.
  const isActive = active === undefined ? sql`status = 'active'` : sql`${active}`;
  const wakeAt = sql`CASE WHEN lease IS NOT NULL THEN wake_at WHEN ${isActive} THEN ${now} END`;
  return {
    updatedAt: now,
    ...(url === undefined ? {} : { url }),
    ...(description === undefined ? {} : { description }),
    ...(events === undefined ? {} : { events: normalizeEvents(events) }),
    ...(spaces === undefined ? {} : { spaces }),
    ...(active === undefined ? {} : { ...getStatus(active, now), wakeAt }),
    // A resumed webhook, or one with a new URL, is tried immediately, regardless of earlier failures.
    ...(active === true || url !== undefined ? { ...clearedFailureColumns, wakeAt } : {}),
    ...(active !== undefined || url !== undefined ? { generation: sql`generation + 1` } : {}),
  };
}

export const updateWebhook = handler('updateWebhook', async ({ params: { webhookId: id }, body }, context) => {
  const { db, env, background, organization, urls } = context;
  requirePublic(env, body.url);
  const changed = await writeWebhook(context, {
    ...{ organization: organization.id, id },
    checks: belongToOrganization(organization.id, body.spaces),
    statements: [db.update(subscriptions).set(getChange(body, Date.now())).where(eq(subscriptions.id, id))],
    event: { type: 'webhook.updated', organization: organization.id, data: { webhook: id } },
  });
  if (changed.status === 'active')
    wakeAfterCommit(env, background, [{ subscription: id, organization: organization.id }]);
  return presentWebhook(changed, urls);
});

/** The webhook and its secrets are deleted at once, its deliveries later in parts. */
export const deleteWebhook = handler(
  'deleteWebhook',
  async ({ params: { webhookId: id } }, { db, organization, commit }) => {
    const existsCheck = {
      condition: sql`EXISTS (SELECT 1 FROM subscriptions s WHERE s.id = ${id} AND ${belongsToOrganization(organization.id)})`,
      createError: () => notFound('webhook'),
    };
    const ended = {
      ...{ status: 'ended' as const, secret: null, previousSecret: null, wakeAt: null, updatedAt: Date.now() },
      generation: sql`generation + 1`,
    };
    await commitChecked(db, [existsCheck], (guards) =>
      commit(
        [...guards, db.update(subscriptions).set(ended).where(eq(subscriptions.id, id))],
        [{ type: 'webhook.deleted', organization: organization.id, data: { webhook: id } }],
      ),
    );
    return undefined;
  },
);

const previousMilliseconds = 24 * 60 * 60_000;

export const rotateWebhookSecret = handler('rotateWebhookSecret', async ({ params: { webhookId: id } }, context) => {
  const { db, env, organization } = context;
  const { plaintext, sealedText } = await createSecret(env, id);
  const now = Date.now();
  const rotated = {
    ...{ previousSecret: sql`secret`, previousUntil: now + previousMilliseconds, secret: sealedText, updatedAt: now },
    generation: sql`generation + 1`,
  };
  await writeWebhook(context, {
    ...{ organization: organization.id, id },
    statements: [db.update(subscriptions).set(rotated).where(eq(subscriptions.id, id))],
    event: { type: 'webhook.secret_rotated', organization: organization.id, data: { webhook: id } },
  });
  return { secret: plaintext, previousSecretUntil: formatTimestamp(now + previousMilliseconds) };
});

/** Posts a test event to the receiver. It is not part of the feed and is not recorded as a delivery. */
export const testWebhook = handler(
  'testWebhook',
  async ({ params: { webhookId } }, { db, env, organization, actor }) => {
    const webhook = await findWebhook(db, organization.id, webhookId);
    const payload = {
      ...{ id: createId('event'), type: pingType, createdAt: formatTimestamp(Date.now()) },
      ...{ organization: organization.id, actor: actor.id, data: { webhook: webhook.id } },
    };
    const posting = { delivery: createId('delivery'), type: pingType, payload };
    const attempt = await postEvent(env, await getReceiver(env, webhook), posting);
    const { milliseconds, status, error, responseText } = attempt;
    return {
      delivered: getVerdict(attempt) === 'delivered',
      milliseconds,
      ...(status === null ? {} : { status }),
      ...(error === null ? {} : { error }),
      ...(responseText === null ? {} : { answer: responseText }),
    };
  },
);

interface WebhookWrite {
  organization: OrganizationId;
  id: string;
  checks?: Check[];
  statements: Statement[];
  event: NewEvent;
}

/** Writes an existing webhook with its event. Returns the new row. */
async function writeWebhook(
  { db, commit }: Pick<ActorContext, 'commit'> & { db: Database },
  { organization, id, checks = [], statements, event }: WebhookWrite,
): Promise<WebhookRecord> {
  const existsCheck = {
    condition: sql`EXISTS (SELECT 1 FROM subscriptions s WHERE s.id = ${id} AND ${belongsToOrganization(organization)})`,
    createError: () => notFound('webhook'),
  };
  const changed = selectWebhook(organization, id);
  const rows = await commitChecked(db, [existsCheck, ...checks], (guards) =>
    commit({ guards, statements, changed }, [event]),
  );
  return getOnlyRow(rows.changed);
}

const secretLength = 40;

/** Returns a new secret, both as plain text and sealed. */
async function createSecret(
  env: IntegrationsEnvironment,
  webhook: string,
): Promise<{ plaintext: string; sealedText: string }> {
  const plaintext = `whsec_${createRandomString(secretLength)}`;
  return { plaintext, sealedText: await seal(env, webhook, plaintext) };
}

/** Rejects addresses that events must not be posted to. @throws ApiError invalid */
function requirePublic(env: IntegrationsEnvironment, url: string | undefined): void {
  const fault = url === undefined ? undefined : findExternalAddressFault(env, url);
  if (fault !== undefined) throw invalid([{ path: 'body.url', message: fault }]);
}

/** Checks that the spaces belong to the organization. */
function belongToOrganization(organization: OrganizationId, spaces: string[] | null | undefined): Check[] {
  if (spaces === undefined || spaces === null) return [];
  const others = sql`FROM json_each(${JSON.stringify(spaces)}) named WHERE NOT EXISTS (
    SELECT 1 FROM spaces WHERE spaces.id = named.value AND spaces.organization = ${organization})`;
  return [
    {
      condition: sql`NOT EXISTS (SELECT 1 ${others})`,
      failingValue: sql`(SELECT named.value ${others} LIMIT 1)`,
      createError: (failingValue) =>
        invalid([
          { path: 'body.spaces', message: `must contain only spaces of the organization, not ${failingValue}` },
        ]),
    },
  ];
}

/** Null means that the webhook receives all events. */
const normalizeEvents = (events: string[]): string[] | null => (events.includes('*') ? null : [...new Set(events)]);
