import type { Row } from '@octavo/db';
import { number, optionalText, text } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { AuditEvent, AuditOrigin, EventType } from '@octavo/schema';
import { audited, timestamp } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** The condition of the index `outbox_audited`, word for word. */
export const isAudited = sql.raw("instr(type, '.') > 0 AND type <> 'content.changed' AND type <> 'mail.requested'");

/** The id of an invite is what one joins by: its beginning is enough to know it by. */
const shownOfInvite = 10;

/** What the audit log shows of a field of an event's data. */
export const shownPart = (field: string, value: string): string =>
  field === 'invite' ? value.slice(0, shownOfInvite) : value;

const columnsOfAll = new Set(['organization', 'space', 'actor']);

const targetIn = (place: string): string => {
  if (columnsOfAll.has(place)) return place;
  const field = `data->>'$.${place}'`;
  return place === 'invite' ? `substr(${field}, 1, ${shownOfInvite})` : field;
};

const typesByPlace = Map.groupBy(
  Object.entries(audited).flatMap(([type, place]) => (place === null ? [] : [{ type, place: String(place) }])),
  ({ place }) => place,
);

/** The target's id, of a row of the outbox. */
const target = sql.raw(
  `CASE ${[...typesByPlace]
    .map(
      ([place, types]) => `WHEN type IN (${types.map(({ type }) => `'${type}'`).join(', ')}) THEN ${targetIn(place)}`,
    )
    .join(' ')} END`,
);

export const eventColumns = sql`id, type, organization, actor, request_id, data, created_at, origin, ${target} AS target`;

/** By the prefix of their ids, the kinds of targets, and where their labels stand. */
const kinds: Record<string, { type: string; label?: string }> = {
  org: { type: 'organization', label: 'SELECT title FROM organizations WHERE id = target AND id = e.organization' },
  usr: { type: 'user', label: 'SELECT display_name FROM users WHERE id = target' },
  tok: { type: 'token', label: 'SELECT label FROM tokens WHERE id = target AND organization = e.organization' },
  team: { type: 'team', label: 'SELECT title FROM teams WHERE id = target AND organization = e.organization' },
  inv: { type: 'invite' },
  saml: {
    type: 'saml-provider',
    label: 'SELECT label FROM saml_providers WHERE id = target AND organization = e.organization',
  },
  trn: {
    type: 'translation-settings',
    label: 'SELECT title FROM translation_settings WHERE id = target AND organization = e.organization',
  },
  col: {
    type: 'collection',
    label: 'SELECT title FROM collections WHERE id = target AND organization = e.organization',
  },
  spc: { type: 'space', label: 'SELECT title FROM spaces WHERE id = target AND organization = e.organization' },
  cr: {
    type: 'change-request',
    label: `SELECT cr.subject FROM change_requests cr CROSS JOIN spaces s ON s.id = cr.space
      WHERE cr.id = target AND s.organization = e.organization`,
  },
  com: { type: 'comment' },
  rep: { type: 'comment-reply' },
  imp: { type: 'import' },
  pdf: { type: 'pdf' },
};

const label = sql.raw(
  `CASE substr(target, 1, instr(target, '_') - 1) ${Object.entries(kinds)
    .flatMap(([prefix, kind]) => (kind.label === undefined ? [] : [`WHEN '${prefix}' THEN (${kind.label})`]))
    .join(' ')} END`,
);

/** The rows of `events` with the labels of today; what has left the organization since has none. */
export const labelled = (events: SQL): SQL => sql`
  SELECT e.*, u.display_name AS actor_label, ${label} AS target_label FROM (${events}) e LEFT JOIN users u ON u.id = e.actor
  ORDER BY e.created_at DESC, e.id DESC`;

const named = (row: Row, column: string) => {
  const found = optionalText(row, column);
  return found === null ? {} : { label: found };
};

export const typeOf = (row: Row): EventType => text(row, 'type') as EventType;

export function presentEvent(row: Row, urls: Urls): AuditEvent {
  const id = text(row, 'id');
  const actor = text(row, 'actor');
  const targetId = optionalText(row, 'target') ?? '';
  const type = actor === 'system' ? 'system' : 'user';
  const origin = optionalText(row, 'origin');
  return {
    object: 'audit-event',
    id,
    occurredAt: timestamp(number(row, 'created_at')),
    action: typeOf(row),
    actor: { type, id: actor, ...named(row, 'actor_label') },
    source: type === 'system' ? 'script' : 'api',
    target: {
      type: kinds[targetId.split('_')[0] ?? '']?.type ?? 'object',
      id: targetId,
      ...named(row, 'target_label'),
    },
    ...(origin === null ? {} : { origin: JSON.parse(origin) as AuditOrigin }),
    urls: { location: urls.location(`/orgs/${text(row, 'organization')}/audit-events/${id}`) },
  };
}
