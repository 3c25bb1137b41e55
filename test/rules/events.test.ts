import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { EventType } from '@octavo/schema';
import {
  createInstallationPayload,
  deliveredTypes,
  getEventSchema,
  getEventScopes,
  isInstallationEvent,
} from '@octavo/schema';
import { expect, test } from 'vitest';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/reference/events.md'), 'utf8');

/** Returns the rows of the table whose first column has this title. */
function readTableRows(title: string): string[][] {
  const [, table = ''] = new RegExp(`^\\| ${title} \\|.*\\n\\|-.*\\n((?:\\|.*\\n)+)`, 'm').exec(page) ?? [];
  return table
    .trim()
    .split('\n')
    .map((row) => row.split('|').slice(1, -1));
}

const findNames = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

interface Field {
  isOptional(): boolean;
}

const getFields = (type: EventType): string[] =>
  Object.entries((getEventSchema(type) as unknown as { shape: Record<string, Field> }).shape).map(
    ([name, field]) => `${name}${field.isOptional() ? '?' : ''}`,
  );

test('docs/reference/events.md lists each event type with its fields and scopes, in the order of the code', () => {
  const listed = readTableRows('type \\| meaning').map(([type, , fields, scopes]) => ({
    ...{ type: findNames(type)[0], fields: findNames(fields), scopes: findNames(scopes) },
    isOwn: scopes?.trim() === 'its own',
  }));
  const known = deliveredTypes.map((type) => ({
    ...{ type, fields: getFields(type), scopes: [...getEventScopes(type)], isOwn: isInstallationEvent(type) },
  }));

  expect(listed).toEqual(known);
  expect(readTableRows('type \\| meaning').filter(([, said]) => (said ?? '').trim().length < 10)).toEqual([]);
});

const common = { id: 'evt_a', organization: 'org_a', space: 'spc_a', actor: 'usr_a', createdAt: 0 };
const actor = { object: 'user' as const, id: 'usr_a', displayName: '', urls: { location: '' } };

test('docs/reference/events.md lists the event types that have another name for installations', () => {
  const listed = readTableRows('type \\| is sent as').flatMap(([types, as]) =>
    findNames(types).map((type) => [type, findNames(as)[0]]),
  );
  const renamed = deliveredTypes
    .map((type) => [
      type,
      createInstallationPayload({ ...common, type, data: { branch: 'spc_a' } }, 'ins_a', actor).type,
    ])
    .filter(([type, as]) => type !== as);

  expect(listed.toSorted()).toEqual(renamed.toSorted());
});
