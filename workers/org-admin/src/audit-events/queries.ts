import type { RecordOf } from '@octavo/db';
import { computed, createDisplayNameField, fromJson, nullable, outbox, selection, users } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { AuditEvent, EventType } from '@octavo/schema';
import { auditedFields, formatTimestamp, visibleInviteLength } from '@octavo/schema';
import type { SQL, SQLWrapper } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';

/** The SQL condition for audited events. It must equal the condition of the index `outbox_audited` word for word. */
export const isAudited = sql.raw("instr(type, '.') > 0 AND type <> 'content.changed' AND type <> 'mail.requested'");

const columnsOfAll = new Set(['organization', 'space', 'actor']);

const toTargetPath = (targetField: string): string => {
  if (columnsOfAll.has(targetField)) return targetField;
  const field = `data->>'$.${targetField}'`;
  return targetField === 'invite' ? `substr(${field}, 1, ${visibleInviteLength})` : field;
};

const typesByPlace = Map.groupBy(
  Object.entries(auditedFields).flatMap(([type, field]) => (field === null ? [] : [{ type, place: String(field) }])),
  ({ place }) => place,
);

/** SQL expression: the id of the target of an `outbox` row. */
const target = sql.raw(
  `CASE ${[...typesByPlace]
    .map(
      ([field, types]) =>
        `WHEN type IN (${types.map(({ type }) => `'${type}'`).join(', ')}) THEN ${toTargetPath(field)}`,
    )
    .join(' ')} END`,
);

const { id, type, organization, actor, requestId, data, createdAt, origin } = outbox;

/** The columns of `outbox` that `selectWithLabels` reads. */
export const eventColumns = selection({
  ...{ id, type, organization, actor, requestId, data, createdAt, origin },
  target: computed(String, target),
});

const selectLabel = (table: string, column = 'title'): string => `SELECT x.${column} FROM ${table} x
  CROSS JOIN sites st ON st.id = x.site WHERE x.id = target AND st.organization = e.organization`;

/** The target types and their label queries, by id prefix. */
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
  site: { type: 'site', label: 'SELECT title FROM sites WHERE id = target AND organization = e.organization' },
  sec: { type: 'site-section', label: selectLabel('site_sections') },
  secg: { type: 'site-section-group', label: selectLabel('site_section_groups') },
  sel: { type: 'site-external-link', label: selectLabel('site_external_links') },
  ss: {
    type: 'site-space',
    label: `SELECT s.title FROM site_spaces ss CROSS JOIN spaces s ON s.id = ss.space
      WHERE ss.id = target AND s.organization = e.organization`,
  },
  sl: { type: 'share-link', label: selectLabel('site_share_links', 'name') },
  com: { type: 'comment' },
  rep: { type: 'comment-reply' },
  ins: {
    type: 'installation',
    label: `SELECT g.title FROM installations i CROSS JOIN integrations g ON g.name = i.integration
      WHERE i.id = e.target AND i.organization = e.organization`,
  },
  imp: { type: 'import' },
  pdf: { type: 'pdf' },
};

/** The target of these events is the name of an integration, which could look like the id of another object. */
const isOfIntegration = (type: string): boolean => auditedFields[type as EventType] === 'integration';
const ofIntegrations = Object.keys(auditedFields).filter(isOfIntegration);
const titleOfIntegration =
  'SELECT i.title FROM integrations i WHERE i.name = e.target AND i.organization = e.organization';

const label = sql.raw(
  `CASE WHEN type IN (${ofIntegrations.map((type) => `'${type}'`).join(', ')}) THEN (${titleOfIntegration})
    ELSE CASE substr(target, 1, instr(target, '_') - 1) ${Object.entries(kinds)
      .flatMap(([prefix, kind]) => (kind.label === undefined ? [] : [`WHEN '${prefix}' THEN (${kind.label})`]))
      .join(' ')} END END`,
);

const [e, u] = [aliasedTable(outbox, 'e'), aliasedTable(users, 'u')];

export const eventRow = selection({
  id: e.id,
  type: e.type,
  organization: e.organization,
  actor: e.actor,
  requestId: e.requestId,
  data: computed(fromJson<Record<string, unknown>>(), sql`e.data`),
  createdAt: e.createdAt,
  origin: e.origin,
  target: nullable(computed(String, sql`e.target`)),
  actorKind: nullable(u.kind),
  actorLabel: nullable(createDisplayNameField(u)),
  targetLabel: nullable(computed(String, label)),
});

export type EventRecord = RecordOf<typeof eventRow>;

/** Selects `columns` of `events e` with the current labels. Objects that have left the organization have no label. */
export const selectWithLabels = (columns: SQLWrapper, events: SQL): SQL => sql`
  SELECT ${columns} FROM (${events}) e LEFT JOIN users u ON u.id = e.actor
  ORDER BY e.created_at DESC, e.id DESC`;

const selectName = (label: string | null) => (label === null ? {} : { label });

const sources = { user: 'api', system: 'script', integration: 'integration', installation: 'integration' } as const;

function getActorType({ actor, actorKind }: EventRecord): keyof typeof sources {
  if (actor === 'system') return 'system';
  return actorKind === 'integration' || actorKind === 'installation' ? actorKind : 'user';
}

export function presentEvent(event: EventRecord, urls: Urls): AuditEvent {
  const { id, actor, origin } = event;
  const targetId = event.target ?? '';
  const type = getActorType(event);
  return {
    object: 'audit-event',
    id,
    occurredAt: formatTimestamp(event.createdAt),
    action: event.type,
    actor: { type, id: actor, ...selectName(event.actorLabel) },
    source: sources[type],
    target: {
      type: isOfIntegration(event.type) ? 'integration' : (kinds[targetId.split('_')[0] ?? '']?.type ?? 'object'),
      id: targetId,
      ...selectName(event.targetLabel),
    },
    ...(origin === null ? {} : { origin }),
    urls: { location: urls.location(`/orgs/${event.organization}/audit-events/${id}`) },
  };
}
