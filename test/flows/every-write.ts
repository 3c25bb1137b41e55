import { isWrite, supportsIdempotencyKey } from '@octavo/schema';
import { expect, test } from 'vitest';
import { createAuditLogClient } from '../org-admin/audit-events/activity.ts';
import { json } from '../support/content.ts';
import { operations } from '../support/endpoints.ts';
import { walkItems } from '../support/paging.ts';
import type { TestOrganization } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import type { BeforeCall } from './carried-out.ts';
import { sendNulls } from './null-fields.ts';
import { sendUnknown } from './unknown-fields.ts';
import { Walk } from './walk.ts';
import { Writer, writeOrganization } from './walk-beyond.ts';
import { walkCollaboration } from './walk-collaboration.ts';
import { walkCollections } from './walk-collections.ts';
import { callContentOperations } from './walk-content.ts';
import { walkOrganization } from './walk-organization.ts';
import { callIntegrationWrites } from './write-integrations.ts';
import { writeSites } from './write-sites.ts';
import { writeSpecifications } from './write-specifications.ts';
import { writeWebhooks } from './write-webhooks.ts';

/** Operations without an event in the organization's log, with the reason. */
const unlogged: Record<string, string> = {
  createOrganization: 'is told of in an organization that was none before: see its own test below',
  updateOrganizationMemberLastSeenAt: 'happens all the time: the log would hold little else',
  updateUserById: "is about an account, which is no organization's",
  createUserToken: "is about an account, which is no organization's",
  addFavorite: 'changes only what the caller sees',
  moveFavorite: 'changes only what the caller sees',
  deleteFavorite: 'changes only what the caller sees',
  addRecent: 'changes only what the caller sees',
  updateNotification: 'changes only what the caller sees',
  readAllNotifications: 'changes only what the caller sees',
  updateNotificationPreferences: 'changes only what the caller sees',
  deleteUserSession: "is about an account, which is no organization's",
  deleteUserToken: "is about an account, which is no organization's",
  generateStorageUploadURL: 'gives an address for bytes, which are told of when they become a file',
  queueIntegrationTask: 'is told of in the log of the integration, as a run of its script',
};

/** Returns the ids of the requests that the organization's log contains with a token. */
async function listLoggedRequests(organization: { id: string; token: string }): Promise<string[]> {
  const { path, details } = createAuditLogClient(organization);
  const events = await walkItems(path, organization.token, { limit: 1000 });
  const eventDetails = await Promise.all(events.map(({ id = '' }) => details(id)));
  return eventDetails.filter(({ origin }) => origin?.token !== undefined).map(({ correlationId }) => correlationId);
}

/** Declares the tests that call each operation that writes. */
export function testEveryWrite(): void {
  let organization: TestOrganization;
  /** Server errors of requests with null in place of a field. */
  const faults: unknown[] = [];
  /** Requests with an unknown field or parameter that were not rejected. */
  const accepted: unknown[] = [];
  /** Requests that the first test sent, by operation. */
  let createdObjects: { id: string; request: string }[];

  test('each operation that accepts an Idempotency-Key is executed once per key', async () => {
    organization = await platform().makeOrganization();
    const { token } = organization;
    const other = await json<{ id: string }>('/v1/orgs', { token, body: { title: 'Another' } });
    const [nulls, unknown] = [sendNulls(faults), sendUnknown(accepted)];
    const sendVariants: BeforeCall = async (sending, options) => {
      await unknown(sending, options);
      await nulls(sending, options);
    };
    const walk = new Walk(token, sendVariants);
    const writer = new Writer(token, sendVariants);
    await walkOrganization(walk, organization);
    await callContentOperations(walk, organization, other.id);
    await walkCollections(walk, organization, other.id);
    await walkCollaboration(walk, organization);
    await writeOrganization(writer, organization);
    await writeSites(writer, organization);
    await writeSpecifications(writer, organization);
    await writeWebhooks(writer, organization);
    await callIntegrationWrites(writer, organization);
    await writer.send('createOrganization', {}, { body: { title: 'One more' } });
    await writer.send('createUserToken', {}, { body: { label: 'Laptop' } });
    createdObjects = [...walk.writes, ...writer.writes];
    const keyed = operations.filter(({ endpoint }) => supportsIdempotencyKey(endpoint)).map(({ id }) => id);

    expect(keyed.filter((id) => !createdObjects.some((write) => write.id === id))).toEqual([]);
  });

  test("null instead of a field's value never causes a server error", () => {
    expect(faults).toEqual([]);
  });

  test('each operation rejects unknown fields and parameters', () => {
    expect(accepted).toEqual([]);
  });

  test('each write operation is in the audit log of its organization', async () => {
    const requests = new Set(await listLoggedRequests(organization));
    const writes = createdObjects.filter(({ id }) => unlogged[id] === undefined);
    const all = operations.filter(({ endpoint }) => isWrite(endpoint)).map(({ id }) => id);

    expect(all.filter((id) => unlogged[id] === undefined && !writes.some((write) => write.id === id))).toEqual([]);
    expect(writes.filter(({ request }) => !requests.has(request)).map(({ id }) => id)).toEqual([]);
    expect(Object.keys(unlogged).filter((id) => !all.includes(id))).toEqual([]);
  });

  test('the audit log of an organization starts with the creation of the organization', async () => {
    const organization = await platform().makeOrganization();
    const events = await createAuditLogClient(organization).all();

    expect(events.map(({ action }) => action).sort()).toEqual(['member.added', 'organization.created']);
  });
}
